// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/source.h"

#include "lib/clock.h"
#include "lib/json.h"

int db_source_ensure(struct db *db, const char *name, const char *kind,
		     const char *location, struct source_id *ret)
{
	/* another location is another archive: its positions mean nothing */
	static const char sql[] =
		"INSERT INTO source (name, kind, location) VALUES (?, ?, ?)"
		" ON CONFLICT (name) DO UPDATE SET"
		"  state = CASE WHEN kind = excluded.kind"
		"   AND location = excluded.location"
		"   THEN state ELSE '{}' END,"
		"  kind = excluded.kind, location = excluded.location"
		" RETURNING id";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r;

	stmt_bind_text(st, name);
	stmt_bind_text(st, kind);
	stmt_bind_text(st, location);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	ret->v = stmt_int64(st, "id");
	return stmt_run(st);
}

int db_source_state(struct db *db, struct source_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT state AS state_json FROM source WHERE id = ?");
	json_t *row __free(json) = NULL;
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	row = stmt_row_json(st);
	*ret = json_incref(json_object_get(row, "state"));
	return 0;
}

int db_source_store(struct db *db, struct source_id id, const json_t *state)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE source SET state = ? WHERE id = ?");
	char *text __free(kfree) = json_dumps(state, JSON_COMPACT);

	stmt_bind_text(st, text);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_source_tried(struct db *db, struct source_id id, const char *error,
		    bool new_mail)
{
	static const char sql[] =
		"UPDATE source SET last_try_s = ?1, error = ?2,"
		" last_ok_s = CASE WHEN ?2 IS NULL THEN ?1 ELSE last_ok_s END,"
		" last_mail_s = CASE WHEN ?3 THEN ?1 ELSE last_mail_s END"
		" WHERE id = ?4";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, clock_now_s());
	stmt_bind_text(st, error);
	stmt_bind_int64(st, new_mail);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}
