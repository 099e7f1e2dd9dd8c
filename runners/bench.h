/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_BENCH_H
#define MMCI_RUNNERS_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"

#define BENCH_MAX_SAMPLES 128
/*
 * Two samples this close are the same count: the guest's clock rounds cycles to
 * nanoseconds once at the beginning and once at the end of a round.
 */
#define BENCH_ROUNDING 1

/**
 * bench_parse() - what one benchmark printed
 * @name: its name, for the case that it printed nothing
 * @out: output of the program, may hold other lines
 * @failed: how it ended if not well, or NULL
 *
 * Result, a new reference: {name, work, samples: [int], why: text or null};
 * without samples "why" gives the reason.
 *
 * Return: the result, never NULL.
 */
json_t *bench_parse(const char *name, const struct strbuf *out,
		    const char *failed);
/**
 * bench_reached() - how many of @n samples are @value, within %BENCH_ROUNDING
 */
size_t bench_reached(const int64_t *samples, size_t n, int64_t value);
/**
 * bench_level() - the least count that both boots of an image repeat
 * @a: samples of the first boot, @n_a of them
 * @b: of the second
 * @ret: the count
 *
 * Noise comes in steps and mostly adds: a refilled free list, work of an earlier
 * round that was put off. So the samples lie on a few levels, of which the least
 * that is reached at least three times, and in one round of five, in either
 * boot is the count.
 *
 * Return: false if there is none.
 */
bool bench_level(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
		 int64_t *ret);
/**
 * bench_combine() - one row of "benchmarks" from two boots of the same image
 * @a: bench_parse() of the first boot, borrowed
 * @b: of the second
 *
 * Row, a new reference: {name, unit: "instructions", value, work, samples: those
 * of both boots, why}. "value" is bench_level(); it is null, and "why" says "not
 * applicable: ...", or "not countable: ..." with the spread, where there is none.
 *
 * Return: the row, never NULL.
 */
json_t *bench_combine(const json_t *a, const json_t *b);

#endif
