// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/submitter.h"

#include "lib/clock.h"

int db_submitter_add(struct db *db, struct version_id id, const char *token,
		     int64_t since_s)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO submitter (version_id, token, at_s)"
		    " SELECT v.id, ?2, ?3 FROM version v WHERE v.id = ?1"
		    " AND v.created_s >= ?4 AND NOT EXISTS"
		    " (SELECT 1 FROM submitter WHERE version_id = ?1)");

	stmt_bind_int64(st, id.v);
	stmt_bind_text(st, token);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, since_s);
	return stmt_run(st);
}

int db_submitter_is(struct db *db, const char *token, enum submitter_of kind,
		    int64_t id)
{
	static const char *const sql[] = {
		[SUBMITTER_OF_VERSION] =
			"SELECT 1 FROM submitter WHERE token = ?1"
			" AND version_id = ?2",
		[SUBMITTER_OF_JOB] =
			"SELECT 1 FROM job j JOIN submitter s"
			" ON s.version_id = j.version_id"
			" WHERE s.token = ?1 AND j.id = ?2",
		[SUBMITTER_OF_OUTGOING] =
			"SELECT 1 FROM outgoing o JOIN submitter s"
			" ON s.version_id = o.version_id"
			" WHERE s.token = ?1 AND o.id = ?2",
	};
	struct stmt *st __free(stmt) = db_prepare(db, sql[kind]);
	int r;

	stmt_bind_text(st, token);
	stmt_bind_int64(st, id);
	r = stmt_step(st);
	return r == DB_ROW ? 0 : r;
}
