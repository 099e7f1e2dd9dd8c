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

#endif
