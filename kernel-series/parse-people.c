// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <regex.h>
#include <string.h>
#include <strings.h>

#include "kernel-series/parse-priv.h"
#include "lib/json.h"

/* Addresses as a robot on a list sees them: who is meant, and who is us. */

/* "user+context@host" in two: "user@host" and the context, NULL if none. */
static char *split_context(const char *email, char **context)
{
	const char *plus = strchr(email, '+'), *at = strrchr(email, '@');

	*context = NULL;
	if (!plus || !at || plus > at)
		return xstrdup(email);
	*context = xstrndup(plus + 1, (size_t)(at - plus - 1));
	return xasprintf("%.*s%s", (int)(plus - email), email, at);
}

static bool in_options(const json_t *options, const char *key,
		       const char *email)
{
	const json_t *list = json_object_get(options, key);
	struct mail_addrs a = { 0 };
	bool found = false;
	size_t i;
	json_t *v;

	json_array_foreach(list, i, v)
		mail_addrs_parse(json_string_value(v) ? json_string_value(v) :
							"",
				 &a);
	for (i = 0; i < a.nr; i++)
		found |= !strcasecmp(a.v[i].email, email);
	mail_addrs_release(&a);
	return found;
}

static bool is_own(const json_t *options, const char *email, char **context)
{
	char *ctx, *plain = split_context(email, &ctx);
	bool own = in_options(options, "own_addresses", plain);

	free(plain);
	if (own && context && ctx) {
		*context = ctx;
		return true;
	}
	free(ctx);
	return own;
}

bool parse_is_own(const struct mail *m, const json_t *options)
{
	return m->from.email && is_own(options, m->from.email, NULL);
}

static void add_once(json_t *list, const char *text)
{
	size_t i;
	json_t *v;

	json_array_foreach(list, i, v)
		if (!strcmp(json_string_value(v), text))
			return;
	json_array_append_new(list, json_text(text));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(json_string_value(*(json_t *const *)a),
		      json_string_value(*(json_t *const *)b));
}

static json_t *sorted(json_t *list)
{
	size_t n = json_array_size(list);
	json_t **v = xcalloc(n + 1, sizeof(*v)), *out = json_array();

	for (size_t i = 0; i < n; i++)
		v[i] = json_array_get(list, i);
	qsort(v, n, sizeof(*v), by_text);
	for (size_t i = 0; i < n; i++)
		json_array_append(out, v[i]);
	free(v);
	json_decref(list);
	return out;
}

struct people {
	json_t *cc, *raw, *ids;
	bool own_ccd;
	const json_t *options;
};

static void add_person(struct people *p, const struct mail_addr *a)
{
	char *ctx = NULL, *plain, *ignored;

	if (!a->email || !*a->email)
		return;
	add_once(p->raw, a->email);
	if (is_own(p->options, a->email, &ctx)) {
		p->own_ccd = true;
		if (ctx)
			add_once(p->ids, ctx);
		free(ctx);
		return;
	}
	plain = split_context(a->email, &ignored);
	add_once(p->cc, plain);
	free(plain);
	free(ignored);
}

/* Own addresses with a context in the text: "Reported-by: foo+123@bar". */
static void add_body_ids(struct people *p, const struct mail *m)
{
	const char *text = m->display.buf, *at = text;

	while ((at = strchr(at, '@'))) {
		const char *b = at, *e = at + 1;
		char *email, *ctx = NULL;

		while (b > text && (isalnum((unsigned char)b[-1]) ||
				    strchr("+-_.", b[-1])) &&
		       at - b < 128)
			b--;
		while (isalnum((unsigned char)*e) || *e == '-' || *e == '.')
			e++;
		while (e > at + 1 && e[-1] == '.')
			e--;
		email = xstrndup(b, min((size_t)(e - b), (size_t)256));
		if (memchr(b, '+', (size_t)(at - b)) &&
		    is_own(p->options, email, &ctx) && ctx)
			add_once(p->ids, ctx);
		free(ctx);
		free(email);
		at++;
	}
}

/* "https://bar.com/bug?extid=123" on a host of ours names the bug as well. */
static void add_link_ids(struct people *p, const struct mail *m)
{
	const json_t *domains = json_object_get(p->options, "own_domains");
	size_t i;
	json_t *d;

	json_array_foreach(domains, i, d) {
		char *mark __free(kfree) = xasprintf(
			"://%s/bug?extid=",
			json_string_value(d) ? json_string_value(d) : "");
		const char *at = m->display.buf;

		while ((at = strstr(at, mark))) {
			size_t n;

			at += strlen(mark);
			for (n = 0; isalnum((unsigned char)at[n]) && n < 100;
			     n++)
				;
			if (n) {
				char *id = xstrndup(at, n);

				add_once(p->ids, id);
				free(id);
			}
		}
	}
}

/* The first link in the text that leads to a group of ours. */
static char *find_link(const struct mail *m)
{
	static const char mark[] = "https://groups.google.com/d/msgid/";
	const char *p = strstr(m->display.buf, mark);

	return p ? xstrndup(p, strcspn(p, " \t\n<>\"")) : NULL;
}

