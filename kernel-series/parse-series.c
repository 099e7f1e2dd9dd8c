// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "kernel-series/assemble.h"
#include "kernel-series/mbox.h"
#include "kernel-series/parse-priv.h"
#include "lib/json.h"

/* More mails in one file are an archive, for which there is another way. */
#define MAX_MAILS 20000
/* After each mail the series are put together anew: only for small files. */
#define MAX_STEPS 200

struct view {
	struct mail **mails;
	size_t nr;
	json_t *fields;	 /* mail_to_json() of each */
	json_t *by_id;	 /* Message-ID -> its fields */
	json_t *refused; /* reasons */
	json_t *result;	 /* of assemble_json() */
};

static void read_mails(struct view *v, const void *data, size_t len)
{
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct mbox mb;
	struct mail *m;

	mbox_init(&mb, data, len);
	while (v->nr < MAX_MAILS && mbox_next(&mb, &raw)) {
		if (mail_parse(raw.buf, raw.len, &m, &why)) {
			json_array_append_new(v->refused, json_text(why.buf));
			continue;
		}
		if (!(v->nr & (v->nr - 1)))
			v->mails = xrealloc_array(v->mails,
						  v->nr ? v->nr * 2 : 1,
						  sizeof(*v->mails));
		v->mails[v->nr++] = m;
		json_array_append_new(v->fields, mail_to_json(m));
		if (!json_object_get(v->by_id, m->message_id))
			json_object_set(v->by_id, m->message_id,
					json_array_get(v->fields, v->nr - 1));
	}
}

static void view_release(struct view *v)
{
	for (size_t i = 0; i < v->nr; i++)
		mail_free(v->mails[i]);
	free(v->mails);
	json_decref(v->fields);
	json_decref(v->by_id);
	json_decref(v->refused);
	json_decref(v->result);
}

static json_t *counts_json(const struct view *v)
{
	int64_t covers = 0, patches = 0, comments = 0, duplicates = 0;
	json_t *o = json_object(), *m;
	size_t i;

	json_array_foreach(json_object_get(v->result, "messages"), i, m) {
		const char *role = json_get_str(m, "role", "");

		covers += !strcmp(role, "cover");
		patches += !strcmp(role, "patch");
		comments += !strcmp(role, "comment");
		duplicates += !strcmp(role, "duplicate");
	}
	json_set_int(o, "covers", covers);
	json_set_int(o, "patches", patches);
	json_set_int(o, "comments", comments);
	json_set_int(o, "duplicates", duplicates);
	json_set_int(o, "refused", (int64_t)json_array_size(v->refused));
	return o;
}

/* How often the first patch, made ready for git, names its content type. */
static int64_t count_content_types(const struct view *v)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	int64_t n = 0;

	for (size_t i = 0; i < v->nr && !sb.len; i++)
		mail_patch_mbox(v->mails[i], &sb);
	for (const char *p = sb.buf; (p = strcasestr(p, "\nContent-Type:"));
	     p++)
		n++;
	return n;
}

/* The title as others say it: without cover and first patch there is none. */
static json_t *title_of(const json_t *s)
{
	if (!strcmp(json_get_str(s, "title_from", ""), "lowest patch"))
		return json_null();
	return json_incref(json_object_get(s, "title"));
}

/* Index of the series that a mail belongs to, -1 if none. */
static int series_of(const struct view *v, const char *id)
{
	size_t i;
	json_t *m;

	json_array_foreach(json_object_get(v->result, "messages"), i, m)
		if (!strcmp(json_get_str(m, "message_id", ""), id) &&
		    strcmp(json_get_str(m, "role", ""), "duplicate"))
			return (int)json_get_int(m, "series", -1);
	return -1;
}

static void add_index(json_t *list, int si)
{
	size_t i;
	json_t *v;

	json_array_foreach(list, i, v)
		if (json_integer_value(v) == si)
			return;
	json_array_append_new(list, json_integer(si));
}

/* Ids of depends_on as places in the list of series, both ways. */
static void link_dependencies(const struct view *v, json_t *list)
{
	size_t si, i;
	json_t *s, *id;

	json_array_foreach(list, si, s) {
		json_object_set_new(s, "depends_on", json_array());
		json_object_set_new(s, "needed_by", json_array());
	}
	json_array_foreach(json_object_get(v->result, "series"), si, s) {
		json_array_foreach(json_object_get(s, "depends_on"), i, id) {
			int other = series_of(v, json_string_value(id));

			if (other < 0 || other == (int)si)
				continue;
			add_index(json_object_get(json_array_get(list, si),
						  "depends_on"),
				  other);
			add_index(json_object_get(
					  json_array_get(list, (size_t)other),
					  "needed_by"),
				  (int)si);
		}
	}
}

