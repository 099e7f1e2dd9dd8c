// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/hash.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"

static void hash_setup(void)
{
	if (sodium_init() < 0)
		abort(); /* no source of random bytes: nothing is safe */
}

char *hash_hex(const void *data, size_t len, char hex[static HASH_HEX_LEN + 1])
{
	unsigned char sum[HASH_HEX_LEN / 2];

	hash_setup();
	crypto_generichash(sum, sizeof(sum), data, len, NULL, 0);
	return sodium_bin2hex(hex, HASH_HEX_LEN + 1, sum, sizeof(sum));
}

char *hash_token_new(char token[static 44])
{
	unsigned char raw[32];

	hash_setup();
	randombytes_buf(raw, sizeof(raw));
	return sodium_bin2base64(token, 44, raw, sizeof(raw),
				 sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

char *hash_base64(const void *data, size_t len)
{
	size_t n = sodium_base64_encoded_len(len,
					     sodium_base64_VARIANT_ORIGINAL);
	char *text = xmalloc(n);

	return sodium_bin2base64(text, n, data, len,
				 sodium_base64_VARIANT_ORIGINAL);
}

char *hash_hmac_sha256(const void *key, size_t key_len, const void *data,
		       size_t len, char hex[static HASH_HEX_LEN + 1])
{
	unsigned char sum[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_state state;

	hash_setup();
	crypto_auth_hmacsha256_init(&state, key, key_len);
	crypto_auth_hmacsha256_update(&state, data, len);
	crypto_auth_hmacsha256_final(&state, sum);
	return sodium_bin2hex(hex, HASH_HEX_LEN + 1, sum, sizeof(sum));
}

bool hash_equal(const char *a, const char *b)
{
	size_t n = strlen(a);

	return n == strlen(b) && !sodium_memcmp(a, b, n);
}
