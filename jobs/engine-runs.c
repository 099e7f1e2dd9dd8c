// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "runs: " fmt
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "db/finding.h"
#include "db/job.h"
#include "db/version.h"
#include "jobs/engine-private.h"
#include "jobs/jobdir.h"
#include "jobs/plan.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/log.h"

#define MAX_ATTEMPTS 3
/* of a check after its first look: behind the looks, before the builds */
#define PRIORITY_WHOLE 110

static char *run_dir(const struct engine *e, const char *relative)
{
	return xasprintf("%s/%s", e->cfg->state_dir, relative);
}

static void run_free(struct engine_run *run)
{
	int status;

	if (run->child.pid > 0) {
		loop_del_fd(run->e->loop, run->child.pidfd);
		child_kill(&run->child);
		child_wait(&run->child, -1, &status);
	}
	list_del(&run->node);
	free(run->dir);
	free(run);
}

static struct engine_run *run_new(struct engine *e, const json_t *attempt)
{
	struct engine_run *run = xcalloc(1, sizeof(*run));

	run->e = e;
	run->attempt.v = json_get_int(attempt, "id", 0);
	run->job.v = json_get_int(attempt, "job_id", 0);
	run->version.v = json_get_int(attempt, "version_id", 0);
	run->dir = run_dir(e, json_get_str(attempt, "dir", ""));
	run->child.pidfd = -1;
	list_add_tail(&run->node, &e->runs);
	return run;
}

/*
 * The runner of a killed daemon may still be at work, may have ended with a
 * result, or may be dead: jobdir_result() tells, and collecting does the rest.
 */
int engine_runs_adopt(struct engine *e, struct strbuf *why)
{
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r = db_attempts_running(e->db, &rows);

	if (r) {
		strbuf_setf(why, "reading running jobs: %s", db_error(e->db));
		return r;
	}
	json_array_foreach(rows, i, row) {
		run_new(e, row);
		pr_info("job %lld: looking for its runner\n",
			(long long)json_get_int(row, "job_id", 0));
	}
	return 0;
}

static bool is_check(const json_t *job)
{
	return !strcmp(json_get_str(job, "kind", ""), "check");
}

/* A job that could not be run is tried again a few times, then given up. */
static int store_error(struct engine *e, const struct engine_run *run,
		       const json_t *job, const json_t *result,
		       const char *summary)
{
	/* the first look of a check is no try */
	int64_t tries = json_get_int(job, "attempts", 0) - is_check(job);
	bool again = tries < MAX_ATTEMPTS;
	char *why __free(kfree) = NULL;
	int r;

	r = db_attempt_finish(e->db, run->attempt, JOB_ERRORED, summary,
			      result);
	if (r)
		return r;
	why = again ? xasprintf("retry: %s", summary) : xstrdup(summary);
	pr_warn("job %lld: %s%s\n", (long long)run->job.v, summary,
		again ? "; it will be tried again" : "");
	return db_job_set(e->db, run->job, again ? JOB_WAITING : JOB_ERRORED,
			  why);
}

static int store_facts(struct engine *e, const struct engine_run *run,
		       enum job_state state, const json_t *result)
{
	const char *summary = json_get_str(result, "summary", "");
	int r;

	r = db_attempt_finish(e->db, run->attempt, state, summary, result);
	if (!r)
		r = db_results_store(e->db, run->attempt, result);
	if (!r)
		r = db_job_set(e->db, run->job, state, summary);
	return r;
}

/* Told as early as can be; good news is none before all was looked at. */
static int store_check(struct engine *e, const struct engine_run *run,
		       const json_t *result)
{
	int r = 0;

	if (run->version.v)
		r = db_version_early(e->db, run->version, 0, DB_EARLY_WANTED);
	if (r || !json_get_bool(result, "partial", false))
		return r;
	r = db_job_set_priority(e->db, run->job, PRIORITY_WHOLE);
	return r ? r : db_job_set(e->db, run->job, JOB_WAITING,
				  "the rest, after a first look");
}

