/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_SESSION_H
#define MMCI_DB_SESSION_H

#include <stdint.h>

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_session_add() - note that a browser has logged in
 * @hash: hash_hex() of its cookie; the cookie itself is never stored
 * @token: name of the token it showed
 * @expires_s: when it has to log in again
 *
 * Sessions that are over are removed.
 *
 * Return: 0; -EEXIST; -errno.
 */
int db_session_add(struct db *db, const char *hash, const char *token,
		   int64_t expires_s);
/** db_session_end() - it has logged out; 0 also when there is no such one */
int db_session_end(struct db *db, const char *hash);
/**
 * db_session_find() - who is behind a cookie
 * @ret: {"name", "scopes"} of the token
 *
 * Return: 0; DB_NONE for none, or where session or token have expired; -errno.
 */
int db_session_find(struct db *db, const char *hash, int64_t now_s,
		    json_t **ret);

#endif
