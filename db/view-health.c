// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/view-history.h"

#include "db/view.h"
#include "lib/json.h"

/* Controls of the bases of a tree, the newest first within one place. */
static const char sql_controls[] =
	"SELECT t.id AS tree_id, j.arch, j.kconfig, j.toolchain, j.kind,"
	" j.state, j.state_why, j.id AS job_id, j.base_commit AS \"commit\","
	" j.changed_s FROM tree t JOIN job j ON j.version_id IS NULL"
	"  AND j.kind IN ('base', 'boot')"
	"  AND j.state IN ('passed', 'failed', 'timed-out')"
	"  AND j.base_commit IN (SELECT t.commit_id UNION"
	"   SELECT base_commit FROM version WHERE tree_id = t.id"
	"   AND base_commit IS NOT NULL)"
	" WHERE ? ORDER BY t.rank, t.id, j.arch = 's390', j.arch = 'arm64',"
	" j.arch, j.kconfig, j.toolchain != 'gcc', j.toolchain, j.kind,"
	" j.id DESC";

static bool same_place(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "tree_id", "arch", "kconfig",
					    "toolchain", "kind" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!json_equal(json_object_get(a, keys[i]),
				json_object_get(b, keys[i])))
			return false;
	}
	return true;
}

int view_health_of_bases(struct db *db, json_t **ret)
{
	json_t *rows __free(json) = NULL, *list = json_array(), *row;
	json_t *last = NULL; /* borrowed: of the place that is gone through */
	bool row_ended = false;
	size_t i;
	int r = view_rows(db, sql_controls, 1, &rows);

	json_array_foreach(rows, i, row) {
		json_t *since = json_object_get(row, "changed_s");

		if (!last || !same_place(last, row)) {
			last = row;
			row_ended = false;
			json_array_append(list, row);
		} else if (!json_equal(json_object_get(row, "state"),
				       json_object_get(last, "state"))) {
			row_ended = true;
		}
		if (!row_ended)
			json_object_set(last, "since_s", since);
	}
	if (r)
		json_decref(list);
	else
		*ret = list;
	return r;
}

static const char sql_tally[] =
	"SELECT (SELECT count(*) FROM outgoing WHERE state = 'sent') AS sent,"
	" (SELECT count(*) FROM outgoing WHERE state = 'held') AS held,"
	" (SELECT count(*) FROM outgoing WHERE state = 'rejected') AS rejected,"
	" (SELECT count(*) FROM outgoing o JOIN version v ON v.id = o.version_id"
	"  WHERE o.state = 'sent' AND EXISTS (SELECT 1 FROM not_mine n"
	"   JOIN finding f ON f.fingerprint = n.fingerprint"
	"   WHERE n.topic_id = v.topic_id AND f.version_id = v.id)) AS wrong,"
	" (SELECT count(*) FROM version WHERE private = 0) AS versions,"
	" (SELECT count(*) FROM version WHERE private = 0 AND verdict != '')"
	"  AS judged,"
	" (SELECT min(created_s) FROM version) AS since_s,"
	" (SELECT max(at_s) FROM event) AS last_event_s WHERE ?";

static const char sql_median[] =
	"WITH d AS (SELECT max(verdict_s - last_mail_s, 0) AS s FROM"
	"  (SELECT verdict_s, last_mail_s FROM version"
	"   WHERE verdict_s IS NOT NULL ORDER BY changed_s DESC LIMIT 1000))"
	" SELECT s AS verdict_median_s FROM d WHERE ? ORDER BY s"
	" LIMIT 1 OFFSET (SELECT count(*) / 2 FROM d)";

static const char sql_verdicts[] =
	"SELECT status AS state, count(*) AS n FROM version"
	" WHERE private = 0 AND ? GROUP BY status ORDER BY n DESC";

int view_tally(struct db *db, json_t **ret)
{
	json_t *o __free(json) = NULL, *median __free(json) = NULL;
	int r = view_row(db, sql_tally, 1, &o);

	if (!r)
		r = view_set(db, o, "verdicts", sql_verdicts, 1);
	if (r)
		return r;
	r = view_row(db, sql_median, 1, &median);
	if (r && r != DB_NONE)
		return r;
	json_object_set_new(o, "verdict_median_s", json_null());
	if (median)
		json_object_update(o, median);
	*ret = no_free_ptr(o);
	return 0;
}
