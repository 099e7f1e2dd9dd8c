/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_APPLY_H
#define MMCI_KERNEL_SERIES_APPLY_H

#include <jansson.h>
#include <stdbool.h>

#include "kernel-series/apply-mail.h"
#include "kernel-series/apply-patch.h"
#include "kernel-series/git.h"

/** APPLY_REFUSED - a patch of the series does not apply */
#define APPLY_REFUSED 1

enum apply_state {
	APPLY_NOT_TRIED,
	APPLY_APPLIED,
	APPLY_CONFLICT,
	APPLY_UPSTREAM, /* what it changes is in the tree already */
};

/**
 * struct apply_patch - one patch of a series, read
 * @number: n of n/m
 * @mail: the mail as git understands it
 * @patch: its diff, taken apart
 * @unreadable: one line when there is nothing to apply, else empty
 */
struct apply_patch {
	unsigned int number;
	struct apply_mail mail;
	struct patch patch;
	struct strbuf unreadable;
};

/**
 * struct apply_series - the patches of a series in order
 * @v: patches
 * @nr: their number
 * @scratch: directory for git's temporary files
 */
struct apply_series {
	struct apply_patch *v;
	size_t nr;
	char *scratch;
};

/**
 * struct apply_step - what became of one patch
 * @state: see there
 * @commit: the new commit, valid for %APPLY_APPLIED
 * @by_git: git am was asked
 * @refused: git am refuses it, also where we say %APPLY_UPSTREAM
 * @changed_form: %APPLY_UPSTREAM, but what the tree has differs a little
 * @why: one line and perhaps the rejected hunk
 */
struct apply_step {
	enum apply_state state;
	struct git_id commit;
	bool by_git, refused, changed_form;
	struct strbuf why;
};

/**
 * struct apply_result - what became of a series on one base
 * @steps: one for each patch
 * @nr: their number
 * @applied: patches that gave a commit
 * @upstream: patches that were in the tree
 * @changed_form: some of these in a changed form: do not build on that
 */
struct apply_result {
	struct apply_step *steps;
	size_t nr;
	size_t applied;
	size_t upstream;
	bool changed_form;
};

/**
 * apply_series_load() - read the mails of a series
 * @patches: array of {number, path}
 * @scratch: an existing directory, used as long as @ret is
 * @ret: filled; give it to apply_series_release() in any case
 * @why: one line when the result is not 0
 *
 * A mail without a readable patch is no error here: it does not apply.
 *
 * Return: 0; -EINVAL for a request that makes no sense; -errno.
 */
int apply_series_load(const json_t *patches, const char *scratch,
		      struct apply_series *ret, struct strbuf *why);
/** apply_series_release() - free what @s holds */
void apply_series_release(struct apply_series *s);

/** enum apply_how - which of the two ways apply_series_on() may take */
enum apply_how {
	APPLY_ANY,	/* the fast path where it is sure, git am for the rest */
	APPLY_FAST_ONLY, /* for tests: what the fast path leaves is a conflict */
	APPLY_GIT_ONLY, /* for tests: git am alone */
};

/**
 * apply_series_on() - apply a series, one commit for each patch
 * @base: commit to start from
 * @how: which ways may be taken
 * @ret: filled; give it to apply_result_release() in any case
 * @why: one line for negative results
 *
 * Stops at the first patch that does not apply; the rest is %APPLY_NOT_TRIED.
 * A patch that git refuses because the tree has it already, see
 * apply_is_there(), counts as %APPLY_UPSTREAM and is skipped.
 *
 * Return: 0; %APPLY_REFUSED; -errno.
 * Source: git-am(1) with -3.
 */
int apply_series_on(struct git_repo *repo, const struct apply_series *s,
		    const struct git_id *base, enum apply_how how,
		    struct apply_result *ret, struct strbuf *why);
/** apply_result_release() - free what @r holds */
void apply_result_release(struct apply_result *r);
/** apply_state_name() - "applied", "conflict", "upstream", "not-tried" */
const char *apply_state_name(enum apply_state state);

#endif
