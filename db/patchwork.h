/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_PATCHWORK_H
#define MMCI_DB_PATCHWORK_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_checks_begin() - a pending check for each patch and architecture of what
 * is being tested
 *
 * Public series from a source alone. Safe to repeat. Return: 0 or -errno.
 */
int db_checks_begin(struct db *db);
/**
 * db_checks_end() - the final state of what is done or superseded
 *
 * An error at a patch makes "fail", a warning "warning", as does a run that
 * could not be done or a version that was superseded; else "success". What was
 * final before stays. Return: 0 or -errno.
 */
int db_checks_end(struct db *db);
/**
 * db_checks_due() - what the server has to be told by @now_s, at most 50
 * @ret: [{version_id, number, arch, want, description, message_id}]
 */
int db_checks_due(struct db *db, int64_t now_s, json_t **ret);
/**
 * db_check_told() - how it went
 * @check: one of db_checks_due()
 * @posted: the state it has there now, "none", or NULL after a failure
 * @why: of the failure, or ""
 * @next_s: when to try again
 */
int db_check_told(struct db *db, const json_t *check, const char *posted,
		  const char *why, int64_t next_s);

#endif
