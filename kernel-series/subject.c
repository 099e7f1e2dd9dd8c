// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/subject.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/strbuf.h"

/* More words than this in brackets are not a subject but an attack. */
#define MAX_TOKENS 32

/* Length of a reply mark at @s ("Re: ", "RE[2]:", "Fwd: "), 0 if none. */
static size_t reply_mark(const char *s)
{
	static const char *const marks[] = {
		"re", "aw", "fwd", "fw", "sv", "antw", "vs", "odp", "tr",
	};
	size_t n, digits;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		n = strlen(marks[i]);
		if (strncasecmp(s, marks[i], n))
			continue;
		if (s[n] == '[') {
			digits = strspn(s + n + 1, "0123456789");
			if (digits && s[n + 1 + digits] == ']')
				n += digits + 2;
		}
		if (s[n] == ':')
			return n + 1;
		/* "RE meep" is seen in the wild, "fw meep" is a title */
		if (!i && s[n] == ' ')
			return n + 1;
	}
	return 0;
}

/* Up to five digits; false if there is none or the number is absurd. */
static bool read_number(const char **p, unsigned int *ret)
{
	unsigned int v = 0;
	int digits = 0;

	while (isdigit((unsigned char)**p)) {
		v = v * 10 + (unsigned int)(**p - '0');
		if (++digits > 5)
			return false;
		(*p)++;
	}
	*ret = v;
	return digits > 0;
}

