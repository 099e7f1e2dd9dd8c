// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "jobs/places.h"
#include "lib/json.h"
#include "web/handlers.h"
#include "web/words.h"

static void word_rows(json_t *rows, const char *key)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		json_set_text(row, "word",
			      words_state(json_get_str(row, key, "")));
}

static void add_grid_words(json_t *v)
{
	json_t *grid = json_object_get(v, "grid"), *row, *cell, *c;
	const char *kconfig = NULL;
	bool many = false;
	size_t i, k;

	json_array_foreach(json_object_get(grid, "rows"), i, row) {
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

/* "x86_64 and arm64" of the places of a finding */
static char *places_text(const json_t *places)
{
	json_t *seen __free(json) = json_object(), *p, *n;
	struct strbuf sb = STRBUF_INIT;
	const char *arch;
	size_t i;

	json_array_foreach((json_t *)places, i, p) {
		arch = json_get_str(p, "arch", "");
		n = json_object_get(seen, arch);
		json_set_int(seen, arch, json_integer_value(n) + 1);
	}
	json_object_foreach(seen, arch, n) {
		strbuf_addf(&sb, "%s%s", sb.len ? ", " : "", arch);
		if (json_integer_value(n) > 1)
			strbuf_addf(&sb, " (%d runs)",
				    (int)json_integer_value(n));
	}
	return strbuf_detach(&sb);
}

/* "gcc: silent" */
static char *silent_text(const json_t *v, const json_t *f)
{
	json_t *silent __free(json) = NULL, *name;
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	if (strcmp(json_get_str(f, "stage", ""), "build"))
		return NULL;
	silent = places_silent(json_object_get(f, "places"),
			       json_object_get(v, "compiled_at"));
	json_array_foreach(silent, i, name)
		strbuf_addf(&sb, "%s%s: silent", i ? ", " : "",
			    json_string_value(name));
	return sb.len ? strbuf_detach(&sb) : NULL;
}

/* "2/3", or whose fix-up a number behind the patches is. */
static char *patch_text(const json_t *v, int64_t number)
{
	int64_t total = json_get_int(v, "total", 0);
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(v, "fixups"), i, f) {
		if (number > total && json_get_int(f, "number", 0) == number)
			return xasprintf("the fix-up of %s",
					 json_get_str(f, "from_name", "?"));
	}
	if (!number)
		return xstrdup("the series");
	return xasprintf("%" PRId64 "/%" PRId64, number, total);
}

static void add_finding_words(json_t *v)
{
	json_t *ours = json_array(), *others = json_array(), *f;
	size_t i;

	json_array_foreach(json_object_get(v, "findings"), i, f) {
		json_t *places = json_object_get(f, "places");
		char *text __free(kfree) = places_text(places);
		bool error = !strcmp(json_get_str(f, "severity", ""), "error");
		bool series = !strcmp(json_get_str(f, "blame", ""), "series");
		int64_t until = json_get_int(f, "until_number", 0);
		char *at __free(kfree) =
			patch_text(v, json_get_int(f, "number", 0));
		char *silent __free(kfree) = silent_text(v, f);
		char *by __free(kfree) = until ? patch_text(v, until) : NULL;

		json_set_text(f, "at", at);
		json_set_text(f, "cured_by", by);
		json_set_text(f, "places_text", text);
		json_set_text(f, "silent_text", silent);
		json_set_text(f, "mark", error ? "broken" : "warns");
		json_object_set(f, "job", json_array_get(places, 0));
		json_array_append(series ? ours : others, f);
	}
	json_object_set_new(v, "ours", ours);
	json_object_set_new(v, "others", others);
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

static void add_numbers(json_t *v)
{
	json_t *m;
	size_t i;

	json_array_foreach(json_object_get(v, "measures"), i, m)
		words_measure(m);
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
	add_grid_words(v);
	add_finding_words(v);
	add_since_words(v);
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
