// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "jobs/judge-bench.h"
#include "lib/json.h"
#include "web/handlers.h"
#include "web/lines.h"
#include "web/series.h"
#include "web/words.h"

static void word_rows(json_t *rows, const char *key)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		json_set_text(row, "word",
			      words_state(json_get_str(row, key, "")));
}

/* A line is drawn where another architecture begins. */
static void mark_firsts(const json_t *grid, json_t *cells)
{
	size_t i, at = 0;
	json_t *arch;

	json_array_foreach(json_object_get(grid, "archs"), i, arch) {
		json_t *cell = json_array_get(cells, at);

		if (cell)
			json_set_bool(cell, "first", true);
		at += (size_t)json_get_int(arch, "span", 1);
	}
}

static char *mail_href(const char *archive, const char *message_id)
{
	struct strbuf sb = STRBUF_INIT;

	if (!*message_id)
		return NULL;
	strbuf_addstr(&sb, archive ? archive : "/api/v1/mails/");
	template_escape_url(&sb, message_id, strlen(message_id));
	strbuf_addstr(&sb, archive ? "/" : "/raw");
	return strbuf_detach(&sb);
}

static void add_grid_words(json_t *v, const char *archive)
{
	json_t *grid = json_object_get(v, "grid"), *row, *cell, *c;
	const char *kconfig = NULL;
	bool many = false;
	size_t i, k;

	mark_firsts(grid, json_object_get(grid, "columns"));
	json_array_foreach(json_object_get(grid, "rows"), i, row) {
		char *href __free(kfree) = mail_href(
			archive, json_get_str(row, "message_id", ""));

		json_set_text(row, "mail_href", href);
		mark_firsts(grid, json_object_get(row, "cells"));
		json_array_foreach(json_object_get(row, "cells"), k, cell)
			words_cell(cell);
		json_set_bool(row, "is_base",
			      !json_get_int(row, "number", 0));
	}
	/* the config is worth a line only where there are several */
	json_array_foreach(json_object_get(grid, "columns"), i, c) {
		const char *k2 = json_get_str(c, "kconfig", "");

		many |= kconfig && strcmp(kconfig, k2);
		kconfig = k2;
	}
	json_set_bool(v, "many_configs", many);
	json_set_bool(v, "has_grid",
		      json_array_size(json_object_get(grid, "columns")) > 0);
}

/* fixed is as good as clean; what nobody looked at is unknown */
static void add_since_words(json_t *v)
{
	static const char *const marks[][2] = {
		{ "fixed", "clean" },	   { "still there", "broken" },
		{ "not tested", "unknown" }, { "new", "warns" },
	};
	json_t *since = json_object_get(v, "since"), *f;
	size_t i, k;

	json_array_foreach(json_object_get(since, "findings"), i, f) {
		for (k = 0; k < ARRAY_SIZE(marks); k++) {
			if (!strcmp(json_get_str(f, "fate", ""), marks[k][0]))
				json_set_text(f, "mark", marks[k][1]);
		}
	}
}

/* Marks as git range-diff has them, and lines to be coloured. */
static void add_range_diff(json_t *v)
{
	static const char *const signs[][2] = {
		{ "unchanged", "=" }, { "changed", "!" },
		{ "new", ">" }, { "dropped", "<" },
	};
	json_t *rd = json_object_get(v, "range_diff"), *p;
	size_t i, k;

	json_array_foreach(json_object_get(rd, "patches"), i, p) {
		json_object_set_new(p, "lines", lines_of(
			json_get_str(p, "diff", ""), 0));
		for (k = 0; k < ARRAY_SIZE(signs); k++) {
			if (!strcmp(json_get_str(p, "state", ""), signs[k][0]))
				json_set_text(p, "sign", signs[k][1]);
		}
	}
	json_set_bool(v, "has_range_diff", json_is_object(rd));
}

static void add_tries_text(json_t *v)
{
	size_t n = json_array_size(json_object_get(v, "tries"));
	char *text __free(kfree) = NULL;

	if (n < 2)
		return;
	text = xasprintf("%zu tries", n);
	json_set_text(v, "tries_text", text);
}

