// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/trailers.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/json.h"
#include "lib/strbuf.h"

/* More than this in one mail is no review but noise. */
#define MAX_TRAILERS 1000

#define MAX_NAME_LEN 40

/* Names that begin ordinary text or a quoted header far more often. */
static const char *const never[] = {
	"from",	  "to",	     "date",	"sent",	  "subject", "message-id",
	"http",	  "https",   "git",	"note",	  "example", "changes",
	"error",  "warning", "reply-to", "on",	  "todo",    "fixme",
	"ps",	  "p.s",     "btw",	"nit",	  "default", "case",
};

/* Names whose value is no person, in commit messages of the kernel. */
static const char *const utility[] = {
	"fixes",      "link",	   "closes",	 "bug",	       "buglink",
	"change-id",  "base-commit", "obsoleted-by", "message-id",
	"depends-on", "based-on",  "supersedes", "bugzilla",   "syzbot",
	"revert",     "references", "see-also",	 "patchwork",  "upstream",
	"backport",   "url",	   "discussion", "origin",
};

static bool name_in(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(name, list[i]))
			return true;
	return false;
}

static void trim(const char **p, size_t *len)
{
	while (*len && isspace((unsigned char)**p)) {
		(*p)++;
		(*len)--;
	}
	while (*len && isspace((unsigned char)(*p)[*len - 1]))
		(*len)--;
}

/* Length of a word that may be a trailer's name, 0 if there is none. */
static size_t name_len(const char *p, size_t len)
{
	size_t n = 0;

	if (!len || !isalpha((unsigned char)*p))
		return 0;
	while (n < len && (isalnum((unsigned char)p[n]) || p[n] == '-' ||
			   p[n] == '_'))
		n++;
	if (n < 2 || n > MAX_NAME_LEN)
		return 0;
	return n;
}

static bool is_email(const char *p, size_t len)
{
	const char *at = memchr(p, '@', len);

	if (!at || at == p || at == p + len - 1)
		return false;
	for (size_t i = 0; i < len; i++)
		if (isspace((unsigned char)p[i]) || strchr("<>()\",;", p[i]))
			return false;
	return true;
}

/*
 * "Name <address>" or a bare address. Names are taken as they stand: they hold
 * brackets, commas and quotes that RFC 5322 would read as syntax. Mailers that
 * make links turn "a@b" into "a@b<mailto:a@b>": the link is cut off.
 */
static bool read_person(struct trailer *t)
{
	char *link = strstr(t->value, "<mailto:"), *open, *close;
	const char *name = t->value;
	size_t len;

	if (link) {
		close = strchr(link, '>');
		if (close)
			memmove(link, close + 1, strlen(close + 1) + 1);
		else
			*link = '\0';
	}
	open = strrchr(t->value, '<');
	close = open ? strchr(open, '>') : NULL;
	if (!open || !close) {
		/* "a@b # note" is fine, a sentence with an address is not */
		len = strcspn(t->value, " \t");
		if (!is_email(t->value, len) ||
		    (t->value[len] && t->value[len + 1] != '#'))
			return false;
		t->addr_name = xstrdup("");
		t->addr_email = xstrndup(t->value, len);
		return true;
	}
	len = (size_t)(close - open - 1);
	if (!is_email(open + 1, len))
		return false;
	t->addr_email = xstrndup(open + 1, len);
	len = (size_t)(open - t->value);
	trim(&name, &len);
	if (!len && !close[1]) {
		free(t->value);
		t->value = xstrdup(t->addr_email);
		t->addr_name = xstrdup("");
		return true;
	}
	if (len >= 2 && name[0] == '"' &&
	    memchr(name + 1, '"', len - 1) == name + len - 1) {
		name++;
		len -= 2;
	}
	t->addr_name = xstrndup(name, len);
	return true;
}

