// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "kernel-series/commands.h"
#include "kernel-series/invisible.h"
#include "kernel-series/parse-priv.h"
#include "lib/json.h"

static const char *prefix_of(const json_t *options)
{
	return json_get_str(options, "command_prefix", "#mmci");
}

json_t *parse_bracketed(const char *id)
{
	json_t *v;
	char *s;

	if (!id)
		return json_null();
	s = xasprintf("<%s>", id);
	v = json_text(s);
	free(s);
	return v;
}

json_t *parse_bracketed_list(const json_t *ids)
{
	json_t *list = json_array(), *v;
	size_t i;

	json_array_foreach(ids, i, v) {
		const char *s = json_string_value(v);

		json_array_append_new(list, s && strstr(s, "://") ?
						    json_text(s) :
						    parse_bracketed(s));
	}
	return list;
}

/* "[RFC,1/2] title": the tokens left after PATCH is taken out, and the title */
static void set_name(const struct mail *m, const json_t *options, json_t *o)
{
	const json_t *drop = json_object_get(options, "drop_prefixes"), *d;
	size_t k;
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *tokens = json_array();

	for (size_t i = 0; m->subj.tokens[i]; i++) {
		bool dropped = false;

		json_array_foreach(drop, k, d)
			dropped |= json_is_string(d) &&
				   !strcasecmp(json_string_value(d),
					       m->subj.tokens[i]);
		if (dropped)
			continue;
		strbuf_addf(&sb, "%s%s", sb.len ? "," : "[",
			    m->subj.tokens[i]);
		json_array_append_new(tokens, json_text(m->subj.tokens[i]));
	}
	if (sb.len)
		strbuf_addstr(&sb, "] ");
	strbuf_addstr(&sb, m->subj.title);
	json_set_text(o, "name", sb.buf);
	json_object_set_new(o, "tokens", tokens);
}

/* Text above the diff without signature and footer of the list. */
static void set_message(const struct mail *m, json_t *o)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	const char *p = m->text.buf;
	size_t at = 0, end = m->diff_start, skip = 0;

	while (at < end) {
		const char *nl = memchr(p + at, '\n', end - at);
		size_t n = nl ? (size_t)(nl - (p + at)) : end - at;

		if ((n == 3 && !memcmp(p + at, "-- ", 3)) ||
		    (n >= 40 && strspn(p + at, "_") >= 40))
			break;
		strbuf_add(&sb, p + at, n);
		strbuf_addch(&sb, '\n');
		at += n + 1;
	}
	strbuf_rtrim(&sb);
	while (isspace((unsigned char)sb.buf[skip]))
		skip++;
	json_object_set_new(o, "message",
			    json_textn(sb.buf + skip, sb.len - skip));
	json_set_bool(o, "has_message", sb.len > skip);
}

/* The text as it came: with CRLF where it had CRLF. */
static void set_body(const struct mail *m, json_t *o)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	const char *p = m->display.buf;
	size_t len = m->display.len;

	for (size_t i = 0; i < len; i++) {
		if (p[i] == '\n' && m->crlf)
			strbuf_addch(&sb, '\r');
		strbuf_addch(&sb, p[i]);
	}
	json_object_set_new(o, "body", json_textn(sb.buf, sb.len));
	while (len && isspace((unsigned char)*p)) {
		p++;
		len--;
	}
	while (len && isspace((unsigned char)p[len - 1]))
		len--;
	json_object_set_new(o, "body_trimmed", json_textn(p, len));
}

static json_t *fixes_values(const struct trailers *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->nr; i++)
		if (!strcasecmp(t->v[i].name, "fixes"))
			json_array_append_new(list, json_text(t->v[i].value));
	return list;
}

/* Tags at the beginning of any unquoted line, as people count them. */
static json_t *tag_counts(const char *text, size_t len)
{
	static const char *const names[] = { "Acked-by", "Reviewed-by",
					     "Tested-by" };
	int64_t count[3] = { 0 };
	json_t *o = json_object();

	for (size_t at = 0; at < len;) {
		const char *nl = memchr(text + at, '\n', len - at);
		size_t n = nl ? (size_t)(nl - (text + at)) : len - at;

		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			size_t k = strlen(names[i]);

			count[i] += n > k && text[at + k] == ':' &&
				    !strncasecmp(text + at, names[i], k);
		}
		at += n + 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		json_set_int(o, names[i], count[i]);
	return o;
}

static void set_diff(const struct mail *m, json_t *o)
{
	bool has = m->diff.nr_files;

	json_object_set_new(o, "diff",
			    json_textn(m->diff.text.buf, m->diff.text.len));
	if (has)
		json_object_set_new(o, "patch",
				    json_textn(m->diff.text.buf,
					       m->diff.text.len));
	else
		json_object_set_new(o, "patch", json_null());
}

