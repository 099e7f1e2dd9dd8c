/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_VIEW_H
#define MMCI_DB_VIEW_H

/* What the view-*.c share; others include the header of a view. */

#include "db/view-series.h"

/** view_rows() - all rows of a query with one integer parameter */
int view_rows(struct db *db, const char *sql, int64_t param, json_t **ret);
/** view_row() - its first row; DB_NONE when there is none */
int view_row(struct db *db, const char *sql, int64_t param, json_t **ret);
/** view_set() - put view_rows() under @key of @o */
int view_set(struct db *db, json_t *o, const char *key, const char *sql,
	     int64_t param);
/** view_limit() - rows to ask for: one more than shown tells of a next page */
int view_limit(const struct view_page *page);
/**
 * view_list() - make {"items", "next"} of rows read with view_limit()
 * @rows: its reference is taken
 * @major, @minor: columns the list is ordered by; @major NULL: only @minor
 */
json_t *view_list(const struct view_page *page, json_t *rows,
		  const char *major, const char *minor);
/**
 * view_cursor() - where the page starts: below (@major, @minor)
 *
 * Return: 0, both INT64_MAX without a cursor; -EINVAL.
 */
int view_cursor(const struct view_page *page, int64_t *major, int64_t *minor);

/* Columns of a version as every view of it has them, and where from. */
#define VIEW_SERIES_COLUMNS                                            \
	"v.id, v.key, v.topic_id, v.version, v.total, v.title,"        \
	" v.prefix, v.author_name, v.author_email, v.date_s, v.state," \
	" v.state_why, v.base_commit, v.base_why, v.verdict,"          \
	" v.verdict_why, v.private, v.created_s, v.changed_s,"         \
	" v.verdict_s, (v.early & 2) > 0 AS so_far,"                   \
	" v.last_mail_s, t.name AS tree,"                              \
	" CASE WHEN t.commit_id = v.base_commit THEN t.describe END"   \
	"  AS base_describe, s.name AS source, v.status"

#define VIEW_SERIES_FROM                                               \
	" FROM version v LEFT JOIN tree t ON t.id = v.tree_id"         \
	" LEFT JOIN source s ON s.id = v.source_id"

#define VIEW_JOB_COLUMNS                                               \
	"j.id, j.kind, j.arch, j.kconfig, j.toolchain, j.state,"       \
	" j.state_why, j.priority, j.attempts, j.upto, j.base_commit," \
	" j.created_s, j.changed_s"

#define VIEW_JOB_SERIES_COLUMNS                                        \
	" v.id AS series_id, v.key AS series_key,"                     \
	" v.title AS series_title, v.version AS series_version"

#define VIEW_FINDING_COLUMNS                                           \
	"f.id, f.number, f.until_number, f.stage, f.blame, f.tool,"    \
	" f.severity, f.option, f.file, f.line, f.col, f.function,"    \
	" f.message, f.detail, f.fingerprint, f.leader_id, f.state,"   \
	" f.state_why, f.created_s, f.job_id, f.quote, j.arch, j.kconfig,"      \
	" j.toolchain"

/* The attempt whose result counts: the last that left one. */
#define VIEW_LAST_RESULT(job)                                          \
	"(SELECT la.id FROM attempt la WHERE la.job_id = " job         \
	"  AND la.result IS NOT NULL ORDER BY la.number DESC LIMIT 1)"

#endif
