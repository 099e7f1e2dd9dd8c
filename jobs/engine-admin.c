// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "admin: " fmt
#include <errno.h>
#include <string.h>

#include "db/event.h"
#include "db/session.h"
#include "db/token.h"
#include "db/webhook.h"
#include "jobs/engine-private.h"
#include "lib/clock.h"
#include "lib/hash.h"
#include "lib/json.h"
#include "lib/log.h"

#define MAX_URL_BYTES 1000
#define MAX_EVENTS_BYTES 400

static int note(struct engine *e, const char *kind, const char *name)
{
	return db_event(e->db, kind, (struct version_id){ 0 },
			(struct job_id){ 0 }, name);
}

int engine_token_revoke(struct engine *e, const json_t *spec, const char *who,
			json_t **ret, struct strbuf *why)
{
	const char *name = json_get_str(spec, "name", "");
	int r;

	if (!strcmp(name, "admin")) {
		strbuf_setf(why, "the token \"admin\" is made from admin.token "
			    "in the state directory; remove that file and "
			    "restart mmcid to get another");
		return -EPERM;
	}
	r = db_begin(e->db);
	if (!r)
		r = db_token_revoke(e->db, name);
	if (r == DB_NONE) {
		r = -ENOENT;
		strbuf_setf(why, "there is no token \"%s\"", name);
	}
	if (!r)
		r = note(e, "token.revoked", name);
	r = engine_finish(e, r, why);
	if (r)
		return r;
	pr_info("%s revoked the token %s\n", who, name);
	*ret = json_pack("{s:s, s:s}", "name", name, "state", "revoked");
	return 0;
}

int engine_session_add(struct engine *e, const json_t *spec, json_t **ret,
		       struct strbuf *why)
{
	int r = db_begin(e->db);

	if (!r)
		r = db_session_add(e->db, json_get_str(spec, "hash", ""),
				   json_get_str(spec, "token", ""),
				   json_get_int(spec, "expires_s", 0));
	r = engine_finish(e, r, why);
	if (!r)
		*ret = json_object();
	return r;
}

int engine_session_end(struct engine *e, const json_t *spec, json_t **ret,
		       struct strbuf *why)
{
	int r = db_begin(e->db);

	if (!r)
		r = db_session_end(e->db, json_get_str(spec, "hash", ""));
	r = engine_finish(e, r, why);
	if (!r)
		*ret = json_object();
	return r;
}

static bool is_name(const char *s)
{
	size_t len = strlen(s);

	return len && len <= 64 &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz"
			 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == len;
}

static int check_hook(const char *name, const char *url, const char *events,
		      struct strbuf *why)
{
	size_t len = strlen(events);

	if (!is_name(name)) {
		strbuf_setf(why, "name: 1 to 64 letters, digits, '.', '_' and "
				 "'-'");
		return -EINVAL;
	}
	if ((!starts_with(url, "https://") && !starts_with(url, "http://")) ||
	    strlen(url) > MAX_URL_BYTES || strpbrk(url, " \t\r\n")) {
		strbuf_setf(why, "url: an http:// or https:// address");
		return -EINVAL;
	}
	if (len > MAX_EVENTS_BYTES ||
	    strspn(events, "abcdefghijklmnopqrstuvwxyz.- ") != len) {
		strbuf_setf(why, "events: kinds such as \"version.done\", or "
				 "\"version\" for all of them, separated by "
				 "spaces");
		return -EINVAL;
	}
	return 0;
}

int engine_hook_add(struct engine *e, const json_t *spec, const char *who,
		    json_t **ret, struct strbuf *why)
{
	const char *name = json_get_str(spec, "name", "");
	const char *url = json_get_str(spec, "url", "");
	const char *events = json_get_str(spec, "events", "");
	json_t *hook __free(json) = NULL;
	char secret[44];
	int r = check_hook(name, url, events, why);

	if (r)
		return r;
	hook = json_pack("{s:s, s:s, s:s, s:s}", "name", name, "url", url,
			 "events", events, "secret", hash_token_new(secret));
	r = db_begin(e->db);
	if (!r)
		r = db_webhook_add(e->db, hook);
	if (r == -EEXIST)
		strbuf_setf(why, "there is a webhook \"%s\" already", name);
	r = engine_finish(e, r, why);
	if (r)
		return r;
	pr_info("%s added the webhook %s\n", who, name);
	*ret = no_free_ptr(hook);
	return 0;
}

int engine_hook_remove(struct engine *e, const json_t *spec, const char *who,
		       json_t **ret, struct strbuf *why)
{
	const char *name = json_get_str(spec, "name", "");
	int r = db_begin(e->db);

	if (!r)
		r = db_webhook_remove(e->db, name);
	if (r == DB_NONE) {
		r = -ENOENT;
		strbuf_setf(why, "there is no webhook \"%s\"", name);
	}
	r = engine_finish(e, r, why);
	if (r)
		return r;
	pr_info("%s removed the webhook %s\n", who, name);
	*ret = json_pack("{s:s, s:s}", "name", name, "state", "removed");
	return 0;
}
