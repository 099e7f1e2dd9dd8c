// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "jobs/bench-suite.h"
#include "jobs/judge-bench.h"
#include "jobs/judge.h"
#include "jobs/report-private.h"
#include "lib/json.h"

/* One benchmark "m" whose rounds all took @v; 0: it was not countable. */
static json_t *result_of(int64_t v)
{
	json_t *row = json_object(), *samples = json_array();
	json_t *list = json_array(), *o = json_object();

	json_set_text(row, "name", "m");
	json_set_text(row, "unit", "instructions");
	json_set_int(row, "work", 1000);
	json_set_text(row, "why", v ? NULL : "not countable: so it is");
	json_object_set_new(row, "value", v ? json_integer(v) : json_null());
	for (int i = 0; v && i < 3; i++)
		json_array_append_new(samples, json_integer(v));
	json_object_set_new(row, "samples", samples);
	json_array_append_new(list, row);
	json_object_set_new(o, "benchmarks", list);
	return o;
}

static json_t *attempts_of(int64_t v)
{
	json_t *a = json_array(), *o = json_object();

	json_set_int(o, "id", 1);
	json_object_set_new(o, "result", result_of(v));
	json_array_append_new(a, o);
	return a;
}

/* A series of @total patches whose kernels, base first, took @v; 0: not run. */
static json_t *run_of(const int64_t *v, int64_t total)
{
	json_t *run = json_object(), *bisect = json_array();

	json_set_text(run, "kind", "bench");
	json_set_text(run, "arch", "x86_64");
	json_set_text(run, "kconfig", "small");
	json_set_text(run, "toolchain", "gcc");
	json_set_int(run, "image_patch", total);
	json_set_int(run, "total", total);
	json_object_set_new(run, "control", attempts_of(v[0]));
	json_object_set_new(run, "results", attempts_of(v[total]));
	for (int64_t i = 1; i < total; i++) {
		json_t *b = json_object();

		if (!v[i]) {
			json_decref(b);
			continue;
		}
		json_set_int(b, "upto", i);
		json_set_bool(b, "open", v[i] < 0);
		if (v[i] > 0)
			json_object_set_new(b, "results", attempts_of(v[i]));
		json_array_append_new(bisect, b);
	}
	json_object_set_new(run, "bisect", bisect);
	return run;
}

static json_t *judged(const int64_t *v, int64_t total)
{
	json_t *run __free(json) = run_of(v, total);
	json_t *out = json_object();

	json_object_set_new(out, "benchmarks", json_array());
	judge_bench(run, out);
	return out;
}

static int64_t next_of(const int64_t *v, int64_t total)
{
	json_t *run __free(json) = run_of(v, total);

	return judge_bench_next(run);
}

static const json_t *first_row(const json_t *out)
{
	return json_array_get(json_object_get(out, "benchmarks"), 0);
}

static void a_change_is_put_at_its_patch(void **state)
{
	/* 4096 ptes, 3 instructions each, with the second of three patches */
	static const int64_t v[] = { 712496, 712496, 724784, 724784 };
	json_t *out __free(json) = judged(v, 3);
	const json_t *row = first_row(out);
	const json_t *steps = json_object_get(row, "steps");

	assert_true(json_get_bool(row, "changed", false));
	assert_int_equal(json_get_int(row, "difference", 0), 12288);
	assert_int_equal(json_array_size(steps), 1);
	assert_int_equal(json_get_int(json_array_get(steps, 0), "number", 0),
			 2);
	assert_int_equal(next_of(v, 3), 0);
}

static void only_what_differs_is_looked_into(void **state)
{
	static const int64_t same[] = { 712496, 0, 0, 712497 };
	static const int64_t differs[] = { 712496, 0, 0, 0, 724784 };
	static const int64_t half[] = { 712496, 0, 712496, 0, 724784 };
	static const int64_t running[] = { 712496, 0, -1, 0, 724784 };
	static const int64_t one[] = { 712496, 724784 };

	assert_int_equal(next_of(same, 3), 0);
	assert_int_equal(next_of(differs, 4), 2);
	assert_int_equal(next_of(half, 4), 3);
	assert_int_equal(next_of(running, 4), 0);
	assert_int_equal(next_of(one, 1), 0);
}

