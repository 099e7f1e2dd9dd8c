// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/net.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#define MAX_REDIRECTS 5L
#define DEFAULT_MAX_BYTES ((size_t)16 << 20)

DEFINE_FREE(curl, CURL *, if (_T) curl_easy_cleanup(_T))
DEFINE_FREE(curl_slist, struct curl_slist *, curl_slist_free_all(_T))

/**
 * struct transfer - one request in flight
 * @spec: what was asked
 * @reply: what came so far
 * @curl: the handle, for its status code
 * @got: body bytes so far
 * @max_bytes: limit for @got
 * @error: -errno of a write callback that stopped the transfer, or 0
 */
struct transfer {
	const struct net_spec *spec;
	struct net_reply *reply;
	CURL *curl;
	size_t got;
	size_t max_bytes;
	int error;
};

void net_reply_release(struct net_reply *r)
{
	free(r->content_type);
	free(r->etag);
	strbuf_release(&r->body);
	memset(r, 0, sizeof(*r));
	strbuf_init(&r->body);
}

static bool has_control(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return true;
	}
	return false;
}

static bool is_unreserved(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("-._~", c));
}

void net_add_url_escaped(struct strbuf *sb, const char *s)
{
	for (; *s; s++) {
		if (is_unreserved((unsigned char)*s))
			strbuf_addch(sb, *s);
		else
			strbuf_addf(sb, "%%%02X", (unsigned char)*s);
	}
}

void net_add_user_agent(struct strbuf *sb, const char *contact_url)
{
	strbuf_addstr(sb, "mmci/" MMCI_VERSION);
	if (contact_url && *contact_url && !has_control(contact_url))
		strbuf_addf(sb, " (+%s)", contact_url);
}

void net_add_url_public(struct strbuf *sb, const char *url)
{
	const char *host = strstr(url, "://");
	const char *p;

	if (!host) {
		strbuf_add_utf8(sb, url, strlen(url));
		return;
	}
	host += 3;
	strbuf_add_utf8(sb, url, (size_t)(host - url));
	/* the last @ before the path: a password may contain one itself */
	for (p = host + strcspn(host, "/?#"); p > host; p--) {
		if (p[-1] == '@')
			break;
	}
	strbuf_add_utf8(sb, p, strlen(p));
}

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	size_t len = size * n;
	long status = 0;

	if (len > t->max_bytes - t->got) {
		t->error = -EFBIG;
		return 0;
	}
	t->got += len;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	if (!t->spec->chunk || status / 100 != 2) {
		strbuf_add(&t->reply->body, data, len);
		return len;
	}
	if (t->spec->chunk(data, len, t->spec->arg)) {
		t->error = -ECANCELED;
		return 0;
	}
	return len;
}

static char *header_dup(CURL *curl, const char *name)
{
	struct curl_header *h;

	if (curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &h) != CURLHE_OK)
		return NULL;
	return xstrdup(h->value);
}

static void take_headers(CURL *curl, struct net_reply *ret)
{
	curl_off_t after = 0;
	long status = 0;

	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &after);
	ret->status = (int)status;
	ret->retry_after_s = max((int64_t)after, (int64_t)0);
	ret->content_type = header_dup(curl, "Content-Type");
	ret->etag = header_dup(curl, "ETag");
}

static int result_to_errno(CURLcode code, int status)
{
	/* a table of libcurl's codes, not a state: the rest is -EIO */
	static const struct {
		CURLcode code;
		int error;
	} map[] = {
		{ CURLE_URL_MALFORMAT, -EINVAL },
		{ CURLE_COULDNT_RESOLVE_HOST, -EHOSTUNREACH },
		{ CURLE_COULDNT_RESOLVE_PROXY, -EHOSTUNREACH },
		{ CURLE_COULDNT_CONNECT, -ECONNREFUSED },
		{ CURLE_OPERATION_TIMEDOUT, -ETIMEDOUT },
		{ CURLE_PEER_FAILED_VERIFICATION, -EACCES },
		{ CURLE_SSL_CACERT_BADFILE, -EACCES },
		{ CURLE_TOO_MANY_REDIRECTS, -ELOOP },
		{ CURLE_WEIRD_SERVER_REPLY, -EPROTO },
		{ CURLE_GOT_NOTHING, -EPROTO },
		{ CURLE_PARTIAL_FILE, -EPROTO },
		{ CURLE_RECV_ERROR, -EPROTO },
		{ CURLE_SEND_ERROR, -EPROTO },
		{ CURLE_HTTP2, -EPROTO },
		{ CURLE_HTTP2_STREAM, -EPROTO },
	};

	/* a redirection elsewhere, or an answer that libcurl takes for HTTP/0.9 */
	if (code == CURLE_UNSUPPORTED_PROTOCOL)
		return status / 100 == 3 ? -ELOOP : -EPROTO;
	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		if (map[i].code == code)
			return map[i].error;
	}
	return -EIO;
}

