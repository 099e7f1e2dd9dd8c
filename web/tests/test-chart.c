// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/json.h"
#include "web/chart.h"

/* A chart of @n values, each the work of ten steps. */
static json_t *chart_of(const int *values, size_t n)
{
	json_t *c = json_object(), *points = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *p = json_object();

		json_set_int(p, "value", values[i]);
		json_set_int(p, "work", 10);
		json_set_int(p, "job_id", (int64_t)i + 1);
		json_set_text(p, "tree", "v6.12");
		json_set_text(p, "commit", "a1ff9b4f05ed");
		json_array_append_new(points, p);
	}
	json_object_set_new(c, "points", points);
	chart_add(c);
	return c;
}

static void one_base_is_one_dot(void **state)
{
	json_t *c = chart_of((int[]){ 1522 }, 1);

	assert_string_equal(json_get_str(c, "caption", ""), "one base so far");
	assert_string_equal(json_get_str(c, "last_text", ""), "152.2");
	assert_int_equal(json_array_size(json_object_get(c, "dots")), 1);
	json_decref(c);
}

static void what_stays_is_level(void **state)
{
	json_t *c = chart_of((int[]){ 1522, 1522, 1522 }, 3);
	json_t *dots = json_object_get(c, "dots"), *d;
	size_t i;

	assert_string_equal(json_get_str(c, "caption", ""),
			    "152.2 on all 3 bases");
	json_array_foreach(dots, i, d) {
		assert_int_equal(json_get_int(d, "y", 0), CHART_HEIGHT / 2);
		assert_false(json_is_true(json_object_get(d, "changed")));
	}
	json_decref(c);
}

/* Less than half a percent is no change. */
static void a_jump_is_marked(void **state)
{
	json_t *c = chart_of((int[]){ 1000, 1004, 1100 }, 3);
	json_t *dots = json_object_get(c, "dots");
	static const bool changed[] = { false, false, true };

	assert_string_equal(json_get_str(c, "caption", ""),
			    "3 bases, 100.0 to 110.0");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(json_is_true(json_object_get(
			json_array_get(dots, i), "changed")), changed[i]);
	assert_string_equal(json_get_str(json_array_get(dots, 2), "text", ""),
			    "110.0 on v6.12 a1ff9b4f05ed, +9.6 %");
	/* higher is up, within the drawing */
	assert_int_equal(json_get_int(json_array_get(dots, 0), "y", 0),
			 CHART_HEIGHT - 8);
	assert_int_equal(json_get_int(json_array_get(dots, 2), "y", 0), 8);
	json_decref(c);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_base_is_one_dot),
		cmocka_unit_test(what_stays_is_level),
		cmocka_unit_test(a_jump_is_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