static bool is_review_tag(const json_t *t)
{
	const char *name = json_get_str(t, "name", "");
	size_t n = strlen(name);

	return n > 3 && !strcasecmp(name + n - 3, "-by") &&
	       strcasecmp(name, "signed-off-by");
}

static void add_tag(const json_t *t, json_t *tags, json_t *reviewers)
{
	char *s;

	if (!is_review_tag(t))
		return;
	s = xasprintf("%s: %s", json_get_str(t, "name", ""),
		      json_get_str(t, "value", ""));
	json_array_append_new(tags, json_text(s));
	free(s);
	if (!strcasecmp(json_get_str(t, "name", ""), "reviewed-by") &&
	    json_object_get(t, "addr_email"))
		json_array_append_new(
			reviewers,
			json_pack("{s:O,s:O}", "name",
				  json_object_get(t, "addr_name"), "email",
				  json_object_get(t, "addr_email")));
}

/* Tags of the series: on its cover, or on its only patch; and by patch. */
static void add_tags(const json_t *s, json_t *o)
{
	json_t *tags = json_array(), *reviewers = json_array();
	json_t *by_patch = json_array(), *p, *t;
	bool cover = json_is_string(json_object_get(s, "cover"));
	size_t i, k;

	json_array_foreach(json_object_get(s, "patches"), i, p) {
		json_t *mine = json_array(), *ignored = json_array();

		json_array_foreach(json_object_get(p, "trailers"), k, t) {
			bool on_cover = json_get_bool(t, "on_cover", false);

			if (cover == on_cover && !i)
				add_tag(t, tags, reviewers);
			if (!on_cover)
				add_tag(t, mine, ignored);
		}
		json_decref(ignored);
		json_array_append_new(by_patch, mine);
	}
	json_object_set_new(o, "tags", tags);
	json_object_set_new(o, "reviewers", reviewers);
	json_object_set_new(o, "patch_tags", by_patch);
}

static json_t *ids_of(const json_t *list, const char *key)
{
	json_t *out = json_array(), *v;
	size_t i;

	json_array_foreach(list, i, v)
		json_array_append_new(
			out, parse_bracketed(json_get_str(v, key, NULL)));
	return out;
}

static json_t *patches_view(const json_t *s)
{
	json_t *out = json_array(), *p;
	size_t i;

	json_array_foreach(json_object_get(s, "patches"), i, p) {
		json_t *o = json_copy(p);

		json_object_set_new(
			o, "message_id",
			parse_bracketed(json_get_str(p, "message_id", NULL)));
		json_array_append_new(out, o);
	}
	return out;
}

/* Why the series must not be tested yet, or null. */
static void set_usable(const json_t *s, json_t *o)
{
	size_t have = json_array_size(json_object_get(s, "patches"));
	bool ok = json_get_bool(s, "complete", false);
	char *why = xasprintf("the subject mentions %d patches, %zu are found",
			      (int)json_get_int(s, "total", 0), have);

	json_set_bool(o, "usable", ok);
	json_set_text(o, "problem", ok ? NULL : why);
	free(why);
}

static json_t *one_series(const json_t *s)
{
	json_t *o = json_copy((json_t *)s);
	bool cover = json_is_string(json_object_get(s, "cover"));
	json_t *own = json_object_get(s, "patches"), *p;
	json_int_t present = 0;
	size_t i;

	json_array_foreach(own, i, p)
		present += !json_object_get(p, "from_version");
	json_set_int(o, "patch_count", present);
	json_set_int(o, "cover_count", cover);
	json_object_set_new(o, "title", title_of(s));
	if (!strcmp(json_get_str(s, "title_from", ""), "lowest patch"))
		json_object_set_new(o, "title_from", json_null());
	json_object_set_new(o, "cover",
			    parse_bracketed(json_get_str(s, "cover", NULL)));
	json_object_set_new(o, "key",
			    parse_bracketed(json_get_str(s, "key", NULL)));
	json_object_set_new(o, "root",
			    parse_bracketed(json_get_str(s, "key", NULL)));
	json_object_set_new(
		o, "obsoleted_by",
		parse_bracketed(json_get_str(s, "obsoleted_by", NULL)));
	json_object_set_new(o, "patches", patches_view(s));
	json_object_set_new(
		o, "based_on",
		parse_bracketed_list(json_object_get(s, "based_on")));
	json_object_set_new(
		o, "supersedes",
		parse_bracketed_list(json_object_get(s, "supersedes")));
	json_object_set_new(o, "replies",
			    ids_of(json_object_get(s, "comments"),
				   "message_id"));
	add_tags(s, o);
	set_usable(s, o);
	return o;
}

