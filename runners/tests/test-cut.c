/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>
#include <dirent.h>

#include "lib/cleanup.h"
#include "lib/json.h"
#include "runners/parse.h"
#include "runners/tests/corpora.h"

/*
 * Every text of the corpora and of the fuzzers, cut off at many lengths, or at
 * all of them with MMCI_TEST_LONG: no parser may read past an end. The copy is
 * exactly as long as the text, so that the sanitizer sees one byte too far.
 */

#define BUDGET_S 5.0

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void parse_cut(const char *kind, const char *text, size_t len)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *got __free(json) = NULL;
	char *copy __free(kfree) = xmalloc(len ? len : 1);

	memcpy(copy, text, len);
	assert_int_equal(runner_parse_json(kind, copy, len, NULL, &got, &why),
			 0);
	assert_non_null(got);
}

static void cut_text(const char *kind, const struct strbuf *text, size_t step)
{
	for (size_t len = 0; len < text->len; len += step)
		parse_cut(kind, text->buf, len);
	parse_cut(kind, text->buf, text->len);
}

/* Number of texts in @dir that were cut; the time decides how densely. */
static size_t cut_folder(const char *kind, const char *dir, double budget_s)
{
	DIR *d __free(dir) = opendir(dir);
	bool all = getenv("MMCI_TEST_LONG");
	double end = now_s() + budget_s;
	struct dirent *e;
	size_t nr = 0;

	while (d && (e = readdir(d))) {
		struct strbuf text __free(strbuf) = STRBUF_INIT;
		char *path __free(kfree) = xasprintf("%s/%s", dir, e->d_name);
		size_t step;

		if (e->d_name[0] == '.' || ends_with(path, ".jsonl") ||
		    ends_with(path, ".md") ||
		    fs_read_file(path, 1 << 20, &text))
			continue;
		step = all ? 1 : text.len / 16 + 1;
		if (!all && now_s() > end)
			break;
		cut_text(kind, &text, step);
		nr++;
	}
	return nr;
}

static void cut_kind(const char *kind, const char *folder)
{
	char *corpus __free(kfree) =
		xasprintf("%s/%s", corpora_dir(), folder);
	char *seeds __free(kfree) = xasprintf("runners/fuzz/corpus/%s", kind);

	/* our own texts are always there */
	assert_true(cut_folder(kind, seeds, BUDGET_S) > 0);
	cut_folder(kind, corpus, BUDGET_S);
}

static void build_logs_cut(void **state)
{
	cut_kind("build-log", "compile-errors");
}

static void ktap_cut(void **state)
{
	cut_kind("ktap", "ktap");
}

static void consoles_cut(void **state)
{
	cut_kind("console", "oops");
}

/* Twice the text may take about twice the time, whatever is repeated. */
static void check_linear(const char *kind, const char *unit)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	double t, half, whole;

	while (text.len < 400000)
		strbuf_addstr(&text, unit);
	t = now_s();
	parse_cut(kind, text.buf, text.len / 4);
	half = now_s() - t;
	t = now_s();
	parse_cut(kind, text.buf, text.len);
	whole = now_s() - t;
	if (whole > 0.5 && whole > 10 * half)
		fail_msg("%s: %.3f s for a quarter of the text, %.3f s for all",
			 kind, half, whole);
}

static void time_is_linear(void **state)
{
	check_linear("console", "BUG: x BUG: ");
	check_linear("console", "Booting the kernel\n");
	check_linear("console", "WARNING: possible \n");
	check_linear("console", "[    1.0][    T1] BUG: KASAN: \n");
	check_linear("console", " a+0x1/0x2 from ");
	check_linear("build-log", "a.c:1:1: error: 'x' ");
	check_linear("build-log", "a.c:1:1: error: 'x' undeclared\n");
	check_linear("build-log", "  CC x.o\n |\n |\n");
	check_linear("build-log", "In file included from a.h:1:\n");
	check_linear("ktap", "KTAP version 1\n1..1000000000\n");
	check_linear("ktap", "TAP version 13\n # Subtest: a\n");
	check_linear("ktap", "TAP version 13\nok 1 [");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_logs_cut),
		cmocka_unit_test(ktap_cut),
		cmocka_unit_test(consoles_cut),
		cmocka_unit_test(time_is_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
