/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_SUBMITTER_H
#define MMCI_DB_SUBMITTER_H

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_submitter_add() - note whose token sent a version in
 * @since_s: only if it is not older than that and nobody else's: whoever knows
 *	a Message-ID and sends it again does not get to see what others sent
 *
 * Return: 0 or -errno.
 */
int db_submitter_add(struct db *db, struct version_id id, const char *token,
		     int64_t since_s);

/** enum submitter_of - what a number in db_submitter_is() counts */
enum submitter_of {
	SUBMITTER_OF_VERSION,
	SUBMITTER_OF_JOB,
	SUBMITTER_OF_OUTGOING,
};

/**
 * db_submitter_is() - did this token send in what @id belongs to?
 *
 * Return: 0 yes; DB_NONE no; -errno.
 */
int db_submitter_is(struct db *db, const char *token, enum submitter_of kind,
		    int64_t id);

#endif
