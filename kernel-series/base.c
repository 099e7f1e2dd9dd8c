// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "base: " fmt
#include "kernel-series/base.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "kernel-series/apply.h"
#include "kernel-series/base-signals.h"
#include "kernel-series/base-votes.h"
#include "kernel-series/tree.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/log.h"

#define MAX_TREES 1000

/**
 * struct search - the state of one request
 * @repo: opened
 * @series: read
 * @signals: what the mails say about their base
 * @ballot: what the index lines say
 * @trees: from the request
 * @nr_trees: their number
 * @tries: answer so far
 * @best: result of the try that came furthest
 * @best_tree: its tree, NULL for a bare commit
 * @best_commit: its base
 * @strong: a signal that leaves no doubt pointed at a base
 * @done: @best applied completely
 * @why: for errors
 */
struct search {
	struct git_repo *repo;
	struct apply_series series;
	struct base_signals signals;
	struct base_ballot ballot;
	struct base_tree *trees;
	size_t nr_trees;
	json_t *tries;
	struct apply_result best;
	const char *best_tree;
	struct git_id best_commit;
	bool have_best;
	bool strong;
	bool done;
	struct strbuf *why;
};

static int by_rank(const void *a, const void *b)
{
	const struct base_tree *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int load_tree(struct search *s, const json_t *entry, struct base_tree *t)
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
	return r;
}

static int load_trees(struct search *s, const json_t *trees)
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

static json_t *add_try(struct search *s, const char *tree,
		       const struct git_id *commit, const char *signal)
{
	char hex[GIT_HEX_LEN + 1];
	json_t *t = json_object();

	json_set_text(t, "tree", tree);
	json_set_text(t, "commit_id", commit ? git_id_hex(commit, hex) : NULL);
	json_set_text(t, "signal", signal);
	json_array_append_new(s->tries, t);
	return t;
}

static void number_list(const struct search *s, const struct apply_result *r,
			enum apply_state state, struct strbuf *sb)
{
	size_t i, n = 0, total = 0;

	for (i = 0; i < r->nr; i++)
		total += r->steps[i].state == state;
	for (i = 0; i < r->nr; i++) {
		if (r->steps[i].state != state)
			continue;
		if (n++)
			strbuf_addstr(sb, n == total ? " and " : ", ");
		strbuf_addf(sb, "%u/%zu", s->series.v[i].number, s->series.nr);
	}
}

/* "1/4 and 2/4 are already there; 3/4 does not apply: ..." */
static void describe(const struct search *s, const struct apply_result *r,
		     struct strbuf *sb)
{
	size_t i;

	if (r->upstream) {
		number_list(s, r, APPLY_UPSTREAM, sb);
		strbuf_addstr(sb, r->upstream > 1 ? " are already there" :
						    " is already there");
	}
	if (r->applied && r->applied < r->nr) {
		strbuf_addstr(sb, sb->len && r->upstream ? "; " : "");
		number_list(s, r, APPLY_APPLIED, sb);
		strbuf_addstr(sb, r->applied > 1 ? " apply" : " applies");
	}
	for (i = 0; i < r->nr; i++) {
		const struct apply_step *step = &r->steps[i];

		if (step->state != APPLY_CONFLICT)
			continue;
		if (r->upstream || r->applied)
			strbuf_addstr(sb, "; ");
		strbuf_addf(sb, "%u/%zu does not apply: ",
			    s->series.v[i].number, s->series.nr);
		strbuf_add(sb, step->why.buf, strcspn(step->why.buf, "\n"));
	}
}

static void keep_best(struct search *s, struct apply_result *r,
		      const char *tree, const struct git_id *commit)
{
	size_t now = r->applied + r->upstream;
	size_t was = s->best.applied + s->best.upstream;

	if (s->have_best && now <= was && !s->done) {
		apply_result_release(r);
		return;
	}
	apply_result_release(&s->best);
	s->best = *r;
	s->best_tree = tree;
	s->best_commit = *commit;
	s->have_best = true;
}

