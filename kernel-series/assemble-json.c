// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "kernel-series/assemble-priv.h"
#include "kernel-series/gather.h"
#include "lib/json.h"

/* The answers by mail and by series: nobody has to look at all of them. */
struct answers {
	int *first;	   /* by mail: first comment on it, or -1 */
	int *next;	   /* by comment: the next one on the same mail, or -1 */
	int *series_first; /* the same by series */
	int *series_next;
};

static void answers_init(const struct assembly *a, struct answers *w)
{
	w->first = xcalloc((size_t)a->nr_nodes + 1, sizeof(int));
	w->next = xcalloc((size_t)a->nr_nodes + 1, sizeof(int));
	w->series_first = xcalloc((size_t)a->nr_series + 1, sizeof(int));
	w->series_next = xcalloc((size_t)a->nr_nodes + 1, sizeof(int));
	for (int ni = 0; ni < a->nr_nodes; ni++)
		w->first[ni] = w->next[ni] = w->series_next[ni] = -1;
	for (int si = 0; si < a->nr_series; si++)
		w->series_first[si] = -1;
	for (int ni = a->nr_nodes - 1; ni >= 0; ni--) {
		int target = a->nodes[ni].target;

		if (a->nodes[ni].role != ROLE_COMMENT || target < 0)
			continue;
		w->next[ni] = w->first[target];
		w->first[target] = ni;
		if (a->nodes[ni].series < 0)
			continue;
		w->series_next[ni] = w->series_first[a->nodes[ni].series];
		w->series_first[a->nodes[ni].series] = ni;
	}
}

static void answers_release(struct answers *w)
{
	free(w->first);
	free(w->next);
	free(w->series_first);
	free(w->series_next);
}

static void gather_from(const struct assembly *a, const struct answers *w,
			int ni, json_t *own, json_t *extra, json_t *rejected)
{
	if (ni < 0)
		return;
	for (int c = w->first[ni]; c >= 0; c = w->next[c])
		gather_trailers(a->nodes[c].json, own, extra, rejected);
}

static json_t *patch_json(const struct assembly *a, const struct answers *w,
			  const struct aseries *s, unsigned int number,
			  json_t *all_rejected)
{
	int ni = assemble_patch(a, s, number);
	const struct node *n = &a->nodes[ni];
	json_t *o = json_object(), *extra = json_array();
	json_t *own = json_object_get(n->json, "trailers");
	json_t *rejected = json_array(), *t;
	bool older = number >= s->nr_patches || s->patches[number] < 0;
	int cover = s->cover;
	size_t i, k;
	json_t *have;

	if (cover < 0 && s->from >= 0)
		cover = a->series[s->from].cover;
	json_set_int(o, "number", number);
	json_set_text(o, "message_id", n->id);
	json_object_set(o, "title", json_object_get(n->json, "title"));
	gather_from(a, w, ni, own, extra, rejected);
	k = json_array_size(extra);
	gather_from(a, w, cover, own, extra, rejected);
	for (; k < json_array_size(extra); k++)
		json_set_bool(json_array_get(extra, k), "on_cover", true);
	json_object_set_new(o, "trailers", gather_join(own, extra));
	json_object_set_new(o, "reply_trailers", extra);
	/* what is refused on the cover is refused for each patch: say it once */
	json_array_foreach(rejected, i, t) {
		bool known = json_array_size(all_rejected) >= 100;

		json_array_foreach(all_rejected, k, have)
			known |= json_equal(have, t);
		if (!known)
			json_array_append(all_rejected, t);
	}
	json_object_set_new(o, "rejected_trailers", rejected);
	if (older)
		json_set_int(o, "from_version",
			     a->series[s->from].version ?
				     a->series[s->from].version :
				     1);
	return o;
}

/* One array member of @n's mail appended to @to, without doubles. */
static void add_ids(const struct assembly *a, const struct aseries *s,
		    const struct node *n, const char *key, json_t *to)
{
	const json_t *ids = json_object_get(n->json, key);
	size_t i, k;
	json_t *id, *have;

	json_array_foreach(ids, i, id) {
		const char *text = json_string_value(id);
		int ni = text ? (int)json_get_int(a->by_id, text, -1) : -1;
		bool skip = !text;

		/* a series does not stand on itself */
		if (ni >= 0 && a->nodes[ni].series >= 0 &&
		    &a->series[a->nodes[ni].series] == s)
			continue;
		json_array_foreach(to, k, have)
			if (json_equal(have, id))
				skip = true;
		if (!skip && json_array_size(to) < 100)
			json_array_append(to, id);
	}
}

