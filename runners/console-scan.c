/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/console-scan.h"

#include <pthread.h>

/*
 * Blocks of two bytes, each with how far the window may move when it ends in
 * that block. A window as long as the shortest word that ends in no block of
 * any word moves by all of it but one.
 */
static unsigned char shift[1 << 16];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned int block_at(const char *p)
{
	return (unsigned char)p[0] << 8 | (unsigned char)p[1];
}

static void fill_shift(void)
{
	memset(shift, CON_MIN_WORD - 1, sizeof(shift));
	for (size_t f = 0; f < con_nr_families; f++) {
		const char *w = con_families[f].word;

		for (unsigned int i = 0; i + 2 <= CON_MIN_WORD; i++) {
			unsigned char by = (unsigned char)(CON_MIN_WORD - 2 - i);
			unsigned char *s = &shift[block_at(w + i)];

			if (by < *s)
				*s = by;
		}
	}
}

static const struct con_family *family_at(struct span s)
{
	for (size_t f = 0; f < con_nr_families; f++)
		if (span_starts(s, con_families[f].word))
			return &con_families[f];
	return NULL;
}

ssize_t con_scan(struct span text, size_t from,
		 const struct con_family **family)
{
	size_t at = from;

	pthread_once(&once, fill_shift);
	while (at + CON_MIN_WORD <= text.n) {
		unsigned int by = shift[block_at(text.p + at + CON_MIN_WORD - 2)];

		if (by) {
			at += by;
			continue;
		}
		*family = family_at(span_from(text, at));
		if (*family)
			return (ssize_t)at;
		at++;
	}
	return -1;
}
