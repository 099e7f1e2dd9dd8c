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

/* The attempt whose result counts: the last that left one. */
#define VIEW_LAST_RESULT(job)                                          \
	"(SELECT la.id FROM attempt la WHERE la.job_id = " job         \
	"  AND la.result IS NOT NULL ORDER BY la.number DESC LIMIT 1)"

#endif
