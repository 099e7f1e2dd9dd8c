/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_COMMAND_H
#define MMCI_DB_COMMAND_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_commands_add() - remember what a mail asks for
 * @fields: of this copy of the mail, see mail_to_json()
 *
 * A second copy counts where the first was refused for lack of proof, if it
 * answers the same mail. Inside a transaction. Return: 0 or -errno.
 */
int db_commands_add(struct db *db, struct mail_id id, const json_t *fields);
/**
 * db_command_next() - the oldest one that nobody has looked at
 * @ret: the row: {id, command, args, from_email, auth, machine, date_s,
 *	message_id, version_id (0: it answers nothing we know)}
 *
 * Return: 0, DB_NONE, or -errno.
 */
int db_command_next(struct db *db, json_t **ret);
/**
 * db_command_set() - what became of it, with an event
 * @state: "done" or "refused"
 */
int db_command_set(struct db *db, const json_t *row, const char *state,
		   const char *why);
/** db_command_count() - obeyed for a version since @since_s; 0 or -errno */
int db_command_count(struct db *db, struct version_id id, int64_t since_s,
		     int64_t *ret);
/** db_version_files() - paths the patches touch, at most 1000; 0 or -errno */
int db_version_files(struct db *db, struct version_id id, json_t **ret);
/** db_version_want_tree() - try this tree alone from now on; 0 or -errno */
int db_version_want_tree(struct db *db, struct version_id id,
			 const char *tree);

#endif
