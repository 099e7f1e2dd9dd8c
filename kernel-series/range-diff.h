/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_RANGE_DIFF_H
#define MMCI_KERNEL_SERIES_RANGE_DIFF_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * range_diff() - what changed between two versions of a series
 * @repo: repository that holds both
 * @old_base: commit the old version stands on, 40 hex digits
 * @old_tip: its last commit
 * @new_base: commit the new version stands on
 * @new_tip: its last commit
 * @ret: new array in the order of the new version, what was dropped where it
 *	stood: {state: "unchanged"|"changed"|"new"|"dropped", old: number or
 *	null, new: number or null, title, diff: text of the diff of diffs or ""}
 * @why: one line when the result is not 0
 *
 * A change that touches the message alone counts as "changed"; a change of
 * position alone does not.
 *
 * Return: 0; -EINVAL for something that is no commit id; -EIO when git said
 * no; -EFBIG; -ETIMEDOUT; -errno.
 * Source: git-range-diff(1).
 */
int range_diff(const char *repo, const char *old_base, const char *old_tip,
	       const char *new_base, const char *new_tip, json_t **ret,
	       struct strbuf *why);

/**
 * range_diff_parse() - read what git range-diff prints
 * @text: with --no-color and ids of 40 digits
 *
 * Return: a new array as described for range_diff().
 */
json_t *range_diff_parse(const char *text);

#endif
