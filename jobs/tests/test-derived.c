// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "jobs/coverage.h"
#include "jobs/plan-derived.h"
#include "lib/json.h"

static json_t *derived(void)
{
	return json_loads(
		"[{\"arch\":\"x86_64\",\"kconfig\":\"small\",\"answer\":{"
		" \"configs\":[{\"text\":\"CONFIG_A=y\\n\"}],"
		" \"lines\":{\"mm/a.c\":[[3,3],[4,3],[5,5],[9,9]]}}},"
		" {\"arch\":\"arm64\",\"kconfig\":\"small\",\"answer\":{"
		" \"error\":\"x\"}}]", 0, NULL);
}

static void a_name_leads_to_its_answers(void **state)
{
	json_t *d __free(json) = derived(), *lines = NULL;
	const char *text = NULL;

	(void)state;
	assert_int_equal(plan_derived_text(d, "x86_64", "small+1", &text,
					   &lines), 0);
	assert_string_equal(text, "CONFIG_A=y\n");
	assert_int_equal(json_object_size(lines), 1);
	assert_int_equal(plan_derived_text(d, "x86_64", "small+0", &text,
					   &lines), 0);
	assert_string_equal(text, "");
	assert_int_equal(plan_derived_text(d, "x86_64", "small+2", &text,
					   &lines), -ENOENT);
	assert_int_equal(plan_derived_text(d, "x86_64", "small", &text,
					   &lines), -ENOENT);
	assert_int_equal(plan_derived_text(d, "s390", "small+1", &text,
					   &lines), -ENOENT);
	assert_true(plan_is_derived("small+1"));
	assert_false(plan_is_derived("small"));
}

static void lines_that_none_compiles_are_told(void **state)
{
	json_t *d __free(json) = derived();
	json_t *runs __free(json) = json_loads(
		"[{\"arch\":\"x86_64\",\"kconfig\":\"small+0\","
		"  \"toolchain\":\"gcc\",\"results\":[{\"result\":"
		"  {\"lines\":{\"mm/a.c\":[3,77],\"mm/b.c\":[1]}}}]},"
		" {\"arch\":\"x86_64\",\"kconfig\":\"small+1\","
		"  \"toolchain\":\"gcc\",\"results\":[{\"result\":"
		"  {\"lines\":{}}}]}]", 0, NULL);
	json_t *c __free(json) = coverage_of(d, runs), *list;

	(void)state;
	assert_int_equal(json_get_int(c, "lines", 0), 4);
	assert_int_equal(json_get_int(c, "compiled", 0), 1);
	list = json_object_get(c, "uncompiled");
	assert_int_equal(json_array_size(list), 2);
	assert_string_equal(json_string_value(json_array_get(list, 0)),
			    "mm/a.c:4-5");
	assert_string_equal(json_string_value(json_array_get(list, 1)),
			    "mm/a.c:9");
	assert_int_equal(json_get_int(json_array_get(json_object_get(
				c, "places"), 0), "compiled", 0), 1);
}

static void what_nobody_measured_is_not_told(void **state)
{
	json_t *d __free(json) = derived();
	json_t *runs __free(json) = json_loads("[{\"results\":[{\"result\":{}}]"
					       "}]", 0, NULL);
	json_t *c __free(json) = coverage_of(d, runs);

	(void)state;
	assert_true(json_is_null(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_leads_to_its_answers),
		cmocka_unit_test(lines_that_none_compiles_are_told),
		cmocka_unit_test(what_nobody_measured_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
