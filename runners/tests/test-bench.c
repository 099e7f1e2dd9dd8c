// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/json.h"
#include "runners/bench.h"

static json_t *parse(const char *text, const char *failed)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	strbuf_addstr(&out, text);
	return bench_parse("b", &out, failed);
}

static json_t *combine(const char *a, const char *b)
{
	json_t *one __free(json) = parse(a, NULL);
	json_t *two __free(json) = parse(b, NULL);

	return bench_combine(one, two);
}

#define LINE(samples) \
	"noise\nmmci-bench {\"name\": \"b\", \"work\": 10, \"samples\": [" \
	samples "]}\n"

/* Noise in two rounds of five; the second boot is 1 off in one. */
#define BOOT_1 LINE("21984438, 21990515, 21984438, 21986189, 21984439")
#define BOOT_2 LINE("21984439, 21990515, 21984439, 21986189, 21984439")

static void the_least_that_repeats_is_the_count(void **state)
{
	json_t *row __free(json) = combine(BOOT_2, BOOT_1);

	assert_int_equal(json_get_int(row, "value", -1), 21984438);
	assert_string_equal(json_get_str(row, "unit", ""), "instructions");
	assert_int_equal(json_get_int(row, "work", -1), 10);
}

static void the_clock_may_round(void **state)
{
	static const int64_t chain[] = { 103, 100, 102, 101 };

	/* near each other in a chain is not the same */
	assert_int_equal(bench_reached(chain, 4, 100), 2);
	assert_int_equal(bench_reached(chain, 0, 100), 0);
}

static void a_least_reached_by_chance_is_not_the_count(void **state)
{
	json_t *row __free(json) = combine(LINE("9, 9, 20, 20, 20"),
					   LINE("9, 20, 20, 20, 20"));

	assert_int_equal(json_get_int(row, "value", -1), 20);
}

static void both_boots_must_reach_it(void **state)
{
	json_t *row __free(json) = combine(LINE("9, 9, 9, 20, 20, 20"),
					   LINE("12, 12, 12, 20, 20, 20"));
	json_t *none __free(json) = combine(LINE("9, 9, 9, 20, 21, 22"),
					    LINE("12, 12, 12, 20, 23, 24"));

	assert_int_equal(json_get_int(row, "value", -1), 20);
	assert_true(json_is_null(json_object_get(none, "value")));
}

/* fork.fork as two boots of one image counted it, the least 22 of 100. */
static void levels_of_a_real_fork(void **state)
{
	static const int64_t a[] = { 312585, 312605, 312605, 312605, 312605,
				     312605, 312613, 312614, 312801, 313075 };
	static const int64_t b[] = { 312285, 312605, 312605, 312605, 312613,
				     312613, 312614, 312801, 312801, 313083 };
	int64_t v = 0;

	assert_true(bench_level(a, ARRAY_SIZE(a), b, ARRAY_SIZE(b), &v));
	assert_int_equal(v, 312605);
}

static void boots_that_differ_are_not_countable(void **state)
{
	json_t *row __free(json) = combine(LINE("1000, 1000, 1000"),
					   LINE("1100, 1100, 1100"));

	assert_true(json_is_null(json_object_get(row, "value")));
	assert_string_equal(json_get_str(row, "why", ""),
			    "not countable: no count that two boots of one "
			    "image repeat; 1000 to 1100, a spread of 1.00e-01");
	assert_int_equal(json_array_size(json_object_get(row, "samples")), 6);
}

static void what_cannot_be_measured_says_why(void **state)
{
	json_t *row __free(json) =
		combine("mmci-bench {\"name\": \"b\", \"not_applicable\": "
			"\"no THP\"}\n", BOOT_1);

	assert_true(json_is_null(json_object_get(row, "value")));
	assert_string_equal(json_get_str(row, "why", ""),
			    "not applicable: no THP");
}

static void nothing_bad_becomes_a_sample(void **state)
{
	static const char *const bad[] = {
		"", "mmci-bench", "mmci-bench {\n", "x mmci-bench {}\n",
		LINE(""), LINE("1.5"), LINE("\"1\""), LINE("0"), LINE("-4"),
		"mmci-bench [1]\n", "mmci-bench {\"samples\": {\"a\": 1}}\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		json_t *v __free(json) = parse(bad[i], NULL);

		assert_int_equal(json_array_size(json_object_get(v, "samples")),
				 0);
		assert_string_equal(json_get_str(v, "why", ""),
				    "it printed no result");
	}
}

static void a_crash_voids_the_samples(void **state)
{
	json_t *v __free(json) = parse(BOOT_1, "it ended by signal 11");

	assert_int_equal(json_array_size(json_object_get(v, "samples")), 0);
	assert_string_equal(json_get_str(v, "why", ""),
			    "it ended by signal 11");
}

/*
 * swap.out on x86_64, as counted: three rounds of fifty came to 397871 in two
 * boots, and to 397879 in two others of the same image.
 */
static void a_level_of_few_rounds_is_none(void **state)
{
	int64_t s[50], v = 0;

	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		s[i] = i < 3 ? 397871 : i < 8 ? 397901 : 407000 + 37 * (int)i;
	assert_false(bench_level(s, ARRAY_SIZE(s), s, ARRAY_SIZE(s), &v));
	for (size_t i = 8; i < 10; i++)
		s[i] = 397901;
	for (size_t i = 10; i < 13; i++)
		s[i] = 397902; /* the clock's rounding */
	assert_true(bench_level(s, ARRAY_SIZE(s), s, ARRAY_SIZE(s), &v));
	assert_true(v == 397901 || v == 397902);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_that_repeats_is_the_count),
		cmocka_unit_test(the_clock_may_round),
		cmocka_unit_test(a_least_reached_by_chance_is_not_the_count),
		cmocka_unit_test(both_boots_must_reach_it),
		cmocka_unit_test(a_level_of_few_rounds_is_none),
		cmocka_unit_test(levels_of_a_real_fork),
		cmocka_unit_test(boots_that_differ_are_not_countable),
		cmocka_unit_test(what_cannot_be_measured_says_why),
		cmocka_unit_test(nothing_bad_becomes_a_sample),
		cmocka_unit_test(a_crash_voids_the_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
