// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/view-job.h"

#include "db/digest.h"
#include "db/view.h"
#include "lib/json.h"

/* A result is kept as it came: it may be no JSON at all. */
#define RESULT "(CASE WHEN json_valid(a.result) THEN a.result ELSE '{}' END)"

/* without a digest: from before there were any */
#define RESULT_COLUMNS                                                  \
	" a.number AS attempt, a.summary, a.started_s, a.ended_s,"      \
	" ifnull(a.digest, " DB_DIGEST(RESULT) ") AS digest_json"

#define JOB_ORDER                                                       \
	" ORDER BY j.arch = 's390', j.arch = 'arm64', j.arch,"          \
	" j.kconfig, j.toolchain != 'gcc', j.toolchain, j.id"

static const char sql_of[] =
	"SELECT " VIEW_JOB_COLUMNS "," RESULT_COLUMNS " FROM job j"
	" LEFT JOIN attempt a ON a.id = " VIEW_LAST_RESULT("j.id")
	" WHERE j.version_id = ? AND j.upto = 0" JOB_ORDER;

/* What the digest says stands beside the other columns. */
static void spread_digest(json_t *row)
{
	static const char *const keys[] = { "boot", "image_patch", "dropped" };
	json_t *digest = json_object_get(row, "digest"), *v;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		v = json_object_get(digest, keys[i]);
		json_object_set(row, keys[i], v ? v : json_null());
	}
	v = json_object_get(digest, "patches");
	if (json_is_array(v))
		json_object_set(row, "patches", v);
	else
		json_object_set_new(row, "patches", json_array());
	json_object_del(row, "digest");
}

static int jobs_of(struct db *db, const char *sql, int64_t id, json_t **ret)
{
	int r = view_rows(db, sql, id, ret);
	json_t *row;
	size_t i;

	if (r)
		return r;
	json_array_foreach(*ret, i, row)
		spread_digest(row);
	return 0;
}

int view_jobs_of(struct db *db, struct version_id series, json_t **ret)
{
	return jobs_of(db, sql_of, series.v, ret);
}

static const char sql_controls[] =
	"SELECT " VIEW_JOB_COLUMNS "," RESULT_COLUMNS " FROM version v"
	" JOIN job j INDEXED BY job_control"
	"  ON j.version_id IS NULL AND j.base_commit = v.base_commit"
	" LEFT JOIN attempt a ON a.id = " VIEW_LAST_RESULT("j.id")
	" WHERE v.id = ? AND EXISTS (SELECT 1 FROM job o"
	"  WHERE o.version_id = v.id AND o.arch = j.arch"
	"  AND o.kconfig = j.kconfig AND o.toolchain = j.toolchain)" JOB_ORDER;

int view_controls_of(struct db *db, struct version_id series, json_t **ret)
{
	return jobs_of(db, sql_controls, series.v, ret);
}

static const char sql_one[] =
	"SELECT " VIEW_JOB_COLUMNS ", v.private," VIEW_JOB_SERIES_COLUMNS
	", t.name AS tree"
	" FROM job j LEFT JOIN version v ON v.id = j.version_id"
	" LEFT JOIN tree t ON t.id = v.tree_id WHERE j.id = ?";

static const char sql_needs[] =
	"SELECT o.id, o.kind, o.arch, o.kconfig, o.toolchain, o.state"
	" FROM job_need n JOIN job o ON o.id = n.needs_id"
	" WHERE n.job_id = ? ORDER BY o.id";

static const char sql_attempts[] =
	"SELECT number, state, runner, why, started_s, ended_s, summary,"
	" result AS result_json FROM attempt WHERE job_id = ?"
	" ORDER BY number DESC LIMIT 50";

static const char sql_findings[] =
	"SELECT id, number, until_number, stage, blame, tool, severity, option,"
	" file, line, col, function, message, detail, quote, leader_id, state,"
	" state_why FROM finding WHERE job_id = ?"
	" ORDER BY number, severity != 'error', id LIMIT 500";

static const char sql_tests[] =
	"SELECT suite, name, status, why FROM test_result"
	" WHERE attempt_id = " VIEW_LAST_RESULT("?1") " ORDER BY seq LIMIT 2000";

static const char sql_measures[] =
	"SELECT name, unit, value, work, samples AS samples_json, why"
	" FROM measure WHERE attempt_id = " VIEW_LAST_RESULT("?1")
	" ORDER BY name";

static const struct {
	const char *key, *sql;
} job_lists[] = {
	{ "needs", sql_needs },	      { "attempts_list", sql_attempts },
	{ "findings", sql_findings }, { "tests", sql_tests },
	{ "measures", sql_measures },
};

int view_job(struct db *db, struct job_id id, bool see_private, json_t **ret)
{
	json_t *o __free(json) = NULL;
	int r = view_row(db, sql_one, id.v, &o);

	if (r)
		return r;
	if (json_get_int(o, "private", 0) && !see_private)
		return DB_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(job_lists); i++) {
		r = view_set(db, o, job_lists[i].key, job_lists[i].sql, id.v);
		if (r)
			return r;
	}
	*ret = no_free_ptr(o);
	return 0;
}

