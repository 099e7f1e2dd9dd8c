/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_CHECK_H
#define MMCI_RUNNERS_CHECK_H

#include "runners/source.h"

/**
 * run_check() - the front end of the compiler over what each patch reaches
 * @summary: one line, whatever the outcome
 *
 * For every patch, the translation units of the warm base whose dependency
 * files name a touched file are parsed, not compiled, with the very command
 * that made them. Says within seconds what a build says within minutes, except
 * what only the optimiser or the linker notices, and nothing about files and
 * configuration symbols that the patches add.
 *
 * With "scope": "first" in job.json only the touched units, if there are none
 * those that nothing else is built before, see enum check_goal, and "partial":
 * true in the result if that left any out. A unit that was left out at an
 * earlier patch has that patch's number as "unlooked": what it says may have
 * begun there.
 *
 * Return: %JOB_PASSED, %JOB_FAILED, %JOB_TIMED_OUT, or -errno.
 */
int run_check(struct job *job, struct strbuf *summary);

/**
 * enum check_goal - what is checked together, in this order
 * @CHECK_TOUCHED: units whose own source is touched
 * @CHECK_PREPARE: those that nothing else is built before
 * @CHECK_REST: all others that the change reaches
 */
enum check_goal {
	CHECK_TOUCHED,
	CHECK_PREPARE,
	CHECK_REST,
	CHECK_GOALS,
};

/** struct check_unit - one translation unit to check */
struct check_unit {
	char *target;
	char *command;
	int rank;
};

/** struct check_plan - the units that a change reaches, most telling first */
struct check_plan {
	struct check_unit *units;
	size_t n;
	size_t alloc;
};

/**
 * check_plan_add() - does the object that @cmd describes depend on the change?
 * @text: content of a .cmd file of kbuild, changed in place
 * @c: the change
 * @plan: the unit is appended if it does
 *
 * Source: scripts/basic/fixdep.c and scripts/Kbuild.include of the kernel.
 */
void check_plan_add(struct check_plan *plan, char *text,
		    const struct source_change *c);
/** check_plan_sort() - the most telling units first */
void check_plan_sort(struct check_plan *plan);
/** check_plan_scan() - check_plan_add() for all of /build, in the sandbox */
void check_plan_scan(struct check_plan *plan, const struct source_change *c);
/** check_unit_goal() - when its turn is */
enum check_goal check_unit_goal(const struct check_unit *u);
/** check_goal_name() - the goal as make knows it */
const char *check_goal_name(enum check_goal goal);
/** check_plan_release() - free what a plan holds */
void check_plan_release(struct check_plan *plan);
DEFINE_FREE(check_plan, struct check_plan, check_plan_release(&_T))
/**
 * check_plan_makefile() - make rules that run the front end on each unit
 *
 * One goal for each enum check_goal.
 */
void check_plan_makefile(struct check_plan *plan, struct strbuf *out);

#endif