/*
 * What the members say about what they stand on, then what the author added
 * in a reply. Others may not move a series to another base.
 */
static void add_bases(const struct assembly *a, const struct answers *w,
		      const struct aseries *s, json_t *o)
{
	static const char *const keys[] = { "depends_on", "based_on",
					    "supersedes", "prerequisites" };
	json_t *base = json_null(), *change = json_null();

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
		json_object_set_new(o, keys[k], json_array());
	for (unsigned int n = 0; n <= s->nr_patches; n++) {
		int ni = !n ? s->cover :
			 n < s->nr_patches ? s->patches[n] : -1;
		const struct node *node;

		if (ni < 0)
			continue;
		node = &a->nodes[ni];
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			add_ids(a, s, node, keys[k],
				json_object_get(o, keys[k]));
		if (json_is_null(base))
			base = json_object_get(node->json, "base_commit");
		if (json_is_null(change))
			change = json_object_get(node->json, "change_id");
		for (int c = w->first[ni]; c >= 0; c = w->next[c]) {
			if (strcasecmp(a->nodes[c].email, node->email))
				continue;
			for (size_t k = 0; k < 3; k++)
				add_ids(a, s, &a->nodes[c], keys[k],
					json_object_get(o, keys[k]));
		}
	}
	json_object_set(o, "base_commit", base ? base : json_null());
	json_object_set(o, "change_id", change ? change : json_null());
}

static void add_comment(const struct node *n, unsigned int number,
			json_t *comments, json_t *fixups)
{
	bool has_diff = json_get_bool(n->json, "has_diff", false);
	json_t *o = json_object();

	json_set_text(o, "message_id", n->id);
	json_set_int(o, "number", number);
	json_set_bool(o, "has_diff", has_diff);
	json_array_append_new(comments, o);
	if (!has_diff)
		return;
	o = json_object();
	json_set_text(o, "message_id", n->id);
	json_set_int(o, "number", number);
	json_array_append_new(fixups, o);
}

static void add_comments(const struct assembly *a, const struct answers *w,
			 int si, json_t *o)
{
	json_t *comments = json_array(), *fixups = json_array();

	for (int ni = w->series_first[si]; ni >= 0; ni = w->series_next[ni]) {
		const struct node *t = &a->nodes[a->nodes[ni].target];

		add_comment(&a->nodes[ni],
			    t->role == ROLE_COVER ? 0 : t->number, comments,
			    fixups);
	}
	json_object_set_new(o, "comments", comments);
	json_object_set_new(o, "fixups", fixups);
}

static void add_patches(const struct assembly *a, const struct answers *w,
			const struct aseries *s, json_t *o)
{
	json_t *patches = json_array(), *missing = json_array();
	json_t *rejected = json_array();
	unsigned int last = s->nr_patches ? s->nr_patches - 1 : 0;

	for (unsigned int n = 1; n <= max(last, s->total); n++) {
		if (assemble_patch(a, s, n) >= 0)
			json_array_append_new(
				patches, patch_json(a, w, s, n, rejected));
		else
			json_array_append_new(missing, json_integer(n));
	}
	json_set_bool(o, "complete", !json_array_size(missing));
	json_object_set_new(o, "patches", patches);
	json_object_set_new(o, "missing", missing);
	json_object_set_new(o, "rejected_trailers", rejected);
}

static void add_heading(const struct assembly *a, const struct aseries *s,
			json_t *o)
{
	const struct node *n = &a->nodes[assemble_first_mail(a, s)];
	const json_t *prefixes = json_object_get(n->json, "prefixes");
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	int first = assemble_patch(a, s, 1), cover = s->cover;
	size_t i;
	json_t *p;

	if (cover < 0 && s->from >= 0)
		cover = a->series[s->from].cover;
	json_set_text(o, "key", n->id);
	json_set_int(o, "version", s->version ? s->version : 1);
	json_set_int(o, "total", s->total);
	if (cover >= 0)
		n = &a->nodes[cover];
	json_object_set(o, "title", json_object_get(n->json, "title"));
	json_set_text(o, "title_from",
		      cover >= 0 ? "cover" :
		      first >= 0 ? "first patch" :
				   "lowest patch");
	json_array_foreach(prefixes, i, p)
		strbuf_addf(&sb, "%s%s", i ? " " : "", json_string_value(p));
	json_set_text(o, "prefix", sb.buf);
	json_object_set(o, "prefixes", (json_t *)prefixes);
	json_object_set_new(
		o, "author",
		json_pack("{s:O,s:O}", "name",
			  json_object_get(n->json, "from_name"), "email",
			  json_object_get(n->json, "from_email")));
	json_set_text(o, "cover", cover >= 0 ? a->nodes[cover].id : NULL);
	json_set_int(o, "date_s", n->date_s);
	json_object_set(o, "x_stable", json_object_get(n->json, "x_stable"));
	json_object_set(o, "x_kerneltest_branch",
			json_object_get(n->json, "x_kerneltest_branch"));
}

