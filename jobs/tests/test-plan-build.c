// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "jobs/plan-build.h"
#include "lib/json.h"

#define MANY 500

static json_t *patches(int n)
{
	json_t *list = json_array();

	for (int i = 1; i <= n; i++)
		json_array_append_new(list, json_pack("{s:i}", "number", i));
	return list;
}

static void check_says(json_t *check, int number, size_t units,
		       const char *outcome, const char *unjudged)
{
	json_t *p = json_pack("{s:i,s:s,s:[]}", "number", number, "outcome",
			      outcome, "units"), *list;

	for (size_t i = 0; i < units; i++)
		json_array_append_new(json_object_get(p, "units"),
				      json_object());
	if (unjudged)
		json_set_text(p, "unjudged", unjudged);
	list = json_object_get(check, "patches");
	json_array_append_new(list, p);
}

/* "1 3 4" */
static const char *steps(json_t *owned, int64_t total, const json_t *check)
{
	static struct strbuf sb = STRBUF_INIT;
	json_t *list __free(json) = owned, *p;
	size_t i;

	strbuf_reset(&sb);
	plan_build_steps(list, total, check);
	json_array_foreach(list, i, p)
		strbuf_addf(&sb, "%s%d", i ? " " : "",
			    (int)json_get_int(p, "number", 0));
	return sb.buf;
}

static void without_a_check_every_patch_is_built(void **state)
{
	assert_string_equal(steps(patches(4), 4, NULL), "1 2 3 4");
}

static void a_large_series_begins_with_its_end(void **state)
{
	assert_string_equal(steps(patches(31), 31, NULL), "31");
}

static void what_reaches_everything_is_built_once(void **state)
{
	json_t *check __free(json) = json_pack("{s:[]}", "patches");

	check_says(check, 1, MANY, "passed", NULL);
	check_says(check, 2, MANY, "passed", NULL);
	check_says(check, 3, 2, "passed", NULL);
	check_says(check, 4, MANY, "passed", "mm/Makefile");
	check_says(check, 5, MANY, "passed", NULL);
	assert_string_equal(steps(patches(5), 5, check), "3 4 5");
	/* 4 and 5 are fix-ups of a series of three */
	assert_string_equal(steps(patches(5), 3, check), "3 4 5");
}

static void a_kernel_is_built_before_the_error(void **state)
{
	json_t *check __free(json) = json_pack("{s:[]}", "patches");

	check_says(check, 1, MANY, "passed", NULL);
	check_says(check, 2, MANY, "passed", NULL);
	check_says(check, 3, MANY, "failed", NULL);
	check_says(check, 4, MANY, "failed", NULL);
	assert_string_equal(steps(patches(4), 4, check), "2 4");
}

static void nothing_to_build_stays_nothing(void **state)
{
	assert_string_equal(steps(patches(0), 0, NULL), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_check_every_patch_is_built),
		cmocka_unit_test(a_large_series_begins_with_its_end),
		cmocka_unit_test(what_reaches_everything_is_built_once),
		cmocka_unit_test(a_kernel_is_built_before_the_error),
		cmocka_unit_test(nothing_to_build_stays_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
