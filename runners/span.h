/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_SPAN_H
#define MMCI_RUNNERS_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/strbuf.h"

/**
 * struct span - some bytes of a text that somebody else owns
 * @p: first byte; not NUL-terminated
 * @n: number of bytes
 *
 * The parsers cut what a stranger printed into spans, so that a line of any
 * length costs no allocation and nothing is read past the end.
 */
struct span {
	const char *p;
	size_t n;
};

/** SPAN() - span of a string literal */
#define SPAN(lit) ((struct span){ (lit), sizeof(lit) - 1 })

/** span_of() - span of a C string */
static inline struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

/** span_from() - @s without its first @n bytes (all of them if fewer) */
static inline struct span span_from(struct span s, size_t n)
{
	if (n > s.n)
		n = s.n;
	return (struct span){ s.p + n, s.n - n };
}

/** span_to() - the first @n bytes of @s (all of them if fewer) */
static inline struct span span_to(struct span s, size_t n)
{
	return (struct span){ s.p, n < s.n ? n : s.n };
}

/** span_is() - is @s exactly @t? */
static inline bool span_is(struct span s, struct span t)
{
	return s.n == t.n && !memcmp(s.p, t.p, s.n);
}

/** span_starts() - does @s begin with the C string @prefix? */
bool span_starts(struct span s, const char *prefix);
/** span_ends() - does @s end in the C string @suffix? */
bool span_ends(struct span s, const char *suffix);
/** span_skip() - cut @prefix off @s; false and no change if it is not there */
bool span_skip(struct span *s, const char *prefix);
/** span_find() - offset of the C string @needle in @s, -1 if absent */
ssize_t span_find(struct span s, const char *needle);
/** span_chr() - offset of byte @c in @s, -1 if absent */
ssize_t span_chr(struct span s, int c);
/** span_ltrim() - without blanks and tabs at the start */
struct span span_ltrim(struct span s);
/** span_rtrim() - without white space at the end */
struct span span_rtrim(struct span s);
/** span_trim() - without white space at both ends */
struct span span_trim(struct span s);
/** span_word() - bytes up to the first white space */
struct span span_word(struct span s);
/**
 * span_uint() - cut a decimal number off the start of @s
 * @ret: its value, %UINT_MAX when it does not fit
 *
 * Return: false and no change if @s does not begin with a digit.
 */
bool span_uint(struct span *s, unsigned int *ret);
/**
 * span_line() - cut one line off the start of @text
 * @line: the line without its newline and without a carriage return before it
 *
 * Return: false when @text is empty.
 */
bool span_line(struct span *text, struct span *line);

static inline bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool is_xdigit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

#endif
