/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_EVENT_H
#define MMCI_DB_EVENT_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_event() - note a transition, in the transaction that makes it
 * @kind: "version.done", "job.running", "outgoing.held" ...
 * @v: the version it concerns, or {0}
 * @j: the job it concerns, or {0}
 * @why: one line, may be NULL
 *
 * Return: 0 or the errors of stmt_step().
 */
int db_event(struct db *db, const char *kind, struct version_id v,
	     struct job_id j, const char *why);

/**
 * struct event_filter - which events
 * @after: number of the last one that is known already
 * @series, @job: only what concerns them; .v 0: all
 * @kinds: as for db_event_wanted(); NULL: all
 * @see_private: also of private series
 */
struct event_filter {
	int64_t after;
	struct version_id series;
	struct job_id job;
	const char *kinds;
	bool see_private;
};

/** db_event_last() - number of the newest event, 0 when there is none */
int db_event_last(struct db *db, int64_t *ret);
/**
 * db_event_wanted() - is @kind in a list of kinds?
 * @list: kinds, or what they begin with before a dot, separated by single
 *	spaces: "version" and "version.done" both want version.done; "" wants all
 */
bool db_event_wanted(const char *list, const char *kind);
/**
 * db_events() - what happened, the oldest first
 * @ret: array of {id, at_s, kind, series_id, series_key, job_id, detail}
 * @last: in and out may be &filter->after: up to which number it has looked,
 *	also where nothing matched; some thousand are looked at in one go
 *
 * Return: 0; -errno.
 */
int db_events(struct db *db, const struct event_filter *filter, int limit,
	      json_t **ret, int64_t *last);

#endif
