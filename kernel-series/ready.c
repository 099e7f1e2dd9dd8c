// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "kernel-series/gather.h"
#include "kernel-series/parse-priv.h"
#include "lib/json.h"

/* A patch as a maintainer would commit it: with the trailers of its thread. */

static json_t *make_trailer(const char *name, const char *value)
{
	struct trailers t = { 0 };
	json_t *list, *one;

	trailers_add(&t, name, value);
	list = trailers_to_json(&t);
	one = json_incref(json_array_get(list, 0));
	json_decref(list);
	trailers_release(&t);
	return one;
}

static bool has_trailer(const json_t *list, const json_t *t)
{
	size_t i;
	json_t *v;

	json_array_foreach(list, i, v)
		if (gather_same(v, t))
			return true;
	return false;
}

static void append_new(json_t *list, json_t *t)
{
	if (!has_trailer(list, t))
		json_array_append(list, t);
	json_decref(t);
}

static bool names_address(const json_t *list, const char *email)
{
	size_t i;
	json_t *v;

	json_array_foreach(list, i, v)
		if (!strcasecmp(json_get_str(v, "addr_email", ""), email))
			return true;
	return false;
}

/* Everybody the mail went to who is not named yet. */
static void add_ccs(const json_t *mail, json_t *list)
{
	static const char *const keys[] = { "cc", "to" };
	size_t i;
	json_t *a;

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		json_array_foreach(json_object_get(mail, keys[k]), i, a) {
			const char *name = json_get_str(a, "name", "");
			const char *email = json_get_str(a, "email", "");
			char *value;

			if (names_address(list, email))
				continue;
			value = *name ? xasprintf("%s <%s>", name, email) :
					xstrdup(email);
			append_new(list, make_trailer("Cc", value));
			free(value);
		}
	}
}

/* "Link: https://...%s" or only the value; the name is Link then. */
static void add_link(const char *id, const char *mask, json_t *list)
{
	const char *at = strstr(mask, "%s"), *colon = strchr(mask, ':');
	char *value, *name;

	if (!at)
		return;
	if (colon && colon[1] == ' ') {
		name = xstrndup(mask, (size_t)(colon - mask));
		mask = colon + 2;
	} else {
		name = xstrdup("Link");
	}
	value = xasprintf("%.*s%s%s", (int)(at - mask), mask, id, at + 2);
	append_new(list, make_trailer(name, value));
	free(value);
	free(name);
}

/*
 * Everything down to the last sign-off of somebody else is the chain of
 * custody: it says in which order hands were laid on the patch, and stays.
 */
static size_t custody_end(const json_t *own, const json_t *mine)
{
	size_t i, end = 0;
	json_t *t;

	json_array_foreach(own, i, t)
		if (!strcasecmp(json_get_str(t, "name", ""),
				"signed-off-by") &&
		    !(mine && gather_same(t, mine)))
			end = i + 1;
	return end;
}

static json_t *in_order(json_t *list, const char *order)
{
	size_t n = json_array_size(list), i;
	bool *used = xcalloc(n + 1, sizeof(*used));
	json_t *out = json_array();
	char *copy = xstrdup(order), *save = NULL;

	for (char *m = strtok_r(copy, ",", &save); m;
	     m = strtok_r(NULL, ",", &save)) {
		for (i = 0; i < n; i++) {
			json_t *t = json_array_get(list, i);

			if (used[i] || fnmatch(m, json_get_str(t, "name", ""),
					       FNM_CASEFOLD))
				continue;
			used[i] = true;
			json_array_append(out, t);
		}
	}
	for (i = 0; i < n; i++)
		if (!used[i])
			json_array_append(out, json_array_get(list, i));
	free(used);
	free(copy);
	json_decref(list);
	return out;
}

