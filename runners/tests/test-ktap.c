/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/cleanup.h"
#include "lib/json.h"
#include "runners/ktap.h"

static json_t *parse(const char *text)
{
	return ktap_parse(text, strlen(text));
}

static void assert_text(const json_t *o, const char *key, const char *want)
{
	assert_string_equal(json_get_str(o, key, "(null)"), want);
}

static const json_t *test_nr(const json_t *r, size_t i)
{
	const json_t *t = json_array_get(json_object_get(r, "tests"), i);

	assert_non_null(t);
	return t;
}

static int64_t count(const json_t *r, const char *key)
{
	return json_get_int(json_object_get(r, "counts"), key, -1);
}

static void tests_that_never_came_have_crashed(void **state)
{
	json_t *r __free(json) = parse(
		"[    0.060000] TAP version 14\n[    0.060000] 1..2\n"
		"[    0.070000] \t# Subtest: a\n[    0.070000] \t1..2\n"
		"[    0.080000] \tok 1 - x\n"
		"[    0.090000] Kernel panic - not syncing: oh no\n");

	assert_text(r, "status", "crashed");
	assert_int_equal(count(r, "crashed"), 2);
	assert_int_equal(count(r, "passed"), 1);
	assert_int_equal(json_get_int(r, "errors", 0), 3);
	assert_non_null(strstr(json_get_str(r, "cut", ""), "oh no"));
}

static void nesting_follows_headers_and_indentation(void **state)
{
	json_t *r __free(json) = parse(
		"KTAP version 1\n1..2\n"
		"    KTAP version 1\n    # Subtest: a\n    1..2\n"
		"    ok 1 x\n    not ok 2 y\nnot ok 1 a\n"
		"    KTAP version 1\n    # Subtest: b\n    1..1\n"
		"        KTAP version 1\n        # Subtest: p\n"
		"        ok 1 p0\n        ok 2 p1\n    ok 1 p\nok 2 b\n");

	assert_int_equal(json_array_size(json_object_get(r, "tests")), 7);
	assert_int_equal(count(r, "total"), 4);
	assert_int_equal(json_get_int(r, "errors", -1), 0);
	assert_int_equal(json_array_size(json_object_get(test_nr(r, 6),
							 "path")), 3);
}

static void directives_have_their_meaning(void **state)
{
	json_t *r __free(json) = parse(
		"KTAP version 1\n1..5\nok 1 a # SKIP no hugepages\n"
		"not ok 2 b # TODO later\nok 3 c # XFAIL known\n"
		"not ok 4 d # TIMEOUT 30 seconds\nok 5 e # rcode=0\n");

	assert_text(test_nr(r, 0), "status", "skipped");
	assert_text(test_nr(r, 0), "why", "no hugepages");
	assert_text(test_nr(r, 1), "status", "passed");
	assert_text(test_nr(r, 1), "directive", "TODO");
	assert_text(test_nr(r, 2), "directive", "XFAIL");
	assert_text(test_nr(r, 3), "status", "failed");
	assert_text(test_nr(r, 3), "why", "30 seconds");
	assert_text(test_nr(r, 4), "why", "rcode=0");
}

static void kernel_messages_do_not_disturb(void **state)
{
	json_t *r __free(json) = parse(
		"KTAP version 1\n1..2\n[    1.5] random: crng done\n"
		"ok 1 a[    1.612345] usb 1-1: new device\n"
		"<6>[    2.0] # not ours: ok 7\nok 2 b\n");

	assert_text(r, "status", "passed");
	assert_int_equal(json_get_int(r, "errors", -1), 0);
	assert_string_equal(
		json_string_value(json_array_get(
			json_object_get(test_nr(r, 0), "path"), 0)), "a");
}

