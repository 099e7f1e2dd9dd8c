/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_REQUEST_H
#define MMCI_WEB_REQUEST_H

/* One request and its answer, without the library that carries them. */

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "db/sqlite.h"
#include "lib/strbuf.h"
#include "web/template.h"
#include "web/web.h"

#define MAX_SEGMENTS 8

enum scope {
	SCOPE_RERUN = 1 << 0,
	SCOPE_SUBMIT = 1 << 1,
	SCOPE_READ_PRIVATE = 1 << 2,
	SCOPE_MODERATE = 1 << 3,
	SCOPE_ADMIN = 1 << 4,
};

/**
 * struct site - what all requests have in common; read-only after start
 */
struct site {
	const struct web_ops *ops;
	void *arg;
	struct template_set *templates;
	char *state_dir;
	char *archive_url;
	char *public_url;
	size_t max_body_bytes;
};

/**
 * struct request - what a client asks
 * @db: read-only, for this request alone
 * @segments: the path between its slashes, decoded
 * @query: object of strings, decoded
 * @authorization, @range, @if_none_match: header values or NULL
 * @body: NULL until it has arrived
 * @who: name of the token, NULL without one
 * @scopes: what it may do
 */
struct request {
	const struct site *site;
	struct db *db;
	const char *method;
	const char *path;
	char *segments[MAX_SEGMENTS];
	size_t n_segments;
	json_t *query;
	const char *authorization;
	const char *range;
	const char *if_none_match;
	const char *body;
	size_t body_len;
	char *who;
	unsigned int scopes;
};

/**
 * struct response - what it gets
 * @type: media type, a constant
 * @headers: object of strings, beside those every answer has
 * @fd: when not negative, @length bytes from @offset are sent, not @body
 */
struct response {
	unsigned int status;
	const char *type;
	struct strbuf body;
	json_t *headers;
	int fd;
	off_t offset;
	off_t length;
};

/**
 * request_parse_path() - fill @segments from the path as it was sent
 *
 * Return: 0; -EINVAL for a bad escape, a NUL or too many segments.
 */
int request_parse_path(struct request *rq, const char *path);
/** request_unescape() - decode %XX in place; -EINVAL if malformed or NUL */
int request_unescape(char *s);
/** request_release() - free what the request owns */
void request_release(struct request *rq);
/** request_query() - a parameter, or NULL when absent or empty */
const char *request_query(const struct request *rq, const char *name);
/** request_is_api() - is the answer for a program? */
bool request_is_api(const struct request *rq);
/** request_sees_private() - may its sender read private series? */
bool request_sees_private(const struct request *rq);

/** response_init() - status 0, nothing else yet */
void response_init(struct response *rs);
/** response_release() - free what it owns */
void response_release(struct response *rs);
/** response_header() - set a header */
void response_header(struct response *rs, const char *name, const char *value);
/** response_json() - answer with @v, whose reference is taken */
void response_json(struct response *rs, unsigned int status, json_t *v);
/**
 * response_problem() - answer with an error: problem JSON (RFC 9457) for the
 * API, a page otherwise
 * @detail: what is wrong and what to do about it
 */
void response_problem(const struct request *rq, struct response *rs,
		      unsigned int status, const char *detail);
/**
 * response_errno() - the same from a result
 * @r: as documented for struct web_ops, or DB_NONE
 */
void response_errno(const struct request *rq, struct response *rs, int r,
		    const char *why);
/** response_page() - answer with a page; the reference of @v is taken */
void response_page(const struct request *rq, struct response *rs,
		   const char *name, json_t *v);
/** status_text() - "Not Found" */
const char *status_text(unsigned int status);

/**
 * auth_check() - find out who asks (RFC 6750)
 *
 * Return: true, also without a token; false when one was sent that is not
 * good, then @rs has the answer.
 */
bool auth_check(struct request *rq, struct response *rs);
/**
 * auth_require() - is @scope granted?
 *
 * Return: true, or false and the answer, 401 or 403, in @rs.
 */
bool auth_require(const struct request *rq, struct response *rs,
		  enum scope scope);

/** struct route - one line of the table in route.c */
struct route {
	const char *method;
	const char *pattern; /* "api/v1/jobs/" followed by a star: any one segment */
	void (*handle)(struct request *rq, struct response *rs);
	enum scope scope; /* 0: none needed */
	bool big_body;
};

/**
 * route_find() - which handler answers @rq
 *
 * Return: the route, or NULL and the answer (404 or 405) in @rs.
 */
const struct route *route_find(const struct request *rq, struct response *rs);

#endif
