// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/job.h"

#include <errno.h>
#include <string.h>

#include "db/digest.h"
#include "db/event.h"
#include "lib/clock.h"
#include "lib/json.h"

static const char *const state_names[] = {
	[JOB_WAITING] = "waiting",   [JOB_QUEUED] = "queued",
	[JOB_RUNNING] = "running",   [JOB_PASSED] = "passed",
	[JOB_FAILED] = "failed",     [JOB_ERRORED] = "errored",
	[JOB_CANCELED] = "canceled", [JOB_TIMED_OUT] = "timed-out",
};

const char *job_state_name(enum job_state s)
{
	return state_names[s];
}

enum job_state job_state_parse(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(state_names); i++) {
		if (!strcmp(state_names[i], name))
			return (enum job_state)i;
	}
	return JOB_ERRORED;
}

int db_job_by_key(struct db *db, const char *key, struct job_id *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id FROM job WHERE key = ?");
	int r;

	stmt_bind_text(st, key);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	ret->v = stmt_int64(st, "id");
	return 0;
}

static int add_need(struct db *db, struct job_id job, struct job_id need,
		    bool soft)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT OR IGNORE INTO job_need (job_id, needs_id, soft)"
		    " VALUES (?, ?, ?)");

	stmt_bind_int64(st, job.v);
	stmt_bind_int64(st, need.v);
	stmt_bind_int64(st, soft);
	return stmt_run(st);
}

int db_job_ensure(struct db *db, const struct job_spec *spec,
		  struct job_id *ret)
{
	static const char sql[] =
		"INSERT INTO job (key, version_id, kind, base_commit, arch,"
		" kconfig, toolchain, upto, state, priority, created_s, changed_s)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r;

	r = db_job_by_key(db, spec->key, ret);
	if (r != DB_NONE)
		return r;
	stmt_bind_text(st, spec->key);
	stmt_bind_id(st, spec->version.v);
	stmt_bind_text(st, spec->kind);
	stmt_bind_text(st, spec->base_commit);
	stmt_bind_text(st, spec->arch);
	stmt_bind_text(st, spec->kconfig);
	stmt_bind_text(st, spec->toolchain);
	stmt_bind_int64(st, spec->upto);
	stmt_bind_int64(st, spec->priority);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, clock_now_s());
	r = stmt_run(st);
	if (r)
		return r;
	ret->v = db_last_id(db);
	for (size_t i = 0; i < spec->n_needs && !r; i++)
		r = add_need(db, *ret, spec->needs[i], false);
	if (!r && spec->after.v)
		r = add_need(db, *ret, spec->after, true);
	return r ? r : db_event(db, "job.waiting", spec->version, *ret, NULL);
}

int db_job_get(struct db *db, struct job_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT * FROM job WHERE id = ?");
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*ret = stmt_row_json(st);
	return 0;
}

int db_job_set(struct db *db, struct job_id id, enum job_state s,
	       const char *why)
{
	static const char sql[] =
		"UPDATE job SET state = ?, state_why = ?, changed_s = ?"
		" WHERE id = ? RETURNING version_id";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	char *kind __free(kfree) = xasprintf("job.%s", job_state_name(s));
	struct version_id v;
	int r;

	stmt_bind_text(st, job_state_name(s));
	stmt_bind_text(st, why ? why : "");
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r == DB_NONE ? -ENOENT : r;
	v.v = stmt_int64(st, "version_id");
	r = stmt_run(st);
	return r ? r : db_event(db, kind, v, id, why);
}

int db_job_set_priority(struct db *db, struct job_id id, int64_t priority)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE job SET priority = ? WHERE id = ?");

	stmt_bind_int64(st, priority);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

/* Steps through a query that gives ids and a reason, changing each job. */
static int set_each(struct db *db, struct stmt *st, enum job_state s)
{
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r = stmt_all_json(st, &rows);

	if (r)
		return r;
	json_array_foreach(rows, i, row) {
		struct job_id id = { json_get_int(row, "id", 0) };

		r = db_job_set(db, id, s, json_get_str(row, "why", ""));
		if (r)
			return r;
	}
	return 0;
}

/*
 * A need that passed or failed has given facts, and perhaps an image of an
 * earlier patch; one that errored, timed out or was canceled has given nothing.
 */
