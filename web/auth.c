// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "db/session.h"
#include "db/submitter.h"
#include "db/view-service.h"
#include "lib/clock.h"
#include "lib/hash.h"
#include "lib/json.h"
#include "web/form.h"
#include "web/handlers.h"

static const struct {
	const char *name;
	enum scope scope;
} scopes[] = {
	{ "rerun", SCOPE_RERUN },
	{ "submit", SCOPE_SUBMIT },
	{ "read-private", SCOPE_READ_PRIVATE },
	{ "moderate", SCOPE_MODERATE },
	/* admin implies all */
	{ "admin", SCOPE_RERUN | SCOPE_SUBMIT | SCOPE_READ_PRIVATE |
			   SCOPE_MODERATE | SCOPE_ADMIN },
};

static const char *scope_name(enum scope scope)
{
	for (size_t i = 0; i < ARRAY_SIZE(scopes) - 1; i++) {
		if (scopes[i].scope == scope)
			return scopes[i].name;
	}
	return "admin";
}

const char *auth_scope_word(enum scope scope)
{
	return scope ? scope_name(scope) : NULL;
}

const char *auth_scope_name(size_t n, unsigned int *bits)
{
	if (n >= ARRAY_SIZE(scopes))
		return NULL;
	*bits = scopes[n].scope;
	return scopes[n].name;
}

static unsigned int scopes_of(const char *list)
{
	unsigned int set = 0;

	while (*list) {
		size_t len = strcspn(list, " ");

		for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
			if (strlen(scopes[i].name) == len &&
			    !strncmp(scopes[i].name, list, len))
				set |= scopes[i].scope;
		}
		list += len + (list[len] == ' ');
	}
	return set;
}

static bool refuse(struct request *rq, struct response *rs, const char *why)
{
	response_problem(rq, rs, 401, why);
	response_header(rs, "WWW-Authenticate",
			"Bearer realm=\"mmci\", error=\"invalid_token\"");
	return false;
}

/* b64token of RFC 6750 section 2.1 */
static bool is_token(const char *s)
{
	static const char ok[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "abcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
	size_t len = strlen(s);

	return len && len <= 512 && strspn(s, ok) == len;
}

/*
 * An address is written into logs and histories and sent on as a referrer: a
 * token that was in one is no secret any more.
 */
static bool check_query(const struct request *rq, struct response *rs)
{
	static const char *const names[] = { "access_token", "token", "api_key",
					     "apikey", "authorization",
					     "bearer" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!json_object_get(rq->query, names[i]))
			continue;
		response_problem(rq, rs, 400,
				 "A token does not belong in an address, where "
				 "others see it: revoke this one, and send the "
				 "next as \"Authorization: Bearer TOKEN\".");
		return false;
	}
	return true;
}

static bool check_bearer(struct request *rq, struct response *rs)
{
	static const char scheme[] = "Bearer ";
	char hash[HASH_HEX_LEN + 1];
	json_t *row __free(json) = NULL;
	const char *token = rq->authorization;
	const json_t *expires;
	int r;

	if (strncasecmp(token, scheme, strlen(scheme)))
		return refuse(rq, rs, "Only bearer tokens are known here: send "
				      "\"Authorization: Bearer TOKEN\".");
	token += strlen(scheme);
	if (!is_token(token))
		return refuse(rq, rs, "This is not a token; mmci token add "
				      "makes one.");
	r = view_token(rq->db, hash_hex(token, strlen(token), hash), &row);
	if (r == DB_NONE)
		return refuse(rq, rs, "This token is not known; mmci token add "
				      "makes one.");
	if (r) {
		response_errno(rq, rs, r, "cannot look up a token");
		return false;
	}
	expires = json_object_get(row, "expires_s");
	if (json_is_integer(expires) &&
	    json_integer_value(expires) <= clock_now_s())
		return refuse(rq, rs, "This token has expired; mmci token add "
				      "makes a new one.");
	rq->scopes = scopes_of(json_get_str(row, "scopes", ""));
	rq->who = xstrdup(json_get_str(row, "name", ""));
	return true;
}

static bool changes_something(const struct request *rq)
{
	return strcmp(rq->method, "GET") && strcmp(rq->method, "HEAD");
}

/* What a form of ours says is made from the cookie, which it cannot read. */
static void derive_csrf(struct request *rq, const char *cookie)
{
	char *text __free(kfree) = xasprintf("csrf %s", cookie);

	hash_hex(text, strlen(text), rq->csrf);
}

