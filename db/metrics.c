// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/metrics.h"

#include "db/view.h"
#include "lib/json.h"

/* Numbers are given out in order and rows of these tables are not deleted. */
static const char sql_totals[] =
	"SELECT (SELECT coalesce(max(id), 0) FROM attempt) AS attempts,"
	" (SELECT coalesce(max(id), 0) FROM event) AS events,"
	" (SELECT coalesce(max(id), 0) FROM finding) AS findings,"
	" (SELECT coalesce(max(id), 0) FROM mail) AS mails,"
	" (SELECT coalesce(max(id), 0) FROM version) AS series WHERE ?";

static const struct {
	const char *key;
	const char *sql;
} lists[] = {
	{ "jobs", "SELECT state, kind, arch, count(*) AS n FROM job"
		  " WHERE state IN ('waiting', 'queued', 'running') AND ?"
		  " GROUP BY state, kind, arch" },
	{ "outgoing", "SELECT state, count(*) AS n FROM outgoing WHERE ?"
		      " GROUP BY state" },
	{ "sources", "SELECT name, last_ok_s, last_mail_s,"
		     " error IS NOT NULL AS failing FROM source WHERE ?"
		     " ORDER BY id" },
	{ "trees", "SELECT name, state = 'failed' AS failing, fetched_s"
		   " FROM tree WHERE ? ORDER BY id" },
	{ "recent", "SELECT j.kind, j.arch, a.ended_s - a.started_s AS seconds"
		    " FROM attempt a JOIN job j ON j.id = a.job_id"
		    " WHERE a.id > (SELECT max(id) FROM attempt) - 1000"
		    " AND a.ended_s IS NOT NULL AND ?"
		    " ORDER BY j.kind, j.arch, seconds" },
};

int db_metrics(struct db *db, json_t **ret)
{
	json_t *o __free(json) = json_object(), *totals = NULL;
	json_t *size __free(json) = NULL;
	int r = view_row(db, sql_totals, 1, &totals);

	if (!r)
		json_object_set_new(o, "totals", totals);
	for (size_t i = 0; i < ARRAY_SIZE(lists) && !r; i++)
		r = view_set(db, o, lists[i].key, lists[i].sql, 1);
	if (!r)
		r = view_row(db, "SELECT page_count * page_size AS bytes FROM"
				 " pragma_page_count(), pragma_page_size()"
				 " WHERE ?", 1, &size);
	if (r)
		return r;
	json_object_set(o, "database_bytes", json_object_get(size, "bytes"));
	*ret = no_free_ptr(o);
	return 0;
}
