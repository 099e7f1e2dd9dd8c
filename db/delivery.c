// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/outgoing.h"

#include <errno.h>
#include <strings.h>

#include "lib/clock.h"
#include "lib/json.h"

static bool has_text(const json_t *list, const char *s)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		if (json_is_string(v) && !strcasecmp(json_string_value(v), s))
			return true;
	}
	return false;
}

static int drop_pending(struct db *db, struct outgoing_id id,
			const json_t *recipients)
{
	json_t *have __free(json) = NULL, *v;
	size_t i;
	int r = db_outgoing_pending(db, id, &have);

	json_array_foreach(have, i, v) {
		struct stmt *st __free(stmt) = db_prepare(
			db, "DELETE FROM delivery WHERE outgoing_id = ?"
			    " AND email = ? AND state = 'pending'");

		if (r || has_text(recipients, json_string_value(v)))
			continue;
		stmt_bind_int64(st, id.v);
		stmt_bind_text(st, json_string_value(v));
		r = stmt_run(st);
	}
	return r;
}

static int add_pending(struct db *db, struct outgoing_id id, const char *email)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO delivery (outgoing_id, email, state, at_s)"
		    " VALUES (?, ?, 'pending', ?)"
		    " ON CONFLICT (outgoing_id, email) DO NOTHING");

	stmt_bind_int64(st, id.v);
	stmt_bind_text(st, email);
	stmt_bind_int64(st, clock_now_s());
	return stmt_run(st);
}

static int set_text(struct db *db, struct outgoing_id id,
		    const json_t *recipients, const char *eml)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE outgoing SET recipients = ?1, eml = ?2,"
		    " path = iif(eml = ?2, path, '') WHERE id = ?3");
	char *to __free(kfree) = json_dumps(recipients, JSON_COMPACT);

	stmt_bind_text(st, to ? to : "[]");
	stmt_bind_text(st, eml);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_outgoing_prepare(struct db *db, struct outgoing_id id,
			const json_t *recipients, const char *eml)
{
	const json_t *v;
	size_t i;
	int r = drop_pending(db, id, recipients);

	json_array_foreach(recipients, i, v) {
		if (!r)
			r = add_pending(db, id, json_string_value(v));
	}
	return r ? r : set_text(db, id, recipients, eml);
}

int db_outgoing_pending(struct db *db, struct outgoing_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT email FROM delivery WHERE outgoing_id = ?"
		    " AND state = 'pending' ORDER BY email");
	json_t *list __free(json) = json_array();
	int r;

	stmt_bind_int64(st, id.v);
	while ((r = stmt_step(st)) == DB_ROW)
		json_array_append_new(list, json_text(stmt_text(st, "email")));
	if (r != DB_NONE)
		return r;
	*ret = no_free_ptr(list);
	return 0;
}

int db_outgoing_tried(struct db *db, struct outgoing_id id)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE outgoing SET tries = tries + 1 WHERE id = ?");

	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_outgoing_answer(struct db *db, struct outgoing_id id, const char *email,
		       const char *state, const char *answer)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE delivery SET state = ?, answer = ?, at_s = ?"
		    " WHERE outgoing_id = ? AND email = ?"
		    " AND state = 'pending'");

	stmt_bind_text(st, state);
	stmt_bind_text(st, answer);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, id.v);
	stmt_bind_text(st, email);
	return stmt_run(st);
}

static int count(struct stmt *st, int64_t *ret)
{
	int r = stmt_step(st);

	if (r != DB_ROW)
		return r < 0 ? r : -EIO;
	*ret = stmt_int64(st, "n");
	return 0;
}

int db_outgoing_count(struct db *db, struct outgoing_id id, const char *state,
		      int64_t *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT count(*) AS n FROM delivery"
		    " WHERE outgoing_id = ? AND state = ?");

	stmt_bind_int64(st, id.v);
	stmt_bind_text(st, state);
	return count(st, ret);
}

int db_outgoing_doubt(struct db *db, struct outgoing_id id, bool doubtful)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE outgoing SET doubtful = ?1,"
		    " approved_by = iif(?1, NULL, approved_by) WHERE id = ?2");

	stmt_bind_int64(st, doubtful);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_outgoing_history(struct db *db, int64_t since_s, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT lower(email) AS email, at_s FROM delivery"
		    " WHERE state = 'sent' AND at_s > ? ORDER BY at_s");
	json_t *o __free(json) = json_object();
	int r;

	stmt_bind_int64(st, since_s);
	while ((r = stmt_step(st)) == DB_ROW) {
		const char *email = stmt_text(st, "email");
		json_t *times = json_object_get(o, email);

		if (!times) {
			times = json_array();
			json_object_set_new(o, email, times);
		}
		json_array_append_new(times,
				      json_integer(stmt_int64(st, "at_s")));
	}
	if (r != DB_NONE)
		return r;
	*ret = no_free_ptr(o);
	return 0;
}

int db_opt_outs(struct db *db, struct version_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT email, why FROM opt_out WHERE topic_id = 0"
		    " OR topic_id = (SELECT topic_id FROM version"
		    "  WHERE id = ?)");
	json_t *o __free(json) = json_object();
	int r;

	stmt_bind_int64(st, id.v);
	while ((r = stmt_step(st)) == DB_ROW)
		json_set_text(o, stmt_text(st, "email"), stmt_text(st, "why"));
	if (r != DB_NONE)
		return r;
	*ret = no_free_ptr(o);
	return 0;
}

int db_opt_out_add(struct db *db, const char *email, struct version_id id,
		   const char *why)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO opt_out (email, topic_id, why, since_s)"
		    " VALUES (?, coalesce((SELECT topic_id FROM version"
		    "  WHERE id = ?), 0), ?, ?)"
		    " ON CONFLICT (email, topic_id) DO NOTHING");

	stmt_bind_text(st, email);
	stmt_bind_int64(st, id.v);
	stmt_bind_text(st, why);
	stmt_bind_int64(st, clock_now_s());
	return stmt_run(st);
}

int db_is_person(struct db *db, const char *email, bool *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT count(*) AS n FROM (SELECT 1 FROM mail"
		    " WHERE from_email = ? AND"
		    " NOT coalesce(json_extract(fields, '$.machine'), 0)"
		    " LIMIT 1)");
	int64_t n = 0;
	int r;

	stmt_bind_text(st, email);
	r = count(st, &n);
	*ret = n > 0;
	return r;
}
