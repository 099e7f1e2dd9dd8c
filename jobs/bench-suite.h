/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_BENCH_SUITE_H
#define MMCI_JOBS_BENCH_SUITE_H

#include <jansson.h>

#include "lib/config.h"

/**
 * bench_suite() - the counted benchmarks of every bench job, in their order
 * @only: of the configuration; none: all there are
 *
 * "benchmarks" of docs/design.md 10.2. What each counts, and its parameters,
 * stands in the head of runners/guest/bench/NAME.c. One that a kernel cannot run
 * says why.
 *
 * Return: a new reference, [{name, args}].
 */
json_t *bench_suite(const struct config_strings *only);

#endif
