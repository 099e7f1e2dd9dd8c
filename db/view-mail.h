/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_VIEW_MAIL_H
#define MMCI_DB_VIEW_MAIL_H

#include "db/view-series.h"

/**
 * view_mails() - mails that came in, the newest first
 * @series: only those of this version: cover, patches, replies; .v 0: any
 * @kind: patch, cover, comment, pull-request, other, refused; NULL: any
 *
 * Return: 0 and {"items", "next"}; -EINVAL for a bad cursor; errors of
 * stmt_step().
 */
int view_mails(struct db *db, struct version_id series, const char *kind,
	       const struct view_page *page, json_t **ret);
/**
 * view_runners() - who runs something now
 * @ret: array of {name, running, oldest_s, jobs: [{id, kind, arch, kconfig,
 *	toolchain, series_id, started_s}]}; private ones are only counted
 *
 * Return: 0 or the errors of stmt_step().
 */
int view_runners(struct db *db, bool see_private, json_t **ret);
/**
 * db_attempt_last() - number of the newest attempt of a job
 *
 * Return: 0; DB_NONE for none; errors of stmt_step().
 */
int db_attempt_last(struct db *db, struct job_id job, int *number);
/** db_attempt_state() - its state; returns as db_attempt_last() */
int db_attempt_state(struct db *db, struct job_id job, int number, char *state,
		     size_t size);

#endif
