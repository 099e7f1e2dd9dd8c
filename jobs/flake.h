/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_FLAKE_H
#define MMCI_JOBS_FLAKE_H

#include <stdint.h>

/*
 * Does a failure come from the series, or does the same thing fail on the base
 * now and then? Both sides are run again and again until one answer is sure
 * enough or the budget is used up.
 */

/*
 * Looked at after every run, this keeps false blames below one in a hundred
 * failures, whatever the rate at which a test fails by itself.
 */
#define FLAKE_MAX_CHANCE 0.005
/* Runs per side after which the answer is "flaky". */
#define FLAKE_BUDGET 10

/**
 * struct flake_counts - runs of one thing on both sides
 * @bad: failures on the series
 * @runs: runs on the series, at least @bad
 * @base_bad: failures on the base
 * @base_runs: runs on the base, at least @base_bad
 */
struct flake_counts {
	int64_t bad;
	int64_t runs;
	int64_t base_bad;
	int64_t base_runs;
};

/**
 * enum flake - what the counts mean
 * @FLAKE_OPEN: not sure yet, more runs may tell
 * @FLAKE_SERIES: the series fails more often than the base
 * @FLAKE_BASE: the base fails as well
 * @FLAKE_FLAKY: it fails at times, and no difference could be shown
 */
enum flake {
	FLAKE_OPEN,
	FLAKE_SERIES,
	FLAKE_BASE,
	FLAKE_FLAKY,
};

/**
 * flake_chance() - how probable so uneven counts are without a difference
 *
 * If series and base failed equally often: the probability that, of all the
 * failures seen, so many or more would fall on the series.
 *
 * Return: 0 to 1. Source: Fisher's exact test, one-sided.
 */
double flake_chance(const struct flake_counts *c);
/**
 * flake_decide() - the answer so far
 *
 * A base that failed in its every run and a series that did the same are
 * decided at once; so is a series that can no longer reach
 * %FLAKE_MAX_CHANCE within the budget.
 */
enum flake flake_decide(const struct flake_counts *c);

#endif
