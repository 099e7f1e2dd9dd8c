// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/hash.h"

static void known_answer(void **state)
{
	char hex[HASH_HEX_LEN + 1];

	/* b2sum -l 256 of "abc" */
	assert_string_equal(hash_hex("abc", 3, hex),
			    "bddd813c634239723171ef3fee98579b"
			    "94964e3bb1cb3e427262c8c068d52319");
	assert_true(hash_equal(hex, hex));
	assert_false(hash_equal(hex, "bddd"));
}

static void tokens_differ(void **state)
{
	char a[44], b[44];

	hash_token_new(a);
	hash_token_new(b);
	assert_int_equal(strlen(a), 43);
	assert_string_not_equal(a, b);
	assert_int_equal(strspn(a, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "abcdefghijklmnopqrstuvwxyz0123456789-_"),
			 43);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answer),
		cmocka_unit_test(tokens_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
