/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_NET_H
#define MMCI_KERNEL_SERIES_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

/**
 * struct net_spec - one HTTP request; everything is borrowed for the call
 * @method: "GET" (also for NULL), "HEAD", "POST", "PUT", "DELETE", ...
 * @url: http:// or https://
 * @headers: "Name: value" lines, NULL-terminated; may be NULL
 * @body: request body, may be NULL
 * @body_len: bytes in @body
 * @contact_url: goes into the User-Agent as "mmci/VERSION (+URL)", so that the
 *	administrator of a server knows whom to ask; may be NULL
 * @direct: use no proxy, whatever http_proxy says; for the API on loopback
 * @connect_timeout_s: until the connection stands, TLS included; 0: 15
 * @timeout_s: for the whole request; 0: no limit, a stream may last
 * @stall_timeout_s: not one byte for this long ends the request; 0: 60
 * @max_bytes: limit of the answer's body; 0: 16 MiB. What goes to @chunk is
 *	counted too; SIZE_MAX: no limit.
 * @chunk: receives the body of a 2xx answer in pieces instead of
 *	&net_reply.body; may be NULL. Not 0 ends the request.
 * @arg: for @chunk
 */
struct net_spec {
	const char *method;
	const char *url;
	const char *const *headers;
	const void *body;
	size_t body_len;
	const char *contact_url;
	bool direct;
	unsigned int connect_timeout_s;
	unsigned int timeout_s;
	unsigned int stall_timeout_s;
	size_t max_bytes;
	int (*chunk)(const void *data, size_t len, void *arg);
	void *arg;
};

/**
 * struct net_reply - what came back
 * @status: HTTP status code of the last answer, 0 if none came
 * @content_type: Content-Type or NULL
 * @etag: ETag or NULL, with its quotes
 * @retry_after_s: Retry-After in seconds from now, 0 if not given
 * @body: bytes of the body; stays empty where &net_spec.chunk got them
 */
struct net_reply {
	int status;
	char *content_type;
	char *etag;
	int64_t retry_after_s;
	struct strbuf body;
};

#define NET_REPLY_INIT { .body = STRBUF_INIT }

/** net_reply_release() - free what the reply holds; it is empty afterwards */
void net_reply_release(struct net_reply *r);
DEFINE_FREE(net_reply, struct net_reply, net_reply_release(&_T))

/**
 * net_request() - send one HTTP request and wait for the answer
 * @spec: what to ask
 * @ret: the answer; release it in any case. Emptied first.
 * @why: on failure, one line with the URL (without a password in it) and the
 *	cause; untouched otherwise
 *
 * Redirections are followed for GET and HEAD only, at most 5, never away from
 * http and https and never from https to http. No cookie, no .netrc, no
 * credentials other than what @spec->headers or the URL give.
 *
 * Return: 0 when an answer came, whatever its status;
 * -EINVAL: not an http(s) URL, or a control byte in URL, method or headers;
 * -EHOSTUNREACH: the name does not resolve;
 * -ECONNREFUSED: no connection;
 * -ETIMEDOUT: one of the three limits of @spec;
 * -EFBIG: more than @spec->max_bytes;
 * -ECANCELED: @spec->chunk did not return 0;
 * -EACCES: the certificate was not accepted;
 * -ELOOP: too many redirections, or one to another scheme;
 * -EPROTO: the other side does not speak HTTP, or hung up in the middle;
 * -EIO: anything else that libcurl reports, with its text in @why.
 * Source: libcurl-errors(3), RFC 9110.
 */
int net_request(const struct net_spec *spec, struct net_reply *ret,
		struct strbuf *why);

/**
 * net_add_url_escaped() - append @s with everything but unreserved characters
 * as %XX, for one path component or query value
 *
 * Source: RFC 3986 section 2.3.
 */
void net_add_url_escaped(struct strbuf *sb, const char *s);
/**
 * net_add_user_agent() - append "mmci/VERSION (+URL)"
 * @contact_url: may be NULL
 */
void net_add_user_agent(struct strbuf *sb, const char *contact_url);
/**
 * net_add_url_public() - append @url without user name and password
 */
void net_add_url_public(struct strbuf *sb, const char *url);

#endif
