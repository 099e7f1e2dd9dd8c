// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/stmt-cache.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
static size_t slot_of(const char *sql)
{
	uint32_t h = 2166136261u;

	for (; *sql; sql++)
		h = (h ^ (unsigned char)*sql) * 16777619u;
	return (h ^ h >> 16) % STMT_CACHE_SLOTS;
}

struct sqlite3_stmt *stmt_cache_take(struct stmt_cache *cache, const char *sql)
{
	struct sqlite3_stmt **slot = &cache->slots[slot_of(sql)], *s = *slot;

	if (!s || strcmp(sqlite3_sql(s), sql))
		return NULL;
	*slot = NULL;
	return s;
}

void stmt_cache_put(struct stmt_cache *cache, struct sqlite3_stmt *s)
{
	struct sqlite3_stmt **slot = &cache->slots[slot_of(sqlite3_sql(s))];

	sqlite3_finalize(*slot);
	*slot = s;
}

void stmt_cache_clear(struct stmt_cache *cache)
{
	for (size_t i = 0; i < STMT_CACHE_SLOTS; i++) {
		sqlite3_finalize(cache->slots[i]);
		cache->slots[i] = NULL;
	}
}
