// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/pool.h"

#include <pthread.h>

/* What one request may take; a page takes milliseconds. */
#define QUERY_LIMIT_MS 5000

struct db_pool {
	pthread_mutex_t lock;
	char *path;
	unsigned int keep;
	unsigned int n;
	struct db **idle;
};

struct db_pool *db_pool_new(const char *path, unsigned int keep)
{
	struct db_pool *pool = xcalloc(1, sizeof(*pool));

	pthread_mutex_init(&pool->lock, NULL);
	pool->path = xstrdup(path);
	pool->keep = keep;
	pool->idle = xcalloc(keep, sizeof(*pool->idle));
	return pool;
}

void db_pool_free(struct db_pool *pool)
{
	if (!pool)
		return;
	while (pool->n)
		db_close(pool->idle[--pool->n]);
	pthread_mutex_destroy(&pool->lock);
	free(pool->idle);
	free(pool->path);
	free(pool);
}

int db_pool_get(struct db_pool *pool, struct db **ret, struct strbuf *why)
{
	struct db *db = NULL;

	pthread_mutex_lock(&pool->lock);
	if (pool->n)
		db = pool->idle[--pool->n];
	pthread_mutex_unlock(&pool->lock);
	if (!db) {
		int r = db_open_ro(pool->path, &db, why);

		if (r)
			return r;
	}
	db_limit_ms(db, QUERY_LIMIT_MS);
	*ret = db;
	return 0;
}

void db_pool_put(struct db_pool *pool, struct db *db)
{
	if (!db)
		return;
	pthread_mutex_lock(&pool->lock);
	if (pool->n < pool->keep) {
		pool->idle[pool->n++] = db;
		db = NULL;
	}
	pthread_mutex_unlock(&pool->lock);
	db_close(db);
}

int db_pool_try(struct db_pool *pool, struct strbuf *why)
{
	struct db *db = NULL;
	int r = db_pool_get(pool, &db, why);

	db_pool_put(pool, db);
	return r;
}
