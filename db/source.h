/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_SOURCE_H
#define MMCI_DB_SOURCE_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/** db_source_ensure() - the source called @name, created or updated; 0, -errno */
int db_source_ensure(struct db *db, const char *name, const char *kind,
		     const char *location, struct source_id *ret);
/** db_source_state() - what the reader stored last; {} at first; 0 or -errno */
int db_source_state(struct db *db, struct source_id id, json_t **ret);
/**
 * db_source_store() - store the reader's state, with the mails before it
 *
 * Call it in the transaction that adds those mails. Return: 0 or -errno.
 */
int db_source_store(struct db *db, struct source_id id, const json_t *state);
/**
 * db_source_tried() - note the end of one look
 * @error: why it failed, NULL: it succeeded
 * @new_mail: did it bring any?
 *
 * Return: 0 or -errno.
 */
int db_source_tried(struct db *db, struct source_id id, const char *error,
		    bool new_mail);

#endif