/* Try one base; sets @s->done when the series applies there. */
static int try_base(struct search *s, const char *tree,
		    const struct git_id *commit, const char *signal,
		    const char *reason)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct apply_result res;
	json_t *t = add_try(s, tree, commit, signal);
	int r;

	strbuf_addstr(&text, reason);
	r = apply_series_on(s->repo, &s->series, commit, APPLY_ANY, &res,
			    s->why);
	if (r < 0) {
		apply_result_release(&res);
		return r;
	}
	/* a series that is there completely has nothing to be tested */
	s->done = !r && res.applied && !res.changed_form;
	if (res.applied != res.nr || r) {
		strbuf_addstr(&text, "; ");
		describe(s, &res, &text);
	}
	json_set_text(t, "outcome", s->done ? "applied" :
				    r	    ? "conflict" : "upstream");
	json_set_text(t, "why", text.buf);
	keep_best(s, &res, tree, commit);
	return 0;
}

static bool was_tried(const struct search *s, const struct git_id *commit)
{
	char hex[GIT_HEX_LEN + 1];
	size_t i;

	git_id_hex(commit, hex);
	for (i = 0; i < json_array_size(s->tries); i++) {
		const json_t *t = json_array_get(s->tries, i);

		if (!strcmp(json_get_str(t, "commit_id", ""), hex))
			return true;
	}
	return false;
}

static const char *tree_of_commit(struct search *s, const struct git_id *commit)
{
	size_t i;

	for (i = 0; i < s->nr_trees; i++)
		if (!repo_is_ancestor(s->repo, commit, &s->trees[i].commit))
			return s->trees[i].name;
	return NULL;
}

static int try_base_commit(struct search *s)
{
	const char *hex = s->signals.base_commit;
	struct git_id id;
	json_t *t;
	int r;

	if (!hex)
		return 0;
	r = repo_commit_find(s->repo, hex, &id);
	if (r < 0)
		return r;
	if (!r) {
		s->strong = true;
		return try_base(s, tree_of_commit(s, &id), &id, "base-commit",
				"the mail names this commit as its base");
	}
	t = add_try(s, NULL, NULL, "base-commit");
	json_set_text(t, "commit_id", hex);
	json_set_text(t, "outcome", "unknown");
	json_set_text(t, "why", "the mail names a commit that none of the "
				"trees has");
	return 0;
}

static void votes_text(const struct search *s, size_t votes,
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

static int try_tree(struct search *s, const struct base_tree *t,
		    const char *signal, const char *reason)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	if (reason)
		strbuf_addf(&text, "%s; ", reason);
	votes_text(s, t->votes, &text);
	return try_base(s, t->name, &t->commit, signal, text.buf);
}

/* Trees by votes, most first; among equals the order of rank stays. */
static int try_votes(struct search *s)
{
	size_t want, i;
	int r = 0;

	for (want = s->ballot.nr; want && !s->done && !r; want--)
		for (i = 0; i < s->nr_trees && !s->done && !r; i++) {
			const struct base_tree *t = &s->trees[i];

			if (t->votes != want || was_tried(s, &t->commit))
				continue;
			s->strong |= want == s->ballot.nr;
			r = try_tree(s, t, "index-lines", NULL);
		}
	return r;
}

static int try_named(struct search *s)
{
	size_t i;
	int r = 0;

	for (i = 0; i < s->nr_trees && !s->done && !r; i++) {
		const struct base_tree *t = &s->trees[i];
		const char *where = base_signals_name(&s->signals, t->name);

		if (!where || was_tried(s, &t->commit))
			continue;
		r = try_tree(s, t, "named", where);
	}
	return r;
}

static int try_rest(struct search *s)
{
	size_t i;
	int r = 0;

	for (i = 0; i < s->nr_trees && !s->done && !r; i++) {
		const struct base_tree *t = &s->trees[i];

		if (!was_tried(s, &t->commit))
			r = try_tree(s, t, "fallback", "the configured order");
	}
	return r;
}

static int find_base(struct search *s)
{
	int (*const steps[])(struct search *) = {
		try_base_commit, try_votes, try_named, try_rest,
	};
	size_t i;
	int r = 0;

	for (i = 0; i < ARRAY_SIZE(steps) && !r && !s->done; i++)
		r = steps[i](s);
	return r;
}

