/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_APPLY_AM_H
#define MMCI_KERNEL_SERIES_APPLY_AM_H

#include "kernel-series/git.h"
#include "lib/strbuf.h"

/** AM_REFUSED - git am says no: a fact about the patch */
#define AM_REFUSED 1
/** AM_NO_CHANGE - git am accepts it, everything is in the tree already */
#define AM_NO_CHANGE 2

/**
 * apply_am() - let "git am -3" apply one patch on top of a commit
 * @repo: where the objects are and where the new ones go
 * @commit: apply here
 * @mail: the raw mail
 * @paths: paths the patch names, NULL-terminated; only these are checked out
 * @scratch: directory below which a work tree is made, used and removed
 * @tree: the resulting tree when the result is 0
 * @why: on refusal one line, what git printed about it
 *
 * Return: 0; %AM_REFUSED; %AM_NO_CHANGE; -errno.
 * Source: git-am(1), git-sparse-checkout(1).
 */
int apply_am(struct git_repo *repo, const struct git_id *commit,
	     const struct strbuf *mail, const char *const *paths,
	     const char *scratch, struct git_id *tree, struct strbuf *why);

#endif
