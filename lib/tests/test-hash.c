// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/hash.h"
#include "lib/strbuf.h"

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

static void base64_of(const char *in, const char *want)
{
	char *text __free(kfree) = hash_base64(in, strlen(in));

	assert_string_equal(text, want);
}

/* RFC 4648 section 10 */
static void base64_test_vectors(void **state)
{
	base64_of("", "");
	base64_of("f", "Zg==");
	base64_of("foobar", "Zm9vYmFy");
}

/* RFC 4231, test cases 2 and 6 (a key longer than a block) */
static void hmac_test_vectors(void **state)
{
	char hex[HASH_HEX_LEN + 1], key[131];

	assert_string_equal(hash_hmac_sha256("Jefe", 4,
					     "what do ya want for nothing?", 28,
					     hex),
			    "5bdcc146bf60754e6a042426089575c7"
			    "5a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	assert_string_equal(hash_hmac_sha256(key, sizeof(key),
					     "Test Using Larger Than Block-Size "
					     "Key - Hash Key First", 54, hex),
			    "60e431591ee0b67f0d8a26aacbf5b77f"
			    "8e0bc6213728c5140546040f0ee37f54");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answer),
		cmocka_unit_test(tokens_differ),
		cmocka_unit_test(base64_test_vectors),
		cmocka_unit_test(hmac_test_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