void parse_people(const struct mail *m, const json_t *options, json_t *o)
{
	struct people p = { json_array(), json_array(), json_array(), false,
			    options };
	const char *original = mail_header(m, "X-Original-From");
	const char *list = NULL;
	struct mail_addrs orig = { 0 };
	char *link, *plain, *ctx;

	if (m->from.email && in_options(options, "good_lists", m->from.email))
		list = m->from.email;
	else if (m->sender.email &&
		 in_options(options, "good_lists", m->sender.email))
		list = m->sender.email;
	/* a list that rewrites From says whose mail it was */
	if (list == m->from.email && list && original)
		mail_addrs_parse(original, &orig);
	add_person(&p, orig.nr ? &orig.v[0] : &m->from);
	for (size_t i = 0; i < m->to.nr; i++)
		add_person(&p, &m->to.v[i]);
	for (size_t i = 0; i < m->cc.nr; i++)
		add_person(&p, &m->cc.v[i]);
	add_body_ids(&p, m);
	add_link_ids(&p, m);
	if (orig.nr) {
		json_set_text(o, "from_name", orig.v[0].name);
		json_set_text(o, "from_email", orig.v[0].email);
	} else if (parse_is_own(m, options)) {
		plain = split_context(m->from.email, &ctx);
		json_set_text(o, "from_email", plain);
		free(plain);
		free(ctx);
	}
	json_object_set_new(o, "cc", sorted(p.cc));
	json_object_set_new(o, "raw_cc", sorted(p.raw));
	json_object_set_new(o, "bug_ids", p.ids);
	json_set_text(o, "mailing_list", list);
	json_set_bool(o, "own_email", parse_is_own(m, options));
	json_set_bool(o, "own_emails_ccd", p.own_ccd);
	link = find_link(m);
	json_set_text(o, "link", link);
	free(link);
	mail_addrs_release(&orig);
}

const char *parse_thread_type(const struct mail *m, bool own)
{
	if (m->subj.is_patch)
		return "patch";
	if (!own)
		return "mention";
	return strstr(m->subject, "Monthly") ? "reminder" : "report";
}

static bool addressed_to(const struct mail *m, const char *email)
{
	for (size_t i = 0; i < m->to.nr; i++)
		if (!strcasecmp(m->to.v[i].email, email))
			return true;
	for (size_t i = 0; i < m->cc.nr; i++)
		if (!strcasecmp(m->cc.v[i].email, email))
			return true;
	return false;
}

static bool has_prefix_tag(const struct mail *m, const char *tag)
{
	for (size_t i = 0; m->subj.tokens[i]; i++)
		if (!strcasecmp(m->subj.tokens[i], tag))
			return true;
	return false;
}

/* "a b" needs one of the tags, "!x" none of it. */
static bool tags_match(const struct mail *m, const char *tags)
{
	bool wanted = false, found = false;

	while (*tags) {
		size_t n = strcspn(tags, " ,");
		char *tag = xstrndup(tags, n);

		if (*tag == '!' && has_prefix_tag(m, tag + 1)) {
			free(tag);
			return false;
		}
		if (*tag && *tag != '!') {
			wanted = true;
			found |= has_prefix_tag(m, tag);
		}
		free(tag);
		tags += n;
		tags += strspn(tags, " ,");
	}
	return !wanted || found;
}

/* The configuration's own expression; "\s" is what people write for a blank. */
static bool subject_matches(const struct mail *m, const char *pattern)
{
	struct strbuf posix __free(strbuf) = STRBUF_INIT;
	bool in_set = false;
	regex_t re;
	int r;

	for (; *pattern; pattern++) {
		if (*pattern == '[')
			in_set = true;
		else if (*pattern == ']')
			in_set = false;
		if (pattern[0] == '\\' && pattern[1] == 's') {
			strbuf_addstr(&posix, in_set ? "[:space:]" :
						       "[[:space:]]");
			pattern++;
		} else {
			strbuf_addch(&posix, *pattern);
		}
	}
	if (regcomp(&re, posix.buf, REG_EXTENDED | REG_ICASE | REG_NOSUB))
		return false;
	r = regexec(&re, m->subject, 0, NULL, 0);
	regfree(&re);
	return !r;
}

static bool project_takes(const struct mail *m, const json_t *p)
{
	const char *list_id = json_get_str(p, "list_id", NULL);
	const json_t *lists = json_object_get(p, "lists");
	const char *tags = json_get_str(p, "prefix_tags", "");
	bool to = !json_is_array(lists);
	size_t i;
	json_t *v;

	if (list_id && (!m->list_id || strcasecmp(m->list_id, list_id)))
		return false;
	json_array_foreach(lists, i, v)
		to |= addressed_to(m, json_string_value(v));
	return to && tags_match(m, tags);
}

/*
 * Projects with a subject_match take the mail before those without, which are
 * the default of their list; projects that name lists take it side by side.
 */
json_t *parse_route(const struct mail *m, const json_t *options)
{
	const json_t *projects = json_object_get(options, "projects");
	json_t *names = json_array(), *dflt = json_array();
	bool matched = false;
	size_t i;
	json_t *p;

	json_array_foreach(projects, i, p) {
		const char *match = json_get_str(p, "subject_match", NULL);
		json_t *name = json_object_get(p, "name");

		if (!project_takes(m, p))
			continue;
		if (!match) {
			json_array_append(names, name);
		} else if (!*match) {
			json_array_append(dflt, name);
		} else if (!matched && subject_matches(m, match)) {
			json_array_append(names, name);
			matched = true;
		}
	}
	if (!matched)
		json_array_extend(names, dflt);
	json_decref(dflt);
	return names;
}