static int store_end(struct engine *e, const struct engine_run *run, int got,
		     const json_t *result, const char *why)
{
	const char *outcome = json_get_str(result, "outcome", "errored");
	json_t *job __free(json) = NULL;
	enum job_state state;
	int r = db_job_get(e->db, run->job, &job);

	if (r)
		return r;
	if (run->canceled) {
		r = db_attempt_finish(e->db, run->attempt, JOB_CANCELED,
				      "canceled", NULL);
		return r ? r : db_job_set(e->db, run->job, JOB_CANCELED,
					  "canceled on request");
	}
	if (got)
		return store_error(e, run, job, NULL, why);
	state = job_state_parse(outcome);
	switch (state) {
	case JOB_PASSED:
	case JOB_FAILED:
		r = store_facts(e, run, state, result);
		if (!r && is_check(job))
			r = store_check(e, run, result);
		return r ? r : engine_guest_next(e, run->job);
	case JOB_TIMED_OUT:
		return store_facts(e, run, state, result);
	case JOB_WAITING:
	case JOB_QUEUED:
	case JOB_RUNNING:
	case JOB_ERRORED:
	case JOB_CANCELED:
		break;
	}
	return store_error(e, run, job, result,
			   json_get_str(result, "summary", "errored"));
}

/* Returns false while the runner is still at work. */
static bool collect(struct engine *e, struct engine_run *run)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *result __free(json) = NULL;
	int got, r;

	/* before it takes its lock a new runner looks like a dead one */
	if (run->child.pid > 0)
		return false;
	got = jobdir_result(run->dir, &result, &why);
	if (got == -EBUSY)
		return false;
	r = db_begin(e->db);
	if (!r)
		r = store_end(e, run, got, result, why.buf);
	if (!r)
		r = db_commit(e->db);
	if (r) {
		engine_fail_soft(e, "storing a result", r);
		return false;
	}
	run_free(run);
	return true;
}

static void on_runner_end(int fd, uint32_t events, void *arg)
{
	struct engine_run *run = arg;
	int status;

	loop_del_fd(run->e->loop, fd);
	child_wait(&run->child, -1, &status);
	run->child.pid = 0;
	engine_kick(run->e);
}

static int start_runner(struct engine *e, struct engine_run *run)
{
	const char *argv[] = { e->runner, run->dir, NULL };
	struct child_spec spec = CHILD_SPEC_INIT;
	int r;

	spec.argv = argv;
	spec.detach = true; /* an update of the daemon loses no build */
	r = child_spawn(&spec, &run->child);
	if (!r)
		r = loop_add_fd(e->loop, run->child.pidfd, EPOLLIN,
				on_runner_end, run);
	if (r)
		run->child.pid = 0;
	return r;
}

static int mark_running(struct engine *e, const json_t *job)
{
	struct version_id id = { json_get_int(job, "version_id", 0) };
	json_t *row __free(json) = NULL;
	int r;

	if (!id.v)
		return 0;
	r = db_version_get(e->db, id, &row);
	if (r || strcmp(json_get_str(row, "state", ""), "planned"))
		return r;
	return db_version_set(e->db, id, VERSION_RUNNING, NULL);
}

/* The base was removed to save space: it is built again, and waited for. */
static int base_again(struct engine *e, const json_t *job)
{
	static const char why[] = "its warm base was removed";
	struct job_id id = { json_get_int(job, "id", 0) }, base;
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	int r = plan_control_key(e->cfg, "base",
				 json_get_str(job, "base_commit", ""),
				 json_get_str(job, "arch", ""),
				 json_get_str(job, "kconfig", ""),
				 json_get_str(job, "toolchain", ""), &key,
				 &text);

	if (!r)
		r = db_job_by_key(e->db, key.buf, &base);
	if (!r)
		r = db_job_rerun(e->db, base, why);
	if (r && r != -EALREADY)
		return db_job_set(e->db, id, JOB_ERRORED, why);
	return db_job_set(e->db, id, JOB_WAITING, why);
}

