// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "web: " fmt

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "lib/json.h"
#include "lib/log.h"
#include "web/deadline.h"
#include "web/pool.h"
#include "web/request.h"

/* Limits that no one needs to tune. */
#define MAX_URL_BYTES 4096
#define MAX_SMALL_BODY_BYTES 65536
#define CONNECTION_MEMORY_BYTES 32768

struct web {
	struct site site;
	struct web_config cfg;
	struct db_pool *pool;
	struct deadlines *deadlines;
	struct MHD_Daemon *daemon;
	uint16_t port;
};

/**
 * struct exchange - one request while it is being read and answered
 * @db: taken from the pool while something is looked up
 */
struct exchange {
	struct request rq;
	struct response rs;
	const struct route *route;
	struct strbuf body;
	bool begun;
};

static const char *const common_headers[][2] = {
	{ "Content-Security-Policy",
	  "default-src 'none'; style-src 'self'; script-src 'self'; "
	  "img-src 'self'; connect-src 'self'; form-action 'self'; "
	  "base-uri 'none'; frame-ancestors 'none'" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
};

static struct MHD_Response *make_response(struct exchange *x)
{
	struct response *rs = &x->rs;
	struct MHD_Response *r;
	size_t len = rs->body.len;

	if (rs->fd < 0)
		return MHD_create_response_from_buffer(
			len, strbuf_detach(&rs->body), MHD_RESPMEM_MUST_FREE);
	r = MHD_create_response_from_fd_at_offset64(
		(uint64_t)rs->length, rs->fd, (uint64_t)rs->offset);
	if (r)
		rs->fd = -1; /* closed with the response */
	return r;
}

static enum MHD_Result send_response(struct web *web, struct MHD_Connection *c,
				     struct exchange *x)
{
	struct MHD_Response *r = make_response(x);
	const char *name;
	enum MHD_Result ret;
	json_t *v;

	if (!r)
		return MHD_NO;
	for (size_t i = 0; i < ARRAY_SIZE(common_headers); i++)
		MHD_add_response_header(r, common_headers[i][0],
					common_headers[i][1]);
	MHD_add_response_header(r, "Content-Type", x->rs.type);
	if (!json_object_get(x->rs.headers, "Cache-Control"))
		MHD_add_response_header(r, "Cache-Control",
					x->rq.authorization ? "no-store" :
							      "no-cache");
	json_object_foreach(x->rs.headers, name, v)
		MHD_add_response_header(r, name, json_string_value(v));
	deadlines_set(web->deadlines, c, web->cfg.send_timeout_ms);
	ret = MHD_queue_response(c, x->rs.status, r);
	MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result add_query(void *arg, enum MHD_ValueKind kind,
				 const char *key, size_t key_len,
				 const char *value, size_t value_len)
{
	struct exchange *x = arg;
	char *k __free(kfree) = xstrndup(key, key_len);
	char *v __free(kfree) = xstrndup(value ? value : "", value_len);

	if (request_unescape(k) || request_unescape(v)) {
		response_problem(&x->rq, &x->rs, 400, "A bad escape in the "
						      "address.");
		return MHD_NO;
	}
	json_set_text(x->rq.query, k, v);
	return MHD_YES;
}

static enum MHD_Result count_length(void *arg, enum MHD_ValueKind kind,
				    const char *key, const char *value)
{
	int *n = arg;

	*n += !strcasecmp(key, MHD_HTTP_HEADER_CONTENT_LENGTH);
	return MHD_YES;
}

/* What can be said before the body is there; true: go on and read it. */
static bool check_body(struct web *web, struct MHD_Connection *c,
		       struct exchange *x)
{
	const char *length = MHD_lookup_connection_value(
		c, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
	size_t most = x->route->big_body ? web->site.max_body_bytes :
					   MAX_SMALL_BODY_BYTES;
	char *text __free(kfree) = NULL;
	int n = 0;

	MHD_get_connection_values(c, MHD_HEADER_KIND, count_length, &n);
	if (n > 1) { /* whoever stands before us may believe the other one */
		response_problem(&x->rq, &x->rs, 400, "More than one "
						      "Content-Length.");
		return false;
	}
	if (MHD_lookup_connection_value(c, MHD_HEADER_KIND,
					MHD_HTTP_HEADER_TRANSFER_ENCODING)) {
		response_problem(&x->rq, &x->rs, 411, "Send the body with a "
						      "Content-Length.");
		return false;
	}
	if (!length)
		return true;
	if (strcmp(x->route->method, "POST"))
		most = 0;
	if (strtoull(length, NULL, 10) <= most)
		return true;
	text = xasprintf("The body may have at most %zu bytes.", most);
	response_problem(&x->rq, &x->rs, 413, text);
	return false;
}

static bool check_head(struct web *web, struct MHD_Connection *c,
		       struct exchange *x, const char *url)
{
	int r = strlen(url) > MAX_URL_BYTES ? -E2BIG :
					      request_parse_path(&x->rq, url);

	if (r == -E2BIG)
		response_problem(&x->rq, &x->rs, 414, "The address is too "
						      "long.");
	else if (r)
		response_problem(&x->rq, &x->rs, 400, "A bad escape in the "
						      "address.");
	if (r)
		return false;
	MHD_get_connection_values_n(c, MHD_GET_ARGUMENT_KIND, add_query, x);
	if (x->rs.status)
		return false;
	x->route = route_find(&x->rq, &x->rs);
	return x->route && auth_check(&x->rq, &x->rs) &&
	       auth_require(&x->rq, &x->rs, x->route->scope) &&
	       check_body(web, c, x);
}

static bool take_db(struct web *web, struct exchange *x)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r = db_pool_get(web->pool, &x->rq.db, &why);

	if (!r)
		return true;
	response_errno(&x->rq, &x->rs, r == -EBUSY ? r : -EIO, why.buf);
	return false;
}

static void put_db(struct web *web, struct exchange *x)
{
	db_pool_put(web->pool, x->rq.db);
	x->rq.db = NULL;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static enum MHD_Result begin(struct web *web, struct MHD_Connection *c,
			     struct exchange *x, const char *url,
			     const char *method)
{
	bool more;

	x->begun = true;
	x->rq.site = &web->site;
	x->rq.method = method;
	x->rq.path = url;
	x->rq.query = json_object();
	x->rq.authorization = header(c, MHD_HTTP_HEADER_AUTHORIZATION);
	x->rq.range = header(c, MHD_HTTP_HEADER_RANGE);
	x->rq.if_none_match = header(c, MHD_HTTP_HEADER_IF_NONE_MATCH);
	deadlines_set(web->deadlines, c, web->cfg.body_timeout_ms);
	more = take_db(web, x) && check_head(web, c, x, url);
	put_db(web, x);
	return more ? MHD_YES : send_response(web, c, x);
}

static enum MHD_Result finish(struct web *web, struct MHD_Connection *c,
			      struct exchange *x)
{
	x->rq.body = x->body.buf;
	x->rq.body_len = x->body.len;
	if (take_db(web, x))
		x->route->handle(&x->rq, &x->rs);
	put_db(web, x);
	return send_response(web, c, x);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c,
				  const char *url, const char *method,
				  const char *version, const char *upload_data,
				  size_t *upload_len, void **req)
{
	struct web *web = arg;
	struct exchange *x = *req;

	if (!x->begun)
		return begin(web, c, x, url, method);
	if (*upload_len) {
		/* its length was declared and checked; MHD keeps to it */
		strbuf_add(&x->body, upload_data, *upload_len);
		*upload_len = 0;
		return MHD_YES;
	}
	return finish(web, c, x);
}

/* Called with the request line, before anything else of a request. */
static void *on_uri(void *arg, const char *uri, struct MHD_Connection *c)
{
	struct exchange *x = xcalloc(1, sizeof(*x));

	response_init(&x->rs);
	strbuf_init(&x->body);
	return x;
}

static void on_completed(void *arg, struct MHD_Connection *c, void **req,
			 enum MHD_RequestTerminationCode how)
{
	struct web *web = arg;
	struct exchange *x = *req;

	deadlines_set(web->deadlines, c, web->cfg.header_timeout_ms);
	if (!x)
		return;
	request_release(&x->rq);
	response_release(&x->rs);
	strbuf_release(&x->body);
	free(x);
	*req = NULL;
}

static void on_connection(void *arg, struct MHD_Connection *c, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info;
	struct web *web = arg;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		deadlines_del(web->deadlines, c);
		return;
	}
	info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	deadlines_add(web->deadlines, c, info->connect_fd,
		      web->cfg.header_timeout_ms);
}

/* Segments are decoded after the path was cut at its slashes, not before. */
static size_t leave_escaped(void *arg, struct MHD_Connection *c, char *s)
{
	return strlen(s);
}

__attribute__((format(printf, 2, 0)))
static void on_log(void *arg, const char *fmt, va_list ap)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	strbuf_vaddf(&text, fmt, ap);
	strbuf_rtrim(&text);
	pr_debug("%s\n", text.buf);
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int parse_address(const char *text, uint16_t port, union address *a)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1) {
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = htons(port);
		return 0;
	}
	if (inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = htons(port);
		return 0;
	}
	return -EINVAL;
}