/* Mails that say PATCH, start something, and hold none. */
static json_t *empty_series(const struct view *v)
{
	json_t *out = json_array();

	for (size_t i = 0; i < v->nr; i++) {
		const struct mail *m = v->mails[i];
		json_t *o;

		if (!m->subj.is_patch || m->subj.is_reply ||
		    m->diff.nr_files || m->kind == MAIL_COVER)
			continue;
		o = json_object();
		json_object_set_new(o, "root", parse_bracketed(m->message_id));
		json_set_text(o, "title", m->subj.title);
		json_set_int(o, "version",
			     m->subj.version ? m->subj.version : 1);
		json_object_set_new(o, "patches", json_array());
		json_object_set_new(o, "prefixes", json_array());
		json_set_int(o, "total", m->subj.has_number ? m->subj.total : 1);
		json_set_text(o, "x_stable", m->x_stable);
		json_set_text(o, "x_kerneltest_branch", m->x_kerneltest_branch);
		set_usable(o, o);
		json_array_append_new(out, o);
	}
	return out;
}

static json_t *trailer_pairs(const struct mail *m)
{
	json_t *out = json_array();

	if (m->kind == MAIL_COMMENT)
		return out;
	for (size_t i = 0; i < m->trailers.nr; i++)
		json_array_append_new(
			out,
			json_pack("[o,o]", json_text(m->trailers.v[i].name),
				  json_text(m->trailers.v[i].value)));
	return out;
}

static json_t *message_view(const struct view *v, size_t i)
{
	static const char *const keys[] = {
		"subject",  "title",	  "prefixes",	"version", "number",
		"total",    "from_name",  "from_email", "date",	   "has_diff",
		"files",
	};
	const struct mail *m = v->mails[i];
	const json_t *f = json_array_get(v->fields, i);
	const json_t *r = json_array_get(json_object_get(v->result, "messages"),
					 i);
	const json_t *list = json_object_get(v->result, "series");
	int si = (int)json_get_int(r, "series", -1);
	json_t *o = json_object();

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
		json_object_set(o, keys[k], json_object_get(f, keys[k]));
	/* in a series, a patch without n/m is the first and only one */
	if (m->kind == MAIL_PATCH && !m->subj.has_number)
		json_set_int(o, "number", 1);
	json_object_set(o, "role", json_object_get(r, "role"));
	json_object_set_new(o, "message_id", parse_bracketed(m->message_id));
	json_object_set_new(o, "in_reply_to", parse_bracketed(m->in_reply_to));
	json_object_set_new(o, "trailers", trailer_pairs(m));
	if (si < 0)
		return o;
	json_set_int(o, "series", si);
	if (!strcmp(json_get_str(r, "role", ""), "comment")) {
		const json_t *s = json_array_get(list, (size_t)si);
		int64_t number = json_get_int(r, "number", 0);
		const char *on = json_get_str(s, "cover", NULL);
		json_t *p;
		size_t k;

		json_array_foreach(json_object_get(s, "patches"), k, p)
			if (number && json_get_int(p, "number", 0) == number)
				on = json_get_str(p, "message_id", NULL);
		json_object_set_new(o, "comment_on", parse_bracketed(on));
	}
	return o;
}

static json_t *same_topic(const json_t *list)
{
	size_t n = json_array_size(list), i, k;
	json_t *out = json_array();

	for (i = 0; i < n; i++) {
		json_t *group = json_array();

		for (k = i; k < n; k++)
			if (json_get_int(json_array_get(list, k), "topic",
					 -1) == (int64_t)i)
				json_array_append_new(group, json_integer(
								     (int)k));
		if (json_array_size(group) > 1)
			json_array_append(out, group);
		json_decref(group);
	}
	return out;
}

/* What makes a test of a series another test: its patches and its base. */
static char *test_key(const json_t *s)
{
	struct strbuf sb = STRBUF_INIT;
	size_t i;
	json_t *p;
	static const char *const keys[] = { "based_on", "depends_on" };

	json_array_foreach(json_object_get(s, "patches"), i, p)
		strbuf_addf(&sb, "%s ", json_get_str(p, "message_id", ""));
	for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
		json_array_foreach(json_object_get(s, keys[k]), i, p)
			strbuf_addf(&sb, "%s:%s ", keys[k],
				    json_string_value(p));
	return strbuf_detach(&sb);
}

/* Does anything wait for a test that did not before? */
static bool something_new(const json_t *result, json_t *seen)
{
	bool found = false;
	size_t i;
	json_t *s;

	json_array_foreach(json_object_get(result, "series"), i, s) {
		char *key;

		if (!json_get_bool(s, "complete", false))
			continue;
		key = test_key(s);
		if (!json_object_get(seen, key)) {
			found = true;
			json_object_set_new(seen, key, json_true());
		}
		free(key);
	}
	return found;
}

