/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_FIXUPS_H
#define MMCI_KERNEL_SERIES_FIXUPS_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * fixups_apply() - put what replies propose on top of an applied series
 * @request: docs/design.md section 10.3, worker "fixups"
 * @ret: a new reference, the answer described there
 * @why: one line when the result is not 0
 *
 * In the order given, each on top of the last one that applied. One that does
 * not apply, or that nobody can read, is no error: the answer says why.
 *
 * Return: 0; -EINVAL for a request that makes no sense; -errno.
 */
int fixups_apply(const json_t *request, json_t **ret, struct strbuf *why);

#endif