static const char sql_repro[] =
	"SELECT j.id AS job_id, v.private, a.dir, t.kind, t.location, t.branch,"
	" json_extract(" RESULT ", '$.environment') AS environment_json,"
	" (SELECT json_group_array(json_object('number', p.number,"
	"   'message_id', m.message_id)) FROM patch p"
	"  JOIN mail m ON m.id = p.mail_id WHERE p.version_id = v.id"
	"  AND (j.upto = 0 OR p.number <= j.upto)) AS patches_json"
	" FROM job j LEFT JOIN version v ON v.id = j.version_id"
	" LEFT JOIN tree t ON t.id = ifnull(v.tree_id, (SELECT id FROM tree"
	"  WHERE commit_id = j.base_commit LIMIT 1))"
	" LEFT JOIN attempt a ON a.id = ifnull(" VIEW_LAST_RESULT("j.id") ","
	"  (SELECT max(id) FROM attempt WHERE job_id = j.id))"
	" WHERE j.id = ?";

int view_repro(struct db *db, struct job_id id, bool see_private, json_t **ret)
{
	static const char *const keys[] = { "kind", "location", "branch" };
	json_t *o __free(json) = NULL, *tree = json_object();
	int r = view_row(db, sql_repro, id.v, &o);

	if (!r && json_get_int(o, "private", 0) && !see_private)
		r = DB_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(keys) && !r; i++)
		json_object_set(tree, keys[i], json_object_get(o, keys[i]));
	if (r) {
		json_decref(tree);
		return r;
	}
	json_object_set_new(o, "tree", tree);
	*ret = no_free_ptr(o);
	return 0;
}

/* Only patches of series: nothing else is anybody's business here. */
static const char sql_raw[] =
	"SELECT m.id FROM mail m WHERE m.message_id = ?1 AND EXISTS (SELECT 1"
	" FROM patch p JOIN version v ON v.id = p.version_id"
	" WHERE p.mail_id = m.id AND (v.private = 0 OR ?2))";

int view_patch_mail(struct db *db, const char *message_id, bool see_private,
		    struct mail_id *ret)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_raw);
	int r;

	stmt_bind_text(st, message_id);
	stmt_bind_int64(st, see_private);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	ret->v = stmt_int64(st, "id");
	return 0;
}

static const char sql_dir[] =
	"SELECT a.dir FROM attempt a JOIN job j ON j.id = a.job_id"
	" LEFT JOIN version v ON v.id = j.version_id WHERE a.job_id = ?1"
	" AND (?2 = 0 OR a.number = ?2) AND (v.private IS NOT 1 OR ?3)"
	" ORDER BY a.number DESC LIMIT 1";

int view_attempt_dir(struct db *db, struct job_id id, int number,
		     bool see_private, struct strbuf *dir)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_dir);
	int r;

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, number);
	stmt_bind_int64(st, see_private);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	strbuf_addstr(dir, stmt_text(st, "dir"));
	return 0;
}

static const char sql_queue[] =
	"SELECT " VIEW_JOB_COLUMNS "," VIEW_JOB_SERIES_COLUMNS
	", a.number AS attempt,"
	" a.runner, a.started_s,"
	" (SELECT json_group_array(json_object('id', o.id, 'kind', o.kind,"
	"   'arch', o.arch, 'state', o.state))"
	"  FROM job_need n JOIN job o ON o.id = n.needs_id"
	"  WHERE n.job_id = j.id"
	"  AND o.state IN ('waiting', 'queued', 'running')) AS needs_json"
	" FROM job j LEFT JOIN version v ON v.id = j.version_id"
	" LEFT JOIN attempt a ON a.job_id = j.id AND a.number = j.attempts"
	"  AND a.state = 'running'"
	" WHERE j.state = ?1 AND j.state IN ('waiting', 'queued', 'running')"
	" AND (v.private IS NOT 1 OR ?2)"
	" ORDER BY j.priority DESC, j.id LIMIT 200";

static const char sql_queue_counts[] =
	"SELECT j.state, count(*) AS n FROM job j"
	" LEFT JOIN version v ON v.id = j.version_id"
	" WHERE j.state IN ('waiting', 'queued', 'running')"
	" AND (v.private IS NOT 1 OR ?1) GROUP BY j.state";

static int queue_part(struct db *db, const char *state, bool see_private,
		      json_t *o)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_queue);
	json_t *rows = NULL;
	int r;

	stmt_bind_text(st, state);
	stmt_bind_int64(st, see_private);
	r = stmt_all_json(st, &rows);
	if (!r)
		json_object_set_new(o, state, rows);
	return r;
}

int view_queue(struct db *db, bool see_private, json_t **ret)
{
	static const char *const states[] = { "running", "queued", "waiting" };
	json_t *o __free(json) = json_object(), *rows __free(json) = NULL;
	json_t *counts = json_object(), *row;
	size_t i;
	int r;

	json_object_set_new(o, "counts", counts);
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		json_set_int(counts, states[i], 0);
		r = queue_part(db, states[i], see_private, o);
		if (r)
			return r;
	}
	r = view_rows(db, sql_queue_counts, see_private, &rows);
	if (r)
		return r;
	json_array_foreach(rows, i, row)
		json_set_int(counts, json_get_str(row, "state", ""),
			     json_get_int(row, "n", 0));
	*ret = no_free_ptr(o);
	return 0;
}
