/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_VERSION_H
#define MMCI_DB_VERSION_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/** enum version_state - see section 8 of docs/design.md */
enum version_state {
	VERSION_ASSEMBLING,
	VERSION_READY,
	VERSION_APPLIED,
	VERSION_CONFLICT,
	VERSION_PLANNED,
	VERSION_RUNNING,
	VERSION_DONE,
	VERSION_SUPERSEDED,
};

/** version_state_name() - the word stored and shown for @s */
const char *version_state_name(enum version_state s);

/**
 * struct version_sync - how assembled series become rows
 * @source: where the mails came from, {0}: submitted
 * @is_private: visible only with a token
 * @settle_s: seconds to wait after the last mail of a complete version
 * @incomplete_s: seconds to wait for missing patches
 */
struct version_sync {
	struct source_id source;
	bool is_private;
	int64_t settle_s;
	int64_t incomplete_s;
};

/**
 * db_version_sync() - bring one assembled series into the database
 * @series: one element of what assemble_json() gave
 * @ret: the version it is
 *
 * Found again by any of its patches, so a late cover does not make a second
 * one. Safe to repeat. What is already being tested keeps its patches; replies
 * and a late cover are added. Call it inside a transaction.
 *
 * Return: 0 or -errno.
 */
int db_version_sync(struct db *db, const struct version_sync *how,
		    const json_t *series, struct version_id *ret);
/** db_version_set() - change the state, with an event; 0 or -errno */
int db_version_set(struct db *db, struct version_id id, enum version_state s,
		   const char *why);
/** db_version_get() - the row as JSON; 0, DB_NONE, or -errno */
int db_version_get(struct db *db, struct version_id id, json_t **ret);
/** db_version_find() - by number or Message-ID; 0, DB_NONE, or -errno */
int db_version_find(struct db *db, const char *id_or_key,
		    struct version_id *ret);
/**
 * db_versions_in() - rows in state @s, oldest first
 * @due_s: only those whose settle time is over by then
 *
 * Return: 0 or -errno.
 */
int db_versions_in(struct db *db, enum version_state s, int64_t due_s,
		   json_t **ret);
/**
 * db_version_before() - the version of the same topic that came before
 *
 * Return: 0; DB_NONE; -errno.
 */
int db_version_before(struct db *db, struct version_id id,
		      struct version_id *ret);
/** db_version_patches() - rows of patch with the mail's Message-ID; 0, -errno */
int db_version_patches(struct db *db, struct version_id id, json_t **ret);
/**
 * db_version_apply_result() - store what the apply worker answered
 * @result: see docs/design.md, section 10.3
 *
 * Stores tries, base and patch states. Inside a transaction; does not change
 * the version's state. Return: 0 or -errno.
 */
int db_version_apply_result(struct db *db, struct version_id id,
			    const json_t *result);
/* Bits of what is known of a version before everything was run. */
#define DB_EARLY_WANTED 1 /* a check ended whose facts were not judged yet */
#define DB_EARLY_GIVEN 2 /* the verdict is that of checks alone */
/** db_version_early() - clear and set such bits; 0 or -errno */
int db_version_early(struct db *db, struct version_id id, int clear, int set);
/** db_version_verdict() - store a verdict and its sentence; 0 or -errno */
int db_version_verdict(struct db *db, struct version_id id,
		       const char *verdict, const char *why);
/**
 * db_version_supersede() - end older versions of the same topic
 * @id: the newer version; nothing happens while it is not the newest
 *
 * Older is a lower number that was not sent later, or the same number sent
 * before: a resend replaces what it repeats. Their waiting and queued jobs are
 * canceled. Return: 0 or -errno.
 */
int db_version_supersede(struct db *db, struct version_id id);
/**
 * db_version_newer() - is there a newer version whose patches are all there?
 * @ret: its number
 *
 * Return: 0; DB_NONE; -errno.
 */
int db_version_newer(struct db *db, struct version_id id, int64_t *ret);

#endif
