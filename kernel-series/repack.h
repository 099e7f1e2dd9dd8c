/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_REPACK_H
#define MMCI_KERNEL_SERIES_REPACK_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * repack_worker() - gather the loose objects of a repository in a pack
 * @request: {repo: bare repository, min_loose: do nothing below so many}
 * @ret: {loose: about how many there were, packed: true|false}
 *
 * Nothing is dropped, reachable or not; packs are merged so that each is twice
 * the next smaller one, so their number grows with the logarithm of the work.
 * May run beside readers and writers. Source: git-repack(1).
 *
 * Return: 0, or -errno with @why.
 */
int repack_worker(const json_t *request, json_t **ret, struct strbuf *why);

#endif