bool trailer_parse(const char *line, size_t len, struct trailer *ret)
{
	size_t n;
	const char *p;

	memset(ret, 0, sizeof(*ret));
	trim(&line, &len);
	n = name_len(line, len);
	if (!n || n >= len)
		return false;
	p = line + n;
	if (*p != ':')
		return false;
	p++;
	len -= n + 1;
	/* "https://..." and "a::b" are no trailers */
	if (len && !isspace((unsigned char)*p))
		return false;
	trim(&p, &len);
	if (!len)
		return false;
	ret->name = xstrndup(line, n);
	ret->value = xstrndup(p, len);
	if (name_in(ret->name, utility, ARRAY_SIZE(utility)))
		ret->type = TRAILER_UTILITY;
	else if (read_person(ret))
		ret->type = TRAILER_PERSON;
	return true;
}

void trailer_release(struct trailer *t)
{
	free(t->name);
	free(t->value);
	free(t->extinfo);
	free(t->addr_name);
	free(t->addr_email);
	memset(t, 0, sizeof(*t));
}

void trailers_release(struct trailers *t)
{
	for (size_t i = 0; i < t->nr; i++)
		trailer_release(&t->v[i]);
	free(t->v);
	memset(t, 0, sizeof(*t));
}

static void push(struct trailers *t, struct trailer *one)
{
	if (t->nr >= MAX_TRAILERS) {
		trailer_release(one);
		return;
	}
	/* grow in powers of two: the list of a hostile mail is long */
	if (!(t->nr & (t->nr - 1)))
		t->v = xrealloc_array(t->v, t->nr ? t->nr * 2 : 1,
				      sizeof(*t->v));
	t->v[t->nr++] = *one;
}

void trailers_add(struct trailers *t, const char *name, const char *value)
{
	struct trailer one = {
		.name = xstrdup(name),
		.value = xstrdup(value),
	};

	if (name_in(name, utility, ARRAY_SIZE(utility)))
		one.type = TRAILER_UTILITY;
	else if (read_person(&one))
		one.type = TRAILER_PERSON;
	push(t, &one);
}

static size_t line_len(const char *p, size_t len)
{
	const char *nl = memchr(p, '\n', len);

	return nl ? (size_t)(nl - p) : len;
}

static bool is_blank(const char *p, size_t len)
{
	trim(&p, &len);
	return !len;
}

/* "[text]" or "(text)" below a trailer: who added what to it. */
static bool is_extinfo(const char *p, size_t len)
{
	trim(&p, &len);
	return len > 2 && ((p[0] == '[' && p[len - 1] == ']') ||
			   (p[0] == '(' && p[len - 1] == ')'));
}

/* An indented line goes on with the value before. */
static void join_line(struct trailer *t, const char *p, size_t len)
{
	char *old = t->value;

	trim(&p, &len);
	t->value = xasprintf("%s %.*s", old, (int)min(len, (size_t)4096), p);
	free(old);
}

/* One paragraph; @strict: a line that is none of ours ends it all. */
static void read_block(const char *p, size_t len, struct trailers *ret)
{
	bool after_trailer = false;
	struct trailer t;

	while (len) {
		size_t n = line_len(p, len);

		if (after_trailer && is_extinfo(p, n)) {
			const char *q = p;
			size_t qn = n;

			trim(&q, &qn);
			free(ret->v[ret->nr - 1].extinfo);
			ret->v[ret->nr - 1].extinfo = xstrndup(q, qn);
		} else if (after_trailer && n && isspace((unsigned char)*p) &&
			   strlen(ret->v[ret->nr - 1].value) < 4096) {
			join_line(&ret->v[ret->nr - 1], p, n);
		} else if (trailer_parse(p, n, &t)) {
			if (name_in(t.name, never, ARRAY_SIZE(never))) {
				trailer_release(&t);
				after_trailer = false;
			} else {
				push(ret, &t);
				after_trailer = true;
			}
		} else {
			after_trailer = false;
		}
		p += min(n + 1, len);
		len -= min(n + 1, len);
	}
}

