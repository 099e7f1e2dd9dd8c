// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/session.h"

#include "lib/clock.h"

int db_session_add(struct db *db, const char *hash, const char *token,
		   int64_t expires_s)
{
	struct stmt *old __free(stmt) =
		db_prepare(db, "DELETE FROM session WHERE expires_s <= ?");
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO session (hash, token, created_s, expires_s)"
		    " VALUES (?, ?, ?, ?)");
	int r;

	stmt_bind_int64(old, clock_now_s());
	r = stmt_run(old);
	if (r)
		return r;
	stmt_bind_text(st, hash);
	stmt_bind_text(st, token);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, expires_s);
	return stmt_run(st);
}

int db_session_end(struct db *db, const char *hash)
{
	struct stmt *st __free(stmt) =
		db_prepare(db, "DELETE FROM session WHERE hash = ?");

	stmt_bind_text(st, hash);
	return stmt_run(st);
}

int db_session_find(struct db *db, const char *hash, int64_t now_s,
		    json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT t.name, t.scopes FROM session s"
		    " JOIN token t ON t.name = s.token"
		    " WHERE s.hash = ?1 AND s.expires_s > ?2"
		    " AND (t.expires_s IS NULL OR t.expires_s > ?2)");
	int r;

	stmt_bind_text(st, hash);
	stmt_bind_int64(st, now_s);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*ret = stmt_row_json(st);
	return 0;
}
