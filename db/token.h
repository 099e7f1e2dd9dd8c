/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_TOKEN_H
#define MMCI_DB_TOKEN_H

#include <stdint.h>

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_token_add() - keep the hash of a new token
 * @hash: hash_hex() of the token; the token itself is never stored
 * @scopes: words separated by single spaces
 * @expires_s: when it ends, 0: never
 *
 * Return: 0; -EEXIST when the name is taken; -errno.
 */
int db_token_add(struct db *db, const char *name, const char *hash,
		 const char *scopes, int64_t expires_s);
/**
 * db_token_replace() - the same, an older token of this name ends
 *
 * Sessions that were opened with it end too, unless it is the same token.
 */
int db_token_replace(struct db *db, const char *name, const char *hash,
		     const char *scopes, int64_t expires_s);
/**
 * db_token_revoke() - end a token and the sessions opened with it
 *
 * Return: 0; DB_NONE when no token has this name; -errno.
 */
int db_token_revoke(struct db *db, const char *name);
/**
 * db_tokens() - all tokens by name: {name, scopes, created_s, expires_s (null:
 * never), state: good|expired, sessions}; nothing that could be used as one
 *
 * Return: 0 and an array, or -errno.
 */
int db_tokens(struct db *db, int64_t now_s, json_t **ret);

#endif
