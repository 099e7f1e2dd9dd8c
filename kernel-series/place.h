/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_PLACE_H
#define MMCI_KERNEL_SERIES_PLACE_H

#include "kernel-series/apply-patch.h"
#include "lib/strbuf.h"

/** PLACE_MISMATCH - a hunk fits nowhere, neither here nor for git */
#define PLACE_MISMATCH 1
/** PLACE_UNSURE - git might see it another way: ask git */
#define PLACE_UNSURE 2

/**
 * place_hunks() - change a file's content by the hunks of a patch
 * @image: the content
 * @f: file of a patch that patch_parse() called plain
 * @reverse: take the change back instead of making it
 * @out: the new content is appended when the result is 0
 * @rejected: index of the hunk that did not fit when the result is not 0
 *
 * The rules are those of git apply without options: every line of context must
 * be equal; a hunk may be found at another line, the nearest first, downwards
 * before upwards; what an earlier hunk has touched is not matched again; a hunk
 * without trailing context must fit at the end, one for line 1 at the start.
 *
 * Return: 0; %PLACE_MISMATCH; %PLACE_UNSURE, also where the search would take
 * too long.
 * Source: git-apply(1), observed behaviour of git 2.39.
 */
int place_hunks(const struct strbuf *image, const struct patch_file *f,
		bool reverse, struct strbuf *out, size_t *rejected);

#endif