/* What was known after each mail: titles, and whether to start a test. */
static void add_steps(const struct view *v, json_t *o)
{
	json_t *prefix = json_array(), *titles = json_array();
	json_t *steps = json_array(), *seen = json_object(), *r;

	for (size_t i = 0; i < v->nr && v->nr <= MAX_STEPS; i++) {
		json_array_append(prefix, json_array_get(v->fields, i));
		if (assemble_json(prefix, &r))
			break;
		json_array_append_new(
			titles, title_of(json_array_get(
					json_object_get(r, "series"), 0)));
		json_array_append_new(
			steps, json_pack("{s:i,s:b}", "after_message", (int)i,
					 "tests_wanted",
					 something_new(r, seen)));
		json_decref(r);
	}
	json_decref(prefix);
	json_decref(seen);
	json_object_set_new(o, "title_steps", titles);
	json_object_set_new(o, "steps", steps);
}

/* The highest version, the later one of two, as b4 takes it. */
static const json_t *newest_series(const json_t *list)
{
	const json_t *best = NULL;
	size_t i;
	json_t *s;

	json_array_foreach(list, i, s)
		if (!best || json_get_int(s, "version", 1) >=
				     json_get_int(best, "version", 1))
			best = s;
	return best;
}

static void add_newest(const struct view *v, const json_t *options, json_t *o)
{
	const json_t *s = newest_series(json_object_get(v->result, "series"));
	json_t *n;
	bool cover;

	if (!s)
		return;
	n = one_series(s);
	cover = json_is_string(json_object_get(s, "cover"));
	json_set_bool(n, "has_cover", cover);
	json_object_set(n, "cover_title",
			cover ? json_object_get(s, "title") : json_null());
	json_object_set_new(o, "newest_series", n);
	json_object_set(o, "rejected_trailers",
			json_object_get(s, "rejected_trailers"));
	json_object_set_new(o, "patches_ready_to_apply",
			    ready_patches(s, v->by_id, options));
}

/* The diff of each reply that carries one, with its wrapped lines joined. */
static void add_fixups(const struct view *v, json_t *list)
{
	size_t si, i;
	json_t *s, *f;

	json_array_foreach(list, si, s) {
		json_t *out = json_array();

		json_array_foreach(json_object_get(s, "fixups"), i, f) {
			const char *id = json_get_str(f, "message_id", "");
			struct strbuf diff __free(strbuf) = STRBUF_INIT;
			json_t *o = json_copy(f);
			int r = -ENODATA;

			for (size_t k = 0; k < v->nr; k++)
				if (!strcmp(v->mails[k]->message_id, id)) {
					r = mail_fixup_diff(v->mails[k], &diff);
					break;
				}
			json_object_set_new(o, "message_id",
					    parse_bracketed(id));
			json_object_set_new(o, "diff",
					    r ? json_null() :
						json_textn(diff.buf, diff.len));
			json_array_append_new(out, o);
		}
		json_object_set_new(s, "fixups", out);
	}
}

json_t *parse_series_view(const void *data, size_t len, const json_t *options)
{
	struct view v = {
		.fields = json_array(),
		.by_id = json_object(),
		.refused = json_array(),
	};
	json_t *o = json_object(), *list = json_array(), *msgs = json_array();
	json_t *s;
	size_t i;

	read_mails(&v, data, len);
	if (assemble_json(v.fields, &v.result))
		v.result = json_object();
	json_array_foreach(json_object_get(v.result, "series"), i, s)
		json_array_append_new(list, one_series(s));
	link_dependencies(&v, list);
	add_fixups(&v, list);
	for (i = 0; i < v.nr; i++)
		json_array_append_new(msgs, message_view(&v, i));
	json_object_set_new(o, "counts", counts_json(&v));
	json_set_int(o, "series_count", (int64_t)json_array_size(list));
	json_object_set_new(o, "same_topic", same_topic(list));
	json_object_set_new(o, "series", list);
	json_object_set_new(o, "messages", msgs);
	json_object_set_new(o, "empty_series", empty_series(&v));
	json_object_set(o, "refused", v.refused);
	json_set_int(o, "patch_mbox_content_type_headers",
		     count_content_types(&v));
	add_newest(&v, options, o);
	add_steps(&v, o);
	parse_threads(v.mails, v.nr, options, o);
	if (v.nr)
		json_object_set_new(o, "first_message",
				    parse_mail_view(v.mails[0], options));
	view_release(&v);
	return o;
}
