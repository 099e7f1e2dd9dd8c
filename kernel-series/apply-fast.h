/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_APPLY_FAST_H
#define MMCI_KERNEL_SERIES_APPLY_FAST_H

#include "kernel-series/apply-patch.h"
#include "kernel-series/git.h"
#include "lib/strbuf.h"

/** FAST_REFUSED - it does not apply, and git am would say so too */
#define FAST_REFUSED 1
/** FAST_NO_CHANGE - git am would find everything in the tree already */
#define FAST_NO_CHANGE 2
/** FAST_ASK_GIT - not decided here */
#define FAST_ASK_GIT 3

/**
 * apply_fast() - apply one patch in memory, where the result is sure
 * @repo: where the objects are and where the new ones go
 * @tree: tree to change
 * @p: the patch
 * @ret: the resulting tree when the result is 0
 * @why: when the patch does not fit, one line and the rejected hunk; also for
 *	%FAST_ASK_GIT, as the explanation if git refuses as well
 *
 * First every hunk at its place or moved, as git apply does. If one does not
 * fit, the whole patch on the blobs of its index lines, then a merge, file by
 * file, as git am -3 does. Renames in a merge, files that are gone, binary
 * content and whatever is not plain are left to git.
 *
 * Return: 0; %FAST_REFUSED; %FAST_NO_CHANGE; %FAST_ASK_GIT; -errno.
 * Source: git-am(1), --3way.
 */
int apply_fast(struct git_repo *repo, const struct git_id *tree,
	       const struct patch *p, struct git_id *ret, struct strbuf *why);

#endif