static void add_replies(const json_t *patch, const json_t *options,
			json_t *list)
{
	const char *ignored = json_get_str(options, "ignore_trailers_from", "");
	size_t i;
	json_t *t;

	if (!json_get_bool(options, "add_followup_trailers", true))
		return;
	json_array_foreach(json_object_get(patch, "reply_trailers"), i, t) {
		const char *from = json_get_str(t, "from_email", "");

		if (*from && strcasestr(ignored, from))
			continue;
		append_new(list, json_incref(t));
	}
	if (!json_get_bool(options, "accept_mismatched_from", false))
		return;
	json_array_foreach(json_object_get(patch, "rejected_trailers"), i, t)
		append_new(list, json_incref(t));
}

static json_t *ready_trailers(const json_t *patch, const json_t *mail,
			      const json_t *options)
{
	const json_t *own = json_object_get(mail, "trailers");
	const char *me = json_get_str(options, "me", NULL);
	const char *order = json_get_str(options, "trailer_order", NULL);
	bool sign = me && json_get_bool(options, "add_my_signoff", false);
	json_t *mine = me ? make_trailer("Signed-off-by", me) : NULL;
	json_t *all = json_array(), *rest = json_array(), *have, *t, *out;
	size_t end = custody_end(own, mine), i;

	json_array_foreach(own, i, t) {
		if (sign && gather_same(t, mine))
			continue;
		json_array_append(i < end ? all : rest, t);
	}
	have = gather_join(all, rest);
	add_replies(patch, options, have);
	if (json_get_bool(options, "copy_ccs", false))
		add_ccs(mail, have);
	if (json_get_bool(options, "add_link", false))
		add_link(json_get_str(patch, "message_id", ""),
			 json_get_str(options, "link_mask",
				      "https://patch.msgid.link/%s"),
			 have);
	json_array_clear(rest);
	for (i = json_array_size(all); i < json_array_size(have); i++)
		json_array_append(rest, json_array_get(have, i));
	if (order)
		rest = in_order(rest, order);
	json_array_extend(all, rest);
	if (sign)
		json_array_append(all, mine);
	out = json_array();
	json_array_foreach(all, i, t)
		json_array_append_new(
			out, json_pack("[O,O]", json_object_get(t, "name"),
				       json_object_get(t, "value")));
	json_decref(rest);
	json_decref(have);
	json_decref(all);
	json_decref(mine);
	return out;
}

/* A patch taken over from an older version is sent on as one of the new. */
static void set_subject(const json_t *series, const json_t *patch,
			const json_t *mail, json_t *o)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	const char *prefix = json_get_str(series, "prefix", "");
	int total = (int)json_get_int(series, "total", 1);

	if (!json_object_get(patch, "from_version")) {
		json_object_set(o, "subject", json_object_get(mail, "subject"));
		return;
	}
	strbuf_addf(&sb, "[PATCH%s%s v%d %d/%d] %s", *prefix ? " " : "",
		    prefix, (int)json_get_int(series, "version", 1),
		    (int)json_get_int(patch, "number", 1), total,
		    json_get_str(patch, "title", ""));
	json_set_text(o, "subject", sb.buf);
}

json_t *ready_patches(const json_t *series, const json_t *mails,
		      const json_t *options)
{
	json_t *out = json_array(), *p;
	size_t i;

	json_array_foreach(json_object_get(series, "patches"), i, p) {
		const char *id = json_get_str(p, "message_id", "");
		const json_t *mail = json_object_get(mails, id);
		json_t *o = json_object();
		char *s;

		set_subject(series, p, mail, o);
		s = xasprintf("%s <%s>", json_get_str(mail, "from_name", ""),
			      json_get_str(mail, "from_email", ""));
		json_set_text(o, "from", s);
		free(s);
		s = xasprintf("<%s>", id);
		json_set_text(o, "message_id", s);
		free(s);
		json_object_set_new(o, "trailers",
				    ready_trailers(p, mail, options));
		json_array_append_new(out, o);
	}
	return out;
}