static int open_socket(struct web *web, const char *address, int *ret,
		       struct strbuf *why)
{
	int fd __free(fd) = -1, one = 1, r = 0;
	socklen_t len = sizeof(union address);
	union address a;

	if (parse_address(address, web->cfg.port, &a)) {
		strbuf_setf(why, "%s is no IPv4 or IPv6 address", address);
		return -EINVAL;
	}
	fd = socket(a.any.sa_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, &a.any, a.any.sa_family == AF_INET ? sizeof(a.v4) :
							  sizeof(a.v6)) ||
	    listen(fd, 128) || getsockname(fd, &a.any, &len))
		r = -errno;
	if (r) {
		strbuf_setf(why, "cannot listen on %s port %u: %s", address,
			    web->cfg.port, strerror(-r));
		return r;
	}
	/* same place in both kinds of address */
	web->port = ntohs(a.v4.sin_port);
	*ret = no_free_fd(fd);
	return 0;
}

static int start_daemon(struct web *web, int fd, struct strbuf *why)
{
	struct MHD_OptionItem options[] = {
		{ MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)on_log, NULL },
		{ MHD_OPTION_LISTEN_SOCKET, fd, NULL },
		{ MHD_OPTION_THREAD_POOL_SIZE, web->cfg.threads, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, web->cfg.max_connections, NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY_BYTES,
		  NULL },
		/* a Host is needed, and what is malformed is not guessed at */
		{ MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL },
		{ MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, web },
		{ MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, web },
		{ MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)on_uri, web },
		{ MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)leave_escaped, NULL },
		{ MHD_OPTION_END, 0, NULL },
	};

	web->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, web->port,
		NULL, NULL, on_request, web, MHD_OPTION_ARRAY, options,
		MHD_OPTION_END);
	if (web->daemon)
		return 0;
	strbuf_setf(why, "the HTTP server does not start: %s",
		    strerror(errno));
	return errno ? -errno : -EIO;
}

