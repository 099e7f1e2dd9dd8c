/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_BLOB_INDEX_H
#define MMCI_KERNEL_SERIES_BLOB_INDEX_H

#include "kernel-series/base-votes.h"
#include "kernel-series/git.h"
#include "lib/strbuf.h"

/*
 * Which commit of a tree's history had which blob at which path. A commit that
 * has all blobs of a series' index lines is the one the author worked on, or
 * as good as that. The history is the chain of first parents, newest commits
 * up to a limit; kept in one file beside the repository's objects.
 */

/**
 * blob_index_update() - bring the index of a tree up to a commit
 * @name: of the tree
 * @tip: its newest commit
 * @max_commits: how far back to go, 0: 20,000 commits
 * @why: one line on failure
 *
 * Looks only at commits that are new since the last time, and starts anew
 * where the old tip is no longer part of the history. A tree of one commit gets
 * an index, too.
 *
 * Return: 0 or -errno; after a failure the old index still stands.
 */
int blob_index_update(struct git_repo *repo, const char *name,
		      const struct git_id *tip, size_t max_commits,
		      struct strbuf *why);

/**
 * blob_index_best() - the commit with the most votes
 * @name: of the tree
 * @b: the votes
 * @commit: the newest one among those with the most votes
 * @votes: how many
 * @behind: commits between it and the newest one the index knows
 *
 * Return: 0; %REPO_NONE if there is no index or nobody votes; -errno.
 */
int blob_index_best(struct git_repo *repo, const char *name,
		    const struct base_ballot *b, struct git_id *commit,
		    size_t *votes, size_t *behind);

#endif
