/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_VIEW_HISTORY_H
#define MMCI_DB_VIEW_HISTORY_H

/* What was seen over many series: each looks at the newest part of the data,
 * so that it is as quick after years as on the first day. */

#include "db/view-series.h"

/**
 * view_ledger() - findings by what they say, wherever they were seen
 * @blame: "series", "base", "flaky", ...; NULL or "any": all
 * @ret: array of {fingerprint, blame, severity, stage, tool, option, file, line,
 *	function, message, n_series, since_s, last_s, open, job_id, series: [{id,
 *	title, version, number}], bases: [{tree, describe, commit}]}, those that are
 *	open and the newest first. Open: in a version that no later one replaced.
 *
 * Of the newest 5000 findings. Return: 0 or the errors of stmt_step().
 */
int view_ledger(struct db *db, const char *blame, bool see_private,
		json_t **ret);
/**
 * view_flaky() - tests that passed and failed in the same job
 * @ret: array of {suite, name, arch, kconfig, passed, failed, last_s, history:
 *	[{status, job_id, started_s}]}
 *
 * Of the newest 2000 runs of tests. Return: as view_ledger().
 */
int view_flaky(struct db *db, bool see_private, json_t **ret);
/**
 * view_benchmarks() - what each benchmark counted, base after base
 * @name, @arch: only these; NULL: all
 * @ret: array of {name, arch, kconfig, toolchain, unit, points: [{value, work,
 *	at_s, job_id, tree, describe, commit}] the oldest first, moved:
 *	[{series_id, title, version, percent, at_s, job_id}]} where moved are the
 *	series that changed it by half a percent or more
 *
 * Of the newest 5000 measurements. Return: as view_ledger().
 */
int view_benchmarks(struct db *db, const char *name, const char *arch,
		    bool see_private, json_t **ret);
/**
 * view_health_of_bases() - does each tree build and boot, and since when not
 * @ret: array of {tree_id, arch, kconfig, toolchain, kind ("base" or "boot"),
 *	state, state_why, job_id, commit, changed_s, since_s: the first run of the
 *	row of such states that is not broken by another}
 *
 * Return: as view_ledger().
 */
int view_health_of_bases(struct db *db, json_t **ret);
/**
 * view_tally() - how well the service has done
 * @ret: {sent, held, rejected, wrong (sent mails whose findings somebody said
 *	are not of the work), versions, judged, verdict_median_s (from the last
 *	mail to the first verdict, of the newest 1000, or null), since_s,
 *	verdicts: [{state, n}]}
 *
 * Return: as view_ledger().
 */
int view_tally(struct db *db, json_t **ret);

#endif
