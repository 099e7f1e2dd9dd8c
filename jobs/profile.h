/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_PROFILE_H
#define MMCI_JOBS_PROFILE_H

#include <jansson.h>

/**
 * profile_for() - what the guest of a job has, "profile" of docs/design.md 10.2
 * @kind: "boot", "test" or "bench"
 * @kconfig: name of the configuration; one called "numa" has two nodes
 *
 * Tests get what the mm suite expects: huge pages in reserve, two CPUs, a swap
 * disk. Boots and benchmarks get the small guest that has nothing to differ in.
 *
 * Return: a new object, or NULL for the small guest.
 */
json_t *profile_for(const char *kind, const char *kconfig);

#endif
