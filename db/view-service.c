// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/view-service.h"

#include "db/view.h"
#include "lib/json.h"

#define OUT_COLUMNS                                                     \
	"o.id, o.subject, o.message_id, o.in_reply_to,"                 \
	" o.recipients AS recipients_json, o.state, o.state_why,"       \
	" o.created_s, o.changed_s, v.id AS series_id,"                 \
	" v.key AS series_key, v.title AS series_title,"                \
	" v.version AS series_version"

static const char sql_outbox[] =
	"SELECT " OUT_COLUMNS " FROM outgoing o"
	" LEFT JOIN version v ON v.id = o.version_id"
	" WHERE (v.private IS NOT 1 OR ?1) AND (?2 IS NULL OR o.state = ?2)"
	" AND o.id < ?3 ORDER BY o.id DESC LIMIT ?4";

int view_outbox(struct db *db, const char *state, const struct view_page *page,
		json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_outbox);
	json_t *rows = NULL;
	int64_t unused, id;
	int r = view_cursor(page, &unused, &id);

	if (r)
		return r;
	stmt_bind_int64(st, page->see_private);
	stmt_bind_text(st, state);
	stmt_bind_int64(st, id);
	stmt_bind_int64(st, view_limit(page));
	r = stmt_all_json(st, &rows);
	if (!r)
		*ret = view_list(page, rows, NULL, "id");
	return r;
}

static const char sql_outgoing[] =
	"SELECT " OUT_COLUMNS ", v.private, o.body, o.eml, o.approved_by,"
	" o.doubtful, o.tries, o.next_try_s, o.sent_s,"
	" o.decision AS decision_json FROM outgoing o"
	" LEFT JOIN version v ON v.id = o.version_id WHERE o.id = ?";

int view_outgoing(struct db *db, struct outgoing_id id, bool see_private,
		  json_t **ret)
{
	json_t *o __free(json) = NULL;
	int r = view_row(db, sql_outgoing, id.v, &o);

	if (r)
		return r;
	if (json_get_int(o, "private", 0) && !see_private)
		return DB_NONE;
	r = view_set(db, o, "deliveries",
		     "SELECT email, state, answer, at_s FROM delivery"
		     " WHERE outgoing_id = ? ORDER BY email", id.v);
	if (r)
		return r;
	*ret = no_free_ptr(o);
	return 0;
}

int view_trees(struct db *db, json_t **ret)
{
	return view_rows(db,
			 "SELECT id, name, kind, location, branch, role, rank,"
			 " commit_id, describe, state, error, fetched_s"
			 " FROM tree WHERE ? ORDER BY rank, id", 1, ret);
}

int view_sources(struct db *db, json_t **ret)
{
	return view_rows(db,
			 "SELECT id, name, kind, location, last_try_s,"
			 " last_ok_s, last_mail_s, error FROM source"
			 " WHERE ? ORDER BY id", 1, ret);
}

static const char sql_health[] =
	"SELECT (SELECT count(*) FROM outgoing WHERE state = 'held') AS held,"
	" (SELECT count(*) FROM source WHERE error IS NOT NULL)"
	"  AS sources_failing,"
	" (SELECT count(*) FROM tree WHERE state = 'failed') AS trees_failing,"
	" (SELECT at_s FROM event ORDER BY id DESC LIMIT 1) AS last_event_s"
	" WHERE ?";

int view_health(struct db *db, json_t **ret)
{
	json_t *o __free(json) = NULL, *rows __free(json) = NULL;
	json_t *jobs = json_object(), *row;
	size_t i;
	int r = view_row(db, sql_health, 1, &o);

	if (!r)
		r = view_rows(db,
			      "SELECT state, count(*) AS n FROM job WHERE"
			      " state IN ('waiting', 'queued', 'running')"
			      " AND ? GROUP BY state", 1, &rows);
	if (r) {
		json_decref(jobs);
		return r;
	}
	json_array_foreach(rows, i, row)
		json_set_int(jobs, json_get_str(row, "state", ""),
			     json_get_int(row, "n", 0));
	json_object_set_new(o, "jobs", jobs);
	*ret = no_free_ptr(o);
	return 0;
}

int view_token(struct db *db, const char *hash, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id, name, scopes, expires_s FROM token"
		    " WHERE hash = ?");
	int r;

	stmt_bind_text(st, hash);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*ret = stmt_row_json(st);
	return 0;
}
