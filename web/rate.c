// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/rate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/strbuf.h"

#define N_BUCKETS 8192
#define N_PROBES 8

/* @level: in thousandths of a request */
struct bucket {
	uint64_t tag;
	int64_t at_ms;
	int64_t level;
};

struct rate {
	pthread_mutex_t lock;
	int64_t per_min;
	int64_t full;
	char salt[44]; /* nobody outside can choose which ones collide */
	struct bucket buckets[N_BUCKETS];
};

struct rate *rate_new(unsigned int per_min, unsigned int burst)
{
	struct rate *r = xcalloc(1, sizeof(*r));

	pthread_mutex_init(&r->lock, NULL);
	r->per_min = per_min;
	r->full = (int64_t)burst * 1000;
	hash_token_new(r->salt);
	return r;
}

void rate_free(struct rate *r)
{
	if (!r)
		return;
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static uint64_t tag_of(const struct rate *r, const char *key)
{
	char *text __free(kfree) = xasprintf("%s%s", r->salt, key);
	char hex[HASH_HEX_LEN + 1];

	hash_hex(text, strlen(text), hex);
	hex[16] = '\0';
	return strtoull(hex, NULL, 16) | 1; /* 0: an unused bucket */
}

static struct bucket *find(struct rate *r, uint64_t tag, int64_t now_ms)
{
	struct bucket *oldest = NULL;

	for (unsigned int i = 0; i < N_PROBES; i++) {
		struct bucket *b = &r->buckets[(tag + i) % N_BUCKETS];

		if (b->tag == tag)
			return b;
		if (!oldest || b->at_ms < oldest->at_ms)
			oldest = b;
	}
	oldest->tag = tag;
	oldest->at_ms = now_ms;
	oldest->level = r->full;
	return oldest;
}

unsigned int rate_take(struct rate *r, const char *key, unsigned int cost,
		       int64_t now_ms)
{
	int64_t need = (int64_t)cost * 1000, lack;
	struct bucket *b;
	uint64_t tag;

	if (!r)
		return 0;
	tag = tag_of(r, key);
	pthread_mutex_lock(&r->lock);
	b = find(r, tag, now_ms);
	if (now_ms > b->at_ms) {
		b->level += (now_ms - b->at_ms) * r->per_min / 60;
		b->at_ms = now_ms;
	}
	b->level = min(b->level, r->full);
	lack = min(need, r->full) - b->level;
	if (lack <= 0)
		b->level -= min(need, r->full);
	pthread_mutex_unlock(&r->lock);
	if (lack <= 0)
		return 0;
	return (unsigned int)(lack * 60 / 1000 / r->per_min + 1);
}
