/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/span.h"

#include <limits.h>

bool span_starts(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && !memcmp(s.p, prefix, n);
}

bool span_ends(struct span s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.n >= n && !memcmp(s.p + s.n - n, suffix, n);
}

bool span_skip(struct span *s, const char *prefix)
{
	if (!span_starts(*s, prefix))
		return false;
	*s = span_from(*s, strlen(prefix));
	return true;
}

ssize_t span_find(struct span s, const char *needle)
{
	const char *at = memmem(s.p, s.n, needle, strlen(needle));

	return at ? at - s.p : -1;
}

ssize_t span_chr(struct span s, int c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return at ? at - s.p : -1;
}

struct span span_ltrim(struct span s)
{
	while (s.n && is_blank(*s.p))
		s = span_from(s, 1);
	return s;
}

struct span span_rtrim(struct span s)
{
	while (s.n && (is_blank(s.p[s.n - 1]) || s.p[s.n - 1] == '\r' ||
		       s.p[s.n - 1] == '\n'))
		s.n--;
	return s;
}

struct span span_trim(struct span s)
{
	return span_rtrim(span_ltrim(s));
}

struct span span_word(struct span s)
{
	size_t i = 0;

	while (i < s.n && !is_blank(s.p[i]))
		i++;
	return span_to(s, i);
}

bool span_uint(struct span *s, unsigned int *ret)
{
	unsigned long long v = 0;
	size_t i = 0;

	for (; i < s->n && is_digit(s->p[i]); i++)
		if (v <= UINT_MAX)
			v = v * 10 + (unsigned int)(s->p[i] - '0');
	if (!i)
		return false;
	*ret = v > UINT_MAX ? UINT_MAX : (unsigned int)v;
	*s = span_from(*s, i);
	return true;
}

bool span_line(struct span *text, struct span *line)
{
	const char *nl;

	if (!text->n)
		return false;
	nl = memchr(text->p, '\n', text->n);
	*line = span_to(*text, nl ? (size_t)(nl - text->p) : text->n);
	*text = span_from(*text, nl ? line->n + 1 : line->n);
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}
