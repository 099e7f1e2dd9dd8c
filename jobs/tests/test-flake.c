// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "jobs/flake.h"

static enum flake decide(int64_t bad, int64_t runs, int64_t base_bad,
			 int64_t base_runs)
{
	const struct flake_counts c = { bad, runs, base_bad, base_runs };

	return flake_decide(&c);
}

/* Values from a table of Fisher's exact test. */
static void the_chance_is_fishers(void **state)
{
	const struct flake_counts five = { 5, 5, 0, 5 };
	const struct flake_counts tea = { 3, 4, 1, 4 };
	const struct flake_counts even = { 1, 1, 1, 1 };

	assert_float_equal(flake_chance(&five), 1.0 / 252, 1e-9);
	assert_float_equal(flake_chance(&tea), 17.0 / 70, 1e-9);
	assert_float_equal(flake_chance(&even), 1, 1e-9);
}

static void sure_failures_are_decided_in_few_runs(void **state)
{
	assert_int_equal(decide(1, 1, 0, 1), FLAKE_OPEN);
	assert_int_equal(decide(4, 4, 0, 4), FLAKE_OPEN);
	assert_int_equal(decide(5, 5, 0, 5), FLAKE_SERIES);
	/* controls of earlier series count: fewer runs are needed */
	assert_int_equal(decide(2, 2, 0, 20), FLAKE_SERIES);
	assert_int_equal(decide(1, 1, 0, 200), FLAKE_OPEN);
}

static void a_base_that_fails_too(void **state)
{
	assert_int_equal(decide(1, 1, 1, 1), FLAKE_BASE);
	assert_int_equal(decide(1, 1, 0, 0), FLAKE_OPEN);
	/* rare on the base, always with the series: still the series */
	assert_int_equal(decide(10, 10, 1, 10), FLAKE_SERIES);
}

static void what_cannot_become_sure_is_flaky(void **state)
{
	assert_int_equal(decide(1, 2, 0, 2), FLAKE_OPEN);
	assert_int_equal(decide(1, 6, 0, 6), FLAKE_FLAKY);
	assert_int_equal(decide(6, 10, 0, 10), FLAKE_FLAKY);
	assert_int_equal(decide(7, 10, 0, 10), FLAKE_SERIES);
}

/* xorshift64*, so that the test is the same everywhere */
static uint64_t seed = 88172645463325252u;

static int fails(int percent)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (int)((seed * 2685821657736338717u) >> 33) % 100 < percent;
}

/* One failure, as it comes, and then both sides until there is an answer. */
static enum flake simulate(int percent, int base_percent)
{
	struct flake_counts c = { 0 };
	enum flake f = FLAKE_OPEN;

	while (f == FLAKE_OPEN) {
		c.bad += c.runs ? fails(percent) : 1;
		c.runs++;
		c.base_bad += fails(base_percent);
		c.base_runs++;
		f = flake_decide(&c);
	}
	return f;
}

static int blamed(int runs, int percent, int base_percent)
{
	int n = 0;

	for (int i = 0; i < runs; i++)
		n += simulate(percent, base_percent) == FLAKE_SERIES;
	return n;
}

/* Every one of these begins with a failure: worse than one run in ten. */
static void a_test_that_fails_at_times_is_not_blamed(void **state)
{
	assert_int_equal(blamed(200, 10, 10), 0);
	assert_in_range(blamed(20000, 10, 10), 0, 20);
	assert_in_range(blamed(20000, 30, 30), 0, 200);
	assert_in_range(blamed(20000, 50, 50), 0, 200);
	assert_in_range(blamed(20000, 90, 90), 0, 200);
}

static void a_real_failure_is_found(void **state)
{
	assert_int_equal(blamed(200, 100, 0), 200);
	assert_in_range(blamed(1000, 80, 0), 850, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_chance_is_fishers),
		cmocka_unit_test(sure_failures_are_decided_in_few_runs),
		cmocka_unit_test(a_base_that_fails_too),
		cmocka_unit_test(what_cannot_become_sure_is_flaky),
		cmocka_unit_test(a_test_that_fails_at_times_is_not_blamed),
		cmocka_unit_test(a_real_failure_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
