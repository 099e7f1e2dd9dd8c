// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/json.h"
#include "web/http-private.h"

#define SLOTS 1024
#define MAX_ENTRY_BYTES ((size_t)1 << 20)
#define MAX_BYTES ((size_t)48 << 20)
/* Pages say how long ago things were. */
#define KEEP_MS 1000
/*
 * What is asked for all the time is made anew four times a second at most. A
 * page that was told of an event asks again after 300 ms (web/static/mmci.js),
 * so it sees what the event was about.
 */
#define HOT_MS 250
#define HOT_HITS 50

/**
 * struct entry - one answer, as the library has it
 * @version: of the database it was made from, or of a later one
 * @until_ms: of clock_mono_ms()
 * @made_ms: when it was made
 * @hits: how often it was sent since
 * @renewed_ms: by then the one request that makes it anew should have done so
 */
struct entry {
	char *key;
	int64_t version;
	int64_t made_ms;
	int64_t until_ms;
	int64_t renewed_ms;
	unsigned int hits;
	char etag[32];
	struct MHD_Response *r;
	size_t bytes;
};

struct http_cache {
	pthread_mutex_t lock;
	struct db *db; /* tells whether somebody has written */
	struct entry slots[SLOTS];
	size_t bytes;
};

int http_cache_new(const char *db_path, struct http_cache **ret,
		   struct strbuf *why)
{
	struct http_cache *c = xcalloc(1, sizeof(*c));
	int r = db_open_ro(db_path, &c->db, why);

	if (r) {
		free(c);
		return r;
	}
	pthread_mutex_init(&c->lock, NULL);
	*ret = c;
	return 0;
}

static void drop(struct http_cache *c, struct entry *e)
{
	if (!e->r)
		return;
	MHD_destroy_response(e->r); /* whoever still sends it has it, too */
	free(e->key);
	c->bytes -= e->bytes;
	memset(e, 0, sizeof(*e));
}

static void drop_all(struct http_cache *c)
{
	for (size_t i = 0; i < SLOTS; i++)
		drop(c, &c->slots[i]);
}

void http_cache_free(struct http_cache *c)
{
	if (!c)
		return;
	drop_all(c);
	db_close(c->db);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* What is the same for all who are not logged in; NULL: not this. */
static char *key_of(const struct exchange *x)
{
	const struct request *rq = &x->rq;

	if (!x->route || !x->route->cached || !x->uri ||
	    strcmp(rq->method, "GET") || rq->authorization || *rq->session ||
	    rq->scopes)
		return NULL;
	return xasprintf("%d %s", http_takes_gzip(rq->accept_encoding), x->uri);
}

static struct entry *slot_of(struct http_cache *c, const char *key)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 16777619u;
	return &c->slots[(h ^ h >> 16) % SLOTS];
}

/* Another number than before: somebody has committed something. */
static int64_t version(struct http_cache *c)
{
	struct stmt *st __free(stmt) = db_prepare(c->db, "PRAGMA data_version");

	return stmt_step(st) == DB_ROW ? stmt_int64(st, "data_version") : -1;
}

/*
 * After a write all who look at a page ask for it at once. The first of them
 * makes it anew; the others get what was there a moment ago instead of making
 * the same page beside it. Who asks alone is always the first.
 */
static bool is_usable(struct entry *e, const char *key, int64_t version)
{
	int64_t now = clock_mono_ms();

	if (version < 0 || !e->r || strcmp(e->key, key) ||
	    now >= e->until_ms + KEEP_MS)
		return false;
	if ((e->version == version && now < e->until_ms) ||
	    now < e->renewed_ms ||
	    (e->hits >= HOT_HITS && now < e->made_ms + HOT_MS))
		return true;
	e->renewed_ms = now + KEEP_MS;
	return false;
}

bool http_cache_send(struct http_cache *c, struct MHD_Connection *con,
		     struct exchange *x, enum MHD_Result *ret)
{
	const char *want = x->rq.if_none_match;
	struct entry *e;

	x->key = key_of(x);
	if (!x->key)
		return false;
	pthread_mutex_lock(&c->lock);
	x->version = version(c);
	e = slot_of(c, x->key);
	if (!is_usable(e, x->key, x->version)) {
		pthread_mutex_unlock(&c->lock);
		return false;
	}
	e->hits++;
	if (want && *e->etag && strstr(want, e->etag + 2)) {
		x->rs.status = 304;
		response_header(&x->rs, "ETag", e->etag);
		*ret = MHD_NO; /* the caller sends it */
	} else {
		*ret = MHD_queue_response(con, 200, e->r);
		x->rs.status = 200;
	}
	pthread_mutex_unlock(&c->lock);
	return true;
}

bool http_cache_keep(struct http_cache *c, const struct exchange *x,
		     struct MHD_Response *r, size_t bytes)
{
	const char *etag = json_get_str(x->rs.headers, "ETag", "");
	struct entry *e;

	if (!x->key || x->version < 0 || x->rs.status != 200 ||
	    x->rs.fd >= 0 || bytes > MAX_ENTRY_BYTES ||
	    json_object_get(x->rs.headers, "Set-Cookie") ||
	    strlen(etag) >= sizeof(e->etag))
		return false;
	pthread_mutex_lock(&c->lock);
	if (c->bytes + bytes > MAX_BYTES)
		drop_all(c);
	e = slot_of(c, x->key);
	drop(c, e);
	e->key = xstrdup(x->key);
	e->version = x->version;
	e->made_ms = clock_mono_ms();
	e->until_ms = e->made_ms + KEEP_MS;
	strcpy(e->etag, etag);
	e->r = r;
	e->bytes = bytes;
	c->bytes += bytes;
	pthread_mutex_unlock(&c->lock);
	return true;
}
