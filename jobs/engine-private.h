/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_ENGINE_PRIVATE_H
#define MMCI_JOBS_ENGINE_PRIVATE_H

#include "jobs/engine.h"
#include "jobs/ingest.h"
#include "jobs/worker.h"
#include "lib/child.h"
#include "lib/list.h"

struct engine;

/** struct engine_source - one configured source and its worker */
struct engine_source {
	struct engine *e;
	const struct config_source *cfg;
	struct source_id id;
	struct worker *worker;
	struct ingest *ingest;
	struct loop_timer *timer;
	char *error; /* of the last look, so that it is logged once */
};

/** struct engine_run - one attempt at work; child.pid is 0 when adopted */
struct engine_run {
	struct list_head node;
	struct engine *e;
	struct attempt_id attempt;
	struct job_id job;
	struct version_id version;
	char *dir;
	struct child child;
	bool canceled;
};

/** struct engine_submission - one uploaded mbox on its way in */
struct engine_submission {
	struct list_head node;
	struct engine *e;
	char *path;
	char *who;
	int64_t started_s;
	struct worker *worker;
	struct ingest *ingest;
	void (*done)(int r, json_t *ret, const char *why, void *arg);
	void *arg;
};

struct engine {
	const struct config *cfg;
	struct db *db;
	struct loop *loop;
	char *self;
	char *runner;
	struct loop_timer *kick;
	struct loop_timer *poll;
	struct engine_source *sources;
	struct list_head runs;
	struct list_head submissions;
	/* one of each at a time: they share the repository of trees */
	struct worker *tree_worker;
	struct tree_id tree;
	struct worker *apply_worker;
	struct version_id applying;
	struct version_id applying_against; /* the version before it, or 0 */
	struct worker *derive_worker;
	struct version_id deriving;
	const char *deriving_arch;
	struct worker *fixups_worker;
	struct version_id fixing;
	struct worker *tidy_worker;
	int64_t tidy_next_s;
	struct worker *repack_worker;
	int64_t repack_next_s;
	struct worker *report_worker;
	struct version_id reporting;
	bool reporting_early; /* while jobs are open */
	struct version_id reporting_against;
	struct worker *command_worker;
	json_t *command; /* the one it was started for */
	struct worker *patchwork_worker;
	json_t *checks; /* those it was started for */
	struct list_head hooks; /* webhooks that are being told */
	struct worker *send_worker;
	struct outgoing_id mailing;
	/* failures in a row of a worker on one version, so that none loops */
	json_t *strikes;
	bool stopping;
};

/** engine_pull_start() - ensure the sources and begin to look at them */
int engine_pull_start(struct engine *e, struct strbuf *why);
/** engine_pull_stop() - end their workers */
void engine_pull_stop(struct engine *e);
/** engine_trees() - start the next import that is wanted */
void engine_trees(struct engine *e);
/** engine_series() - settle, apply, plan */
void engine_series(struct engine *e);
/**
 * engine_derive() - have the configs found that a version's change asks for
 * @row: its row, applied
 * @done: false: not all are known yet, it has to be planned later
 *
 * Return: 0 or -errno.
 */
int engine_derive(struct engine *e, const json_t *row, bool *done);
/** engine_fixups() - apply what replies propose, build it again */
void engine_fixups(struct engine *e);
/** engine_put_mail() - write a mail as it came to @path; 0 or -errno */
int engine_put_mail(struct engine *e, struct mail_id id, const char *path);
/**
 * engine_deps_put() - what a version stands on, for the worker "apply"
 * @dir: directory for the mails
 * @q: the request; gets "needs" and "dependencies"
 *
 * Return: 0 or -errno.
 */
int engine_deps_put(struct engine *e, struct version_id id, const char *dir,
		    json_t *q);
/**
 * engine_deps_wait() - does a series it stands on still lack patches?
 * @row: its row, ready to be applied
 * @wait: true: not now. It has been said why; incomplete_s after its own
 *	mails were there it goes on without.
 *
 * Return: 0 or -errno.
 */
