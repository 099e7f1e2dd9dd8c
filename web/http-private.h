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

struct web {
	struct site site;
	struct web_config cfg;
	struct proxy_nets proxies;
	struct rate *by_address;
	struct rate *by_token;
	struct stats stats;
	struct db_pool *pool;
	struct deadlines *deadlines;
	struct streams *streams;
	struct MHD_Daemon *daemon;
	uint16_t port;
};

/**
 * struct exchange - one request while it is being read and answered
 * @from_ms: when its first line was there
 */
struct exchange {
	struct request rq;
	struct response rs;
	const struct route *route;
	struct strbuf body;
	int64_t from_ms;
	bool begun;
};

/** http_start() - let the library serve what comes to @fd; 0 or -errno */
int http_start(struct web *web, int fd, struct strbuf *why);
/** http_send() - hand the answer to the library */
enum MHD_Result http_send(struct web *web, struct MHD_Connection *c,
			  struct exchange *x);

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
