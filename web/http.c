// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "web: " fmt

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "lib/clock.h"
#include "lib/json.h"
#include "lib/log.h"
#include "web/form.h"
#include "web/http-private.h"

/* Limits that no one needs to tune. */
#define MAX_URL_BYTES 4096
#define MAX_SMALL_BODY_BYTES 65536
#define CONNECTION_MEMORY_BYTES 32768

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

static bool refuse_limited(struct web *web, struct exchange *x,
			   unsigned int wait_s)
{
	char text[24];

	snprintf(text, sizeof(text), "%u", wait_s);
	response_problem(&x->rq, &x->rs, 429,
			 "You ask too often; Retry-After says when to come "
			 "again.");
	response_header(&x->rs, "Retry-After", text);
	return false;
}

/* A bad token is counted too: for the address alone. */
static bool check_rate(struct web *web, struct exchange *x,
		       const struct in6_addr *from)
{
	unsigned int cost = x->route && x->route->cost ? x->route->cost : 1;
	char key[INET6_ADDRSTRLEN];
	unsigned int wait_s;

	if (proxy_is_local(from))
		return true;
	proxy_rate_key(from, key);
	wait_s = rate_take(web->by_address, key, cost, clock_mono_ms());
	return !wait_s || refuse_limited(web, x, wait_s);
}

static bool check_token_rate(struct web *web, struct exchange *x)
{
	unsigned int cost = x->route->cost ? x->route->cost : 1;
	unsigned int wait_s;

	if (!x->rq.who)
		return true;
	wait_s = rate_take(web->by_token, x->rq.who, cost, clock_mono_ms());
	return !wait_s || refuse_limited(web, x, wait_s);
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* Who asks: the other end, or whom a proxy of ours speaks for. */
static void find_client(struct web *web, struct MHD_Connection *c,
			struct exchange *x, struct in6_addr *from)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const char *proto = header(c, "X-Forwarded-Proto");

	proxy_address(info ? info->client_addr : NULL, from);
	x->rq.https = proto && !strcasecmp(proto, "https") &&
		      proxy_trusted(&web->proxies, from);
	proxy_client(&web->proxies, from, header(c, "X-Forwarded-For"));
	inet_ntop(AF_INET6, from, x->rq.remote, sizeof(x->rq.remote));
}

static bool check_head(struct web *web, struct MHD_Connection *c,
		       struct exchange *x, const char *url)
{
	struct in6_addr from;
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
	find_client(web, c, x, &from);
	x->route = route_find(&x->rq, &x->rs);
	return check_rate(web, x, &from) && x->route &&
	       auth_check(&x->rq, &x->rs) && check_token_rate(web, x) &&
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

static void take_headers(struct request *rq, struct MHD_Connection *c)
{
	const struct {
		const char *name;
		const char **to;
	} all[] = {
		{ "Authorization", &rq->authorization },
		{ "Range", &rq->range },
		{ "If-None-Match", &rq->if_none_match },
		{ "Cookie", &rq->cookie },
		{ "X-CSRF-Token", &rq->csrf_header },
		{ "Origin", &rq->origin },
		{ "Host", &rq->host },
		{ "Accept", &rq->accept },
		{ "Accept-Encoding", &rq->accept_encoding },
		{ "Content-Type", &rq->content_type },
		{ "Last-Event-ID", &rq->last_event_id },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		*all[i].to = header(c, all[i].name);
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
	take_headers(&x->rq, c);
	deadlines_set(web->deadlines, c, web->cfg.body_timeout_ms);
	more = take_db(web, x) && check_head(web, c, x, url);
	put_db(web, x);
	return more ? MHD_YES : http_send(web, c, x);
}

static bool is_form(const struct request *rq)
{
	return rq->content_type &&
	       !strncasecmp(rq->content_type,
			    "application/x-www-form-urlencoded", 33);
}

/* Forms are for pages; the API takes JSON and mails. */
static bool check_form(struct exchange *x)
{
	struct request *rq = &x->rq;

	if (strcmp(x->route->method, "POST") || request_is_api(rq))
		return true;
	if (is_form(rq) && form_urlencoded(rq->body, rq->body_len, &rq->form)) {
		response_problem(rq, &x->rs, 400, "This form cannot be read.");
		return false;
	}
	return auth_form(rq, &x->rs);
}

/* What http_send() does beside sending. */
static enum MHD_Result sent_again(struct web *web, struct MHD_Connection *c,
				  struct exchange *x, enum MHD_Result ret)
{
	stats_count(&web->stats, x->rs.status,
		    (clock_mono_ms() - x->from_ms) * 1000);
	deadlines_set(web->deadlines, c, web->cfg.send_timeout_ms);
	return ret;
}

static enum MHD_Result finish(struct web *web, struct MHD_Connection *c,
			      struct exchange *x)
{
	enum MHD_Result ret;

	if (http_cache_send(web->cache, c, x, &ret))
		return ret == MHD_NO ? http_send(web, c, x) :
				       sent_again(web, c, x, ret);
	x->rq.body = x->body.buf;
	x->rq.body_len = x->body.len;
	if (check_form(x) && take_db(web, x))
		x->route->handle(&x->rq, &x->rs);
	put_db(web, x);
	return http_send(web, c, x);
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

	x->from_ms = clock_mono_ms();
	if (strlen(uri) <= MAX_URL_BYTES)
		x->uri = xstrdup(uri);
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
	free(x->uri);
	free(x->key);
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

int http_start(struct web *web, int fd, struct strbuf *why)
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
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG |
			MHD_ALLOW_SUSPEND_RESUME, web->port,
		NULL, NULL, on_request, web, MHD_OPTION_ARRAY, options,
		MHD_OPTION_END);
	if (web->daemon)
		return 0;
	strbuf_setf(why, "the HTTP server does not start: %s",
		    strerror(errno));
	return errno ? -errno : -EIO;
}
