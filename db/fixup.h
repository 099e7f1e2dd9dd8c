/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_FIXUP_H
#define MMCI_DB_FIXUP_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/** db_fixup_add() - note that a reply carries a diff; known: nothing; 0, -errno */
int db_fixup_add(struct db *db, struct version_id version, struct mail_id mail);
/** db_fixups_of() - rows of a version with message_id and author; 0, -errno */
int db_fixups_of(struct db *db, struct version_id id, json_t **ret);
/** db_fixups_new_of() - how many of a version wait to be applied; 0, -errno */
int db_fixups_new_of(struct db *db, struct version_id id, int64_t *ret);
/**
 * db_fixups_next() - a version whose fix-ups can be applied now
 *
 * One that has been applied itself and of which no build is running, for a
 * build takes what there is when it starts.
 *
 * Return: 0; DB_NONE; -errno.
 */
int db_fixups_next(struct db *db, struct version_id *ret);
/**
 * db_fixups_store() - store what the worker answered
 * @answer: see docs/design.md, section 10.3; worker "fixups"
 *
 * Inside a transaction. Return: 0 or -errno.
 */
int db_fixups_store(struct db *db, struct version_id id,
		    const json_t *answer);
/**
 * db_remarks_store() - store what a series says of itself that is not so
 * @remarks: array of {kind, number, title, detail}; replaces the last ones
 *
 * Inside a transaction. Return: 0 or -errno.
 */
int db_remarks_store(struct db *db, struct version_id id,
		     const json_t *remarks);

#endif
