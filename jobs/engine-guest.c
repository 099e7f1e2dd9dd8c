// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "runs: " fmt
#include <errno.h>
#include <string.h>

#include "db/job.h"
#include "jobs/engine-private.h"
#include "jobs/judge.h"
#include "jobs/plan.h"
#include "lib/json.h"
#include "lib/log.h"

/* Somebody else's wish for the same attempt is as good as ours. */
static int run_again(struct engine *e, struct job_id id, const char *why)
{
	int r = db_job_rerun(e->db, id, why);

	return r == -EALREADY ? 0 : r;
}

static int run_control_again(struct engine *e, const json_t *job)
{
	struct job_id control;
	int r = engine_control_of(e, job, &control);

	if (r)
		return r == DB_NONE ? 0 : r;
	return run_again(e, control, "to see whether the base fails as well");
}

static int run_next(struct engine *e, const json_t *job,
		    const struct judge_next *next)
{
	struct job_id id = { json_get_int(job, "id", 0) };
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r = 0;

	/* first the base: the series' own attempt waits for it */
	if (next->repeat_control)
		r = run_control_again(e, job);
	if (!r && (next->repeat || next->repeat_control))
		r = run_again(e, id, "to see whether it fails again");
	if (r || !next->bisect_at)
		return r;
	pr_info("job %lld: looking at the patches up to %lld\n",
		(long long)id.v, (long long)next->bisect_at);
	r = plan_bisect(e->db, e->cfg, job, next->bisect_at, &why);
	if (!r)
		return 0;
	/* without its patch a finding is still a finding */
	pr_warn("job %lld: looking for the patch: %s\n", (long long)id.v,
		why.len ? why.buf : strerror(-r));
	return r == -ENOENT ? 0 : r;
}

/* The job whose failure the step @job helps to understand. */
static int main_job(struct engine *e, json_t **job)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	struct job_id id;
	int r;

	plan_own_key(*job, json_get_str(*job, "kind", ""), 0, &key);
	r = db_job_by_key(e->db, key.buf, &id);
	json_decref(*job);
	*job = NULL;
	return r ? r : db_job_get(e->db, id, job);
}

static bool is_guest(const json_t *job)
{
	const char *kind = json_get_str(job, "kind", "");

	return !strcmp(kind, "boot") || !strcmp(kind, "test") ||
	       !strcmp(kind, "bench");
}

static bool is_build(const json_t *job)
{
	return !strcmp(json_get_str(job, "kind", ""), "build");
}

/* Is there a finding of a build that left its patch out? */
static int build_next(struct engine *e, json_t *build)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	json_t *facts __free(json) = NULL, *checked __free(json) = NULL;
	json_t *row __free(json) = NULL;
	struct judge_next next = { 0 };
	struct job_id id;
	int r = engine_run_facts(e, build, &facts);

	plan_own_key(build, "check", 0, &key);
	if (!r)
		r = db_job_by_key(e->db, key.buf, &id);
	if (!r)
		r = db_job_get(e->db, id, &row);
	if (!r)
		r = engine_run_facts(e, row, &checked);
	if (r < 0)
		return r;
	next.bisect_at = judge_build_next(facts, checked);
	return run_next(e, build, &next);
}

int engine_guest_next(struct engine *e, struct job_id id)
{
	json_t *job __free(json) = NULL, *facts __free(json) = NULL;
	struct judge_next next;
	int r = db_job_get(e->db, id, &job);

	if (r || !json_get_int(job, "version_id", 0) ||
	    (!is_guest(job) && !is_build(job)))
		return r == DB_NONE ? 0 : r;
	if (json_get_int(job, "upto", 0))
		r = main_job(e, &job);
	if (!r && is_build(job)) {
		r = build_next(e, job);
		return r == DB_NONE ? 0 : r;
	}
	if (!r)
		r = engine_run_facts(e, job, &facts);
	if (r)
		return r == DB_NONE ? 0 : r;
	judge_guest_next(facts, &next);
	return run_next(e, job, &next);
}
