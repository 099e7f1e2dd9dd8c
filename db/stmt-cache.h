/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_STMT_CACHE_H
#define MMCI_DB_STMT_CACHE_H

struct sqlite3_stmt;

#define STMT_CACHE_SLOTS 256

/**
 * struct stmt_cache - compiled statements of one connection that are not in use
 *
 * Compiling takes longer than most queries here take to run. A statement is
 * found by its text; of those that meet in a place the last stays.
 */
struct stmt_cache {
	struct sqlite3_stmt *slots[STMT_CACHE_SLOTS];
};

/** stmt_cache_take() - a statement of this text, or NULL */
struct sqlite3_stmt *stmt_cache_take(struct stmt_cache *cache,
				     const char *sql);
/** stmt_cache_put() - keep @s, which is reset; takes it over */
void stmt_cache_put(struct stmt_cache *cache, struct sqlite3_stmt *s);
/** stmt_cache_clear() - finish all, before the connection is closed */
void stmt_cache_clear(struct stmt_cache *cache);

#endif
