/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_BASE_H
#define MMCI_KERNEL_SERIES_BASE_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * base_and_apply() - find the tree a series was written for, and apply it
 * @request: docs/design.md section 10.3, worker "apply"
 * @ret: a new reference, the answer described there
 * @why: one line when the result is not 0
 *
 * The answer depends on the request and the repository alone. On success the
 * commits are REF_PREFIX/N; refs of an earlier run with the same prefix are
 * gone either way.
 *
 * Return: 0, also when the series applies nowhere; -EINVAL for a request that
 * makes no sense; -errno.
 */
int base_and_apply(const json_t *request, json_t **ret, struct strbuf *why);

#endif
