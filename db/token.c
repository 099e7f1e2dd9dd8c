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

int db_token_replace(struct db *db, const char *name, const char *hash,
		     const char *scopes, int64_t expires_s)
{
	return insert(db,
		      "INSERT OR REPLACE INTO token (name, hash, scopes,"
		      " created_s, expires_s) VALUES (?, ?, ?, ?, ?)",
		      name, hash, scopes, expires_s);
}
