/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_BENCH_H
#define MMCI_RUNNERS_BENCH_H

#include <jansson.h>
#include <stdint.h>

#include "lib/strbuf.h"

#define BENCH_MAX_SAMPLES 64
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
 * bench_floor() - the least of @n samples, and how often it was reached
 * @ret: the least
 *
 * All noise adds: a refilled free list, work of an earlier round that was put
 * off. The least is the bare count if several rounds reach it exactly.
 *
 * Return: samples within %BENCH_ROUNDING of the least.
 */
size_t bench_floor(const int64_t *samples, size_t n, int64_t *ret);
/**
 * bench_combine() - one row of "benchmarks" from two boots of the same image
 * @a: bench_parse() of the first boot, borrowed
 * @b: of the second
 *
 * Row, a new reference: {name, unit: "instructions", value, work, samples: those
 * of both boots, why}. "value" is null, and "why" says "not applicable: ...", or
 * "not countable: ..." with the spread, when the two boots do not have the same
 * least sample or fewer than a fifth of the rounds of one reach it.
 *
 * Return: the row, never NULL.
 */
json_t *bench_combine(const json_t *a, const json_t *b);

#endif
