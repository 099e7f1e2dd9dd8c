// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "jobs/report-private.h"
#include "lib/json.h"

/* 34 + 3 * (1 + 14) = 79 columns */
#define TITLE_WIDTH 34
#define CELL_WIDTH 14
#define PLACES_PER_TABLE 3

static bool same_place(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "arch", "kconfig", "toolchain" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(json_get_str(a, keys[i], ""),
			   json_get_str(b, keys[i], "")))
			return false;
	}
	return true;
}

static const json_t *at_place(const json_t *list, const json_t *place)
{
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e) {
		if (same_place(e, place))
			return e;
	}
	return NULL;
}

static void add_cell(struct strbuf *out, const char *text)
{
	/* the words of a cell are ours or the configuration's: ASCII */
	strbuf_addf(out, " %-*.*s", CELL_WIDTH, CELL_WIDTH, text);
}

/* Titles are a stranger's text: cut by characters, not inside one. */
static void add_title(struct strbuf *out, const char *title)
{
	size_t n = 0, column = 0;

	while (title[n] && column < TITLE_WIDTH) {
		n++;
		while (((unsigned char)title[n] & 0xc0) == 0x80)
			n++;
		column++;
	}
	strbuf_add(out, title, n);
	while (column++ < TITLE_WIDTH)
		strbuf_addch(out, ' ');
}

static void end_row(struct strbuf *out)
{
	while (out->len && out->buf[out->len - 1] == ' ')
		strbuf_setlen(out, out->len - 1);
	strbuf_addch(out, '\n');
}

static void add_head(const json_t *builds, struct strbuf *out)
{
	static const char *const keys[] = { "arch", "kconfig", "toolchain" };
	const json_t *b;
	size_t i;

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		add_title(out, "");
		json_array_foreach(builds, i, b)
			add_cell(out, json_get_str(b, keys[k], ""));
		end_row(out);
	}
}

static void add_build_cell(const json_t *build, int64_t number,
			   struct strbuf *out)
{
	struct strbuf cell __free(strbuf) = STRBUF_INIT;
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(build, "patches"), i, p) {
		long long errors = json_get_int(p, "errors", 0);
		long long warnings = json_get_int(p, "warnings", 0);
		bool fails = !strcmp(json_get_str(p, "outcome", ""), "fails");

		if (json_get_int(p, "number", 0) != number)
			continue;
		if (errors && warnings)
			strbuf_addf(&cell, "%lld err", errors);
		else if (errors)
			strbuf_add_count(&cell, (size_t)errors, "error",
					 "errors");
		else if (fails)
			strbuf_addstr(&cell, "still fails");
		if (warnings && cell.len)
			strbuf_addf(&cell, ", %lld warn", warnings);
		else if (warnings)
			strbuf_add_count(&cell, (size_t)warnings, "warning",
					 "warnings");
		add_cell(out, cell.len ? cell.buf : "ok");
		return;
	}
	add_cell(out, "not built");
}

static void add_patch_rows(const json_t *ctx, const json_t *builds,
			   struct strbuf *out)
{
	const json_t *patches = json_object_get(ctx, "patches"), *p, *b;
	size_t i, k;

	json_array_foreach(patches, i, p) {
		char *title __free(kfree) =
			xasprintf("%lld/%zu %s",
				  (long long)json_get_int(p, "number", 0),
				  json_array_size(patches),
				  json_get_str(p, "title", ""));

		add_title(out, title);
		json_array_foreach(builds, k, b)
			add_build_cell(b, json_get_int(p, "number", 0), out);
		end_row(out);
	}
}

static void add_fixup_rows(const json_t *ctx, const json_t *builds,
			   struct strbuf *out)
{
	const json_t *f, *b;
	size_t i, k;

