/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_SERVER_FOLLOW_H
#define MMCI_SERVER_FOLLOW_H

#include "server/cmd.h"

/**
 * follow_series() - show how a series goes, on stderr, until it has a verdict
 * @id: number or Message-ID
 *
 * The verdict and what was found go to stdout, with --json the whole series.
 *
 * Return: %CMD_YES when it is clean, %CMD_NO when not, or that of a request.
 */
int follow_series(struct client *c, const char *id);
/**
 * follow_progress() - one line: "running: check 6/6, build 2/6, 1 finding"
 * @v: a series as the API gives it
 */
void follow_progress(struct strbuf *out, const json_t *v);
/**
 * follow_log() - write the log of a job to stdout as it grows, until it ends
 * @id: of the job
 * @path: of its log
 *
 * Return: %CMD_YES when the job passed, %CMD_NO when not, or that of a request.
 */
int follow_log(struct client *c, const char *id, const char *path);

#endif
