/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_TIDY_H
#define MMCI_JOBS_TIDY_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * tidy_worker() - remove warm bases beyond a size, least recently used first
 * @request: {warm_dir: STATE/warm, max_mib: what all of them may take}
 * @ret: {kept_mib, removed: [names]}
 *
 * Last use is the time of the lock beside a warm base, which every job that
 * takes it sets. One whose lock is held is in use and stays. The lock files
 * stay as well: somebody may be waiting on one.
 *
 * Return: 0 or -errno with @why.
 */
int tidy_worker(const json_t *request, json_t **ret, struct strbuf *why);

#endif