static void set_defaults(struct web *web, const struct web_config *cfg)
{
	struct web_config *c = &web->cfg;

	*c = *cfg;
	/* a pool has at least two */
	c->threads = cfg->threads ? max(cfg->threads, 2U) : 4;
	if (!c->max_connections)
		c->max_connections = 256;
	if (!c->header_timeout_ms)
		c->header_timeout_ms = 15000;
	if (!c->body_timeout_ms)
		c->body_timeout_ms = 60000;
	if (!c->send_timeout_ms)
		c->send_timeout_ms = 600000;
	web->site.max_body_bytes = cfg->max_body_bytes ? cfg->max_body_bytes :
							 16 << 20;
	web->site.state_dir = xstrdup(cfg->state_dir);
	web->site.archive_url = xstrdup(cfg->archive_url);
	web->site.public_url = xstrdup(cfg->public_url);
}

static int check_config(const struct web_config *cfg, struct strbuf *why)
{
	const char *url = cfg->archive_url;

	if (url && !starts_with(url, "https://") && !starts_with(url, "http://")) {
		strbuf_setf(why, "archive_url: %s does not start with http:// "
			    "or https://", url);
		return -EINVAL;
	}
	return 0;
}

int web_start(const struct web_config *cfg, const struct web_ops *ops,
	      void *arg, struct web **ret, struct strbuf *why)
{
	struct web *web;
	int fd = -1;
	int r = check_config(cfg, why);

	if (r)
		return r;
	web = xcalloc(1, sizeof(*web));
	set_defaults(web, cfg);
	web->site.ops = ops;
	web->site.arg = arg;
	web->pool = db_pool_new(cfg->db_path, web->cfg.threads);
	r = template_set_new(template_files, n_template_files,
			     &web->site.templates, why);
	if (!r)
		r = db_pool_try(web->pool, why);
	if (!r)
		r = deadlines_start(&web->deadlines);
	if (!r)
		r = open_socket(web, cfg->address ? cfg->address : "127.0.0.1",
				&fd, why);
	if (!r) {
		r = start_daemon(web, fd, why);
		if (r)
			close(fd);
	}
	if (r) {
		web_stop(web);
		return r;
	}
	*ret = web;
	return 0;
}

uint16_t web_port(const struct web *web)
{
	return web->port;
}

void web_stop(struct web *web)
{
	if (!web)
		return;
	if (web->daemon)
		MHD_stop_daemon(web->daemon); /* closes the socket as well */
	deadlines_stop(web->deadlines);
	db_pool_free(web->pool);
	template_set_free(web->site.templates);
	free(web->site.state_dir);
	free(web->site.archive_url);
	free(web->site.public_url);
	free(web);
}
