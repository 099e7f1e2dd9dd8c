// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "db/view-service.h"
#include "lib/clock.h"
#include "lib/hash.h"
#include "lib/json.h"
#include "web/handlers.h"

/* A page of ours to go on to: nothing that leads elsewhere. */
static const char *next_page(const char *next)
{
	if (!next || *next != '/' || next[1] == '/' || next[1] == '\\')
		return "/";
	for (const char *p = next; *p; p++) {
		if ((unsigned char)*p <= ' ' || (unsigned char)*p > '~')
			return "/";
	}
	return next;
}

static void login_form(struct request *rq, struct response *rs,
		       unsigned int status, const char *error, const char *next)
{
	json_t *v = json_object();

	json_set_text(v, "error", error);
	json_set_text(v, "next", next_page(next));
	response_page(rq, rs, "login", v);
	if (rs->status == 200)
		rs->status = status;
}

void page_login(struct request *rq, struct response *rs)
{
	login_form(rq, rs, 200, NULL, request_query(rq, "next"));
}

static void set_cookie(const struct request *rq, struct response *rs,
		       const char *value, int64_t seconds)
{
	const char *url = rq->site->public_url;
	bool secure = rq->https || (url && starts_with(url, "https://"));
	char *text __free(kfree) = xasprintf(
		SESSION_COOKIE "=%s; Path=/; Max-Age=%lld; HttpOnly; "
		"SameSite=Strict%s", value, (long long)seconds,
		secure ? "; Secure" : "");

	response_header(rs, "Set-Cookie", text);
	response_header(rs, "Cache-Control", "no-store");
}

static int act(struct request *rq, enum web_act what, json_t *spec,
	       const char *who, struct strbuf *why)
{
	json_t *owned __free(json) = spec, *ret __free(json) = NULL;

	if (!rq->site->ops->act)
		return -ENOSYS;
	return rq->site->ops->act(rq->site->arg, what, owned, who, &ret, why);
}

/* Whoever knows a token may be logged in by its rights. */
static void open_session(struct request *rq, struct response *rs,
			 const json_t *token)
{
	int64_t seconds = rq->site->session_s;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	char cookie[44], hash[HASH_HEX_LEN + 1];
	const char *name = json_get_str(token, "name", "");
	json_t *spec = json_object();
	int r;

	hash_token_new(cookie);
	json_set_text(spec, "hash", hash_hex(cookie, strlen(cookie), hash));
	json_set_text(spec, "token", name);
	json_set_int(spec, "expires_s", clock_now_s() + seconds);
	r = act(rq, WEB_SESSION_ADD, spec, name, &why);
	if (r) {
		response_errno(rq, rs, r, why.buf);
		return;
	}
	set_cookie(rq, rs, cookie, seconds);
	response_redirect(rs, next_page(request_field(rq, "next")));
}

void page_login_post(struct request *rq, struct response *rs)
{
	const char *token = request_field(rq, "token");
	const char *next = request_field(rq, "next");
	json_t *row __free(json) = NULL;
	char hash[HASH_HEX_LEN + 1];
	int64_t expires_s;
	int r;

	if (!token) {
		login_form(rq, rs, 400, "Enter a token.", next);
		return;
	}
	r = view_token(rq->db, hash_hex(token, strlen(token), hash), &row);
	if (r && r != DB_NONE) {
		response_errno(rq, rs, r, "cannot look up a token");
		return;
	}
	expires_s = json_get_int(row, "expires_s", INT64_MAX);
	if (r || expires_s <= clock_now_s()) {
		login_form(rq, rs, 401, r ? "This token is not known." :
					    "This token has expired.", next);
		return;
	}
	open_session(rq, rs, row);
}

void page_logout(struct request *rq, struct response *rs)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *spec = json_object();
	int r;

	json_set_text(spec, "hash", rq->session);
	r = act(rq, WEB_SESSION_END, spec, rq->who ? rq->who : "", &why);
	if (r) {
		response_errno(rq, rs, r, why.buf);
		return;
	}
	set_cookie(rq, rs, "", 0);
	response_redirect(rs, "/");
}
