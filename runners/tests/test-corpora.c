/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/cleanup.h"
#include "lib/json.h"
#include "runners/parse.h"
#include "runners/tests/corpora.h"

/*
 * Every value of the corpora of build logs, KTAP and consoles, asserted or
 * derived. One case for each file, named after it.
 */

struct corpus_case {
	const char *folder;
	const char *kind;
	json_t *line;
	char *name;
};

/* Titles that differ; the reasons are in docs/decisions.md. */
static const char *const other_titles[] = {
	"syz-0135.log",
	"syz-0493.log",
	"syz-0695.log",
};

static bool is_listed(const char *file)
{
	for (size_t i = 0; i < ARRAY_SIZE(other_titles); i++)
		if (!strcmp(file, other_titles[i]))
			return true;
	return false;
}

static void check_same(const json_t *got, const json_t *want, const char *key)
{
	const json_t *w = json_object_get(want, key);
	const json_t *g = json_object_get(got, key);

	if (!w || json_equal(w, g))
		return;
	fail_msg("%s: want %s, got %s", key,
		 json_dumps(w, JSON_ENCODE_ANY | JSON_COMPACT),
		 json_dumps(g, JSON_ENCODE_ANY | JSON_COMPACT));
}

static void check_build_log(const char *file, const json_t *got,
			    const json_t *want)
{
	static const char *const keys[] = { "has_error", "error_lines",
					    "error_line_numbers",
					    "guilty_file", "infra_error" };

	(void)file;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		check_same(got, want, keys[i]);
}

/* --- KTAP ---------------------------------------------------------------- */

static char *path_text(const json_t *test)
{
	struct strbuf sb = STRBUF_INIT;
	size_t i;
	json_t *v;

	json_array_foreach(json_object_get(test, "path"), i, v)
		strbuf_addf(&sb, "%s%s", i ? "/" : "", json_string_value(v));
	return strbuf_detach(&sb);
}

static const json_t *test_at(const json_t *got, const char *path)
{
	size_t i;
	json_t *v;

	json_array_foreach(json_object_get(got, "tests"), i, v) {
		char *p __free(kfree) = path_text(v);

		if (!strcmp(p, path))
			return v;
	}
	fail_msg("no test %s", path);
	return NULL;
}

static bool lines_hold(const json_t *lines, const char *text)
{
	size_t i;
	json_t *v;

	json_array_foreach(lines, i, v)
		if (strstr(json_string_value(v), text))
			return true;
	return false;
}

static void check_tests(const json_t *got, const json_t *want)
{
	static const char *const keys[] = { "path", "status", "leaf" };
	const json_t *tests = json_object_get(got, "tests");
	size_t i;
	json_t *v;

	assert_int_equal(json_array_size(tests), json_array_size(want));
	json_array_foreach(want, i, v)
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			check_same(json_array_get(tests, i), v, keys[k]);
}

static void check_result_line(const json_t *got, const json_t *want)
{
	const char *name = json_get_str(want, "name", "");
	const json_t *t;

	if (!want)
		return;
	t = test_at(got, name);
	check_same(t, want, "number");
	check_same(t, want, "status");
	check_same(t, want, "directive");
	assert_true(json_equal(json_object_get(t, "why"),
			       json_object_get(want, "diagnostic")));
}

static void check_ktap(const char *file, const json_t *got, const json_t *want)
{
	static const char *const keys[] = { "status", "counts", "errors",
					    "top_level" };
	const char *key;
	size_t i;
	json_t *v;

	(void)file;
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		check_same(got, want, keys[i]);
	check_tests(got, json_object_get(want, "tests"));
	check_result_line(got, json_object_get(want, "result_line"));
	json_object_foreach(json_object_get(want, "skip_reasons"), key, v)
		assert_string_equal(
			json_get_str(test_at(got, key), "why", ""),
			json_string_value(v));
	json_object_foreach(json_object_get(want, "diagnostics"), key, v)
		assert_true(lines_hold(json_object_get(test_at(got, key),
						       "output"),
				       json_string_value(v)));
	json_array_foreach(json_object_get(want, "ktap_lines_contain"), i, v)
		assert_true(lines_hold(json_object_get(got, "ktap_lines"),
				       json_string_value(v)));
	v = json_object_get(want, "failure_output");
	if (v)
		assert_true(json_equal(v, json_object_get(
			json_array_get(json_object_get(got, "tests"), 0),
			"output")));
}

