// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/base.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/base-deps.h"
#include "kernel-series/base-maintainers.h"
#include "kernel-series/base-search.h"
#include "kernel-series/blob-index.h"
#include "kernel-series/tree.h"
#include "lib/fs.h"
#include "lib/json.h"

#define MAX_TREES 1000
#define MAX_MAINTAINERS_BYTES ((size_t)8 << 20)

static int by_rank(const void *a, const void *b)
{
	const struct base_tree *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int load_tree(struct base_search *s, const json_t *entry, struct base_tree *t)
{
	const char *hex = json_get_str(entry, "commit_id", "");
	int r;

	t->name = json_get_str(entry, "name", "");
	t->role = json_get_str(entry, "role", "");
	t->rank = json_get_int(entry, "rank", 0);
	if (!*t->name || git_id_parse(hex, &t->commit)) {
		strbuf_addf(s->why, "tree \"%s\": commit \"%s\"", t->name, hex);
		return -EINVAL;
	}
	r = repo_commit_tree(s->repo, &t->commit, &t->tree);
	if (r > 0) {
		strbuf_addf(s->why, "tree %s: %s is not in the repository",
			    t->name, hex);
		return -ENOENT;
	}
	if (!r)
		r = base_ballot_count(s->repo, &s->ballot, &t->tree, &t->votes);
	if (r || t->votes == s->ballot.nr)
		return r;
	r = blob_index_best(s->repo, t->name, &s->ballot, &t->old_commit,
			    &t->old_votes, &t->behind);
	return r < 0 ? r : 0;
}

static int load_trees(struct base_search *s, const json_t *trees)
{
	size_t i, nr = json_array_size(trees);
	int r = 0;

	if (nr > MAX_TREES) {
		strbuf_addf(s->why, "%zu trees", nr);
		return -EINVAL;
	}
	s->trees = xcalloc(nr + 1, sizeof(*s->trees));
	for (i = 0; i < nr && !r; i++)
		r = load_tree(s, json_array_get(trees, i), &s->trees[i]);
	s->nr_trees = nr;
	qsort(s->trees, nr, sizeof(*s->trees), by_rank);
	return r;
}

static struct base_try *add_try(struct base_search *s, const char *tree,
				const char *signal, const char *reason)
{
	struct base_try *t;

	s->tries = xrealloc_array(s->tries, s->nr_tries + 1,
				  sizeof(*s->tries));
	t = &s->tries[s->nr_tries++];
	memset(t, 0, sizeof(*t));
	t->tree = tree;
	t->signal = signal;
	t->reason = xstrdup(reason);
	t->outcome = "unknown";
	return t;
}

/* Try one base; sets @s->done when the series applies there. */
static int try_base(struct base_search *s, const char *tree,
		    const struct git_id *commit, const char *signal,
		    const char *reason, bool strong)
{
	struct base_try *t = add_try(s, tree, signal, reason);
	int r;

	t->commit = *commit;
	t->strong = strong;
	r = apply_series_on(s->repo, &s->series, commit, APPLY_ANY, &t->result,
			    s->why);
	if (r < 0)
		return r;
	/* a series that is there completely has nothing to be tested */
	s->done = !r && base_own_count(s, t, APPLY_APPLIED) &&
		  !t->result.changed_form;
	t->outcome = s->done ? "applied" : r ? "conflict" : "upstream";
	return 0;
}

static bool was_tried(const struct base_search *s, const struct git_id *commit)
{
	size_t i;

	for (i = 0; i < s->nr_tries; i++)
		if (s->tries[i].result.nr &&
		    git_id_equal(&s->tries[i].commit, commit))
			return true;
	return false;
}

static const char *tree_of_commit(struct base_search *s,
				  const struct git_id *commit)
{
	size_t i;

	for (i = 0; i < s->nr_trees; i++)
		if (!repo_is_ancestor(s->repo, commit, &s->trees[i].commit))
			return s->trees[i].name;
	return NULL;
}

static int try_base_commit(struct base_search *s)
{
	const char *hex = s->signals.base_commit;
	struct git_id id;
	int r;

	if (!hex)
		return 0;
	r = repo_commit_find(s->repo, hex, &id);
	if (!r)
		return try_base(s, tree_of_commit(s, &id), &id, "base-commit",
				"the mail names this commit as its base", true);
	if (r > 0)
		add_try(s, NULL, "base-commit",
			"the mail names a commit that none of the trees has");
	return r < 0 ? r : 0;
}

static void votes_text(const struct base_search *s, size_t votes,
		       struct strbuf *sb)
{
	size_t nr = s->ballot.nr;

	if (!nr)
		strbuf_addstr(sb, "there are no index lines to go by");
	else if (votes == nr && nr == 1)
		strbuf_addstr(sb, "the blob of the index line is there");
	else if (votes == nr)
		strbuf_addf(sb, "all %zu blobs of the index lines are there",
			    nr);
	else
		strbuf_addf(sb, "%zu of %zu blobs of the index lines are there",
			    votes, nr);
}

static int try_tree(struct base_search *s, const struct base_tree *t,
		    const char *signal, const char *reason, bool strong)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	if (reason)
		strbuf_addf(&text, "%s; ", reason);
	votes_text(s, t->votes, &text);
	return try_base(s, t->name, &t->commit, signal, text.buf, strong);
}