static void two_patches_may_each_have_their_part(void **state)
{
	static const int64_t v[] = { 700000, 710000, 710000, 705000 };
	json_t *out __free(json) = judged(v, 3);
	const json_t *steps = json_object_get(first_row(out), "steps");

	assert_int_equal(json_array_size(steps), 2);
	assert_int_equal(json_get_int(json_array_get(steps, 1), "number", 0),
			 3);
	assert_int_equal(json_get_int(json_array_get(steps, 1), "to", 0),
			 705000);
}

static void inside_the_floor_is_no_change(void **state)
{
	static const int64_t v[] = { 2000000, 2000002 };
	static const int64_t w[] = { 5000000, 5000005 };
	static const int64_t x[] = { 2000000, 2000003 };
	json_t *a __free(json) = judged(v, 1), *b __free(json) = judged(w, 1);
	json_t *c __free(json) = judged(x, 1);

	assert_false(json_get_bool(first_row(a), "changed", true));
	assert_false(json_get_bool(first_row(b), "changed", true));
	assert_true(json_get_bool(first_row(c), "changed", false));
}

static void a_level_that_both_kernels_know_is_no_change(void **state)
{
	json_t *a __free(json) = result_of(636811);
	json_t *b __free(json) = result_of(637056);
	json_t *x = json_array_get(json_object_get(a, "benchmarks"), 0);
	json_t *y = json_array_get(json_object_get(b, "benchmarks"), 0);

	assert_true(bench_is_change(x, y));
	json_array_append_new(json_object_get(y, "samples"),
			      json_integer(636811));
	assert_false(bench_is_change(x, y));
	assert_false(bench_is_change(NULL, y));
}

static void what_is_not_countable_is_not_compared(void **state)
{
	static const int64_t v[] = { 0, 724784 };
	json_t *out __free(json) = judged(v, 1);
	const json_t *row = first_row(out);

	assert_null(json_object_get(row, "difference"));
	assert_string_equal(json_get_str(row, "why", ""),
			    "not countable: so it is");
}

static void the_table_shows_what_changed(void **state)
{
	static const int64_t v[] = { 712496, 712496, 724784, 724784 };
	static const int64_t same[] = { 712496, 712496 };
	json_t *out __free(json) = judged(v, 3);
	json_t *none __free(json) = judged(same, 1);
	struct strbuf a __free(strbuf) = STRBUF_INIT;
	struct strbuf b __free(strbuf) = STRBUF_INIT;

	report_bench(out, &a);
	assert_non_null(strstr(a.buf, "m                      x86_64     "
				      "712.50     724.78    +12.29   +1.725 %"
				      "  2\n"));
	assert_non_null(strstr(a.buf, "x86_64/small/gcc: 1 of 1."));
	report_bench(none, &b);
	assert_non_null(strstr(b.buf, "No benchmark takes more or fewer"));
	assert_null(strstr(b.buf, "Counted at"));
	json_set_int(json_array_get(json_object_get(none, "benchmarks"), 0),
		     "total", 2);
	strbuf_reset(&b);
	report_bench(none, &b);
	assert_non_null(strstr(b.buf, "Counted at 1/2, the last kernel that "
				      "builds.\n"));
	assert_null(strstr(b.buf, "712"));
}

static void every_benchmark_is_there_once(void **state)
{
	static char *one[] = { "fault.anon" };
	static const struct config_strings none, some = { .v = one, .n = 1 };
	json_t *suite __free(json) = bench_suite(&none), *b;
	json_t *chosen __free(json) = bench_suite(&some);
	json_t *seen __free(json) = json_object();
	size_t i;

	json_array_foreach(suite, i, b) {
		const char *name = json_get_str(b, "name", "");

		assert_null(json_object_get(seen, name));
		json_set_bool(seen, name, true);
	}
	/* more would be left out, see runners/guest-benchmarks.c */
	assert_in_range(json_array_size(suite), 40, 64);
	assert_int_equal(json_array_size(chosen), 1);
	assert_string_equal(json_get_str(json_array_get(chosen, 0), "name", ""),
			    "fault.anon");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_put_at_its_patch),
		cmocka_unit_test(only_what_differs_is_looked_into),
		cmocka_unit_test(two_patches_may_each_have_their_part),
		cmocka_unit_test(inside_the_floor_is_no_change),
		cmocka_unit_test(a_level_that_both_kernels_know_is_no_change),
		cmocka_unit_test(what_is_not_countable_is_not_compared),
		cmocka_unit_test(the_table_shows_what_changed),
		cmocka_unit_test(every_benchmark_is_there_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
