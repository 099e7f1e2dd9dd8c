/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_OUTGOING_H
#define MMCI_DB_OUTGOING_H

#include <jansson.h>
#include <stdbool.h>

#include "db/id.h"
#include "db/sqlite.h"

/* A fact about the reply: the same one is there already. */
enum { DB_OUTGOING_KNOWN = 3 };

/** enum outgoing_state - see section 8 of docs/design.md */
enum outgoing_state {
	OUTGOING_HELD,
	OUTGOING_APPROVED,
	OUTGOING_SENDING,
	OUTGOING_SENT,
	OUTGOING_REJECTED,
};

/** outgoing_state_name() - the word stored and shown for @s */
const char *outgoing_state_name(enum outgoing_state s);

/**
 * db_outgoing_add() - put a reply into the outbox, held
 * @mail: {message_id, in_reply_to, subject, recipients: [..], body, eml,
 *	facts: those of policy_decide() that do not change, or absent}
 * @why: why it is held
 *
 * In the transaction that stores the verdict. Return: 0; DB_OUTGOING_KNOWN
 * when a mail with this Message-ID is there, or with the same before the "@":
 * while it is held its text is renewed, after that it is left alone; -errno.
 */
int db_outgoing_add(struct db *db, struct version_id id, const json_t *mail,
		    const char *why, struct outgoing_id *ret);
/**
 * db_outgoing_reject_older() - withdraw waiting replies of a version but @keep
 *
 * A rerun may come to another result; what has left stays as it is, and so does
 * what may have left. Return: 0 or -errno.
 */
int db_outgoing_reject_older(struct db *db, struct version_id id,
			     struct outgoing_id keep, const char *why);
/** db_outgoing_unfiled() - rows without a .eml file yet; 0 or -errno */
int db_outgoing_unfiled(struct db *db, json_t **ret);
/** db_outgoing_filed() - note where the .eml file lies; 0 or -errno */
int db_outgoing_filed(struct db *db, struct outgoing_id id, const char *path);

/** db_outgoing_get() - the row, JSON columns parsed; 0, DB_NONE, or -errno */
int db_outgoing_get(struct db *db, struct outgoing_id id, json_t **ret);
/** db_outgoing_due() - ids in state @s to be looked at by @now_s; 0, -errno */
int db_outgoing_due(struct db *db, enum outgoing_state s, int64_t now_s,
		    json_t **ret);
/**
 * db_outgoing_set() - change the state, with an event
 * @next_try_s: when to look again
 *
 * Return: 0 or -errno. An event is written only where the state changes.
 */
int db_outgoing_set(struct db *db, struct outgoing_id id,
		    enum outgoing_state s, const char *why,
		    int64_t next_try_s);
/** db_outgoing_decided() - keep the decision of the policy; 0 or -errno */
int db_outgoing_decided(struct db *db, struct outgoing_id id,
			const json_t *decision, int64_t next_try_s);
/**
 * db_outgoing_prepare() - it is to be sent to these, under this text
 * @recipients: addresses; those without a delivery get a pending one, pending
 *	ones that are not among them go
 * @eml: the mail with its final recipients
 *
 * Return: 0 or -errno.
 */
int db_outgoing_prepare(struct db *db, struct outgoing_id id,
			const json_t *recipients, const char *eml);
/** db_outgoing_pending() - addresses still without an answer; 0 or -errno */
int db_outgoing_pending(struct db *db, struct outgoing_id id, json_t **ret);
/** db_outgoing_tried() - count one more try; 0 or -errno */
int db_outgoing_tried(struct db *db, struct outgoing_id id);
/**
 * db_outgoing_answer() - what the server said about one recipient
 * @state: "sent" or "refused"
 */
int db_outgoing_answer(struct db *db, struct outgoing_id id, const char *email,
		       const char *state, const char *answer);
/** db_outgoing_count() - deliveries in @state; 0 or -errno */
int db_outgoing_count(struct db *db, struct outgoing_id id, const char *state,
		      int64_t *ret);
/** db_outgoing_doubt() - nobody knows whether it has left; 0 or -errno */
int db_outgoing_doubt(struct db *db, struct outgoing_id id, bool doubtful);
/**
 * db_outgoing_approve() - a person lets it go
 * @who: name of the token
 *
 * Return: 0 or -errno; only for a row that is held.
 */
int db_outgoing_approve(struct db *db, struct outgoing_id id, const char *who);

/**
 * db_outgoing_history() - what left after @since_s
 * @ret: {ADDRESS: [at_s, oldest first]}
 */
int db_outgoing_history(struct db *db, int64_t since_s, json_t **ret);
/** db_opt_outs() - {ADDRESS: why} for everything or the topic of @id */
int db_opt_outs(struct db *db, struct version_id id, json_t **ret);
/**
 * db_opt_out_add() - @email wants no mail any more
 * @id: about the work this version belongs to, {0}: about anything
 */
int db_opt_out_add(struct db *db, const char *email, struct version_id id,
		   const char *why);
/** db_is_person() - has a person written from @email? 0 or -errno */
int db_is_person(struct db *db, const char *email, bool *ret);

#endif