static int cancel_hopeless(struct db *db, int64_t *n)
{
	static const char sql[] =
		"SELECT j.id, 'needs job ' || n.id || ', which ' ||"
		"  CASE n.state WHEN 'canceled' THEN 'was canceled'"
		"   WHEN 'timed-out' THEN 'timed out'"
		"   ELSE 'could not be run' END AS why"
		" FROM job j JOIN job_need d ON d.job_id = j.id"
		" JOIN job n ON n.id = d.needs_id"
		" WHERE j.state = 'waiting' AND NOT d.soft"
		"  AND n.state IN ('errored', 'canceled', 'timed-out')"
		" GROUP BY j.id";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r = stmt_all_json(st, &rows);

	if (r)
		return r;
	*n = (int64_t)json_array_size(rows);
	json_array_foreach(rows, i, row) {
		struct job_id id = { json_get_int(row, "id", 0) };

		r = db_job_set(db, id, JOB_CANCELED,
			       json_get_str(row, "why", ""));
		if (r)
			return r;
	}
	return 0;
}

int db_jobs_release(struct db *db)
{
	static const char sql[] =
		"SELECT j.id, j.state_why AS why FROM job j"
		" WHERE j.state = 'waiting'"
		" AND NOT EXISTS (SELECT 1 FROM job_need d"
		"  JOIN job n ON n.id = d.needs_id WHERE d.job_id = j.id"
		"  AND n.state NOT IN ('passed', 'failed')"
		"  AND (NOT d.soft OR"
		"       n.state IN ('waiting', 'queued', 'running')))";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int64_t n = 1;
	int r = 0;

	/* a canceled job makes others hopeless in turn */
	while (n && !r)
		r = cancel_hopeless(db, &n);
	return r ? r : set_each(db, st, JOB_QUEUED);
}

static int add_attempt(struct db *db, struct job_id job, const char *runner,
		       const char *why, struct attempt_id *ret)
{
	static const char sql_count[] =
		"UPDATE job SET attempts = attempts + 1 WHERE id = ?"
		" RETURNING attempts";
	static const char sql_add[] =
		"INSERT INTO attempt (job_id, number, state, dir, runner, why,"
		" started_s) VALUES (?, ?, 'running', ?, ?, ?, ?)";
	struct stmt *count __free(stmt) = db_prepare(db, sql_count);
	struct stmt *add __free(stmt) = db_prepare(db, sql_add);
	char *dir __free(kfree) = NULL;
	int64_t number;
	int r;

	stmt_bind_int64(count, job.v);
	r = stmt_step(count);
	if (r != DB_ROW)
		return r == DB_NONE ? -ENOENT : r;
	number = stmt_int64(count, "attempts");
	r = stmt_run(count);
	if (r)
		return r;

	dir = xasprintf("jobs/%lld/%lld", (long long)job.v, (long long)number);
	stmt_bind_int64(add, job.v);
	stmt_bind_int64(add, number);
	stmt_bind_text(add, dir);
	stmt_bind_text(add, runner);
	stmt_bind_text(add, *why ? why : number == 1 ? "first" : "retry");
	stmt_bind_int64(add, clock_now_s());
	r = stmt_run(add);
	ret->v = db_last_id(db);
	return r;
}

/*
 * ?1: now, ?2: DB_PRIORITY_LOOK. own: which series each queued job works for; used: what those have
 * taken so far. A control that nobody waits for comes last.
 */
static const char sql_next[] =
	"WITH own (job_id, version_id) AS ("
	"  SELECT id, version_id FROM job"
	"   WHERE state = 'queued' AND version_id IS NOT NULL"
	"  UNION ALL SELECT q.id, d.version_id FROM job q"
	"   JOIN job_need n ON n.needs_id = q.id"
	"   JOIN job d ON d.id = n.job_id AND d.state = 'waiting'"
	"   WHERE q.state = 'queued' AND q.version_id IS NULL),"
	" used (version_id, level) AS ("
	"  SELECT v.id, CASE WHEN u.s < 300 THEN 0 WHEN u.s < 1200 THEN 1"
	"    WHEN u.s < 4800 THEN 2 ELSE 3 END"
	"    - (?1 - v.created_s) / 21600"
	"  FROM version v JOIN (SELECT o.version_id, coalesce((SELECT"
	"    sum(coalesce(a.ended_s, ?1) - a.started_s) FROM job j"
	"    JOIN attempt a ON a.job_id = j.id"
	"    WHERE j.version_id = o.version_id), 0) AS s"
	"   FROM (SELECT DISTINCT version_id FROM own) o) u"
	"   ON u.version_id = v.id)"
	" SELECT j.* FROM job j LEFT JOIN (SELECT o.job_id,"
	"   min(max(u.level, 0)) AS level, min(u.version_id) AS version_id"
	"   FROM own o JOIN used u ON u.version_id = o.version_id"
	"   GROUP BY o.job_id) w ON w.job_id = j.id"
	" WHERE j.state = 'queued'"
	" ORDER BY w.level IS NULL, w.level, j.priority < ?2,"
	" j.kind != 'check', w.version_id, j.priority DESC, j.id LIMIT 1";

