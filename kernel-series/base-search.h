/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_BASE_SEARCH_H
#define MMCI_KERNEL_SERIES_BASE_SEARCH_H

/* Private to base.c and base-answer.c. */

#include <jansson.h>

#include "kernel-series/apply.h"
#include "kernel-series/base-signals.h"
#include "kernel-series/base-votes.h"

/**
 * struct base_try - one base that was tried
 * @tree: name of the tree, NULL for a commit that no tree has
 * @commit: where the series was applied
 * @signal: what pointed there
 * @reason: in words
 * @outcome: "applied", "conflict", "upstream" or "unknown"
 * @strong: the signal leaves no doubt
 * @result: what became of the patches; empty for "unknown"
 */
struct base_try {
	const char *tree;
	struct git_id commit;
	const char *signal;
	char *reason;
	const char *outcome;
	bool strong;
	struct apply_result result;
};

/**
 * struct base_search - the state of one request
 * @repo: opened
 * @series: what it depends on, then the series itself
 * @first: index of the series' own first patch in @series
 * @signals: what the mails say about their base
 * @ballot: what the index lines say
 * @trees: from the request, by rank
 * @nr_trees: their number
 * @tries: so far
 * @nr_tries: their number
 * @deps: what became of the dependencies, JSON
 * @maintainers: T: lines of MAINTAINERS for the first file
 * @done: the last try applied
 * @why: for errors
 */
struct base_search {
	struct git_repo *repo;
	struct apply_series series;
	size_t first;
	struct base_signals signals;
	struct base_ballot ballot;
	struct base_tree *trees;
	size_t nr_trees;
	struct base_try *tries;
	size_t nr_tries;
	json_t *deps;
	struct strbuf maintainers;
	bool done;
	struct strbuf *why;
};

/** base_own_count() - how many of the series' own patches are in this state */
size_t base_own_count(const struct base_search *s, const struct base_try *t,
		      enum apply_state state);
/** base_head() - commit the series' own first patch stands on */
struct git_id base_head(const struct base_search *s, const struct base_try *t);
/** base_answer() - the answer of base_and_apply(), a new reference */
json_t *base_answer(const struct base_search *s);

#endif