/* The commit in the history of a tree that has more of the blobs than its tip */
static int try_history(struct base_search *s, const struct base_tree *t,
		       size_t want)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	bool all = want == s->ballot.nr;

	if (t->old_votes != want || t->votes >= want ||
	    was_tried(s, &t->old_commit))
		return 0;
	votes_text(s, want, &text);
	strbuf_addf(&text, ", %zu commits before the tip", t->behind);
	return try_base(s, t->name, &t->old_commit, "index-lines", text.buf,
			all);
}

/*
 * Most votes first; among equals tips before history, then the order of rank.
 * From the history only a commit with all of the blobs is worth a try: less
 * than that is found somewhere in any long history.
 */
static int try_votes(struct base_search *s)
{
	size_t nr = s->ballot.nr, want, i;
	int r = 0;

	for (want = nr; want && !s->done && !r; want--) {
		for (i = 0; i < s->nr_trees && !s->done && !r; i++) {
			const struct base_tree *t = &s->trees[i];

			if (t->votes == want && !was_tried(s, &t->commit))
				r = try_tree(s, t, "index-lines", NULL,
					     want == nr);
		}
		for (i = 0; want == nr && i < s->nr_trees && !s->done && !r;
		     i++)
			r = try_history(s, &s->trees[i], want);
	}
	return r;
}

static int try_named(struct base_search *s)
{
	size_t i;
	int r = 0;

	for (i = 0; i < s->nr_trees && !s->done && !r; i++) {
		const struct base_tree *t = &s->trees[i];
		const char *where = base_signals_name(&s->signals, t->name);

		if (where && !was_tried(s, &t->commit))
			r = try_tree(s, t, "named", where, false);
	}
	return r;
}

static const char *first_path(const struct base_search *s)
{
	const struct patch *p = &s->series.v[s->first].patch;

	if (!p->nr)
		return NULL;
	return p->files[0].old_path ? p->files[0].old_path :
				      p->files[0].new_path;
}

/* MAINTAINERS of the first tree that has one; they hardly differ in this. */
static int read_maintainers(struct base_search *s)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	const char *path = first_path(s);
	unsigned int mode;
	struct git_id id;
	size_t i;
	int r = REPO_NONE;

	for (i = 0; i < s->nr_trees && path && r == REPO_NONE; i++)
		r = repo_path_lookup(s->repo, &s->trees[i].tree, "MAINTAINERS",
				     &mode, &id);
	if (r || !path)
		return r < 0 ? r : 0;
	r = repo_blob_read(s->repo, &id, MAX_MAINTAINERS_BYTES, &text);
	if (!r)
		base_maintainers_trees(&text, path, &s->maintainers);
	return r == -EIO ? r : 0;
}

static int try_maintainers(struct base_search *s)
{
	size_t i;
	int r = read_maintainers(s);

	for (i = 0; i < s->nr_trees && !s->done && !r; i++) {
		const struct base_tree *t = &s->trees[i];

		if (!was_tried(s, &t->commit) &&
		    base_maintainers_match(&s->maintainers, t->name))
			r = try_tree(s, t, "maintainers",
				     "MAINTAINERS names this tree for the "
				     "first file", false);
	}
	return r;
}

