/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_JOBDIR_H
#define MMCI_JOBS_JOBDIR_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"
#include "lib/config.h"

/* A fact about the job: what it needs was not made, so it cannot be run. */
enum { JOBDIR_NOTHING_TO_RUN = 1, JOBDIR_NO_BASE = 2 };

/**
 * jobdir_write() - make the directory of one attempt, with its job.json
 * @job: the job's row
 * @dir: absolute path
 * @why: one line when the result is not 0
 *
 * Return: 0; %JOBDIR_NO_BASE when its warm base was removed to save space;
 * %JOBDIR_NOTHING_TO_RUN when the build it needs gave no image;
 * -errno.
 */
int jobdir_write(struct db *db, const struct config *cfg, const json_t *job,
		 const char *dir, struct strbuf *why);
/**
 * jobdir_result() - what the runner left behind
 * @ret: result.json, NULL unless the result is 0
 *
 * Return: 0; -EBUSY while a runner holds the lock; -ENOENT when it died
 * without a result; -errno.
 */
int jobdir_result(const char *dir, json_t **ret, struct strbuf *why);

#endif