	json_array_foreach(json_object_get(ctx, "fixups"), i, f) {
		char *title __free(kfree) =
			xasprintf("+ fix-up by %s",
				  json_get_str(f, "from_name", ""));

		if (strcmp(json_get_str(f, "state", ""), "applied"))
			continue;
		add_title(out, title);
		json_array_foreach(builds, k, b)
			add_build_cell(b, json_get_int(f, "number", 0), out);
		end_row(out);
	}
}

static void boot_cell(const json_t *boot, size_t total, struct strbuf *cell)
{
	long long at = json_get_int(boot, "image_patch", 0);

	if (!boot) {
		strbuf_addstr(cell, "not run");
		return;
	}
	strbuf_addstr(cell, json_get_str(boot, "outcome", ""));
	if (at && (size_t)at < total)
		strbuf_addf(cell, " (at %lld/%zu)", at, total);
	if ((size_t)at > total)
		strbuf_addstr(cell, " (fix-up)");
}

static void test_cell(const json_t *t, struct strbuf *cell)
{
	long long bad = json_get_int(t, "failed", 0);

	if (!t) {
		strbuf_addstr(cell, "not run");
		return;
	}
	strbuf_addf(cell, "%lld ok", (long long)json_get_int(t, "passed", 0));
	if (bad)
		strbuf_addf(cell, ", %lld bad", bad);
}

static bool any_at(const json_t *list, const json_t *builds)
{
	const json_t *b;
	size_t i;

	json_array_foreach(builds, i, b) {
		if (at_place(list, b))
			return true;
	}
	return false;
}

/* Not in every mail: a test that is not there is seldom of interest. */
static void add_skipped_row(const json_t *tests, const json_t *builds,
			    struct strbuf *out)
{
	int64_t all = 0;
	const json_t *b;
	size_t i;

	json_array_foreach(builds, i, b)
		all += json_get_int(at_place(tests, b), "skipped", 0);
	if (!all)
		return;
	add_title(out, "  skipped themselves");
	json_array_foreach(builds, i, b) {
		char *cell __free(kfree) = xasprintf(
			"%lld", (long long)json_get_int(at_place(tests, b),
							"skipped", 0));

		add_cell(out, cell);
	}
	end_row(out);
}

/* Rows without any run are left out: "Not run" below says why. */
static void add_guest_rows(const json_t *ctx, const json_t *judgement,
			   const json_t *builds, struct strbuf *out)
{
	const json_t *boots = json_object_get(judgement, "boots");
	const json_t *tests = json_object_get(judgement, "tests"), *b;
	size_t total = json_array_size(json_object_get(ctx, "patches")), i;

	if (any_at(boots, builds)) {
		add_title(out, "boot");
		json_array_foreach(builds, i, b) {
			struct strbuf cell __free(strbuf) = STRBUF_INIT;

			boot_cell(at_place(boots, b), total, &cell);
			add_cell(out, cell.buf);
		}
		end_row(out);
	}
	if (!any_at(tests, builds))
		return;
	add_title(out, "mm selftests");
	json_array_foreach(builds, i, b) {
		struct strbuf cell __free(strbuf) = STRBUF_INIT;

		test_cell(at_place(tests, b), &cell);
		add_cell(out, cell.buf);
	}
	end_row(out);
	add_skipped_row(tests, builds, out);
}

void report_table(const json_t *ctx, const json_t *judgement,
		  struct strbuf *out)
{
	const json_t *all = json_object_get(judgement, "builds");

	/* lines of 78 columns: two places side by side */
	for (size_t i = 0; i < json_array_size(all); i += PLACES_PER_TABLE) {
		json_t *builds __free(json) = json_array();

		for (size_t k = i; k < i + PLACES_PER_TABLE; k++)
			json_array_append(builds, json_array_get(all, k));
		if (i)
			strbuf_addch(out, '\n');
		add_head(builds, out);
		add_patch_rows(ctx, builds, out);
		add_fixup_rows(ctx, builds, out);
		add_guest_rows(ctx, judgement, builds, out);
	}
	report_bench(judgement, out);
}
