// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/event.h"

#include "lib/clock.h"
#include "lib/json.h"

int db_event(struct db *db, const char *kind, struct version_id v,
	     struct job_id j, const char *why)
{
	static const char sql[] =
		"INSERT INTO event (at_s, kind, version_id, job_id, detail)"
		" VALUES (?, ?, ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	json_t *detail __free(json) = json_object();
	char *text __free(kfree) = NULL;

	if (why && *why)
		json_set_text(detail, "why", why);
	text = json_dumps(detail, JSON_COMPACT);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_text(st, kind);
	stmt_bind_id(st, v.v);
	stmt_bind_id(st, j.v);
	stmt_bind_text(st, text);
	return stmt_run(st);
}