/* --- consoles ------------------------------------------------------------ */

static void check_console(const char *file, const json_t *got,
			  const json_t *want)
{
	static const char *const keys[] = { "has_report", "type", "corrupted",
					    "suppressed", "panicked",
					    "executor" };
	static const char *const names[] = { "title", "alt_titles" };
	static const char *const given[] = { "frame", "report" };
	bool titled = *json_get_str(want, "title", "");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		check_same(got, want, keys[i]);
	if (titled && is_listed(file))
		assert_false(json_equal(json_object_get(got, "title"),
					json_object_get(want, "title")));
	else
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			check_same(got, want, names[i]);
	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		if (!json_is_null(json_object_get(want, given[i])))
			check_same(got, want, given[i]);
}

static void check_nothing(const char *file, const json_t *got,
			  const json_t *want)
{
	(void)file;
	(void)want;
	assert_non_null(got);
}

static void check_case(void **state)
{
	const struct corpus_case *c = *state;
	const char *file = json_get_str(c->line, "file", "");
	const json_t *want = json_object_get(c->line, "expected");
	struct strbuf in __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *got __free(json) = NULL;

	assert_int_equal(corpora_read(c->folder, file, &in), 0);
	assert_int_equal(runner_parse_json(c->kind, in.buf, in.len,
					   json_object_get(c->line, "options"),
					   &got, &why),
			 0);
	if (!strcmp(c->folder, "fuzz"))
		check_nothing(file, got, want);
	else if (!strcmp(c->kind, "build-log"))
		check_build_log(file, got, want);
	else if (!strcmp(c->kind, "ktap"))
		check_ktap(file, got, want);
	else
		check_console(file, got, want);
}

/* cmocka's skip() prints "not ok", which meson takes for a failure. */
static void not_run(void **state)
{
	(void)state;
}

static const struct {
	const char *folder;
	const char *kind;
} folders[] = {
	{ "compile-errors", "build-log" },
	{ "ktap", "ktap" },
	{ "oops", "console" },
	{ "fuzz", "console" },
};

static bool is_ours(const char *folder, const json_t *line)
{
	return strcmp(folder, "fuzz") ||
	       !strcmp(json_get_str(json_object_get(line, "expected"), "op", ""),
		       "parse-console");
}

static size_t load(struct corpus_case **cases)
{
	size_t nr = 0, i;
	json_t *line;

	for (size_t f = 0; f < ARRAY_SIZE(folders); f++) {
		json_t *lines __free(json) = corpora_lines(folders[f].folder);

		json_array_foreach(lines, i, line) {
			if (!is_ours(folders[f].folder, line))
				continue;
			*cases = xrealloc_array(*cases, nr + 1,
						sizeof(**cases));
			(*cases)[nr++] = (struct corpus_case){
				.folder = folders[f].folder,
				.kind = folders[f].kind,
				.line = json_incref(line),
				.name = xasprintf("%s/%s", folders[f].folder,
						  json_get_str(line, "file",
							       "?")),
			};
		}
	}
	return nr;
}

int main(void)
{
	const struct CMUnitTest none[] = {
		{ .name = "compile-errors, ktap, oops # SKIP no corpora "
			  "(MMCI_CORPORA)",
		  .test_func = not_run },
	};
	struct corpus_case *cases = NULL;
	struct CMUnitTest *tests;
	size_t nr = load(&cases);
	int r;

	if (!nr)
		return cmocka_run_group_tests(none, NULL, NULL);
	tests = xcalloc(nr, sizeof(*tests));
	for (size_t i = 0; i < nr; i++)
		tests[i] = (struct CMUnitTest){ .name = cases[i].name,
						.test_func = check_case,
						.initial_state = &cases[i] };
	r = _cmocka_run_group_tests("corpora", tests, nr, NULL, NULL);
	for (size_t i = 0; i < nr; i++) {
		json_decref(cases[i].line);
		free(cases[i].name);
	}
	free(cases);
	free(tests);
	return r;
}