/* A cookie that is none of ours, or no longer, is as if it was not there. */
static bool check_cookie(struct request *rq, struct response *rs)
{
	char cookie[64], hash[HASH_HEX_LEN + 1];
	json_t *row __free(json) = NULL;
	int r;

	form_cookie(rq->cookie, SESSION_COOKIE, cookie, sizeof(cookie));
	if (!is_token(cookie))
		return true;
	hash_hex(cookie, strlen(cookie), hash);
	r = db_session_find(rq->db, hash, clock_now_s(), &row);
	if (r == DB_NONE)
		return true;
	if (r) {
		response_errno(rq, rs, r, "cannot look up a session");
		return false;
	}
	memcpy(rq->session, hash, sizeof(rq->session));
	derive_csrf(rq, cookie);
	rq->scopes = scopes_of(json_get_str(row, "scopes", ""));
	rq->who = xstrdup(json_get_str(row, "name", ""));
	if (!changes_something(rq) || !request_is_api(rq) ||
	    (rq->csrf_header && hash_equal(rq->csrf_header, rq->csrf)))
		return true;
	response_problem(rq, rs, 403, "With a cookie this needs the session's "
				      "X-CSRF-Token; programs send a token.");
	return false;
}

bool auth_check(struct request *rq, struct response *rs)
{
	if (!check_query(rq, rs))
		return false;
	if (rq->authorization)
		return check_bearer(rq, rs);
	return !rq->cookie || check_cookie(rq, rs);
}

/* "https://host:port" of the very host that was asked */
static bool same_origin(const struct request *rq)
{
	const char *origin = rq->origin;

	if (!origin)
		return true; /* old browsers send none; the form's token stays */
	if (starts_with(origin, "https://"))
		origin += strlen("https://");
	else if (starts_with(origin, "http://"))
		origin += strlen("http://");
	else
		return false;
	return rq->host && !strcasecmp(origin, rq->host);
}

bool auth_form(const struct request *rq, struct response *rs)
{
	const char *csrf = request_field(rq, "csrf");

	if (!same_origin(rq)) {
		response_problem(rq, rs, 403, "This form is on a page of "
					      "another site.");
		return false;
	}
	if (!*rq->session || (csrf && hash_equal(csrf, rq->csrf)))
		return true;
	response_problem(rq, rs, 403, "This form is from another session; go "
				      "back, load the page again, and repeat.");
	return false;
}

/* The one thing that a request is about, if it is about one. */
static bool find_target(const struct request *rq, enum submitter_of *kind,
			int64_t *id)
{
	size_t at = request_is_api(rq) ? 2 : 0;
	const char *noun = at < rq->n_segments ? rq->segments[at] : "";
	const char *name = at + 1 < rq->n_segments ? rq->segments[at + 1] :
						     NULL;
	struct version_id version = { 0 };

	if (name && starts_with(noun, "job")) {
		*kind = SUBMITTER_OF_JOB;
		*id = args_id(name);
		return true;
	}
	if (name && !strcmp(noun, "outbox")) {
		*kind = SUBMITTER_OF_OUTGOING;
		*id = args_id(name);
		return true;
	}
	if (!name && (!strcmp(noun, "jobs") || !strcmp(noun, "findings") ||
		      !strcmp(noun, "events") || !strcmp(noun, "mails")))
		name = request_query(rq, "series");
	else if (strcmp(noun, "series"))
		name = NULL;
	if (!name || view_series_find(rq->db, name, true, &version))
		return false;
	*kind = SUBMITTER_OF_VERSION;
	*id = version.v;
	return true;
}

bool request_sees_private(const struct request *rq)
{
	enum submitter_of kind;
	int64_t id;

	if (rq->scopes & SCOPE_READ_PRIVATE)
		return true;
	return rq->who && rq->db && find_target(rq, &kind, &id) &&
	       !db_submitter_is(rq->db, rq->who, kind, id);
}

bool auth_require(const struct request *rq, struct response *rs,
		  enum scope scope)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	if (!scope || (rq->scopes & scope) == scope)
		return true;
	if (!rq->who && !request_is_api(rq)) {
		response_problem(rq, rs, 401, "This needs someone who is "
					      "logged in: see /login.");
		return false;
	}
	if (!rq->who) {
		response_problem(rq, rs, 401, "This needs a token: send "
				 "\"Authorization: Bearer TOKEN\".");
		response_header(rs, "WWW-Authenticate",
				"Bearer realm=\"mmci\"");
		return false;
	}
	strbuf_setf(&text, "The token \"%s\" lacks the scope %s.", rq->who,
		    scope_name(scope));
	response_problem(rq, rs, 403, text.buf);
	strbuf_setf(&text, "Bearer realm=\"mmci\", error=\"insufficient_scope\""
			   ", scope=\"%s\"", scope_name(scope));
	response_header(rs, "WWW-Authenticate", text.buf);
	return false;
}
