// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/strbuf.h"

static void empty_is_a_string(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	assert_string_equal(sb.buf, "");
	strbuf_setlen(&sb, 0);
	strbuf_rtrim(&sb);
	assert_int_equal(sb.len, 0);
}

static void grows_and_formats(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	for (int i = 0; i < 1000; i++)
		strbuf_addf(&sb, "%03d,", i);
	assert_int_equal(sb.len, 4000);
	assert_memory_equal(sb.buf + 3996, "999,", 5);
	strbuf_setf(&sb, "%s", "short  \n");
	strbuf_rtrim(&sb);
	assert_string_equal(sb.buf, "short");
}

static void a_count_has_its_noun(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	strbuf_add_count(&sb, 1, "patch", "patches");
	strbuf_addstr(&sb, ", ");
	strbuf_add_count(&sb, 0, "error", "errors");
	assert_string_equal(sb.buf, "1 patch, 0 errors");
}

static void utf8_of(const char *in, size_t len, const char *want)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	strbuf_add_utf8(&sb, in, len);
	assert_string_equal(sb.buf, want);
}

static void bad_utf8_becomes_a_replacement(void **state)
{
#define BAD "\xef\xbf\xbd"
	utf8_of("L\xc3\xb3pez \xe2\x82\xac \xf0\x9f\x90\xa7", 15,
		"L\xc3\xb3pez \xe2\x82\xac \xf0\x9f\x90\xa7");
	utf8_of("caf\xe9", 4, "caf" BAD);
	utf8_of("a\0b", 3, "a" BAD "b");
	utf8_of("\xc0\xaf", 2, BAD BAD);		 /* overlong */
	utf8_of("\xed\xa0\x80", 3, BAD BAD BAD);	 /* surrogate */
	utf8_of("\xf4\x90\x80\x80", 4, BAD BAD BAD BAD); /* > U+10FFFF */
	utf8_of("x\xe2\x82", 3, "x" BAD BAD);		 /* cut */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_is_a_string),
		cmocka_unit_test(grows_and_formats),
		cmocka_unit_test(a_count_has_its_noun),
		cmocka_unit_test(bad_utf8_becomes_a_replacement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