/* Claims one job. Sets @run to NULL when it turned out to have nothing to do. */
static int claim(struct engine *e, struct engine_run **run)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *job __free(json) = NULL, *row __free(json) = json_object();
	char *relative __free(kfree) = NULL, *dir __free(kfree) = NULL;
	struct attempt_id attempt;
	struct job_id id;
	int r = db_job_claim(e->db, "local", &job, &attempt);

	if (r)
		return r;
	id.v = json_get_int(job, "id", 0);
	relative = xasprintf("jobs/%lld/%lld", (long long)id.v,
			     (long long)json_get_int(job, "attempts", 0) + 1);
	dir = run_dir(e, relative);
	r = jobdir_write(e->db, e->cfg, job, dir, &why);
	if (r == JOBDIR_NO_BASE) {
		r = db_attempt_finish(e->db, attempt, JOB_CANCELED,
				      "its warm base has to be built again",
				      NULL);
		return r ? r : base_again(e, job);
	}
	if (r == JOBDIR_NOTHING_TO_RUN) {
		r = db_attempt_finish(e->db, attempt, JOB_CANCELED, why.buf,
				      NULL);
		if (!r)
			r = db_job_set(e->db, id, JOB_CANCELED, why.buf);
		return r ? r : engine_guest_next(e, id);
	}
	if (r) {
		pr_err("job %lld: %s\n", (long long)id.v, why.buf);
		r = db_attempt_finish(e->db, attempt, JOB_ERRORED, why.buf,
				      NULL);
		return r ? r : db_job_set(e->db, id, JOB_ERRORED, why.buf);
	}
	r = mark_running(e, job);
	if (r)
		return r;
	json_set_int(row, "id", attempt.v);
	json_set_int(row, "job_id", id.v);
	json_object_set(row, "version_id", json_object_get(job, "version_id"));
	json_set_text(row, "dir", relative);
	*run = run_new(e, row);
	return 0;
}

static size_t count_runs(const struct engine *e)
{
	const struct engine_run *run;
	size_t n = 0;

	list_for_each_entry(run, &e->runs, node)
		n++;
	return n;
}

/* Returns 0 when something was claimed, DB_NONE when there is nothing. */
static int start_next(struct engine *e)
{
	struct engine_run *run = NULL;
	int r = db_begin(e->db);

	if (!r)
		r = db_jobs_release(e->db);
	if (!r)
		r = claim(e, &run);
	if (r == DB_NONE) {
		r = db_commit(e->db);
		return r ? r : DB_NONE;
	}
	if (!r)
		r = db_commit(e->db);
	if (r) {
		if (run)
			run_free(run);
		return r;
	}
	if (run) {
		pr_info("job %lld: started\n", (long long)run->job.v);
		r = start_runner(e, run);
		if (r)
			pr_err("job %lld: %s: %s\n", (long long)run->job.v,
			       e->runner, strerror(-r));
	}
	return 0;
}

void engine_runs(struct engine *e)
{
	struct engine_run *run, *n;
	int r = 0;

	list_for_each_entry_safe(run, n, &e->runs, node)
		collect(e, run);
	while (!r && count_runs(e) < (size_t)max(e->cfg->parallel_jobs,
						 (int64_t)1))
		r = start_next(e);
	if (r < 0)
		engine_fail_soft(e, "starting a job", r);
}

void engine_run_cancel(struct engine *e, struct job_id id)
{
	struct engine_run *run;

	list_for_each_entry(run, &e->runs, node) {
		if (run->job.v != id.v)
			continue;
		run->canceled = true;
		if (run->child.pid > 0)
			child_kill(&run->child);
	}
}

static int put_back(struct engine *e, const struct engine_run *run)
{
	int r = db_begin(e->db);

	if (!r)
		r = db_attempt_finish(e->db, run->attempt, JOB_CANCELED,
				      "the daemon was stopped", NULL);
	if (!r)
		r = db_job_set(e->db, run->job, JOB_WAITING,
			       "the daemon was stopped");
	return r ? r : db_commit(e->db);
}

void engine_runs_stop(struct engine *e)
{
	struct engine_run *run, *n;
	int r;

	list_for_each_entry_safe(run, n, &e->runs, node) {
		/* an adopted runner is nobody's child: the next start finds it */
		r = run->child.pid > 0 ? put_back(e, run) : 0;
		if (r)
			engine_fail_soft(e, "stopping a job", r);
		run_free(run);
	}
}
