/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_JUDGE_PRIVATE_H
#define MMCI_JOBS_JUDGE_PRIVATE_H

#include <jansson.h>

/* The parts of judge(), one file each. They add to @out. */

/**
 * judge_build() - what the build and the check of one place say
 * @build: run, NULL or without a result where there is none
 * @check: the same; one of the two has a result
 *
 * What both see is one finding.
 */
void judge_build(const json_t *build, const json_t *check, json_t *out);
/** judge_guest() - one boot, test or bench job against its control */
void judge_guest(const json_t *run, json_t *out);
/** judge_place() - {job_id, arch, kconfig, toolchain} of @run, new reference */
json_t *judge_place(const json_t *run);
/** judge_result() - the newest result of @key ("results", "control"), NULL */
const json_t *judge_result(const json_t *run, const char *key);
/** judge_add() - append @f (stolen) to the findings of @out */
void judge_add(json_t *out, const json_t *run, json_t *f);

#endif
