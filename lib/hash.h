/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_HASH_H
#define MMCI_LIB_HASH_H

#include <stdbool.h>
#include <stddef.h>

#define HASH_HEX_LEN 64

/**
 * hash_hex() - BLAKE2b-256 of @data as 64 hex digits
 *
 * Source: RFC 7693, through libsodium's crypto_generichash(). Return: @hex.
 */
char *hash_hex(const void *data, size_t len, char hex[static HASH_HEX_LEN + 1]);
/**
 * hash_token_new() - make a bearer token: 32 random bytes as base64url
 * @token: receives 43 characters and a NUL
 *
 * Source: RFC 4648 section 5, without padding. Return: @token.
 */
char *hash_token_new(char token[static 44]);
/**
 * hash_base64() - @len bytes as base64 with padding (RFC 4648 section 4)
 *
 * Return: a malloc()ed string.
 */
char *hash_base64(const void *data, size_t len);
/**
 * hash_hmac_sha256() - HMAC-SHA256 of @data as 64 hex digits
 *
 * Source: RFC 2104, RFC 6234, through libsodium. Return: @hex.
 */
char *hash_hmac_sha256(const void *key, size_t key_len, const void *data,
		       size_t len, char hex[static HASH_HEX_LEN + 1]);
/** hash_equal() - compare two hex strings in constant time */
bool hash_equal(const char *a, const char *b);

#endif
