/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_PLAN_BUILD_H
#define MMCI_JOBS_PLAN_BUILD_H

#include <jansson.h>
#include <stdint.h>

/* A patch that reaches no more units than this costs little to build. */
#define PLAN_FEW_UNITS 64
/* More patches than this: the ends first, then the search for the patch. */
#define PLAN_MANY_PATCHES 30

/**
 * plan_build_steps() - which patches a build has to make objects of
 * @patches: [{number, commit, title}] in order; those that need no build of
 *	their own are removed, so that one step of the build takes several
 * @total: patches of the series, larger numbers are fix-ups
 * @check: result.json of the check in the same place, NULL: there is none
 *
 * Always the last patch and every fix-up. What a check has judged needs no
 * objects, except where they cost little (then they say what only the optimiser
 * and the linker see), or where the check says that a patch is beyond it. When
 * the check fails at the end, the last patch before its first error is built as
 * well: it gives the kernel that is booted.
 */
void plan_build_steps(json_t *patches, int64_t total, const json_t *check);

#endif
