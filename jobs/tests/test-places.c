// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "jobs/places.h"
#include "lib/json.h"

#define AT(a, k, t) "{\"arch\":\"" a "\",\"kconfig\":\"" k \
		    "\",\"toolchain\":\"" t "\"}"

static json_t *list(const char *text)
{
	json_t *v = json_loads(text, 0, NULL);

	assert_non_null(v);
	return v;
}

static const char *said(const char *text)
{
	static struct strbuf sb = STRBUF_INIT;
	json_t *places __free(json) = list(text);

	strbuf_reset(&sb);
	places_say(places, &sb);
	return sb.buf;
}

static void one_finding_is_said_of_all_its_places(void **state)
{
	assert_string_equal(said("[" AT("x86_64", "small", "gcc") "]"),
			    "x86_64 (small, gcc)");
	assert_string_equal(said("[" AT("x86_64", "small", "gcc") ","
				 AT("arm64", "small", "gcc") ","
				 AT("s390", "small", "gcc") ","
				 AT("x86_64", "small", "gcc") "]"),
			    "x86_64, arm64 and s390 (small, gcc)");
	assert_string_equal(said("[" AT("x86_64", "small", "gcc") ","
				 AT("x86_64", "numa", "gcc") ","
				 AT("s390", "small", "gcc") "]"),
			    "x86_64 and s390 (small, gcc); x86_64 (numa, gcc)");
	assert_string_equal(said("[]"), "");
}

static void who_kept_silent_is_named(void **state)
{
	json_t *places __free(json) =
		list("[" AT("x86_64", "nomn", "clang-19") "]");
	json_t *all __free(json) =
		list("[" AT("x86_64", "nomn", "clang-19") ","
		     AT("x86_64", "nomn", "gcc") "," AT("s390", "nomn", "gcc")
		     "," AT("x86_64", "small", "clang-18") "]");
	json_t *silent __free(json) = places_silent(places, all);

	assert_int_equal(json_array_size(silent), 1);
	assert_string_equal(json_string_value(json_array_get(silent, 0)),
			    "gcc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_finding_is_said_of_all_its_places),
		cmocka_unit_test(who_kept_silent_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
