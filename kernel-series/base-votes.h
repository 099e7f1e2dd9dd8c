/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_BASE_VOTES_H
#define MMCI_KERNEL_SERIES_BASE_VOTES_H

#include "kernel-series/apply.h"
#include "kernel-series/git.h"

/**
 * struct base_ballot - the blobs a series expects before its first patch
 * @v: path and abbreviated id, each path once; strings belong to the series
 * @nr: their number
 */
struct base_ballot {
	struct base_vote {
		const char *path;
		const char *blob;
	} *v;
	size_t nr;
};

/**
 * base_ballot_make() - collect the votes from the index lines of a series
 * @ret: filled; give it to base_ballot_release()
 *
 * Only the first patch that touches a path says something about the base; a
 * file that the series itself creates says nothing.
 */
void base_ballot_make(const struct apply_series *s, struct base_ballot *ret);
/** base_ballot_release() - free what @b holds */
void base_ballot_release(struct base_ballot *b);
/**
 * base_ballot_count() - how many votes a tree gets
 * @tree: id of a tree object
 * @count: result
 *
 * Return: 0 or -EIO.
 */
int base_ballot_count(struct git_repo *repo, const struct base_ballot *b,
		      const struct git_id *tree, size_t *count);

#endif
