/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_COMPARE_H
#define MMCI_DB_COMPARE_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_range_diff_store() - what changed between two versions
 * @older: the one it was held against, .v 0: there is none
 * @answer: of the worker "apply": its "range_diff" and "compare_why"
 *
 * Replaces what was stored before. Inside a transaction. Return: 0 or -errno.
 */
int db_range_diff_store(struct db *db, struct version_id id,
			struct version_id older, const json_t *answer);
/**
 * db_findings_before() - the findings that a new version is held against
 * @id: the new version
 * @older: the version before it; .v 0 when there is none that was judged
 * @ret: what was blamed on that one, one row for each job that saw it: the
 *	columns of finding, and kind, arch, kconfig and toolchain of the job
 *
 * Return: 0 or -errno.
 */
int db_findings_before(struct db *db, struct version_id id,
		       struct version_id *older, json_t **ret);
/**
 * db_fates_store() - what became of them, and what is new
 * @fates: array of {fate, why, fingerprint, stage, number, severity, file,
 *	line, function, message}
 *
 * Replaces what was stored before. Inside a transaction. Return: 0 or -errno.
 */
int db_fates_store(struct db *db, struct version_id id,
		   struct version_id older, const json_t *fates);

#endif
