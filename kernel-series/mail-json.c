// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "kernel-series/commands.h"
#include "kernel-series/mail.h"
#include "kernel-series/patch-id.h"
#include "lib/clock.h"
#include "lib/json.h"

#define MAX_AUTH_RESULTS 10

static json_t *addrs_json(const struct mail_addrs *a)
{
	json_t *list = json_array();

	for (size_t i = 0; i < a->nr; i++) {
		json_t *o = json_object();

		if (!*a->v[i].email) {
			json_decref(o);
			continue;
		}
		json_set_text(o, "name", a->v[i].name);
		json_set_text(o, "email", a->v[i].email);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *prefixes_json(const struct subject *s)
{
	json_t *list = json_array();

	for (size_t i = 0; s->tokens[i]; i++)
		if (subject_is_prefix(s->tokens[i]))
			json_array_append_new(list, json_text(s->tokens[i]));
	return list;
}

/* Ids where the value names a mail, the value itself (a link) otherwise. */
static json_t *tag_json(const struct trailers *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->nr; i++) {
		char *id = mail_ref_id(t->v[i].value);

		json_array_append_new(list, json_text(id ? id : t->v[i].value));
		free(id);
	}
	return list;
}

static json_t *lines_json(const char *text)
{
	json_t *list = json_array();
	const char *nl;

	for (const char *p = text; p; p = nl ? nl + 1 : NULL) {
		nl = strchr(p, '\n');
		json_array_append_new(
			list, json_textn(p, nl ? (size_t)(nl - p) : strlen(p)));
	}
	return list;
}

static void set_count(json_t *o, const char *key, bool has, unsigned int v)
{
	if (has)
		json_set_int(o, key, v);
	else
		json_object_set_new(o, key, json_null());
}

static void set_subject(json_t *o, const struct mail *m)
{
	const struct subject *s = &m->subj;

	json_set_text(o, "subject", m->subject);
	json_set_text(o, "title", s->title);
	json_object_set_new(o, "prefixes", prefixes_json(s));
	set_count(o, "version", s->version, s->version);
	set_count(o, "number", s->has_number, s->number);
	set_count(o, "total", s->has_number, s->total);
	json_set_bool(o, "is_reply", s->is_reply);
	json_set_bool(o, "is_patch", s->is_patch);
}

/* Of the bytes that git would read, so that it is the id git would give. */
static void set_patch_id(json_t *o, const struct mail *m)
{
	bool attached = m->diff_start >= m->text.len && m->attached.len;
	const struct strbuf *text = attached ? &m->attached : &m->text;
	size_t from = attached ? 0 : m->diff_start;
	char hex[PATCH_ID_HEX_LEN + 1], own[PATCH_ID_HEX_LEN + 1];
	const char *at = text->buf + from;

	if (m->kind != MAIL_PATCH ||
	    !patch_id(at, text->len - from, PATCH_ID_MAIL, hex))
		return;
	json_set_text(o, "patch_id", hex);
	if (patch_id(at, text->len - from, PATCH_ID_COMMIT, own) &&
	    strcmp(hex, own))
		json_set_text(o, "commit_patch_id", own);
}

static void set_diff(json_t *o, const struct mail *m)
{
	static const char *const keys[] = {
		"files",	 "renames",	     "new_files",
		"deleted_files", "rename_only",	     "mode_change_only",
		"binary",	 "index",	     "damaged",
		"added",	 "removed",
	};
	json_t *d __free(json) = diff_to_json(&m->diff);
	char hex[65];

	json_set_bool(o, "has_diff", m->diff.nr_files);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(o, keys[i], json_object_get(d, keys[i]));
	if (!m->diff.nr_files)
		return;
	diff_change_hash(&m->diff, hex);
	json_set_text(o, "change_hash", hex);
	set_patch_id(o, m);
}

/* What somebody wants of us, and what the servers on the way say of them. */
static void set_commands(json_t *o, const struct mail *m)
{
	json_t *list __free(json) =
		commands_find(NULL, m->display.buf, m->display.len, "mmci:");
	json_t *auth = json_array();

	if (!json_array_size(list)) {
		json_decref(auth);
		return;
	}
	for (size_t i = 0; i < m->nr_headers; i++) {
		if (!strcasecmp(m->headers[i].name, "Authentication-Results") &&
		    json_array_size(auth) < MAX_AUTH_RESULTS)
			json_array_append_new(auth,
					      json_text(m->headers[i].value));
	}
	json_object_set(o, "commands", list);
	json_object_set_new(o, "auth_results", auth);
}

json_t *mail_to_json(const struct mail *m)
{
	json_t *o = json_object(), *refs = json_array();
	char buf[32];

	json_set_text(o, "message_id", m->message_id);
	json_set_text(o, "in_reply_to", m->in_reply_to);
	for (size_t i = 0; i < m->nr_references; i++)
		json_array_append_new(refs, json_text(m->references[i]));
	json_object_set_new(o, "references", refs);
	if (m->has_date)
		json_set_int(o, "date_s", m->date_s);
	else
		json_object_set_new(o, "date_s", json_null());
	json_set_text(o, "date",
		      m->has_date ? clock_rfc3339(m->date_s, buf) : NULL);
	set_subject(o, m);
	json_set_text(o, "kind", mail_kind_name(m->kind));
	json_set_text(o, "from_name", m->from.name ? m->from.name : "");
	json_set_text(o, "from_email", m->from.email ? m->from.email : "");
	json_object_set_new(o, "to", addrs_json(&m->to));
	json_object_set_new(o, "cc", addrs_json(&m->cc));
	json_set_text(o, "list_id", m->list_id);
	set_diff(o, m);
	json_object_set_new(o, "trailers", trailers_to_json(&m->trailers));
	json_object_set_new(o, "diffstat", lines_json(m->diffstat));
	json_set_text(o, "pull_url", m->pull_url);
	json_set_text(o, "base_commit", m->base_commit);
	json_object_set_new(o, "prerequisites", lines_json(m->prerequisites));
	json_object_set_new(o, "depends_on", tag_json(&m->depends_on));
	json_object_set_new(o, "based_on", tag_json(&m->based_on));
	json_object_set_new(o, "supersedes", tag_json(&m->supersedes));
	json_set_text(o, "change_id", m->change_id);
	json_set_text(o, "x_stable", m->x_stable);
	json_set_text(o, "x_kerneltest_branch", m->x_kerneltest_branch);
	json_set_bool(o, "machine", m->machine);
	set_commands(o, m);
	json_set_bool(o, "flowed", m->flowed);
	json_set_bool(o, "repeated_headers", m->repeated);
	return o;
}

/* A header value on one line, in the bytes it came in or encoded as it was. */
static void add_header_line(const struct mail *m, struct strbuf *out,
			    const char *name)
{
	const char *v = mail_header(m, name);

	if (v)
		strbuf_addf(out, "%s: %s\n", name, v);
}

/*
 * Content-Type and text. Where the patch is attached, the text is joined here:
 * git would join lines of the patch too, which did not come flowed.
 */
static void add_text(const struct mail *m, struct strbuf *out)
{
	bool attached = m->diff_start >= m->text.len && m->attached.len;
	const char *charset = m->charset;

	if (!charset || strpbrk(charset, " \t;\r\n\"") ||
	    (attached && m->flowed))
		charset = "utf-8";
	strbuf_addf(out, "MIME-Version: 1.0\n"
			 "Content-Type: text/plain; charset=%s%s%s\n"
			 "Content-Transfer-Encoding: 8bit\n\n",
		    charset, m->flowed && !attached ? "; format=flowed" : "",
		    m->delsp && !attached ? "; delsp=yes" : "");
	if (attached && m->flowed)
		strbuf_addbuf(out, &m->display);
	else
		strbuf_addbuf(out, &m->text);
	if (out->buf[out->len - 1] != '\n')
		strbuf_addch(out, '\n');
	if (attached) {
		strbuf_addstr(out, "\n---\n\n");
		strbuf_addbuf(out, &m->attached);
	}
}

int mail_patch_mbox(const struct mail *m, struct strbuf *out)
{
	char buf[48];

	if (!m->diff.nr_files)
		return -ENODATA;
	/*
	 * No "From " line: git then takes all that follows as one mail, even
	 * where a line of the text looks like the beginning of another.
	 */
	add_header_line(m, out, "From");
	if (m->has_date && mail_header(m, "Date"))
		add_header_line(m, out, "Date");
	else
		strbuf_addf(out, "Date: %s\n", clock_rfc5322(0, buf));
	add_header_line(m, out, "Subject");
	if (m->message_id)
		strbuf_addf(out, "Message-Id: <%s>\n", m->message_id);
	add_text(m, out);
	return 0;
}
