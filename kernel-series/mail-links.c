// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "kernel-series/mail.h"
#include "lib/strbuf.h"

/*
 * "This applies on top of https://lore.example.org/all/ID/", and the same with
 * "[1]" and the link at the end of the mail. Only what stands in the same
 * sentence as the words counts: a cover has many links, and most of them tell
 * of the past.
 */

#define MAX_LINKS 20

/* @looked: footnotes looked for, each a walk over the whole text */
struct links {
	struct mail *m;
	unsigned int looked;
};

struct span {
	const char *p, *end;
};

static const char *const phrases[] = {
	"on top of", "depends on", "depend on", "dependent on",
	"prerequisite",
};

static struct span line_at(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return (struct span){ p, nl ? nl : end };
}

/* Behind the phrase, or NULL. */
static const char *find_phrase(struct span line)
{
	for (const char *p = line.p; p < line.end; p++) {
		size_t left = (size_t)(line.end - p);

		for (size_t i = 0; i < ARRAY_SIZE(phrases); i++) {
			size_t n = strlen(phrases[i]);

			if (left >= n && !strncasecmp(p, phrases[i], n) &&
			    (p == line.p || !isalnum((unsigned char)p[-1])))
				return p + n;
		}
	}
	return NULL;
}

static bool ends_sentence(const char *p, const char *end)
{
	return *p == '.' && (p + 1 == end || isspace((unsigned char)p[1]));
}

static bool is_link(const char *p, const char *end)
{
	size_t left = (size_t)(end - p);

	return (left > 8 && !strncasecmp(p, "https://", 8)) ||
	       (left > 7 && !strncasecmp(p, "http://", 7));
}

static void add_link(struct mail *m, const char *p, const char *end)
{
	char *link = NULL, *id;
	size_t n = 0;

	while (p + n < end && !isspace((unsigned char)p[n]) && p[n] != '>')
		n++;
	while (n && strchr(").,;]", p[n - 1]))
		n--;
	link = xstrndup(p, n);
	id = mail_ref_id(link);
	if (id && m->depends_on.nr < MAX_LINKS)
		trailers_add(&m->depends_on, "Depends-on", link);
	free(id);
	free(link);
}

/* The line "[1] https://..." or "[1]: ..." that @mark ("[1]") refers to */
static void add_footnote(struct links *l, struct span mark)
{
	struct mail *m = l->m;
	size_t n = (size_t)(mark.end - mark.p);
	const char *end = m->text.buf + m->diff_start;
	const char *p = m->text.buf;

	if (l->looked++ >= MAX_LINKS)
		return;
	while (p < end) {
		struct span line = line_at(p, end);
		const char *at = line.p;

		p = line.end + 1;
		while (at < line.end && isspace((unsigned char)*at))
			at++;
		if ((size_t)(line.end - at) <= n || memcmp(at, mark.p, n))
			continue;
		at += n;
		while (at < line.end && (isspace((unsigned char)*at) ||
					 *at == ':'))
			at++;
		if (is_link(at, line.end)) {
			add_link(m, at, line.end);
			return;
		}
	}
}

static const char *footnote_end(const char *p, const char *end)
{
	const char *q = p + 1;

	if (*p != '[')
		return NULL;
	while (q < end && isdigit((unsigned char)*q) && q - p < 4)
		q++;
	return q < end && *q == ']' && q > p + 1 ? q + 1 : NULL;
}

/* Returns true where the sentence ends in this line. */
static bool take_links(struct links *l, struct span rest)
{
	for (const char *p = rest.p; p < rest.end; p++) {
		const char *stop = footnote_end(p, rest.end);

		if (is_link(p, rest.end)) {
			add_link(l->m, p, rest.end);
			while (p + 1 < rest.end &&
			       !isspace((unsigned char)p[1]))
				p++;
			if (*p == '.')
				return true;
		} else if (stop) {
			add_footnote(l, (struct span){ p, stop });
		} else if (ends_sentence(p, rest.end)) {
			return true;
		}
	}
	return false;
}

static bool is_empty(struct span line)
{
	while (line.p < line.end && isspace((unsigned char)*line.p))
		line.p++;
	return line.p == line.end;
}

/* The next line goes on with the sentence; after ":" also below a gap. */
static void take_next(struct links *l, struct span line, const char *end)
{
	bool colon = line.end > line.p && line.end[-1] == ':';
	struct span next;

	if (line.end >= end)
		return;
	next = line_at(line.end + 1, end);
	if (is_empty(next) && colon && next.end < end)
		next = line_at(next.end + 1, end);
	take_links(l, next);
}

void mail_scan_links(struct mail *m)
{
	const char *end = m->text.buf + m->diff_start;
	struct links l = { .m = m };
	const char *p = m->text.buf;

	while (p < end && m->depends_on.nr < MAX_LINKS) {
		struct span line = line_at(p, end);
		const char *rest;

		p = line.end + 1;
		if (line.p == line.end || *line.p == '>')
			continue;
		rest = find_phrase(line);
		if (rest && !take_links(&l, (struct span){ rest, line.end }))
			take_next(&l, line, end);
	}
}
