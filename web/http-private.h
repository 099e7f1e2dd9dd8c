/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_HTTP_PRIVATE_H
#define MMCI_WEB_HTTP_PRIVATE_H

/* What the files http*.c share: all that knows the HTTP library. */

#include <microhttpd.h>

#include "web/deadline.h"
#include "web/pool.h"
#include "web/proxy.h"
#include "web/rate.h"
#include "web/request.h"
#include "web/stats.h"

struct streams;
struct http_cache;

struct web {
	struct site site;
	struct web_config cfg;
	struct proxy_nets proxies;
	struct rate *by_address;
	struct rate *by_token;
	struct stats stats;
	struct db_pool *pool;
	struct http_cache *cache;
	struct deadlines *deadlines;
	struct streams *streams;
	struct MHD_Daemon *daemon;
	uint16_t port;
};

/**
 * struct exchange - one request while it is being read and answered
 * @from_ms: when its first line was there
 * @uri: the address as it was sent, with its query
 * @key, @version: of the answer, for http_cache_keep(); NULL: it is not kept
 */
struct exchange {
	struct request rq;
	struct response rs;
	const struct route *route;
	struct strbuf body;
	int64_t from_ms;
	char *uri;
	char *key;
	int64_t version;
	bool begun;
};

/** http_start() - let the library serve what comes to @fd; 0 or -errno */
int http_start(struct web *web, int fd, struct strbuf *why);
/** http_send() - hand the answer to the library */
enum MHD_Result http_send(struct web *web, struct MHD_Connection *c,
			  struct exchange *x);

/** http_takes_gzip() - does this value of Accept-Encoding allow it? */
bool http_takes_gzip(const char *accept);

/**
 * http_cache_new() - answers that can be sent again, to those who are not
 * logged in, until somebody writes to the database
 *
 * Return: 0; errors of db_open_ro().
 */
int http_cache_new(const char *db_path, struct http_cache **ret,
		   struct strbuf *why);
/** http_cache_free() - after the library is stopped; NULL is fine */
void http_cache_free(struct http_cache *c);
/**
 * http_cache_send() - send what is kept for this request
 * @ret: what to tell the library; %MHD_NO: 304 is in @x, yet to be sent
 *
 * Return: false when there is nothing, or nothing fresh that no other request is
 * making already; then @x knows the version of the database that its answer will
 * at least be made from.
 */
bool http_cache_send(struct http_cache *c, struct MHD_Connection *con,
		     struct exchange *x, enum MHD_Result *ret);
/**
 * http_cache_keep() - keep an answer of @bytes that has just been sent
 *
 * Return: true when the reference of @r was taken.
 */
bool http_cache_keep(struct http_cache *c, const struct exchange *x,
		     struct MHD_Response *r, size_t bytes);

/** streams_start() - begin to watch for news, with one thread for all viewers */
int streams_start(struct web *web, struct streams **ret);
/**
 * streams_stop() - end every stream and the thread; NULL is fine
 *
 * Before the library is stopped, which could not end what is suspended.
 */
void streams_stop(struct streams *s);
/** streams_free() - after the library is stopped; NULL is fine */
void streams_free(struct streams *s);
/**
 * streams_response() - an answer that sends @spec for as long as it is wanted
 * @spec: what it owns is taken
 *
 * Return: NULL when there are too many already, or without memory.
 */
struct MHD_Response *streams_response(struct streams *s,
				      struct MHD_Connection *c,
				      const struct stream *spec);
/** streams_count() - viewers now */
unsigned int streams_count(struct streams *s);

#endif
