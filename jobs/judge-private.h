/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_JUDGE_PRIVATE_H
#define MMCI_JOBS_JUDGE_PRIVATE_H

#include <jansson.h>

/* The parts of judge(), one file each. They add to @out. */

/** judge_build() - one build job against its base */
void judge_build(const json_t *run, json_t *out);
/** judge_guest() - one boot, test or bench job against its control */
void judge_guest(const json_t *run, json_t *out);
/** judge_place() - {job_id, arch, kconfig, toolchain} of @run, new reference */
json_t *judge_place(const json_t *run);
/** judge_result() - the newest result of @key ("results", "control"), NULL */
const json_t *judge_result(const json_t *run, const char *key);
/** judge_add() - append @f (stolen) to the findings of @out */
void judge_add(json_t *out, const json_t *run, json_t *f);

#endif
