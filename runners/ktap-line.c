/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/ktap-line.h"

#include <strings.h>

#include "lib/cleanup.h"

static const char *const directives[] = { "SKIP", "TODO", "XFAIL", "TIMEOUT",
					  "ERROR" };

/* "[    1.234567]", "[   T12]", "[C1]" */
static size_t bracket(struct span s)
{
	size_t i = 1;
	bool digit = false;

	if (!s.n || s.p[0] != '[')
		return 0;
	while (i < s.n && i < 40 && s.p[i] != ']') {
		digit |= is_digit(s.p[i]);
		if (!is_digit(s.p[i]) && !is_blank(s.p[i]) && s.p[i] != '.' &&
		    s.p[i] != 'T' && s.p[i] != 'C')
			return 0;
		i++;
	}
	return digit && i < s.n && s.p[i] == ']' ? i + 1 : 0;
}

static size_t stamp(struct span s)
{
	size_t n = bracket(s);

	return n && span_chr(span_to(s, n), '.') >= 0 ? n : 0;
}

size_t ktap_printk_prefix(struct span s)
{
	struct span rest = s;
	size_t n;

	if (rest.n > 2 && rest.p[0] == '<' && is_digit(rest.p[1])) {
		ssize_t end = span_chr(span_to(rest, 5), '>');

		if (end < 0)
			return 0;
		rest = span_from(rest, (size_t)end + 1);
	}
	n = stamp(rest);
	if (!n)
		return 0;
	do {
		rest = span_from(rest, n);
		n = bracket(rest);
	} while (n);
	if (rest.n && rest.p[0] == ' ')
		rest = span_from(rest, 1);
	return s.n - rest.n;
}

static bool is_version(struct span s)
{
	unsigned int v;

	span_skip(&s, "K");
	return span_skip(&s, "TAP version ") && span_uint(&s, &v) &&
	       !span_rtrim(s).n;
}

bool ktap_find_version(struct span s, size_t *at)
{
	ssize_t k = span_find(s, "TAP version ");

	if (k < 0)
		return false;
	if (k && s.p[k - 1] == 'K')
		k--;
	*at = (size_t)k;
	return is_version(span_from(s, *at));
}

static unsigned int columns(struct span s, size_t n)
{
	unsigned int col = 0;

	for (size_t i = 0; i < n; i++)
		col = s.p[i] == '\t' ? (col | 7) + 1 : col + 1;
	return col;
}

void ktap_read_comment(struct span s, struct ktap_line *ret)
{
	s = span_trim(s);
	for (size_t i = 0; i < ARRAY_SIZE(directives); i++) {
		size_t n = strlen(directives[i]);

		if (s.n < n || strncasecmp(s.p, directives[i], n) ||
		    (s.n > n && is_word_char(s.p[n])))
			continue;
		ret->directive = directives[i];
		s = span_trim(span_from(s, n));
		if (s.n && (s.p[0] == ':' || s.p[0] == '-'))
			s = span_ltrim(span_from(s, 1));
		break;
	}
	ret->why = s;
}

/* Where a comment begins: " # ", or "#" and a directive; "\#" is part of a name */
static size_t comment_at(struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '#' || (i && !is_blank(s.p[i - 1])))
			continue;
		return i;
	}
	return s.n;
}

/* A kernel message may have been printed into the middle of the line. */
static size_t message_at(struct span s)
{
	struct span rest = s;
	ssize_t at;

	while ((at = span_chr(rest, '[')) >= 0) {
		rest = span_from(rest, (size_t)at);
		if (stamp(rest))
			return s.n - rest.n;
		rest = span_from(rest, 1);
	}
	return s.n;
}

static bool read_result(struct span s, struct ktap_line *ret)
{
	size_t at;

	ret->ok = !span_skip(&s, "not ");
	if (!span_skip(&s, "ok ") || !span_uint(&s, &ret->number))
		return false;
	if (s.n && !is_blank(s.p[0]))
		return false;
	s = span_to(s, message_at(s));
	s = span_ltrim(s);
	span_skip(&s, "- ");
	at = comment_at(s);
	ret->name = span_trim(span_to(s, at));
	if (at < s.n)
		ktap_read_comment(span_from(s, at + 1), ret);
	ret->kind = KTAP_RESULT;
	return true;
}

bool ktap_read_line(struct span line, struct ktap_line *ret)
{
	struct span s = span_ltrim(line);

	*ret = (struct ktap_line){ .name = SPAN(""), .why = SPAN("") };
	ret->indent = columns(line, line.n - s.n);
	if (read_result(s, ret))
		return true;
	if (is_version(s)) {
		ret->kind = KTAP_VERSION;
		return true;
	}
	if (span_skip(&s, "# Subtest: ")) {
		ret->kind = KTAP_SUBTEST;
		ret->name = span_trim(s);
		return true;
	}
	if (!span_skip(&s, "1..") || !span_uint(&s, &ret->number))
		return false;
	s = span_trim(s);
	if (s.n && s.p[0] != '#')
		return false;
	if (s.n)
		ktap_read_comment(span_from(s, 1), ret);
	ret->kind = KTAP_PLAN;
	return true;
}
