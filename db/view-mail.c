// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/view-mail.h"

#include <stdio.h>

#include "db/view.h"
#include "lib/json.h"

#define MAIL_COLUMNS                                                    \
	"m.id, m.message_id, m.kind, m.subject, m.from_name,"           \
	" m.from_email, m.date_s, m.received_s, m.in_reply_to,"         \
	" m.version, m.number, m.total, m.refused"

static const char sql_mails[] =
	"SELECT " MAIL_COLUMNS " FROM mail m"
	" WHERE (m.private = 0 OR ?1) AND (?2 IS NULL OR m.kind = ?2)"
	" AND m.id < ?3 ORDER BY m.id DESC LIMIT ?4";

static const char sql_mails_of[] =
	"SELECT " MAIL_COLUMNS " FROM mail m WHERE m.id IN"
	" (SELECT cover_mail_id FROM version WHERE id = ?5"
	"  UNION SELECT mail_id FROM patch WHERE version_id = ?5"
	"  UNION SELECT mail_id FROM comment WHERE version_id = ?5)"
	" AND (m.private = 0 OR ?1) AND (?2 IS NULL OR m.kind = ?2)"
	" AND m.id < ?3 ORDER BY m.id DESC LIMIT ?4";

int view_mails(struct db *db, struct version_id series, const char *kind,
	       const struct view_page *page, json_t **ret)
{
	struct stmt *st __free(stmt) =
		db_prepare(db, series.v ? sql_mails_of : sql_mails);
	json_t *rows = NULL;
	int64_t unused, id;
	int r = view_cursor(page, &unused, &id);

	if (r)
		return r;
	stmt_bind_int64(st, page->see_private);
	stmt_bind_text(st, kind);
	stmt_bind_int64(st, id);
	stmt_bind_int64(st, view_limit(page));
	if (series.v)
		stmt_bind_int64(st, series.v);
	r = stmt_all_json(st, &rows);
	if (!r)
		*ret = view_list(page, rows, NULL, "id");
	return r;
}

static const char sql_runners[] =
	"SELECT a.runner AS name, count(*) AS running,"
	" min(a.started_s) AS oldest_s,"
	" json_group_array(json_object('id', j.id, 'kind', j.kind, 'arch',"
	"  j.arch, 'kconfig', j.kconfig, 'toolchain', j.toolchain,"
	"  'series_id', j.version_id, 'started_s', a.started_s))"
	"  FILTER (WHERE v.private IS NOT 1 OR ?1) AS jobs_json"
	" FROM job j JOIN attempt a ON a.job_id = j.id AND a.state = 'running'"
	" LEFT JOIN version v ON v.id = j.version_id"
	" WHERE j.state = 'running' GROUP BY a.runner ORDER BY a.runner";

int view_runners(struct db *db, bool see_private, json_t **ret)
{
	return view_rows(db, sql_runners, see_private, ret);
}

int db_attempt_last(struct db *db, struct job_id job, int *number)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT number FROM attempt WHERE job_id = ?"
		    " ORDER BY number DESC LIMIT 1");
	int r;

	stmt_bind_int64(st, job.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*number = (int)stmt_int64(st, "number");
	return 0;
}

int db_attempt_state(struct db *db, struct job_id job, int number, char *state,
		     size_t size)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT state FROM attempt WHERE job_id = ?"
		    " AND number = ?");
	int r;

	stmt_bind_int64(st, job.v);
	stmt_bind_int64(st, number);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	snprintf(state, size, "%s", stmt_text(st, "state"));
	return 0;
}
