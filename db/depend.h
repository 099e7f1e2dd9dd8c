/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_DEPEND_H
#define MMCI_DB_DEPEND_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/** Versions that one series may stand on, itself and through others. */
#define DB_DEPEND_MAX 100

/**
 * db_needs_store() - keep what the mails of a version say it needs
 * @series: an element of what assemble_json() gave
 *
 * Replaces what was kept before, unless @series is only a part of what is known
 * of the version. Inside a transaction. Return: 0 or -errno.
 */
int db_needs_store(struct db *db, struct version_id id, const json_t *series);

/**
 * db_depend_graph() - the versions that these needs name, transitively
 * @ret: {needs: [key or, where nothing is known of it, the name as given],
 *	dependencies: [{key, version_id, state (of the version), title,
 *	  upto: highest patch that is wanted, needs: [as above],
 *	  broken: why it cannot be used, or null,
 *	  note: what else a reader should know of it, or ""}]}
 *
 * A patch id names the version that has most of the ids named, the newest of
 * these. At most %DB_DEPEND_MAX dependencies; what lies beyond is not looked
 * at. A private version is seen by private ones alone. Cycles are left in.
 *
 * Return: 0 or -errno.
 */
int db_depend_graph(struct db *db, struct version_id id, json_t **ret);

/**
 * db_dependencies_store() - keep what the apply worker made of them
 * @list: "dependencies" of its answer
 *
 * Inside a transaction. Return: 0 or -errno.
 */
int db_dependencies_store(struct db *db, struct version_id id,
			  const json_t *list);

/**
 * db_depend_retry() - a version is there: what lacked it is tried again
 *
 * Those whose patches did not apply without it become ready again. Inside a
 * transaction. Return: 0 or -errno.
 */
int db_depend_retry(struct db *db, struct version_id id);

#endif