static void pieces_make_the_same_whole(void **state)
{
	static const char text[] = "TAP version 13\n1..2\nok 1 a\nnot ok 2 b";
	json_t *whole __free(json) = parse(text);

	for (size_t cut = 0; cut <= strlen(text); cut++) {
		struct ktap_parser *k = ktap_new();
		json_t *r;

		ktap_feed(k, text, cut);
		ktap_feed(k, text + cut, strlen(text) - cut);
		r = ktap_finish(k);
		assert_true(json_equal(r, whole));
		json_decref(r);
		ktap_free(k);
	}
}

static void a_wild_plan_stays_small(void **state)
{
	json_t *r __free(json) = parse("KTAP version 1\n1..4000000000\nok 1 a\n");

	assert_true(json_get_bool(r, "truncated", false));
	assert_int_equal(json_array_size(json_object_get(r, "tests")),
			 1 + KTAP_MAX_MISSING);
	assert_int_equal(count(r, "crashed"), 3999999999);
}

/* Found by the fuzzer: missing tests made the array of nodes move. */
static void a_new_header_ends_what_is_missing(void **state)
{
	json_t *r __free(json) = parse(
		"KTAP version 1\n1..2\n    # Subtest: a\n    1..900\n"
		"    ok 1 x\nKTAP version 1\n1..1\nok 1 b\n");

	assert_int_equal(count(r, "passed"), 2);
	assert_int_equal(count(r, "crashed"), 900);
}

static void selftest_styles(void **state)
{
	static const struct {
		const char *text;
		int exit_code;
		bool timed_out;
		const char *status, *why, *style;
		size_t tests;
	} cases[] = {
		{ "TAP version 13\n1..2\nok 1 a\nok 2 b\n", 0, false, "passed",
		  "(null)", "ktap", 2 },
		{ "TAP version 13\n1..2\nok 1 a\nnot ok 2 b\n", 1, false,
		  "failed", "b failed", "ktap", 2 },
		{ "TAP version 13\n1..0 # SKIP userfaultfd unavailable\n", 4,
		  false, "skipped", "userfaultfd unavailable", "plain", 1 },
		{ "# SKIP no hugepages\n", 4, false, "skipped", "no hugepages",
		  "plain", 0 },
		{ "ok 1 mremap\nok 2 mremap dontunmap\n", 0, false, "passed",
		  "(null)", "tap", 2 },
		{ "[PASS] first\nsecond: [FAIL]\n", 1, false, "failed",
		  "second failed", "plain", 2 },
		{ "mmap: Cannot allocate memory\n", 1, false, "failed",
		  "exit status 1: mmap: Cannot allocate memory", "plain", 0 },
		{ "half a", 139, false, "crashed", "killed by signal 11",
		  "plain", 0 },
		{ "gone\n", 255, false, "failed", "exit status 255: gone",
		  "plain", 0 },
		{ "ok 1 a\n", 0, true, "timed-out",
		  "it took too long and was ended", "tap", 1 },
		{ "", -1, false, "crashed",
		  "it left no exit status and no result", "plain", 0 },
		{ "TAP version 13\n1..2\nok 1 a\n", 0, false, "failed",
		  "a planned test never came", "ktap", 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *r __free(json) = ktap_parse_selftest(
			cases[i].text, strlen(cases[i].text),
			cases[i].exit_code, cases[i].timed_out);

		assert_text(r, "status", cases[i].status);
		assert_text(r, "why", cases[i].why);
		assert_text(r, "style", cases[i].style);
		assert_int_equal(json_array_size(json_object_get(r, "tests")),
				 cases[i].tests);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tests_that_never_came_have_crashed),
		cmocka_unit_test(nesting_follows_headers_and_indentation),
		cmocka_unit_test(directives_have_their_meaning),
		cmocka_unit_test(kernel_messages_do_not_disturb),
		cmocka_unit_test(pieces_make_the_same_whole),
		cmocka_unit_test(a_wild_plan_stays_small),
		cmocka_unit_test(a_new_header_ends_what_is_missing),
		cmocka_unit_test(selftest_styles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
