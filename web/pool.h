/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_POOL_H
#define MMCI_WEB_POOL_H

#include "db/sqlite.h"

struct db_pool;

/** db_pool_new() - read-only connections to @path, @keep of them kept open */
struct db_pool *db_pool_new(const char *path, unsigned int keep);
/** db_pool_free() - NULL is fine; none may be in use */
void db_pool_free(struct db_pool *pool);
/** db_pool_get() - take one for this thread; errors of db_open_ro() */
int db_pool_get(struct db_pool *pool, struct db **ret, struct strbuf *why);
/** db_pool_put() - give it back; NULL is fine */
void db_pool_put(struct db_pool *pool, struct db *db);
/** db_pool_try() - can a connection be had? errors of db_open_ro() */
int db_pool_try(struct db_pool *pool, struct strbuf *why);

#endif