int db_job_claim(struct db *db, const char *runner, json_t **job,
		 struct attempt_id *attempt)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_next);
	json_t *row __free(json) = NULL;
	struct job_id id;
	int r;

	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, DB_PRIORITY_LOOK);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	row = stmt_row_json(st);
	stmt_reset(st);
	id.v = json_get_int(row, "id", 0);
	r = add_attempt(db, id, runner, json_get_str(row, "state_why", ""),
			attempt);
	if (!r)
		r = db_job_set(db, id, JOB_RUNNING, NULL);
	if (!r)
		*job = no_free_ptr(row);
	return r;
}

int db_attempt_finish(struct db *db, struct attempt_id id, enum job_state s,
		      const char *summary, const json_t *result)
{
	static const char sql[] =
		"UPDATE attempt SET state = ?1, summary = ?2, result = ?3,"
		" digest = CASE WHEN json_valid(?3) THEN " DB_DIGEST("?3")
		" END, ended_s = ?4 WHERE id = ?5";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	char *text __free(kfree) =
		result ? json_dumps(result, JSON_COMPACT) : NULL;

	stmt_bind_text(st, job_state_name(s));
	stmt_bind_text(st, summary);
	stmt_bind_text(st, text);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_attempts_running(struct db *db, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT a.id, a.job_id, a.number, a.dir, a.started_s,"
		    " j.state AS job_state, j.attempts, j.kind, j.version_id"
		    " FROM job j JOIN attempt a ON a.job_id = j.id"
		    "  AND a.number = j.attempts"
		    " WHERE j.state = 'running' ORDER BY a.id");

	return stmt_all_json(st, ret);
}

int db_job_results(struct db *db, struct job_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id, number, state, result AS result_json"
		    " FROM attempt WHERE job_id = ?"
		    "  AND state IN ('passed', 'failed')"
		    " ORDER BY number DESC LIMIT 10");

	stmt_bind_int64(st, id.v);
	return stmt_all_json(st, ret);
}

int db_jobs_of(struct db *db, struct version_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT * FROM job WHERE version_id = ? AND upto = 0"
		    " ORDER BY id");

	stmt_bind_int64(st, id.v);
	return stmt_all_json(st, ret);
}

int db_jobs_all_of(struct db *db, struct version_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT * FROM job WHERE version_id = ? ORDER BY id");

	stmt_bind_int64(st, id.v);
	return stmt_all_json(st, ret);
}

int db_jobs_bisecting(struct db *db, const json_t *job, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT b.* FROM job j JOIN job b ON"
		    "  b.version_id = j.version_id AND b.kind = j.kind"
		    "  AND b.arch = j.arch AND b.kconfig = j.kconfig"
		    "  AND b.toolchain = j.toolchain AND b.upto > 0"
		    " WHERE j.id = ? ORDER BY b.upto");

	stmt_bind_int64(st, json_get_int(job, "id", 0));
	return stmt_all_json(st, ret);
}

int db_jobs_open_of(struct db *db, struct version_id id, int64_t *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT count(*) AS n FROM job WHERE version_id = ?"
		    " AND state IN ('waiting', 'queued', 'running')");
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r == DB_NONE ? -EIO : r;
	*ret = stmt_int64(st, "n");
	return 0;
}

int db_jobs_cancel_of(struct db *db, struct version_id id, const char *why)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id, ? AS why FROM job WHERE version_id = ?"
		    " AND state IN ('waiting', 'queued')");

	stmt_bind_text(st, why);
	stmt_bind_int64(st, id.v);
	return set_each(db, st, JOB_CANCELED);
}

int db_job_rerun(struct db *db, struct job_id id, const char *why)
{
	static const char sql_needs[] =
		"WITH RECURSIVE t(id) AS (SELECT ? UNION"
		"  SELECT d.needs_id FROM t JOIN job_need d ON d.job_id = t.id)"
		" SELECT j.id, ? AS why FROM t JOIN job j ON j.id = t.id"
		" WHERE j.state IN ('errored', 'canceled', 'timed-out')";
	struct stmt *st __free(stmt) = db_prepare(db, sql_needs);
	json_t *row __free(json) = NULL;
	int r = db_job_get(db, id, &row);

	if (r)
		return r;
	switch (job_state_parse(json_get_str(row, "state", ""))) {
	case JOB_WAITING:
	case JOB_QUEUED:
	case JOB_RUNNING:
		return -EALREADY;
	case JOB_PASSED:
	case JOB_FAILED:
	case JOB_ERRORED:
	case JOB_CANCELED:
	case JOB_TIMED_OUT:
		break;
	}
	stmt_bind_int64(st, id.v);
	stmt_bind_text(st, why);
	r = set_each(db, st, JOB_WAITING);
	return r ? r : db_job_set(db, id, JOB_WAITING, why);
}
