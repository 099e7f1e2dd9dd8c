// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <strings.h>

#include "db/view-service.h"
#include "lib/clock.h"
#include "lib/hash.h"
#include "lib/json.h"
#include "web/request.h"

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

bool auth_check(struct request *rq, struct response *rs)
{
	static const char scheme[] = "Bearer ";
	char hash[HASH_HEX_LEN + 1];
	json_t *row __free(json) = NULL;
	const char *token = rq->authorization;
	const json_t *expires;
	int r;

	if (!token)
		return true;
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

bool auth_require(const struct request *rq, struct response *rs,
		  enum scope scope)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	if (!scope || (rq->scopes & scope) == scope)
		return true;
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
