// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/patchwork.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/net.h"
#include "lib/fs.h"
#include "lib/json.h"

#define TIMEOUT_S 30
#define MAX_TOKEN_BYTES 1000
#define UNKNOWN 1 /* the server has no such patch */

struct server {
	const char *url;
	char *auth; /* "Authorization: Token ..." */
};

static int ask(const struct server *s, const char *method, const char *path,
	       const char *body, json_t **ret, struct strbuf *why)
{
	const char *headers[] = { s->auth, "Accept: application/json",
				  "Content-Type: application/json", NULL };
	char *url __free(kfree) = xasprintf("%s/api/1.2/%s", s->url, path);
	struct net_reply reply __free(net_reply) = NET_REPLY_INIT;
	struct net_spec spec = {
		.method = method, .url = url, .headers = headers,
		.body = body, .body_len = body ? strlen(body) : 0,
		.timeout_s = TIMEOUT_S, .max_bytes = 4 << 20,
	};
	int r = net_request(&spec, &reply, why);

	if (r)
		return r;
	if (reply.status < 200 || reply.status > 299) {
		strbuf_setf(why, "%s %s: status %d", method, url,
			    reply.status);
		return -EPROTO;
	}
	*ret = json_loadb(reply.body.buf, reply.body.len,
			  JSON_REJECT_DUPLICATES, NULL);
	if (*ret)
		return 0;
	strbuf_setf(why, "%s %s: the answer is no JSON", method, url);
	return -EPROTO;
}

static int find_patch(const struct server *s, const char *message_id,
		      int64_t *id, struct strbuf *why)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	json_t *list __free(json) = NULL;
	int r;

	strbuf_addstr(&path, "patches/?msgid=");
	net_add_url_escaped(&path, message_id);
	r = ask(s, "GET", path.buf, NULL, &list, why);
	if (r)
		return r;
	*id = json_get_int(json_array_get(list, 0), "id", 0);
	return *id > 0 ? 0 : UNKNOWN;
}

static int post_one(const struct server *s, const json_t *check,
		    struct strbuf *why)
{
	static const char *const keys[] = { "context", "state", "description",
					    "target_url" };
	json_t *o __free(json) = json_object(), *answer __free(json) = NULL;
	char *path __free(kfree) = NULL, *body __free(kfree) = NULL;
	int64_t id = 0;
	int r = find_patch(s, json_get_str(check, "message_id", ""), &id, why);

	if (r)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(o, keys[i], json_object_get(check, keys[i]));
	body = json_dumps(o, JSON_COMPACT);
	path = xasprintf("patches/%lld/checks/", (long long)id);
	return ask(s, "POST", path, body, &answer, why);
}

static int read_token(const char *path, struct server *s, struct strbuf *why)
{
	struct strbuf token __free(strbuf) = STRBUF_INIT;
	int r = fs_read_file(path, MAX_TOKEN_BYTES, &token);

	strbuf_rtrim(&token);
	if (!r && !token.len)
		r = -ENODATA;
	if (r)
		strbuf_setf(why, "%s: %s", path, strerror(-r));
	else
		s->auth = xasprintf("Authorization: Token %s", token.buf);
	return r;
}

int patchwork_post(const json_t *request, json_t **ret, struct strbuf *why)
{
	const json_t *checks = json_object_get(request, "checks"), *c;
	struct server s = { .url = json_get_str(request, "url", "") };
	json_t *results = json_array();
	size_t i;
	int r = read_token(json_get_str(request, "token_file", ""), &s, why);

	if (r) {
		json_decref(results);
		return r;
	}
	json_array_foreach(checks, i, c) {
		struct strbuf text __free(strbuf) = STRBUF_INIT;
		json_t *o = json_object();

		r = post_one(&s, c, &text);
		json_set_text(o, "outcome", !r ? "posted" : r == UNKNOWN ?
			      "unknown" : "failed");
		json_set_text(o, "why", text.buf);
		json_array_append_new(results, o);
		if (r < 0)
			break;
	}
	free(s.auth);
	*ret = json_pack("{s:o}", "results", results);
	return 0;
}
