/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_JOB_H
#define MMCI_DB_JOB_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/** enum job_state - see section 8 of docs/design.md */
enum job_state {
	JOB_WAITING,
	JOB_QUEUED,
	JOB_RUNNING,
	JOB_PASSED,
	JOB_FAILED,
	JOB_ERRORED,
	JOB_CANCELED,
	JOB_TIMED_OUT,
};

/** job_state_name() - the word stored and shown for @s */
const char *job_state_name(enum job_state s);
/** job_state_parse() - the state called @name, JOB_ERRORED if there is none */
enum job_state job_state_parse(const char *name);

/**
 * struct job_spec - what to run
 * @key: the same work has the same key, so it is never queued twice
 * @version: for which version, {0}: a control on the base itself
 * @kind: base, build, boot, test, bench
 * @upto: only the patches up to this one, 0: all
 * @priority: more urgent is larger
 * @needs: jobs that must have given facts before, @n_needs of them
 * @after: a job that is waited for, whatever comes of it; {0}: none
 */
struct job_spec {
	const char *key;
	struct version_id version;
	const char *kind;
	const char *base_commit;
	const char *arch;
	const char *kconfig;
	const char *toolchain;
	int64_t upto;
	int64_t priority;
	const struct job_id *needs;
	size_t n_needs;
	struct job_id after;
};

/* Priority of a check that has not looked yet; nothing else is as urgent. */
#define DB_PRIORITY_LOOK 120

/** db_job_ensure() - create the job unless its key is there; 0 or -errno */
int db_job_ensure(struct db *db, const struct job_spec *spec,
		  struct job_id *ret);
/**
 * db_jobs_release() - queue waiting jobs whose needs have ended, cancel those
 *	whose needs gave nothing
 *
 * Inside a transaction. Return: 0 or -errno.
 */
int db_jobs_release(struct db *db);
/**
 * db_job_claim() - take the next queued job and start an attempt
 *
 * Which one is next: each series has a level, which rises with the time that
 * its jobs have taken so far (300 s, 20 min, 80 min) and falls with its age (a
 * level every 6 hours), so that one which is much work lets the others pass and
 * still gets its turn. On one level first looks come first, then checks, then
 * the oldest series, then what is most urgent in it. A control counts as part of the series that
 * wait for it and is charged to none.
 *
 * @job: the job's row
 * @attempt: the new attempt
 *
 * Inside a transaction. Return: 0; DB_NONE when nothing is queued; -errno.
 */
int db_job_claim(struct db *db, const char *runner, json_t **job,
		 struct attempt_id *attempt);
/** db_job_get() - the row as JSON; 0, DB_NONE, or -errno */
int db_job_get(struct db *db, struct job_id id, json_t **ret);
/**
 * db_job_set() - change the state, with an event
 *
 * Return: 0 or -errno.
 */
int db_job_set(struct db *db, struct job_id id, enum job_state s,
	       const char *why);
/** db_job_set_priority() - more urgent is larger; 0 or -errno */
int db_job_set_priority(struct db *db, struct job_id id, int64_t priority);
/**
 * db_attempt_finish() - store how an attempt ended
 * @s: its state
 * @result: what the runner left, NULL: nothing
 *
 * The job's own state is set by the caller: it may be tried again.
 * Return: 0 or -errno.
 */
int db_attempt_finish(struct db *db, struct attempt_id id, enum job_state s,
		      const char *summary, const json_t *result);
/** db_attempt_set_dir() - note the job directory; 0 or -errno */
int db_attempt_set_dir(struct db *db, struct attempt_id id, const char *dir);
/** db_attempts_running() - rows of running attempts with job_id; 0, -errno */
int db_attempts_running(struct db *db, json_t **ret);
/**
 * db_job_results() - what the attempts that came to an end found
 * @ret: array of {id, number, state, result}, the newest first, at most 10
 *
 * Return: 0 or -errno.
 */
int db_job_results(struct db *db, struct job_id id, json_t **ret);
/** db_job_by_key() - 0, DB_NONE, or -errno */
int db_job_by_key(struct db *db, const char *key, struct job_id *ret);
/** db_jobs_of() - rows of a version's jobs with all patches; 0 or -errno */
int db_jobs_of(struct db *db, struct version_id id, json_t **ret);
/** db_jobs_all_of() - the same and those with fewer patches; 0 or -errno */
int db_jobs_all_of(struct db *db, struct version_id id, json_t **ret);
/**
 * db_jobs_bisecting() - rows of the jobs like @job with fewer patches
 * @job: row of a version's job
 *
 * Return: 0 or -errno.
 */
int db_jobs_bisecting(struct db *db, const json_t *job, json_t **ret);
/** db_jobs_open_of() - how many of a version's jobs have not ended */
int db_jobs_open_of(struct db *db, struct version_id id, int64_t *ret);
/** db_jobs_cancel_of() - cancel a version's waiting and queued jobs; 0, -errno */
int db_jobs_cancel_of(struct db *db, struct version_id id, const char *why);
/**
 * db_job_rerun() - make an ended job wait for another attempt
 * @why: "rerun by NAME", shown with the attempt
 *
 * Controls it needs that gave nothing are tried again too. Inside a
 * transaction. Return: 0; DB_NONE: no such job; -EALREADY: it has not ended;
 * -errno.
 */
int db_job_rerun(struct db *db, struct job_id id, const char *why);

#endif
