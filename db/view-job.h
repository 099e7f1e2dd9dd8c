/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_VIEW_JOB_H
#define MMCI_DB_VIEW_JOB_H

#include "db/view-series.h"

/**
 * view_job() - one job: its columns, series, needs, attempts with their
 * results, findings, tests and measures of the attempt that ended last
 *
 * Return: 0; DB_NONE when there is none to be seen; errors of stmt_step().
 */
int view_job(struct db *db, struct job_id id, bool see_private, json_t **ret);
/**
 * view_attempt_dir() - where an attempt of a job keeps its files
 * @number: 0 means the last one
 * @dir: appended: relative to the state directory
 *
 * Return: as view_job().
 */
int view_attempt_dir(struct db *db, struct job_id id, int number,
		     bool see_private, struct strbuf *dir);
/**
 * view_queue() - {"running", "queued", "waiting"}: at most 200 jobs each, a
 * waiting one with "needs", what it waits for, and "counts" of all of them
 */
int view_queue(struct db *db, bool see_private, json_t **ret);

/* For views of a series: one row per job, with what its last result says. */
int view_jobs_of(struct db *db, struct version_id series, json_t **ret);
int view_controls_of(struct db *db, struct version_id series, json_t **ret);

/**
 * view_repro() - what repro_script() of jobs/repro.h needs, but job.json
 * @ret: its input, and dir: the newest attempt's directory
 *
 * Return: 0, DB_NONE, or -errno.
 */
int view_repro(struct db *db, struct job_id id, bool see_private, json_t **ret);
/**
 * view_patch_mail() - the mail of a patch that may be shown
 *
 * Return: 0, DB_NONE, or -errno.
 */
int view_patch_mail(struct db *db, const char *message_id, bool see_private,
		    struct mail_id *ret);

#endif