/* Is there an n/m in @token? Gives its place, so that the rest can be used. */
static const char *find_count(const char *token, unsigned int *n,
			      unsigned int *m, const char **end)
{
	for (const char *slash = strchr(token, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		const char *begin = slash, *p;

		while (begin > token && isdigit((unsigned char)begin[-1]))
			begin--;
		p = begin;
		if (!read_number(&p, n) || p != slash)
			continue;
		p = slash + 1;
		if (!read_number(&p, m))
			continue;
		*end = p;
		return begin;
	}
	return NULL;
}

/* Is @token a version: v2, V2, v2.3? */
static bool token_version(const char *token, unsigned int *version)
{
	const char *p = token + 1;

	if (*token != 'v' && *token != 'V')
		return false;
	if (!read_number(&p, version) || !*version)
		return false;
	return !*p || *p == '.';
}

bool subject_is_prefix(const char *token)
{
	const char *end;
	unsigned int n, m;

	return !find_count(token, &n, &m, &end) && !token_version(token, &n);
}

static void add_token(struct subject *s, size_t *nr, const char *text,
		      size_t len)
{
	if (!len || *nr >= MAX_TOKENS)
		return;
	s->tokens = xrealloc_array(s->tokens, *nr + 2, sizeof(*s->tokens));
	s->tokens[(*nr)++] = xstrndup(text, len);
	s->tokens[*nr] = NULL;
}

static void add_version_or_prefix(struct subject *s, size_t *nr,
				  const char *text, size_t len)
{
	char *w __free(kfree) = xstrndup(text, len);
	unsigned int v;

	if (token_version(w, &v))
		s->version = v;
	if (!strcasecmp(w, "pull"))
		s->is_pull = true;
	add_token(s, nr, text, len);
}

/* One word without PATCH: a version, an n/m, or a prefix. */
static void read_part(struct subject *s, size_t *nr, const char *rest)
{
	const char *end, *at;
	unsigned int v;

	if (!strncasecmp(rest, "rfc", 3) && token_version(rest + 3, &v)) {
		add_token(s, nr, rest, 3);
		rest += 3;
	}
	at = find_count(rest, &s->number, &s->total, &end);
	if (at) {
		s->has_number = true;
		if (at > rest && strspn(rest, "/-_:") < (size_t)(at - rest))
			add_version_or_prefix(s, nr, rest,
					      (size_t)(at - rest));
		add_token(s, nr, at, (size_t)(end - at));
		return;
	}
	add_version_or_prefix(s, nr, rest, strlen(rest));
}

/*
 * "PATCH" in a word, not as a part of another word: "PATCHv2", "RFC/PATCH",
 * "v2.3PATCH1/4", but not "Patchew" or "snowpatch". Gives what follows it.
 */
static char *find_patch(char *w, char **behind)
{
	char *p = w, *end;

	while ((p = strcasestr(p, "patch"))) {
		end = p + 5;
		if (!strncasecmp(end, "set", 3))
			end += 3;
		else if (!strncasecmp(end, "es", 2))
			end += 2;
		if ((*end == 'v' || *end == 'V') &&
		    isdigit((unsigned char)end[1]))
			*behind = end;
		else
			*behind = isalpha((unsigned char)*end) ? NULL : end;
		if (*behind && (p == w || !isalpha((unsigned char)p[-1])))
			return p;
		p++;
	}
	return NULL;
}

/* Take PATCH, a version stuck to it and n/m out of one word. */
static void read_word(struct subject *s, size_t *nr, const char *word,
		      size_t len)
{
	char *w __free(kfree) = xstrndup(word, len);
	char *patch, *rest = w, *behind;

	patch = find_patch(w, &behind);
	if (patch) {
		s->is_patch = true;
		rest = behind;
		while (patch > w && strchr("/-_:", patch[-1]))
			patch--;
		*patch = '\0';
		read_part(s, nr, w);
		rest += strspn(rest, "/-_:");
		if (!*rest)
			return;
	}
	read_part(s, nr, rest);
}

/* "2 of 5", three words, is rewritten as one. */
static size_t read_of(struct subject *s, size_t *nr, const char *p,
		      const char *end)
{
	const char *q = p;
	unsigned int n, m;
	char both[32];

	if (!read_number(&q, &n) || end - q < 5 || strncasecmp(q, " of ", 4))
		return 0;
	q += 4;
	if (!read_number(&q, &m) || q > end)
		return 0;
	snprintf(both, sizeof(both), "%u/%u", n, m);
	read_word(s, nr, both, strlen(both));
	return (size_t)(q - p);
}

static void read_bracket(struct subject *s, size_t *nr, const char *p,
			 const char *end)
{
	static const char sep[] = " ,\t:;|";

	while (p < end) {
		size_t len;

		p += strspn(p, sep);
		if (p >= end)
			break;
		len = read_of(s, nr, p, end);
		if (!len) {
			len = min(strcspn(p, sep), (size_t)(end - p));
			read_word(s, nr, p, len);
		}
		p += len;
	}
}

/* "Hello, world (V6)": a version at the end of a title without one. */
static void version_in_title(struct subject *s)
{
	const char *open = strrchr(s->title, '(');
	unsigned int v;
	const char *p;

	if (s->version || !open || (open[1] != 'v' && open[1] != 'V'))
		return;
	p = open + 2;
	if (read_number(&p, &v) && !strcmp(p, ")"))
		s->version = v;
}

void subject_parse(const char *text, struct subject *ret)
{
	size_t nr = 0, mark;
	const char *p = text, *end;

	memset(ret, 0, sizeof(*ret));
	ret->tokens = xcalloc(1, sizeof(*ret->tokens));
	for (;;) {
		p += strspn(p, " \t");
		mark = reply_mark(p);
		if (mark) {
			ret->is_reply = true;
			p += mark;
			continue;
		}
		if (*p != '[')
			break;
		end = strchr(p, ']');
		if (!end)
			break;
		read_bracket(ret, &nr, p + 1, end);
		p = end + 1;
	}
	/* "[Patch]: Fix ...": the colon belongs to the bracket */
	if (nr || ret->is_patch)
		p += strspn(p, ": \t");
	if (ret->has_number)
		ret->is_patch = true;
	ret->title = xstrdup(p);
	version_in_title(ret);
}

void subject_release(struct subject *s)
{
	free(s->title);
	for (size_t i = 0; s->tokens && s->tokens[i]; i++)
		free(s->tokens[i]);
	free(s->tokens);
	memset(s, 0, sizeof(*s));
}
