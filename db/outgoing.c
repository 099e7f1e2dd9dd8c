// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/outgoing.h"

#include <string.h>

#include "db/event.h"
#include "lib/clock.h"
#include "lib/json.h"

static const char *const state_names[] = {
	[OUTGOING_HELD] = "held",
	[OUTGOING_APPROVED] = "approved",
	[OUTGOING_SENDING] = "sending",
	[OUTGOING_SENT] = "sent",
	[OUTGOING_REJECTED] = "rejected",
};

const char *outgoing_state_name(enum outgoing_state s)
{
	return state_names[s];
}

/*
 * What stands before the "@" is made of what is reported; behind it stands the
 * host of mail.from. A service that moves to another host does not say all once
 * more. "A" follows "@".
 */
static int find(struct db *db, const char *message_id, struct outgoing_id *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id FROM outgoing WHERE message_id >= ?1 || '@'"
		    " AND message_id < ?1 || 'A' ORDER BY id LIMIT 1");
	const char *at = strrchr(message_id, '@');
	char *local __free(kfree) = xstrndup(
		message_id, at ? (size_t)(at - message_id) :
				 strlen(message_id));
	int r;

	stmt_bind_text(st, local);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	ret->v = stmt_int64(st, "id");
	return 0;
}

/* A rerun found the same: the tables in it may say more than before. */
static int renew_held(struct db *db, struct outgoing_id id, const json_t *mail)
{
	static const char sql[] =
		"UPDATE outgoing SET body = ?1, eml = ?2, path = '',"
		" changed_s = ?3, message_id = ?5 WHERE id = ?4"
		" AND state = 'held' AND (body <> ?1 OR message_id <> ?5)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_text(st, json_get_str(mail, "body", ""));
	stmt_bind_text(st, json_get_str(mail, "eml", ""));
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, id.v);
	stmt_bind_text(st, json_get_str(mail, "message_id", ""));
	return stmt_run(st);
}

int db_outgoing_add(struct db *db, struct version_id id, const json_t *mail,
		    const char *why, struct outgoing_id *ret)
{
	static const char sql[] =
		"INSERT INTO outgoing (version_id, message_id, in_reply_to,"
		" subject, recipients, body, eml, facts, state, state_why,"
		" created_s, changed_s)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'held', ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	char *to __free(kfree) =
		json_dumps(json_object_get(mail, "recipients"), JSON_COMPACT);
	char *facts __free(kfree) =
		json_dumps(json_object_get(mail, "facts"), JSON_COMPACT);
	int r = find(db, json_get_str(mail, "message_id", ""), ret);

	if (!r)
		r = renew_held(db, *ret, mail);
	if (!r)
		return DB_OUTGOING_KNOWN;
	if (r != DB_NONE)
		return r;
	stmt_bind_int64(st, id.v);
	stmt_bind_text(st, json_get_str(mail, "message_id", NULL));
	stmt_bind_text(st, json_get_str(mail, "in_reply_to", ""));
	stmt_bind_text(st, json_get_str(mail, "subject", ""));
	stmt_bind_text(st, to);
	stmt_bind_text(st, json_get_str(mail, "body", ""));
	stmt_bind_text(st, json_get_str(mail, "eml", ""));
	stmt_bind_text(st, facts ? facts : "{}");
	stmt_bind_text(st, why);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, clock_now_s());
	r = stmt_run(st);
	if (r)
		return r;
	ret->v = db_last_id(db);
	return db_event(db, "outgoing.held", id, (struct job_id){ 0 }, why);
}

int db_outgoing_reject_older(struct db *db, struct version_id id,
			     struct outgoing_id keep, const char *why)
{
	static const char sql[] =
		"UPDATE outgoing SET state = 'rejected', state_why = ?,"
		" changed_s = ? WHERE version_id = ? AND id <> ?"
		" AND state IN ('held', 'approved') AND NOT doubtful"
		" AND NOT EXISTS (SELECT 1 FROM delivery d"
		"  WHERE d.outgoing_id = outgoing.id AND d.state = 'sent')";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_text(st, why);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, keep.v);
	return stmt_run(st);
}

int db_outgoing_unfiled(struct db *db, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id, message_id, eml FROM outgoing"
		    " WHERE path = '' ORDER BY id LIMIT 100");

	return stmt_all_json(st, ret);
}

int db_outgoing_filed(struct db *db, struct outgoing_id id, const char *path)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE outgoing SET path = ? WHERE id = ?");

	stmt_bind_text(st, path);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_outgoing_get(struct db *db, struct outgoing_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT o.*, o.facts AS facts_json,"
		    " o.decision AS decision_json, v.private FROM outgoing o"
		    " LEFT JOIN version v ON v.id = o.version_id"
		    " WHERE o.id = ?");
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*ret = stmt_row_json(st);
	return 0;
}

int db_outgoing_due(struct db *db, enum outgoing_state s, int64_t now_s,
		    json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id FROM outgoing WHERE state = ?"
		    " AND next_try_s <= ? ORDER BY id LIMIT 100");

	stmt_bind_text(st, outgoing_state_name(s));
	stmt_bind_int64(st, now_s);
	return stmt_all_json(st, ret);
}

int db_outgoing_set(struct db *db, struct outgoing_id id,
		    enum outgoing_state s, const char *why, int64_t next_try_s)
{
	static const char sql[] =
		"UPDATE outgoing SET state = ?1, state_why = ?2,"
		" next_try_s = ?3, changed_s = iif(state = ?1"
		"  AND state_why = ?2, changed_s, ?4),"
		" sent_s = iif(?1 = 'sent', ?4, sent_s) WHERE id = ?5";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	json_t *row __free(json) = NULL;
	char *kind __free(kfree) =
		xasprintf("outgoing.%s", outgoing_state_name(s));
	int r = db_outgoing_get(db, id, &row);

	if (r)
		return r;
	stmt_bind_text(st, outgoing_state_name(s));
	stmt_bind_text(st, why);
	stmt_bind_int64(st, next_try_s);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, id.v);
	r = stmt_run(st);
	if (r || !strcmp(json_get_str(row, "state", ""),
			 outgoing_state_name(s)))
		return r;
	return db_event(db, kind, (struct version_id){
				json_get_int(row, "version_id", 0) },
			(struct job_id){ 0 }, why);
}

int db_outgoing_decided(struct db *db, struct outgoing_id id,
			const json_t *decision, int64_t next_try_s)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE outgoing SET decision = ?, next_try_s = ?"
		    " WHERE id = ?");
	char *text __free(kfree) = json_dumps(decision, JSON_COMPACT);

	stmt_bind_text(st, text ? text : "{}");
	stmt_bind_int64(st, next_try_s);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_outgoing_approve(struct db *db, struct outgoing_id id, const char *who)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE outgoing SET approved_by = ?, doubtful = 0,"
		    " next_try_s = 0 WHERE id = ? AND state = 'held'");

	stmt_bind_text(st, who);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}
