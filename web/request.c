// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "web: " fmt

#include "web/request.h"

#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/json.h"
#include "lib/log.h"

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int request_unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		int hi, lo;

		if (*s != '%') {
			*to++ = *s;
			continue;
		}
		hi = hex_value(s[1]);
		lo = hi < 0 ? -1 : hex_value(s[2]);
		if (lo < 0 || (!hi && !lo))
			return -EINVAL;
		*to++ = (char)(hi << 4 | lo);
		s += 2;
	}
	*to = '\0';
	return 0;
}

int request_parse_path(struct request *rq, const char *path)
{
	const char *pos = path;

	while (*pos == '/') {
		size_t len = strcspn(++pos, "/");

		if (!len && !pos[len])
			break; /* one slash at the end means nothing */
		if (rq->n_segments == MAX_SEGMENTS)
			return -EINVAL;
		rq->segments[rq->n_segments] = xstrndup(pos, len);
		if (request_unescape(rq->segments[rq->n_segments++]))
			return -EINVAL;
		pos += len;
	}
	return *pos ? -EINVAL : 0;
}

void request_release(struct request *rq)
{
	for (size_t i = 0; i < rq->n_segments; i++)
		free(rq->segments[i]);
	json_decref(rq->query);
	json_decref(rq->form);
	free(rq->who);
}

const char *request_query(const struct request *rq, const char *name)
{
	const char *v = json_get_str(rq->query, name, NULL);

	return v && *v ? v : NULL;
}

const char *request_field(const struct request *rq, const char *name)
{
	const char *v = json_get_str(rq->form, name, NULL);

	return v && *v ? v : NULL;
}

bool request_is_api(const struct request *rq)
{
	return rq->n_segments && !strcmp(rq->segments[0], "api");
}

void response_init(struct response *rs)
{
	*rs = (struct response){ .fd = -1, .headers = json_object(),
				 .stream = { .fd = -1 } };
	strbuf_init(&rs->body);
}

void stream_release(struct stream *st)
{
	if (st->kind == STREAM_NONE)
		return;
	if (st->fd >= 0)
		close(st->fd);
	free(st->kinds);
	*st = (struct stream){ .fd = -1 };
}

void response_release(struct response *rs)
{
	stream_release(&rs->stream);
	strbuf_release(&rs->body);
	json_decref(rs->headers);
	if (rs->fd >= 0)
		close(rs->fd);
	rs->fd = -1;
}

void response_header(struct response *rs, const char *name, const char *value)
{
	json_set_text(rs->headers, name, value);
}

static const struct {
	unsigned int status;
	const char *text;
} statuses[] = {
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 204, "No Content" },
	{ 206, "Partial Content" },
	{ 303, "See Other" },
	{ 304, "Not Modified" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 409, "Conflict" },
	{ 411, "Length Required" },
	{ 413, "Content Too Large" },
	{ 414, "URI Too Long" },
	{ 415, "Unsupported Media Type" },
	{ 416, "Range Not Satisfiable" },
	{ 429, "Too Many Requests" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 503, "Service Unavailable" },
};

const char *status_text(unsigned int status)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		if (statuses[i].status == status)
			return statuses[i].text;
	}
	return "Error";
}

void response_json(struct response *rs, unsigned int status, json_t *v)
{
	char *text = json_dumps(v, JSON_INDENT(1));

	rs->status = status;
	rs->type = "application/json";
	strbuf_reset(&rs->body);
	strbuf_addstr(&rs->body, text);
	strbuf_addch(&rs->body, '\n');
	free(text);
	json_decref(v);
}

void response_problem(const struct request *rq, struct response *rs,
		      unsigned int status, const char *detail)
{
	json_t *v = json_object();

	json_set_text(v, "type", "about:blank");
	json_set_text(v, "title", status_text(status));
	json_set_int(v, "status", status);
	json_set_text(v, "detail", detail);
	if (request_is_api(rq)) {
		response_json(rs, status, v);
		rs->type = "application/problem+json";
	} else {
		response_page(rq, rs, "error", v);
		rs->status = status;
	}
	if (status == 503)
		response_header(rs, "Retry-After", "10");
}

static unsigned int status_of(int r)
{
	switch (r) {
	case DB_NONE:
	case -ENOENT:
		return 404;
	case -EINVAL:
		return 400;
	case -EEXIST:
	case -EALREADY:
		return 409;
	case -EFBIG:
		return 413;
	case -EPERM:
	case -EACCES:
		return 403;
	case -EBUSY:
	case -EAGAIN:
	case -ESHUTDOWN:
	case -ETIMEDOUT:
		return 503;
	case -ENOSYS:
		return 501;
	default:
		return 500;
	}
}

void response_errno(const struct request *rq, struct response *rs, int r,
		    const char *why)
{
	unsigned int status = status_of(r);

	if (status == 500) {
		pr_err("%s %s: %s%s%s\n", rq->method, rq->path,
		       why && *why ? why : "", why && *why ? ": " : "",
		       strerror(r < 0 ? -r : r));
		why = "This is the service's own mistake; its log says more.";
	} else if (!why || !*why) {
		why = status == 404 ? "There is no such thing here." :
		      status == 503 ? "The service is busy; try again soon." :
				      status_text(status);
	}
	response_problem(rq, rs, status, why);
}

void response_redirect(struct response *rs, const char *where)
{
	rs->status = 303;
	rs->type = NULL;
	strbuf_reset(&rs->body);
	response_header(rs, "Location", where);
}

/* null, or what a template needs for the forms of who is logged in */
static json_t *session_json(const struct request *rq)
{
	json_t *o, *scopes = json_object();
	unsigned int bits;
	const char *name;

	if (!*rq->session) {
		json_decref(scopes);
		return json_null();
	}
	for (size_t i = 0; (name = auth_scope_name(i, &bits)); i++) {
		/* a template's names have no dash */
		json_set_bool(scopes, strcmp(name, "read-private") ? name :
								     "private",
			      (rq->scopes & bits) == bits);
	}
	o = json_object();
	json_set_text(o, "user", rq->who);
	json_object_set_new(o, "scopes", scopes);
	json_set_text(o, "csrf", rq->csrf);
	return o;
}

/* A table's frame shows only when it has rows: has_X for every list X. */
static void add_has(json_t *v)
{
	json_t *has __free(json) = json_object(), *member;
	const char *key;

	json_object_foreach(v, key, member) {
		char *name __free(kfree) = xasprintf("has_%s", key);

		if (json_is_array(member))
			json_set_bool(has, name, json_array_size(member) > 0);
	}
	json_object_update(v, has);
}

void response_page(const struct request *rq, struct response *rs,
		   const char *name, json_t *v)
{
	char *nav __free(kfree) = xasprintf("on_%s", name);
	int r;

	add_has(v);
	json_set_bool(v, nav, true);
	/* to the minute: what is shown has a tag, and need not be sent again */
	json_set_int(v, "now_s", clock_now_s() / 60 * 60);
	json_set_text(v, "archive_url", rq->site->archive_url);
	json_object_set_new(v, "session", session_json(rq));
	rs->status = 200;
	rs->type = "text/html; charset=utf-8";
	strbuf_reset(&rs->body);
	r = template_render(rq->site->templates, name, v, &rs->body);
	if (r) {
		pr_err("%s: template %s: %s\n", rq->path, name, strerror(-r));
		strbuf_setf(&rs->body, "<!DOCTYPE html>\n<title>mmci</title>\n"
			    "<p>This page cannot be shown.</p>\n");
		rs->status = 500;
	}
	json_decref(v);
}