static bool is_open(const json_t *v)
{
	const json_t *job;
	size_t i;

	json_array_foreach(json_object_get(v, "jobs"), i, job) {
		const char *s = json_get_str(job, "state", "");

		if (!strcmp(s, "running") || !strcmp(s, "queued") ||
		    !strcmp(s, "waiting"))
			return true;
	}
	return false;
}

static void add_test_words(json_t *v)
{
	static const char *const order[] = { "passed", "failed", "crashed",
					     "timed-out", "skipped" };
	json_t *tests = json_object_get(v, "tests");
	json_t *counts = json_object_get(tests, "counts");
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		int64_t n = json_get_int(counts, order[i], 0);

		if (n)
			strbuf_addf(&sb, "%s%" PRId64 " %s", sb.len ? ", " : "",
				    n, words_state(order[i]));
	}
	json_set_text(v, "tests_text", sb.len ? sb.buf : NULL);
	word_rows(json_object_get(tests, "list"), "status");
}

static void add_step(int64_t after, int64_t number, struct strbuf *sb)
{
	strbuf_addstr(sb, sb->len ? ", " : "");
	if (number - after > 1)
		strbuf_addf(sb, "%" PRId64 "-", after + 1);
	strbuf_addf(sb, "%" PRId64, number);
}

/* "2", or "2-3" where the kernel in between was not counted: who changed it? */
static void add_steps(json_t *m, int64_t n_patches)
{
	const json_t *between = json_object_get(m, "between"), *b;
	int64_t value = json_get_int(m, "base_value", 0), at = 0;
	int64_t last = json_get_int(m, "value", 0);
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	size_t i;

	if (!value || !last)
		return;
	json_array_foreach(between, i, b) {
		int64_t now = json_get_int(b, "value", 0);

		if (!now)
			continue;
		if (bench_differs(value, now))
			add_step(at, json_get_int(b, "upto", 0), &sb);
		value = now;
		at = json_get_int(b, "upto", 0);
	}
	if (bench_differs(value, last))
		add_step(at, n_patches, &sb);
	json_set_text(m, "patch_text", sb.len ? sb.buf : NULL);
}

static void add_numbers(json_t *v)
{
	json_t *m;
	size_t i;

	json_array_foreach(json_object_get(v, "measures"), i, m) {
		words_measure(m);
		add_steps(m, json_get_int(v, "total", 0));
	}
}

void page_series(struct request *rq, struct response *rs)
{
	char *patches __free(kfree) = NULL;
	json_t *v = NULL, *row;
	size_t i;

	if (!load_series(rq, rs, &v))
		return;
	json_set_text(v, "word", words_state(json_get_str(v, "status", "")));
	patches = xasprintf("%" PRId64 " patch%s", json_get_int(v, "total", 0),
			    json_get_int(v, "total", 0) == 1 ? "" : "es");
	json_set_text(v, "patches_text", patches);
	json_array_foreach(json_object_get(v, "controls"), i, row)
		json_set_bool(row, "is_control", true);
	json_set_bool(v, "later", json_get_int(v, "version", 1) > 1);
	json_set_bool(v, "many_versions",
		      json_array_size(json_object_get(v, "versions")) > 1);
	json_array_foreach(json_object_get(v, "dependencies"), i, row)
		json_set_text(row, "mark", strcmp(json_get_str(row, "state",
							       ""), "used") ?
				      "unknown" : "clean");
	add_grid_words(v, rq->site->archive_url);
	series_findings(v);
	add_since_words(v);
	add_range_diff(v);
	add_tries_text(v);
	json_set_bool(v, "open", is_open(v));
	add_test_words(v);
	add_numbers(v);
	word_rows(json_object_get(v, "patches"), "state");
	word_rows(json_object_get(v, "jobs"), "state");
	word_rows(json_object_get(v, "controls"), "state");
	word_rows(json_object_get(v, "outgoing"), "state");
	json_array_foreach(json_object_get(v, "outgoing"), i, row)
		json_set_text(row, "goes",
			      words_goes(json_get_str(row, "state", "")));
	response_page(rq, rs, "series", v);
}
