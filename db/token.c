// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/token.h"

#include "lib/clock.h"

static int insert(struct db *db, const char *sql, const char *name,
		  const char *hash, const char *scopes, int64_t expires_s)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_text(st, name);
	stmt_bind_text(st, hash);
	stmt_bind_text(st, scopes);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_id(st, expires_s);
	return stmt_run(st);
}

int db_token_add(struct db *db, const char *name, const char *hash,
		 const char *scopes, int64_t expires_s)
{
	return insert(db,
		      "INSERT INTO token (name, hash, scopes, created_s,"
		      " expires_s) VALUES (?, ?, ?, ?, ?)",
		      name, hash, scopes, expires_s);
}

static int end_sessions(struct db *db, const char *sql, const char *name,
			const char *hash)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_text(st, name);
	if (hash)
		stmt_bind_text(st, hash);
	return stmt_run(st);
}

int db_token_replace(struct db *db, const char *name, const char *hash,
		     const char *scopes, int64_t expires_s)
{
	/* the same token again, at the next start: who is logged in stays so */
	int r = end_sessions(db,
			     "DELETE FROM session WHERE token = ?1 AND NOT EXISTS"
			     " (SELECT 1 FROM token WHERE name = ?1"
			     "  AND hash = ?2)", name, hash);

	if (r)
		return r;
	return insert(db,
		      "INSERT OR REPLACE INTO token (name, hash, scopes,"
		      " created_s, expires_s) VALUES (?, ?, ?, ?, ?)",
		      name, hash, scopes, expires_s);
}

int db_token_revoke(struct db *db, const char *name)
{
	struct stmt *st __free(stmt) =
		db_prepare(db, "DELETE FROM token WHERE name = ?");
	int r;

	stmt_bind_text(st, name);
	r = stmt_run(st);
	if (r)
		return r;
	if (!db_changes(db))
		return DB_NONE;
	return end_sessions(db, "DELETE FROM session WHERE token = ?", name,
			    NULL);
}

int db_tokens(struct db *db, int64_t now_s, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT name, scopes, created_s, expires_s,"
		    " CASE WHEN expires_s <= ?1 THEN 'expired' ELSE 'good' END"
		    "  AS state,"
		    " (SELECT count(*) FROM session s WHERE s.token = t.name"
		    "  AND s.expires_s > ?1) AS sessions"
		    " FROM token t ORDER BY name");

	stmt_bind_int64(st, now_s);
	return stmt_all_json(st, ret);
}