int engine_deps_wait(struct engine *e, const json_t *row, bool *wait);
/** engine_runs_adopt() - find the attempts that a former daemon started */
int engine_runs_adopt(struct engine *e, struct strbuf *why);
/** engine_runs() - collect what ended, start what is queued */
void engine_runs(struct engine *e);
/** engine_tidy() - now and then, keep the warm bases under their limit */
void engine_tidy(struct engine *e);
/** engine_repack() - now and then, gather loose objects of the trees in packs */
void engine_repack(struct engine *e);
/** engine_runs_stop() - end all runners; their jobs are queued again */
void engine_runs_stop(struct engine *e);
/** engine_run_cancel() - end the runner of a job, if there is one */
void engine_run_cancel(struct engine *e, struct job_id id);
/** engine_reports() - judge versions whose jobs have ended, file replies */
void engine_reports(struct engine *e);
/** engine_patchwork() - tell a Patchwork server what is tested and found */
void engine_patchwork(struct engine *e);
/** engine_patchwork_stop() - end the worker; its checks are posted again */
void engine_patchwork_stop(struct engine *e);
/** engine_hooks() - send events to those who asked for them */
void engine_hooks(struct engine *e);
/** engine_hooks_stop() - end the workers; what they sent is sent again */
void engine_hooks_stop(struct engine *e);
/** engine_finish() - end a transaction that people asked for, by its result */
int engine_finish(struct engine *e, int r, struct strbuf *why);
/** engine_commands() - obey or refuse what came in mails */
void engine_commands(struct engine *e);
/** engine_command_stop() - end the worker; the command is looked at again */
void engine_command_stop(struct engine *e);
/** engine_mail_recover() - settle what was being sent when mmcid stopped */
int engine_mail_recover(struct engine *e, struct strbuf *why);
/** engine_mails() - decide about replies that wait, send the next one */
void engine_mails(struct engine *e);
/** engine_mail_stop() - end the worker; what it was sending is settled later */
void engine_mail_stop(struct engine *e);
/**
 * engine_mail_facts() - what the policy has to know about a version's reply
 * @answered: Message-ID of the mail it answers
 * @ret: the facts of policy_decide() that do not change
 *
 * Return: 0 or -errno.
 */
int engine_mail_facts(struct engine *e, struct version_id id,
		      const char *answered, json_t **ret);
/** engine_mail_decide() - what the policy says now about a row of outgoing */
int engine_mail_decide(struct engine *e, const json_t *row, json_t **ret);
/** engine_strike() - count a failure on a version; true: that was the last */
bool engine_strike(struct engine *e, struct version_id id);
/** engine_no_strikes() - it worked */
void engine_no_strikes(struct engine *e, struct version_id id);
/** engine_give_up() - say openly that mmci could not do it; 0 or -errno */
int engine_give_up(struct engine *e, struct version_id id, const char *why);
/**
 * engine_judge_input() - the runs of a version, as judge() wants them
 * @ret: new reference
 *
 * Return: 0 or -errno.
 */
int engine_judge_input(struct engine *e, struct version_id id, json_t **ret);
/** engine_control_of() - the control of a job; 0, DB_NONE or -errno */
int engine_control_of(struct engine *e, const json_t *job, struct job_id *ret);
/**
 * engine_guest_next() - have run what makes the blame of a run certain
 * @job: a boot, test or bench job of a version whose attempt has just ended, or
 *	a step of the search for its patch
 *
 * Inside a transaction. Return: 0 or -errno.
 */
int engine_guest_next(struct engine *e, struct job_id job);
/** engine_run_facts() - one element of those runs, for the row of a job */
int engine_run_facts(struct engine *e, const json_t *job, json_t **ret);

/**
 * engine_fail_soft() - log an error of the database and roll back
 *
 * The daemon goes on; what was to be done is tried at the next look.
 */
void engine_fail_soft(struct engine *e, const char *what, int r);

#endif
