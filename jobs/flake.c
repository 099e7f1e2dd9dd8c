// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/flake.h"

#include "lib/cleanup.h"

static double choose(int64_t n, int64_t k)
{
	double c = 1;

	if (k < 0 || k > n)
		return 0;
	for (int64_t i = 1; i <= k; i++)
		c = c * (double)(n - k + i) / (double)i;
	return c;
}

double flake_chance(const struct flake_counts *c)
{
	int64_t bad = c->bad + c->base_bad;
	int64_t all = c->runs + c->base_runs;
	double ways = choose(all, c->runs), p = 0;

	for (int64_t i = c->bad; i <= min(bad, c->runs); i++)
		p += choose(bad, i) * choose(all - bad, c->runs - i) / ways;
	return min(p, 1.0);
}

/* The best that can still come: the series only fails, the base never does. */
static double best_chance(const struct flake_counts *c)
{
	struct flake_counts best = *c;

	best.runs = max(best.runs, (int64_t)FLAKE_BUDGET);
	best.bad += best.runs - c->runs;
	best.base_runs = max(best.base_runs, (int64_t)FLAKE_BUDGET);
	return flake_chance(&best);
}

enum flake flake_decide(const struct flake_counts *c)
{
	if (!c->bad)
		return FLAKE_FLAKY;
	if (!c->base_runs)
		return FLAKE_OPEN;
	if (c->base_bad == c->base_runs)
		return FLAKE_BASE;
	if (c->runs >= 2 && flake_chance(c) <= FLAKE_MAX_CHANCE)
		return FLAKE_SERIES;
	if (best_chance(c) > FLAKE_MAX_CHANCE)
		return FLAKE_FLAKY;
	return c->runs < FLAKE_BUDGET || c->base_runs < FLAKE_BUDGET ?
		       FLAKE_OPEN : FLAKE_FLAKY;
}
