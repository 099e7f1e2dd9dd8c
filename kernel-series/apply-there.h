/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_APPLY_THERE_H
#define MMCI_KERNEL_SERIES_APPLY_THERE_H

#include "kernel-series/apply-patch.h"
#include "kernel-series/git.h"

/** enum there - does a tree have already what a patch would do? */
enum there {
	THERE_NOT,
	THERE_CHANGED, /* most of it, in another form */
	THERE_EXACTLY, /* the patch could be taken back */
};

/**
 * apply_is_there() - is a patch in a tree already?
 * @tree: tree object
 * @p: the patch
 * @ret: the answer; %THERE_NOT for patches that are not plain
 *
 * %THERE_CHANGED: of the pairs of neighbouring lines that only the state after
 * the patch has, at least four fifths are in the files; of those that only the
 * state before has, at most one fifth. A patch merged with small changes, or
 * changed after it was merged, is found that way.
 *
 * Return: 0 or -errno.
 */
int apply_is_there(struct git_repo *repo, const struct git_id *tree,
		   const struct patch *p, enum there *ret);

#endif
