/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/console-scan.h"

#include <pthread.h>

#define WINDOW CON_MIN_WORD
#define MAX_FAMILIES 64

/*
 * Of each word four bytes are looked for, the rarest in ordinary text. For
 * blocks of two bytes the table says how far the window may move when it ends
 * in that block: a window that ends in no block of any word moves by three.
 */
static unsigned char shift[1 << 16];
/* which values the four bytes of a word may hash to */
static unsigned char heads[1 << 12];
/* where in its word the window stands */
static size_t window_at[MAX_FAMILIES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned int block_at(const char *p)
{
	return (unsigned char)p[0] << 8 | (unsigned char)p[1];
}

static unsigned int head_at(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return (v * 2654435761u) >> 20;
}

/* How often a byte is seen in a console, roughly. */
static unsigned int commonness(char c)
{
	if (c >= 'a' && c <= 'z')
		return 8;
	if (is_digit(c) || c == ' ')
		return 6;
	if (c == ':' || c == '.' || c == '[' || c == ']')
		return 4;
	return 1;
}

static size_t rarest_window(const char *w)
{
	unsigned int best = ~0u;
	size_t ret = 0;

	for (size_t o = 0; o + WINDOW <= strlen(w); o++) {
		unsigned int sum = 0;

		for (size_t i = o; i + 1 < o + WINDOW; i++)
			sum += commonness(w[i]) * commonness(w[i + 1]);
		if (sum < best) {
			best = sum;
			ret = o;
		}
	}
	return ret;
}

static void fill_tables(void)
{
	memset(shift, WINDOW - 1, sizeof(shift));
	for (size_t f = 0; f < con_nr_families && f < MAX_FAMILIES; f++) {
		const char *w = con_families[f].word;

		window_at[f] = rarest_window(w);
		w += window_at[f];
		heads[head_at(w)] = 1;
		for (unsigned int i = 0; i + 2 <= WINDOW; i++) {
			unsigned char by = (unsigned char)(WINDOW - 2 - i);
			unsigned char *s = &shift[block_at(w + i)];

			if (by < *s)
				*s = by;
		}
	}
}

/* The family whose window is at @at and whose word begins at @from or later */
static const struct con_family *family_at(struct span text, size_t from,
					  size_t at, size_t *start)
{
	for (size_t f = 0; f < con_nr_families && f < MAX_FAMILIES; f++) {
		if (at < from + window_at[f])
			continue;
		*start = at - window_at[f];
		if (span_starts(span_from(text, *start), con_families[f].word))
			return &con_families[f];
	}
	return NULL;
}

ssize_t con_scan(struct span text, size_t from,
		 const struct con_family **family)
{
	size_t at = from, start;

	pthread_once(&once, fill_tables);
	while (at + WINDOW <= text.n) {
		unsigned int by = shift[block_at(text.p + at + WINDOW - 2)];

		if (by) {
			at += by;
			continue;
		}
		if (heads[head_at(text.p + at)]) {
			*family = family_at(text, from, at, &start);
			if (*family)
				return (ssize_t)start;
		}
		at++;
	}
	return -1;
}
