/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_JUDGE_H
#define MMCI_JOBS_JUDGE_H

#include <jansson.h>
#include <stdbool.h>

/**
 * judge() - what the runs of a version mean
 * @input: {patches: [{number, title}],
 *	runs: [{job_id, kind, arch, kconfig, toolchain, state, state_why,
 *		total: patches of the series, larger numbers are fix-ups,
 *		results: [{id, state, result}] newest first,
 *		control: [the same for the run on the base]}]}
 *	where a result is what docs/design.md, section 10.2, describes
 * @ret: {verdict, why, findings: see db_findings_replace(), each also with
 *	arch, kconfig and toolchain,
 *	builds: [{job_id, arch, kconfig, toolchain,
 *		  patches: [{number, outcome, errors, warnings}]}],
 *	boots: [{arch, kconfig, toolchain, outcome, seconds, image_patch}],
 *	tests: [{arch, kconfig, toolchain, passed, failed, skipped, new_failed}],
 *	benchmarks: [{arch, kconfig, toolchain, name, unit, work, base, series,
 *		      difference, why}],
 *	untested: [{what, why}]}
 *
 * A pure function. Findings are held against the control as multisets of
 * fingerprints, per unit: what a unit said before its last rebuild stays true.
 *
 * A boot or test that fails on the series alone is blamed on it when every
 * attempt failed, at least two; on one attempt it is "unknown", and "flaky"
 * when attempts differ. Neither is ever mailed.
 *
 * verdict is "broken", "warns", "clean" or "unknown"; why is a sentence.
 */
void judge(const json_t *input, json_t **ret);

/**
 * judge_wants_repeat() - would another attempt make a blame certain?
 * @run: one element of runs above
 *
 * True for a boot or test job whose only attempt failed where its control
 * passed.
 */
bool judge_wants_repeat(const json_t *run);

#endif