static int try_rest(struct base_search *s)
{
	size_t i;
	int r = 0;

	for (i = 0; i < s->nr_trees && !s->done && !r; i++) {
		const struct base_tree *t = &s->trees[i];

		if (!was_tried(s, &t->commit))
			r = try_tree(s, t, "fallback", "the configured order",
				     false);
	}
	return r;
}

static int find_base(struct base_search *s)
{
	int (*const steps[])(struct base_search *) = {
		try_base_commit, try_votes, try_named, try_maintainers,
		try_rest,
	};
	size_t i;
	int r = 0;

	for (i = 0; i < ARRAY_SIZE(steps) && !r && !s->done; i++)
		r = steps[i](s);
	return r;
}

static int write_refs(struct base_search *s, const char *prefix)
{
	const struct base_try *t = &s->tries[s->nr_tries - 1];
	size_t i;

	for (i = s->first; i < t->result.nr; i++) {
		char *ref __free(kfree) = NULL;
		int r;

		if (t->result.steps[i].state != APPLY_APPLIED)
			continue;
		ref = xasprintf("%s/%u", prefix, s->series.v[i].number);
		r = repo_ref_set(s->repo, ref, &t->result.steps[i].commit,
				 s->why);
		if (r)
			return r;
	}
	return 0;
}

/* The series, with what it depends on in front of it. */
static int load_series(struct base_search *s, const json_t *request,
		       const char *scratch)
{
	const json_t *own = json_object_get(request, "patches");
	json_t *all __free(json) = NULL;

	if (!json_array_size(own)) {
		strbuf_addstr(s->why, "a series needs patches");
		return -EINVAL;
	}
	base_deps_order(request, &all, &s->deps);
	s->first = json_array_size(all);
	json_array_extend(all, (json_t *)own);
	return apply_series_load(all, scratch, &s->series, s->why);
}

static int search_run(struct base_search *s, const json_t *request,
		      const char *scratch)
{
	const char *prefix = json_get_str(request, "ref_prefix", "");
	char *below __free(kfree) = xasprintf("%s/", prefix);
	int r = load_series(s, request, scratch);

	if (r)
		return r;
	base_ballot_make(&s->series, &s->ballot);
	r = base_signals_read(request, &s->series.v[s->first],
			      s->series.nr - s->first, scratch, &s->signals,
			      s->why);
	if (!r)
		r = load_trees(s, json_object_get(request, "trees"));
	if (!r)
		r = repo_ref_delete_below(s->repo, below);
	if (!r)
		r = find_base(s);
	if (!r && s->done)
		r = write_refs(s, prefix);
	return r;
}

static void search_release(struct base_search *s)
{
	size_t i;

	for (i = 0; i < s->nr_tries; i++) {
		free(s->tries[i].reason);
		apply_result_release(&s->tries[i].result);
	}
	free(s->tries);
	base_signals_release(&s->signals);
	base_ballot_release(&s->ballot);
	apply_series_release(&s->series);
	strbuf_release(&s->maintainers);
	free(s->trees);
	json_decref(s->deps);
	repo_free(s->repo);
}

int base_and_apply(const json_t *request, json_t **ret, struct strbuf *why)
{
	const char *repo = json_get_str(request, "repo", "");
	const char *prefix = json_get_str(request, "ref_prefix", "");
	char *scratch __free(kfree) = xasprintf("%s.apply-XXXXXX", repo);
	struct base_search s = { .maintainers = STRBUF_INIT, .why = why };
	int r;

	if (!*repo || !starts_with(prefix, "refs/") || ends_with(prefix, "/")) {
		strbuf_addstr(why, "apply needs repo and ref_prefix");
		return -EINVAL;
	}
	r = tree_repo_create(repo, why);
	if (!r)
		r = repo_open(repo, &s.repo, why);
	if (r)
		return r < 0 ? r : -ENOENT;
	if (!mkdtemp(scratch)) {
		strbuf_addf(why, "%s: %m", scratch);
		repo_free(s.repo);
		return -errno;
	}
	r = search_run(&s, request, scratch);
	if (!r)
		*ret = base_answer(&s);
	else if (!why->len)
		strbuf_addstr(why, strerror(-r));
	search_release(&s);
	fs_rm_rf(scratch);
	return r;
}
