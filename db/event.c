// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/event.h"

#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/json.h"

/* Rows looked at in one go: some milliseconds, however little matches. */
#define MAX_SCAN 5000

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

int db_event_last(struct db *db, int64_t *ret)
{
	struct stmt *st __free(stmt) =
		db_prepare(db, "SELECT coalesce(max(id), 0) AS id FROM event");
	int r = stmt_step(st);

	if (r != DB_ROW)
		return r < 0 ? r : -EIO;
	*ret = stmt_int64(st, "id");
	return 0;
}

bool db_event_wanted(const char *list, const char *kind)
{
	if (!list || !*list)
		return true;
	while (*list) {
		size_t len = strcspn(list, " ");

		if (len && !strncmp(list, kind, len) &&
		    (!kind[len] || kind[len] == '.'))
			return true;
		list += len + (list[len] == ' ');
	}
	return false;
}

/*
 * A control belongs to no version and is nobody's secret; who has tokens is
 * nobody's business.
 */
static const char sql_events[] =
	"SELECT e.id, e.at_s, e.kind, coalesce(e.version_id, j.version_id)"
	"  AS series_id, v.key AS series_key, e.job_id,"
	" e.detail AS detail_json FROM event e"
	" LEFT JOIN job j ON j.id = e.job_id"
	" LEFT JOIN version v ON v.id = coalesce(e.version_id, j.version_id)"
	" WHERE e.id > ?1 AND e.id <= ?2"
	" AND (?3 OR (v.private IS NOT 1 AND e.kind NOT GLOB 'token.*'))"
	" AND (?4 = 0 OR v.id = ?4) AND (?5 = 0 OR e.job_id = ?5)"
	" ORDER BY e.id";

int db_events(struct db *db, const struct event_filter *filter, int limit,
	      json_t **ret, int64_t *last)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_events);
	json_t *list __free(json) = json_array();
	int64_t newest = 0, upto, id = 0;
	int r = db_event_last(db, &newest);

	if (r)
		return r;
	upto = min(newest, filter->after + MAX_SCAN);
	stmt_bind_int64(st, filter->after);
	stmt_bind_int64(st, upto);
	stmt_bind_int64(st, filter->see_private);
	stmt_bind_int64(st, filter->series.v);
	stmt_bind_int64(st, filter->job.v);
	while (json_array_size(list) < (size_t)limit &&
	       (r = stmt_step(st)) == DB_ROW) {
		id = stmt_int64(st, "id");
		if (db_event_wanted(filter->kinds, stmt_text(st, "kind")))
			json_array_append_new(list, stmt_row_json(st));
	}
	if (r < 0)
		return r;
	*last = max(filter->after, json_array_size(list) < (size_t)limit ?
				   upto : id);
	*ret = no_free_ptr(list);
	return 0;
}
