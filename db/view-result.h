/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_VIEW_RESULT_H
#define MMCI_DB_VIEW_RESULT_H

#include "db/view-series.h"

/**
 * view_compiled_at() - where a series was compiled
 * @ret: [{arch, kconfig, toolchain}]
 *
 * Return: 0 or -errno.
 */
int view_compiled_at(struct db *db, struct version_id series, json_t **ret);
/**
 * view_findings_of() - what is wrong with one version
 *
 * Findings that say the same at the same patch are one, with "places": the
 * jobs that have it; what only follows from another counts in its "follows".
 * Those blamed on the base are not in it. At most 500.
 *
 * Return: 0 and an array; errors of stmt_step().
 */
int view_findings_of(struct db *db, struct version_id series, json_t **ret);
/**
 * view_tests_of() - test results of one version against those of its base
 *
 * @ret is {"counts": {passed, ...}, "list"}: the list has those that did not
 * pass, or went otherwise on the base; at most 500.
 */
int view_tests_of(struct db *db, struct version_id series, json_t **ret);
/**
 * view_measures_of() - benchmark values of versions against their base's
 * @versions: JSON array of version ids
 *
 * Rows {version_id, job_id, arch, kconfig, toolchain, name, unit, value, work,
 * why, base_value, base_work, base_job_id, between: [{upto, value, job_id}]};
 * values null where not known. Between are kernels with the patches up to one
 * only, by which a change is put at its patch.
 */
int view_measures_of(struct db *db, const char *versions, json_t **ret);

#endif
