/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_OUTGOING_H
#define MMCI_DB_OUTGOING_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/* A fact about the reply: the same one is there already. */
enum { DB_OUTGOING_KNOWN = 3 };

/**
 * db_outgoing_add() - put a reply into the outbox, held
 * @mail: {message_id, in_reply_to, subject, recipients: [..], body, eml}
 * @why: why it is held
 *
 * In the transaction that stores the verdict. Return: 0; DB_OUTGOING_KNOWN
 * when a mail with this Message-ID is there: while it is held its text is
 * renewed, after that it is left alone; -errno.
 */
int db_outgoing_add(struct db *db, struct version_id id, const json_t *mail,
		    const char *why, struct outgoing_id *ret);
/**
 * db_outgoing_reject_older() - withdraw held replies of a version but @keep
 *
 * A rerun may come to another result; what has left stays as it is.
 * Return: 0 or -errno.
 */
int db_outgoing_reject_older(struct db *db, struct version_id id,
			     struct outgoing_id keep, const char *why);
/** db_outgoing_unfiled() - rows without a .eml file yet; 0 or -errno */
int db_outgoing_unfiled(struct db *db, json_t **ret);
/** db_outgoing_filed() - note where the .eml file lies; 0 or -errno */
int db_outgoing_filed(struct db *db, struct outgoing_id id, const char *path);

#endif
