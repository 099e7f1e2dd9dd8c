/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_BUILD_OUTPUT_H
#define MMCI_RUNNERS_BUILD_OUTPUT_H

/* What make printed becomes the "patches" of result.json. */

#include "runners/kbuild.h"

/** struct build_tally - what a summary counts */
struct build_tally {
	size_t units;
	size_t failed;
	size_t warnings;
	size_t errors;
};

/** build_count_unit() - add one element of "units" to the tally */
void build_count_unit(const json_t *unit, struct build_tally *t);
/** build_tally_tell() - append "9 units @done, 1 failed, 1 error, 2 warnings" */
void build_tally_tell(const struct build_tally *t, const char *done,
		      struct strbuf *sb);
/**
 * build_output_read() - append the units of one run of make to @patch
 *
 * Also tells what only looks like a mistake in the code: a compiler that was
 * killed or a full disk makes make fail in the same way.
 *
 * Return: @res->r, or -errno for such a failure, which @res->note then names.
 */
int build_output_read(struct job *job, struct kbuild_result *res,
		      json_t *patch, struct build_tally *t);
/** build_patch_new() - an element of "patches" without units */
json_t *build_patch_new(int64_t number);
/** build_patch_end() - set outcome and time of an element of "patches" */
void build_patch_end(json_t *patch, int r, double seconds);

#endif
