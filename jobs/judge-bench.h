/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_JUDGE_BENCH_H
#define MMCI_JOBS_JUDGE_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * bench_floor_of() - the least difference that is called a change
 * @value: instructions of a round
 *
 * Counts of kernels that do the same differ by as much: the clock's rounding
 * at both ends of a round, and a part in a million for where the layout of the
 * kernel puts a cache line or a jump (docs/measurements.md: A/A pairs).
 *
 * Return: instructions.
 */
int64_t bench_floor_of(int64_t value);
/** bench_differs() - do two counts lie further apart than the floor? */
bool bench_differs(int64_t a, int64_t b);
/**
 * bench_is_change() - does a kernel do more or less work than another?
 * @before: row of "benchmarks" of a result, with its samples; may be NULL
 * @after: the same of the other kernel
 *
 * More than the floor has to lie between their counts, and no round of either
 * may have taken what the other's count is: how often a benchmark is met on
 * which of its levels (runners/bench.h) differs between kernels that do the same.
 */
bool bench_is_change(const json_t *before, const json_t *after);
/**
 * judge_bench() - the benchmarks of one job against its control
 * @run: element of "runs" of judge()
 * @out: "benchmarks" is added to
 *
 * A row that changed has "steps": [{number, from, to}], each patch at which the
 * count changes, in patches of the series; where a kernel between two patches
 * could not be counted, "after" is the last patch before the change that was.
 */
void judge_bench(const json_t *run, json_t *out);
/**
 * judge_bench_next() - the patch whose kernel has to be counted next
 * @run: the same
 *
 * Between two kernels with the same counts nothing is looked for.
 *
 * Return: its number, 0: every change has its patch, or the answer is on its
 * way.
 */
int64_t judge_bench_next(const json_t *run);

#endif
