// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lib/json.h"
#include "runners/derived.h"

static const char unit[] =
	"# 0 \"/src/mm/a.c\"\n"
	"# 1 \"<built-in>\"\n"
	"#define __x86_64__ 1\n"
	"# 1 \"/src/include/linux/a.h\" 1\n"
	"#define A(x) x\n"
	"\n"
	"int declared;\n"
	"# 20 \"/src/mm/a.c\" 2\n"
	"int f(void)\n"
	"{\n"
	"\n"
	" return 1;\n"
	"# 31 \"/src/mm/a.c\"\n"
	"}\n";

static void lines_that_are_there_are_seen(void **state)
{
	json_t *lines __free(json) = json_pack(
		"{s:[[i,i]], s:[[i,i]]}", "mm/a.c", 23, 23,
		"include/linux/a.h", 1, 1);
	json_t *seen __free(json) = json_object(), *f;
	char hex[65];

	(void)state;
	derived_tokens(unit, strlen(unit), lines, seen, hex);
	f = json_object_get(seen, "mm/a.c");
	assert_non_null(json_object_get(f, "20"));
	assert_non_null(json_object_get(f, "23"));
	assert_non_null(json_object_get(f, "31"));
	assert_null(json_object_get(f, "22")); /* blank */
	assert_null(json_object_get(f, "25")); /* skipped */
	assert_non_null(json_object_get(json_object_get(seen,
							"include/linux/a.h"),
					"1"));
}

static void tokens_do_not_depend_on_their_place(void **state)
{
	static const char moved[] =
		"# 4 \"/src/include/linux/a.h\" 1\n"
		"#define UNUSED(x) x\n"
		"int declared;\n\n\n"
		"int f(void)\n{\n return 1;\n}\n";
	static const char other[] = "int declared;\nint f(void)\n{\n"
				    " return 2;\n}\n";
	char a[65], b[65], c[65];

	(void)state;
	derived_tokens(unit, strlen(unit), NULL, NULL, a);
	derived_tokens(moved, strlen(moved), NULL, NULL, b);
	derived_tokens(other, strlen(other), NULL, NULL, c);
	assert_string_equal(a, b);
	assert_string_not_equal(a, c);
}

static void the_front_end_takes_the_same_options(void **state)
{
	char *c __free(kfree) = derived_command(
		"savedcmd_mm/a.i := gcc -E -Wp,-MMD,mm/.a.i.d -Iinclude"
		" -D\"X=a b\" -o mm/a.i /src/mm/a.c\n\nsource_mm/a.i := x\n",
		"mm/a");

	(void)state;
	assert_string_equal(c, "gcc -fsyntax-only -Wp,-MMD,mm/.a.i.d -Iinclude"
			       " -D\"X=a b\" /src/mm/a.c");
	assert_null(derived_command("savedcmd_mm/a.i := gcc\n", "mm/a"));
	assert_null(derived_command("", "mm/a"));
	assert_null(derived_command("x := gcc -E -o mm/a.i b", "mm/a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_are_there_are_seen),
		cmocka_unit_test(tokens_do_not_depend_on_their_place),
		cmocka_unit_test(the_front_end_takes_the_same_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