static bool is_https(const char *url)
{
	return !strncasecmp(url, "https://", 8);
}

static int check_spec(const struct net_spec *spec, struct strbuf *why)
{
	const char *const *h;

	if (!spec->url || has_control(spec->url) ||
	    (!is_https(spec->url) && strncasecmp(spec->url, "http://", 7))) {
		strbuf_addstr(why, "not an http or https URL: ");
		strbuf_add_utf8(why, spec->url ? spec->url : "",
				spec->url ? strcspn(spec->url, "\r\n") : 0);
		return -EINVAL;
	}
	if (spec->method && has_control(spec->method)) {
		strbuf_addstr(why, "control character in the HTTP method");
		return -EINVAL;
	}
	for (h = spec->headers; h && *h; h++) {
		if (has_control(*h) || !strchr(*h, ':')) {
			strbuf_addf(why, "header %d is not \"Name: value\"",
				    (int)(h - spec->headers));
			return -EINVAL;
		}
	}
	return 0;
}

static void set_method(CURL *curl, const struct net_spec *spec)
{
	const char *method = spec->method ? spec->method : "GET";
	bool get = !strcmp(method, "GET"), head = !strcmp(method, "HEAD");

	if (head)
		curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	else if (spec->body || !get) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)(spec->body ? spec->body_len : 0));
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS,
				 spec->body ? spec->body : "");
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	}
	/* whoever changes something asked this server to do it */
	if (head || (get && !spec->body))
		curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
	curl_easy_setopt(curl, CURLOPT_MAXREDIRS, MAX_REDIRECTS);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR,
			 is_https(spec->url) ? "https" : "http,https");
}

static void set_limits(CURL *curl, const struct net_spec *spec)
{
	unsigned int connect_s = spec->connect_timeout_s;
	unsigned int stall_s = spec->stall_timeout_s;

	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT,
			 connect_s ? (long)connect_s : 15L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)spec->timeout_s);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME,
			 stall_s ? (long)stall_s : 60L);
	if (spec->direct)
		curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
}

static struct curl_slist *header_list(const struct net_spec *spec)
{
	/* a body has the type its sender states, or none */
	struct curl_slist *l = curl_slist_append(NULL, "Content-Type:");
	const char *const *h;

	for (h = spec->headers; h && *h && l; h++) {
		struct curl_slist *n = curl_slist_append(l, *h);

		if (!n)
			curl_slist_free_all(l);
		l = n;
	}
	return l;
}

static void init_libcurl(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* libcurl's CURLOPT_ERRORBUFFER is more exact than its code, where it is set */
static int explain(const struct transfer *t, CURLcode code, const char *text,
		   struct strbuf *why)
{
	int error = t->error ? t->error : result_to_errno(code,
							  t->reply->status);

	net_add_url_public(why, t->spec->url);
	if (error == -EFBIG)
		strbuf_addf(why, ": answer larger than %zu bytes",
			    t->max_bytes);
	else if (error == -ECANCELED)
		strbuf_addstr(why, ": stopped by the receiver");
	else {
		if (!*text)
			text = curl_easy_strerror(code);
		strbuf_addstr(why, ": ");
		strbuf_add_utf8(why, text, strcspn(text, "\r\n"));
	}
	return error;
}

int net_request(const struct net_spec *spec, struct net_reply *ret,
		struct strbuf *why)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct curl_slist *headers __free(curl_slist) = NULL;
	struct strbuf agent __free(strbuf) = STRBUF_INIT;
	char text[CURL_ERROR_SIZE] = "";
	CURL *curl __free(curl) = NULL;
	struct transfer t = {
		.spec = spec, .reply = ret,
		.max_bytes = spec->max_bytes ? spec->max_bytes :
					       DEFAULT_MAX_BYTES,
	};
	CURLcode code;
	int r;

	net_reply_release(ret);
	r = check_spec(spec, why);
	if (r)
		return r;

	pthread_once(&once, init_libcurl);
	curl = curl_easy_init();
	headers = header_list(spec);
	if (!curl || !headers) {
		strbuf_addstr(why, "libcurl: out of memory");
		return -ENOMEM;
	}
	net_add_user_agent(&agent, spec->contact_url);

	t.curl = curl;
	set_method(curl, spec);
	set_limits(curl, spec);
	curl_easy_setopt(curl, CURLOPT_URL, spec->url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, agent.buf);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, text);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &t);

	code = curl_easy_perform(curl);
	take_headers(curl, ret);
	return code == CURLE_OK ? 0 : explain(&t, code, text, why);
}