/* Is a fair part of this paragraph trailers? Text may have "Note: ..." in it. */
static bool looks_like_block(const char *p, size_t len)
{
	size_t lines = 0, hits = 0;

	while (len) {
		size_t n = line_len(p, len);
		struct trailer t;

		if (!is_extinfo(p, n) && !(n && isspace((unsigned char)*p)))
			lines++;
		if (trailer_parse(p, n, &t)) {
			hits += t.type != TRAILER_UNKNOWN &&
				!name_in(t.name, never, ARRAY_SIZE(never));
			trailer_release(&t);
		}
		p += min(n + 1, len);
		len -= min(n + 1, len);
	}
	return hits && hits * 4 >= lines;
}

void trailers_of_message(const char *text, size_t len, struct trailers *ret)
{
	size_t begin = len, end = len, at;

	memset(ret, 0, sizeof(*ret));
	/* go back over paragraphs as long as they are blocks of trailers */
	for (;;) {
		while (end && isspace((unsigned char)text[end - 1]))
			end--;
		if (!end)
			break;
		at = end;
		for (;;) {
			size_t line = at;

			while (line && text[line - 1] != '\n')
				line--;
			if (is_blank(text + line, at - line))
				break;
			at = line ? line - 1 : 0;
			if (!line)
				break;
		}
		if (at && at < len && text[at] == '\n')
			at++;
		if (!looks_like_block(text + at, end - at))
			break;
		begin = at;
		if (!at)
			break;
		end = at;
	}
	read_block(text + begin, len - begin, ret);
}

/* May a reply give this? Persons that vouch for something, Fixes and links. */
static bool wanted_in_reply(const struct trailer *t)
{
	size_t n = strlen(t->name);

	if (t->type == TRAILER_PERSON)
		return n > 3 && !strcasecmp(t->name + n - 3, "-by");
	if (!strcasecmp(t->name, "link") || !strcasecmp(t->name, "closes"))
		return !strncasecmp(t->value, "http", 4) &&
		       !strpbrk(t->value, " \t");
	if (strcasecmp(t->name, "fixes"))
		return false;
	n = strspn(t->value, "0123456789abcdefABCDEF");
	return n >= 8 && n <= 40 && (!t->value[n] || t->value[n] == ' ');
}

void trailers_of_reply(const char *text, size_t len, struct trailers *ret)
{
	struct trailer t;

	memset(ret, 0, sizeof(*ret));
	while (len) {
		size_t n = line_len(text, len);

		/* below the signature stands no review */
		if ((n == 3 && !memcmp(text, "-- ", 3)) ||
		    (n == 2 && !memcmp(text, "--", 2)))
			break;
		if (trailer_parse(text, n, &t)) {
			if (wanted_in_reply(&t))
				push(ret, &t);
			else
				trailer_release(&t);
		}
		text += min(n + 1, len);
		len -= min(n + 1, len);
	}
}

const char *trailer_type_name(enum trailer_type type)
{
	switch (type) {
	case TRAILER_PERSON:
		return "person";
	case TRAILER_UTILITY:
		return "utility";
	case TRAILER_UNKNOWN:
		break;
	}
	return "unknown";
}

json_t *trailers_to_json(const struct trailers *t)
{
	json_t *a = json_array();

	for (size_t i = 0; i < t->nr; i++) {
		json_t *o = json_object();

		json_set_text(o, "name", t->v[i].name);
		json_set_text(o, "value", t->v[i].value);
		json_set_text(o, "type", trailer_type_name(t->v[i].type));
		json_set_text(o, "extinfo", t->v[i].extinfo);
		if (t->v[i].addr_email) {
			json_set_text(o, "addr_name", t->v[i].addr_name);
			json_set_text(o, "addr_email", t->v[i].addr_email);
		}
		json_array_append_new(a, o);
	}
	return a;
}
