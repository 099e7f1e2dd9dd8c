/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_REQUEST_H
#define MMCI_WEB_REQUEST_H

/* One request and its answer, without the library that carries them. */

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "db/id.h"
#include "db/sqlite.h"
#include "lib/strbuf.h"
#include "web/template.h"
#include "web/web.h"

#define MAX_SEGMENTS 8
#define SESSION_COOKIE "mmci_session"

enum scope {
	SCOPE_RERUN = 1 << 0,
	SCOPE_SUBMIT = 1 << 1,
	SCOPE_READ_PRIVATE = 1 << 2,
	SCOPE_MODERATE = 1 << 3,
	SCOPE_ADMIN = 1 << 4,
};

struct stats;

/**
 * struct site - what all requests have in common; read-only after start
 * @session_s: how long a browser stays logged in
 * @stats: what was answered so far
 */
struct site {
	const struct web_ops *ops;
	void *arg;
	struct template_set *templates;
	char *state_dir;
	char *archive_url;
	char *public_url;
	size_t max_body_bytes;
	int64_t session_s;
	struct stats *stats;
};

/**
 * struct request - what a client asks
 * @db: read-only, for this request alone
 * @segments: the path between its slashes, decoded
 * @query: object of strings, decoded
 * @remote: address of the client, as text
 * @https: the client speaks TLS, with the proxy before us
 * @authorization ... @host: header values or NULL
 * @body: NULL until it has arrived
 * @form: fields of a form in the body, object of strings, or NULL
 * @who: name of the token, NULL without one
 * @scopes: what it may do
 * @session: hash of the cookie of a browser that is logged in, or ""
 * @csrf: what its forms must say, or ""
 */
struct request {
	const struct site *site;
	struct db *db;
	const char *method;
	const char *path;
	char *segments[MAX_SEGMENTS];
	size_t n_segments;
	json_t *query;
	char remote[48];
	bool https;
	const char *authorization;
	const char *range;
	const char *if_none_match;
	const char *cookie;
	const char *csrf_header;
	const char *origin;
	const char *host;
	const char *accept;
	const char *accept_encoding;
	const char *content_type;
	const char *last_event_id;
	const char *body;
	size_t body_len;
	json_t *form;
	char *who;
	unsigned int scopes;
	char session[65];
	char csrf[65];
};

enum stream_kind {
	STREAM_NONE,
	STREAM_EVENTS,
	STREAM_LOG,
};

/**
 * struct stream - an answer that goes on for as long as somebody listens
 * @after: events: number of the last one that is known already
 * @series, @job: only what concerns them; .v 0: all
 * @kinds: only these, or what begins with them and a dot; "" for all; owned
 * @see_private: also of private series
 * @fd: log: read from, owned; @offset: from there
 * @number: log: of the attempt of @job
 */
struct stream {
	enum stream_kind kind;
	int64_t after;
	struct version_id series;
	struct job_id job;
	char *kinds;
	bool see_private;
	int fd;
	off_t offset;
	int number;
};

/**
 * struct response - what it gets
 * @type: media type, a constant
 * @headers: object of strings, beside those every answer has
 * @fd: when not negative, @length bytes from @offset are sent, not @body
 * @stream: unless its kind is %STREAM_NONE this is sent, neither @body nor @fd
 */
struct response {
	unsigned int status;
	const char *type;
	struct strbuf body;
	json_t *headers;
	int fd;
	off_t offset;
	off_t length;
	struct stream stream;
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
/** request_field() - a field of the form in the body, or NULL if "" or absent */
const char *request_field(const struct request *rq, const char *name);
/**
 * request_sees_private() - may its sender read private series?
 *
 * With the scope for it: all. The token that sent one in sees that one, where
 * the request is for it alone (by path, or by "series" in the query).
 */
bool request_sees_private(const struct request *rq);

/** stream_release() - free what it owns */
void stream_release(struct stream *st);
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
/** response_redirect() - 303: look at @where, a path of ours, instead */
void response_redirect(struct response *rs, const char *where);
/**
 * response_page() - answer with a page; the reference of @v is taken
 *
 * Adds "session": null, or {"user", "scopes": {NAME: true}, "csrf"} of who is
 * logged in. A form shows only with its scope and has a field "csrf":
 *
 *	{{#session.scopes.rerun}}<form method="post" action="/job/{{id}}/rerun">
 *	<input type="hidden" name="csrf" value="{{session.csrf}}">...
 */
void response_page(const struct request *rq, struct response *rs,
		   const char *name, json_t *v);
/** status_text() - "Not Found" */
const char *status_text(unsigned int status);

/**
 * auth_check() - find out who asks: a bearer token (RFC 6750) or the cookie of
 * a browser that is logged in
 *
 * With a cookie, what changes something needs the session's CSRF token too: as
 * field "csrf" of a form, or in X-CSRF-Token for the API.
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

/**
 * auth_form() - does a form come from a page of ours?
 *
 * For requests to pages, when the body is there.
 *
 * Return: true, or false and the answer, 403, in @rs.
 */
bool auth_form(const struct request *rq, struct response *rs);
/** auth_scope_name() - the n-th scope's name, NULL behind the last */
const char *auth_scope_name(size_t n, unsigned int *bits);

/** auth_scope_word() - what a scope is called, NULL for 0 */
const char *auth_scope_word(enum scope scope);

/** struct route - one line of the table in route.c */
struct route {
	const char *method;
	const char *pattern; /* "api/v1/jobs/" followed by a star: any one segment */
	void (*handle)(struct request *rq, struct response *rs);
	enum scope scope; /* 0: none needed */
	bool big_body;
	unsigned int cost; /* requests it counts as where they are limited */
	bool cached; /* its answer is made of the database alone */
};

/**
 * route_find() - which handler answers @rq
 *
 * Return: the route, or NULL and the answer (404 or 405) in @rs.
 */
const struct route *route_find(const struct request *rq, struct response *rs);

#endif