static void set_invisible(const char *text, size_t len, json_t *o)
{
	json_t *list = invisible_find(text, len);
	json_t *first = json_array_get(list, 0);

	json_set_bool(o, "flagged", first);
	if (first)
		json_object_update(o, first);
	json_object_set_new(o, "invisible", list);
}

static json_t *command_list(const char *subject, const struct strbuf *text,
			    const json_t *options)
{
	json_t *list = commands_find(subject, text->buf, text->len,
				     prefix_of(options));
	size_t i;
	json_t *c;

	json_array_foreach(list, i, c)
		json_object_del(c, "line");
	return list;
}

/* Would it be taken in? The words are those of the refusal in the database. */
static void set_ingest(const struct mail *m, json_t *o)
{
	const char *reason = NULL;

	if (!m->from.email)
		reason = "no usable From";
	else if (!*m->from.email)
		reason = "From holds no mail address";
	else if (!m->message_id)
		reason = "no Message-ID";
	json_set_bool(o, "accepted", !reason);
	json_set_text(o, "outcome", reason		   ? "rejected" :
				    m->kind == MAIL_OTHER ? "ignored" :
							     "kept");
	json_set_text(o, "reason", reason);
}

static json_t *recipients(const json_t *o)
{
	json_t *list = json_array(), *a;
	static const char *const keys[] = { "to", "cc" };
	size_t i;

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		json_array_foreach(json_object_get(o, keys[k]), i, a) {
			json_t *copy = json_copy(a);

			if (!*json_get_str(a, "name", ""))
				json_object_del(copy, "name");
			json_array_append_new(list, copy);
		}
	}
	return list;
}

json_t *parse_mail_view(const struct mail *m, const json_t *options)
{
	json_t *o = mail_to_json(m);
	bool own = json_get_bool(options, "sent_by_us",
				 parse_is_own(m, options));

	json_object_set_new(o, "message_id",
			    m->message_id_raw ? json_text(m->message_id_raw) :
						parse_bracketed(m->message_id));
	json_object_set_new(o, "in_reply_to", parse_bracketed(m->in_reply_to));
	json_object_set_new(
		o, "references_nearest_first",
		parse_bracketed_list(json_object_get(o, "references")));
	json_object_set_new(o, "recipients_to_then_cc", recipients(o));
	parse_people(m, options, o);
	json_object_set_new(
		o, "from",
		json_pack("{s:O,s:O}", "name", json_object_get(o, "from_name"),
			  "email", json_object_get(o, "from_email")));
	/* one mail alone has had no reply */
	json_object_set_new(o, "tags_from_replies", json_array());
	set_name(m, options, o);
	set_message(m, o);
	set_body(m, o);
	set_diff(m, o);
	set_ingest(m, o);
	set_invisible(m->display.buf, m->display.len, o);
	json_set_bool(o, "has_pull_url", m->pull_url);
	json_set_text(o, "thread_type", parse_thread_type(m, own));
	json_object_set_new(o, "fixes_values", fixes_values(&m->trailers));
	json_object_set_new(o, "tag_counts",
			    tag_counts(m->text.buf, m->text.len));
	json_object_set_new(o, "routed_to", parse_route(m, options));
	json_object_set_new(o, "commands",
			    command_list(m->subject, &m->display, options));
	return o;
}

/* One trailer line taken apart. */
static void set_trailer(const char *text, size_t len, json_t *o)
{
	const char *nl = memchr(text, '\n', len);
	struct trailer t;

	if (!trailer_parse(text, nl ? (size_t)(nl - text) : len, &t))
		return;
	json_set_text(o, "type", trailer_type_name(t.type));
	json_set_text(o, "name", t.name);
	json_set_text(o, "value", t.value);
	json_set_text(o, "addr_name", t.addr_name);
	json_set_text(o, "addr_email", t.addr_email);
	trailer_release(&t);
}

json_t *parse_text_view(const char *text, size_t len, const json_t *options)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct trailers trailers = { 0 };
	struct diff diff;
	size_t start;
	json_t *o, *commands;

	strbuf_add(&sb, text, len);
	diff_find(text, len, &diff, &start);
	o = diff_to_json(&diff);
	json_set_bool(o, "has_diff", diff.nr_files);
	json_object_set_new(o, "diff", json_textn(diff.text.buf,
						  diff.text.len));
	trailers_of_reply(text, start, &trailers);
	json_object_set_new(o, "trailers", trailers_to_json(&trailers));
	json_object_set_new(o, "fixes_values", fixes_values(&trailers));
	set_trailer(text, len, o);
	commands = command_list(NULL, &sb, options);
	json_object_set(o, "first_command",
			json_array_size(commands) ?
				json_array_get(commands, 0) :
				json_null());
	json_object_set_new(o, "commands", commands);
	commands_reply(text, len, prefix_of(options),
		       json_get_str(options, "reply_text", ""), &out);
	json_object_set_new(o, "reply_mail_body",
			    json_textn(out.buf, out.len));
	trailers_release(&trailers);
	diff_release(&diff);
	return o;
}
