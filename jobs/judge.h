/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_JUDGE_H
#define MMCI_JOBS_JUDGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * judge() - what the runs of a version mean
 * @input: {patches: [{number, title}],
 *	runs: [{job_id, kind, arch, kconfig, toolchain, state, state_why,
 *		total: patches of the series, larger numbers are fix-ups,
 *		results: [{id, state, result}] newest first,
 *		control: [the same for the run on the base],
 *		image_patch: patch whose kernel was booted,
 *		bisect: [{upto: patch, open: bool, results}] runs of kernels in
 *			between}]}
 *	where a result is what docs/design.md, section 10.2, describes
 *	derived: [{arch, kconfig, answer}] configs that the change asks for
 * @ret: {coverage: see jobs/coverage.h, verdict, why, findings: see db_findings_replace(), each also with
 *	arch, kconfig and toolchain,
 *	builds: [{job_id, arch, kconfig, toolchain,
 *		  patches: [{number, stage: what judged it, outcome, errors,
 *			     warnings}]}],
 *	boots: [{arch, kconfig, toolchain, outcome, seconds, image_patch}],
 *	tests: [{arch, kconfig, toolchain, passed, failed, skipped, new_failed}],
 *	benchmarks: [{arch, kconfig, toolchain, name, unit, work, base, series,
 *		      difference, floor, changed, steps: see jobs/judge-bench.h,
 *		      why}],
 *	untested: [{what, why}]}
 *
 * A pure function. Findings are held against the control as multisets of
 * fingerprints, per unit: what a unit said before its last rebuild stays true.
 *
 * The check and the build of one place are judged together: what both say is
 * one finding, and where a build passes without a word of it, the check, which
 * knows only the commands of the base, was wrong. A finding of a build that left
 * patches out has "after": it starts behind that patch.
 *
 * A boot or test that fails on the series is blamed by the counts of its runs,
 * see jobs/flake.h: "series", "base", "flaky", or "unknown" while there are too
 * few; a crash of the kernel is never "flaky". Of these only "series" is ever
 * mailed. Findings carry the counts in "runs" and, as the first line, "detail".
 *
 * verdict is "broken", "warns", "clean" or "unknown"; why is a sentence.
 */
void judge(const json_t *input, json_t **ret);

/**
 * struct judge_next - what would make the blame of a boot or test certain
 * @repeat: another attempt of the job
 * @repeat_control: another attempt of its control
 * @bisect_at: the same with the patches up to this one only, 0: no need
 */
struct judge_next {
	bool repeat;
	bool repeat_control;
	int64_t bisect_at;
};

/**
 * judge_build_next() - which patch to build to see where a finding starts
 * @build: run of a build job that left patches out
 * @check: run of the check of the same place, or NULL
 *
 * Return: the number of the patch; 0: every finding has its patch, or the search
 * is at work.
 */
int64_t judge_build_next(const json_t *build, const json_t *check);

/**
 * judge_guest_next() - is anything more to be run for a boot, test or bench job?
 * @run: one element of runs above
 * @next: all false and 0 when its findings are as certain as they will get
 */
void judge_guest_next(const json_t *run, struct judge_next *next);

#endif
