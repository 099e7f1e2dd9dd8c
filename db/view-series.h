/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_VIEW_SERIES_H
#define MMCI_DB_VIEW_SERIES_H

#include <jansson.h>
#include <stdbool.h>

#include "db/id.h"
#include "db/sqlite.h"

/*
 * Views: what pages and the API show, read in one go, nothing written. Each
 * gives a new reference. Rows of private series are left out unless
 * see_private is true.
 */

/**
 * struct view_page - which part of a list
 * @limit: at most that many, 1 to 500; 0 means 50
 * @cursor: "next" of an earlier answer, or NULL for the start
 * @see_private: also what is not public
 */
struct view_page {
	int limit;
	const char *cursor;
	bool see_private;
};

/**
 * view_series_find() - the version that a number or a Message-ID names
 * @name: digits: the id; else the Message-ID of any of its mails, with or
 *	without angle brackets
 *
 * Return: 0 and @ret; DB_NONE when there is none to be seen; errors of
 * stmt_step().
 */
int view_series_find(struct db *db, const char *name, bool see_private,
		     struct version_id *ret);
/**
 * view_series() - all about one version
 *
 * The columns, and lists: patches, tries, jobs, controls (the same runs on the
 * base), findings (see view_findings_of()), other_blame {base, ...: how many},
 * tests {counts, list}, measures, outgoing, comments, versions, since (how many
 * findings of the version before are fixed or still there, or null).
 *
 * Return: 0; DB_NONE when there is no such row; errors of stmt_step().
 */
int view_series(struct db *db, struct version_id id, json_t **ret);

#endif
