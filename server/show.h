/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_SERVER_SHOW_H
#define MMCI_SERVER_SHOW_H

#include "server/cmd.h"
#include "server/table.h"

/** struct list_spec - a command that lists something */
struct list_spec {
	const char *name;	/* "series list" */
	const char *path;	/* "/api/v1/series" */
	const struct column *cols;
	const char *const *params; /* options, passed on; NULL at the end */
};

/**
 * list_run() - a whole list command
 *
 * Every parameter is an option "--NAME VALUE"; --limit and --cursor are known
 * to all. Return: exit status.
 */
int list_run(struct client *c, const struct list_spec *spec, int argc,
	     char **argv);

/**
 * show_run() - get @path and print it; with --watch again when it changes
 * @print: for a person
 * @ended: exit status once nothing more will change, else -1; NULL: never
 *
 * With --json an answer is printed as it is, with --watch one line each.
 * While it watches a daemon that is away for less than a minute is waited for.
 *
 * Return: exit status.
 */
int show_run(struct client *c, const char *path,
	     void (*print)(const json_t *v),
	     int (*ended)(const json_t *v));

/** series_ended() - for show_run(): 0 when clean, 1 otherwise */
int series_ended(const json_t *v);
/** job_ended() - the same for a job */
int job_ended(const json_t *v);

#endif