/* A review cycle of the stable trees is read and left alone. */
static bool is_stable_notice(const struct assembly *a, const struct aseries *s)
{
	const json_t *m = a->nodes[assemble_first_mail(a, s)].json;
	const char *title = json_get_str(m, "title", "");

	return json_is_string(json_object_get(m, "x_stable")) ||
	       (strstr(title, "-rc") && ends_with(title, " review") &&
		isdigit((unsigned char)*title));
}

static json_t *series_json(const struct assembly *a, const struct answers *w,
			   int si)
{
	const struct aseries *s = &a->series[si];
	json_t *o = json_object();

	add_heading(a, s, o);
	add_patches(a, w, s, o);
	add_comments(a, w, si, o);
	add_bases(a, w, s, o);
	json_set_bool(o, "stable", is_stable_notice(a, s));
	json_set_int(o, "topic", s->topic);
	return o;
}

/*
 * The newest of a topic, by its Date: a v3 dated before the v2 was sent late
 * or by mistake, and takes nothing out of work.
 */
static void add_obsoleted(const struct assembly *a, json_t *list)
{
	int *newest = xcalloc((size_t)a->nr_series + 1, sizeof(int));

	for (int si = 0; si < a->nr_series; si++)
		newest[si] = -1;
	for (int si = 0; si < a->nr_series; si++) {
		const json_t *o = json_array_get(list, (size_t)si);
		int *n = &newest[a->series[si].topic];
		int64_t date_s = json_get_int(o, "date_s", 0);

		if (*n < 0 ||
		    json_get_int(json_array_get(list, (size_t)*n), "date_s",
				 0) <= date_s)
			*n = si;
	}
	for (int si = 0; si < a->nr_series; si++) {
		json_t *o = json_array_get(list, (size_t)si);
		json_t *n = json_array_get(
			list, (size_t)newest[a->series[si].topic]);
		bool newer = json_get_int(n, "version", 1) >
			     json_get_int(o, "version", 1);

		json_set_text(o, "obsoleted_by",
			      newer ? json_get_str(n, "key", NULL) : NULL);
	}
	free(newest);
}

static const char *role_name(enum role role)
{
	switch (role) {
	case ROLE_COVER:
		return "cover";
	case ROLE_PATCH:
		return "patch";
	case ROLE_COMMENT:
		return "comment";
	case ROLE_PULL:
		return "pull-request";
	case ROLE_DUPLICATE:
		return "duplicate";
	case ROLE_OTHER:
		break;
	}
	return "other";
}

static json_t *message_json(const struct assembly *a, int ni)
{
	const struct node *n = &a->nodes[ni];
	json_t *o = json_object();

	json_set_text(o, "message_id", *n->id ? n->id : NULL);
	json_set_text(o, "role", role_name(n->role));
	if (n->series < 0) {
		json_object_set_new(o, "series", json_null());
		json_object_set_new(o, "number", json_null());
		return o;
	}
	json_set_int(o, "series", n->series);
	json_set_int(o, "number",
		     a->nodes[n->target].role == ROLE_COVER ?
			     0 :
			     a->nodes[n->target].number);
	return o;
}

json_t *assemble_output(const struct assembly *a)
{
	json_t *o = json_object(), *list = json_array(), *msgs = json_array();
	struct answers w;

	answers_init(a, &w);
	for (int si = 0; si < a->nr_series; si++)
		json_array_append_new(list, series_json(a, &w, si));
	add_obsoleted(a, list);
	for (int ni = 0; ni < a->nr_nodes; ni++)
		json_array_append_new(msgs, message_json(a, ni));
	json_object_set_new(o, "series", list);
	json_object_set_new(o, "messages", msgs);
	answers_release(&w);
	return o;
}
