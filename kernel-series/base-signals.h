/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_BASE_SIGNALS_H
#define MMCI_KERNEL_SERIES_BASE_SIGNALS_H

#include <jansson.h>

#include "kernel-series/apply.h"
#include "kernel-series/git.h"

/**
 * struct base_tree - a tree that may be a base
 * @name: as configured
 * @role: as configured
 * @rank: place in the fallback order, lowest first
 * @commit: its tip
 * @tree: tree object of @commit
 * @votes: blobs of the series' index lines that its tip has
 * @old_commit: the commit of its history that has most of them
 * @old_votes: how many; 0 if nothing is known about the history
 * @behind: commits between that one and the tip
 */
struct base_tree {
	const char *name;
	const char *role;
	int64_t rank;
	struct git_id commit;
	struct git_id tree;
	size_t votes;
	struct git_id old_commit;
	size_t old_votes;
	size_t behind;
};

/**
 * struct base_signals - what the mails of a series say about their base
 * @base_commit: hex digits of "base-commit:", or NULL
 * @prefix: words in brackets of the subject, borrowed from the request
 * @title: borrowed from the request
 * @text: cover letter, or what stands below "---" in the first patch
 */
struct base_signals {
	char *base_commit;
	const char *prefix;
	const char *title;
	struct strbuf text;
};

/**
 * base_signals_read() - collect them
 * @request: docs/design.md section 10.3, must outlive @ret
 * @own: the patches of the series, read
 * @nr: their number
 * @scratch: directory for git's temporary files
 * @ret: filled; give it to base_signals_release() in any case
 * @why: one line on failure
 *
 * Return: 0 or -errno.
 * Source: git-format-patch(1), --base.
 */
int base_signals_read(const json_t *request, const struct apply_patch *own,
		      size_t nr, const char *scratch, struct base_signals *ret,
		      struct strbuf *why);
/** base_signals_release() - free what @b holds */
void base_signals_release(struct base_signals *b);

/**
 * base_signals_name() - do subject or cover name this tree?
 *
 * In the subject's prefix the bare word is enough ("[PATCH mm-unstable]"); in
 * the text it must stand on a line that speaks of a base ("based on 6.12").
 *
 * Return: where, as text for a reason, or NULL.
 */
const char *base_signals_name(const struct base_signals *b, const char *name);

#endif
