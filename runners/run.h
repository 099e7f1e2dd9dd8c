/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_RUN_H
#define MMCI_RUNNERS_RUN_H

#include "lib/strbuf.h"

struct job;

/**
 * run_job() - execute the job in directory @dir from beginning to end
 * @why: on failure one line
 *
 * Holds DIR/lock meanwhile and leaves DIR/result.json, whatever the outcome of
 * the job is.
 *
 * Return: 0 when there is a result; -EBUSY when somebody else executes the job;
 * -errno when no result could be written.
 */
int run_job(const char *dir, struct strbuf *why);

#endif
