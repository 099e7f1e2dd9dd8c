/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_LIST_SERIES_H
#define MMCI_DB_LIST_SERIES_H

#include "db/view-series.h"

/**
 * struct view_series_filter - what is asked for; NULL and 0: anything
 * @state: a status as in the answer; "running" is any with work under way
 * @author: of the name or the address, as search_column()
 * @text: as search_expr(), or a whole Message-ID
 * @list: name of the source the mails came from
 * @tree: name of the base tree
 * @arch: with jobs there; with @state "broken" or "warns", or with @findings:
 *	with findings there
 * @mine: an address: its own series, and those it took part in by a reply
 * @findings: 1: only with findings blamed on the series; -1: only without
 */
struct view_series_filter {
	const char *state;
	const char *author;
	const char *text;
	const char *list;
	const char *tree;
	const char *arch;
	const char *mine;
	int findings;
};

/**
 * view_series_list() - versions of series, the last changed first
 *
 * @ret is {"items", "next"}; an item has the columns of the version, "status"
 * (verdict, or waiting, running, superseded), "tree", "archs": one
 * {arch, state, errors, warnings, patch, running, waiting, ended, total} per
 * architecture that has jobs, and "bench": {state, name, percent} or null.
 *
 * Return: 0; -EINVAL for a cursor that is none of ours; errors of stmt_step().
 */
int view_series_list(struct db *db, const struct view_series_filter *filter,
		     const struct view_page *page, json_t **ret);

#endif