static int write_refs(struct search *s, const char *prefix)
{
	size_t i;

	for (i = 0; i < s->best.nr; i++) {
		char *ref __free(kfree) = NULL;
		int r;

		if (s->best.steps[i].state != APPLY_APPLIED)
			continue;
		ref = xasprintf("%s/%u", prefix, s->series.v[i].number);
		r = repo_ref_set(s->repo, ref, &s->best.steps[i].commit,
				 s->why);
		if (r)
			return r;
	}
	return 0;
}

static json_t *patches_json(const struct search *s)
{
	json_t *list = json_array();
	char hex[GIT_HEX_LEN + 1];
	size_t i;

	for (i = 0; i < s->series.nr; i++) {
		const struct apply_step *step =
			s->have_best ? &s->best.steps[i] : NULL;
		enum apply_state st = step ? step->state : APPLY_NOT_TRIED;
		json_t *p = json_object();

		json_set_int(p, "number", s->series.v[i].number);
		json_set_text(p, "state", apply_state_name(st));
		json_set_text(p, "commit_id", st == APPLY_APPLIED && s->done ?
				      git_id_hex(&step->commit, hex) : NULL);
		json_set_text(p, "why", step ? step->why.buf : "");
		json_array_append_new(list, p);
	}
	return list;
}

static void summary(const struct search *s, struct strbuf *sb)
{
	size_t tries = json_array_size(s->tries);

	if (s->done) {
		const json_t *t = json_array_get(s->tries, tries - 1);

		strbuf_addstr(sb, json_get_str(t, "why", ""));
		return;
	}
	if (!s->have_best) {
		strbuf_addstr(sb, "there is no tree to try");
		return;
	}
	if (s->best.upstream == s->best.nr)
		strbuf_addf(sb, "nothing to apply: ");
	else if (tries > 1)
		strbuf_addf(sb, "applies to none of %zu bases; nearest ",
			    tries);
	strbuf_addf(sb, "%s: ", s->best_tree ? s->best_tree : "base-commit");
	describe(s, &s->best, sb);
}

static json_t *answer(const struct search *s)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	char hex[GIT_HEX_LEN + 1];
	bool known = s->done || s->strong;
	json_t *a = json_object();

	summary(s, &sb);
	json_set_text(a, "outcome", s->done   ? "applied" :
				    s->strong ? "conflict" : "no-base");
	json_set_text(a, "tree", known ? s->best_tree : NULL);
	json_set_text(a, "base_commit", known && s->have_best ?
			      git_id_hex(&s->best_commit, hex) : NULL);
	json_set_text(a, "why", sb.buf);
	json_object_set(a, "tries", s->tries);
	json_object_set_new(a, "patches", patches_json(s));
	return a;
}

static int search_run(struct search *s, const json_t *request,
		      const char *scratch)
{
	const char *prefix = json_get_str(request, "ref_prefix", "");
	char *below __free(kfree) = xasprintf("%s/", prefix);
	int r;

	r = apply_series_load(json_object_get(request, "patches"), scratch,
			      &s->series, s->why);
	if (r)
		return r;
	base_ballot_make(&s->series, &s->ballot);
	r = base_signals_read(request, &s->series, scratch, &s->signals,
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

static void search_release(struct search *s)
{
	base_signals_release(&s->signals);
	base_ballot_release(&s->ballot);
	apply_result_release(&s->best);
	apply_series_release(&s->series);
	free(s->trees);
	json_decref(s->tries);
	repo_free(s->repo);
}

int base_and_apply(const json_t *request, json_t **ret, struct strbuf *why)
{
	const char *repo = json_get_str(request, "repo", "");
	const char *prefix = json_get_str(request, "ref_prefix", "");
	char *scratch __free(kfree) = xasprintf("%s.apply-XXXXXX", repo);
	struct search s = { .why = why };
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
	s.tries = json_array();
	r = search_run(&s, request, scratch);
	if (!r)
		*ret = answer(&s);
	else if (!why->len)
		strbuf_addstr(why, strerror(-r));
	search_release(&s);
	fs_rm_rf(scratch);
	return r;
}
