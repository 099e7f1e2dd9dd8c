// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/apply.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/apply-am.h"
#include "kernel-series/apply-fast.h"
#include "kernel-series/apply-there.h"
#include "lib/json.h"

#define MAX_PATCHES 1000

const char *apply_state_name(enum apply_state state)
{
	switch (state) {
	case APPLY_NOT_TRIED:
		return "not-tried";
	case APPLY_APPLIED:
		return "applied";
	case APPLY_CONFLICT:
		return "conflict";
	case APPLY_UPSTREAM:
		return "upstream";
	}
	return "not-tried";
}

static int load_one(const json_t *entry, const char *scratch,
		    struct apply_patch *p, struct strbuf *why)
{
	const char *path = json_get_str(entry, "path", NULL);
	int64_t number = json_get_int(entry, "number", 0);
	int r;

	if (!path || number < 0 || number > 100000) {
		strbuf_addstr(why, "a patch needs a number and a path");
		return -EINVAL;
	}
	p->number = (unsigned int)number;
	r = apply_mail_read(path, scratch, &p->mail, &p->unreadable);
	if (r < 0) {
		strbuf_addf(why, "patch %u: %s", p->number, p->unreadable.buf);
		return r;
	}
	patch_parse(p->mail.diff.buf, p->mail.diff.len, &p->patch);
	return 0;
}

int apply_series_load(const json_t *patches, const char *scratch,
		      struct apply_series *ret, struct strbuf *why)
{
	size_t i, nr = json_array_size(patches);

	memset(ret, 0, sizeof(*ret));
	if (!nr || nr > MAX_PATCHES) {
		strbuf_addf(why, "%zu patches: there must be 1 to %d", nr,
			    MAX_PATCHES);
		return -EINVAL;
	}
	ret->scratch = xstrdup(scratch);
	ret->v = xcalloc(nr, sizeof(*ret->v));
	for (i = 0; i < nr; i++) {
		int r;

		strbuf_init(&ret->v[i].unreadable);
		ret->nr = i + 1;
		r = load_one(json_array_get(patches, i), scratch, &ret->v[i],
			     why);
		if (r)
			return r;
	}
	return 0;
}

void apply_series_release(struct apply_series *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++) {
		patch_release(&s->v[i].patch);
		apply_mail_release(&s->v[i].mail);
		strbuf_release(&s->v[i].unreadable);
	}
	free(s->v);
	free(s->scratch);
	memset(s, 0, sizeof(*s));
}

void apply_result_release(struct apply_result *r)
{
	size_t i;

	for (i = 0; i < r->nr; i++)
		strbuf_release(&r->steps[i].why);
	free(r->steps);
	memset(r, 0, sizeof(*r));
}

static int commit_tree(struct git_repo *repo, const struct apply_patch *p,
		       const struct git_id *parent, const struct git_id *tree,
		       struct git_id *ret)
{
	struct git_commit_spec spec = {
		.tree = *tree,
		.parent = *parent,
		.author_name = p->mail.author_name,
		.author_email = p->mail.author_email,
		.date_s = p->mail.date_s,
		.tz_min = p->mail.tz_min,
		.message = p->mail.message.buf,
	};

	return repo_commit_write(repo, &spec, ret);
}

static int by_git_am(struct git_repo *repo, const struct apply_series *s,
		     const struct apply_patch *p, const struct git_id *head,
		     struct git_id *tree, struct apply_step *step)
{
	const char **paths __free(kfree) = patch_paths(&p->patch);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r;

	step->by_git = true;
	r = apply_am(repo, head, &p->mail.raw, paths, s->scratch, tree, &why);
	/* our own explanation has the hunk, git's has not */
	if (r < 0 || (r == AM_REFUSED && !step->why.len)) {
		strbuf_reset(&step->why);
		strbuf_addbuf(&step->why, &why);
	} else if (r != AM_REFUSED) {
		strbuf_reset(&step->why);
	}
	return r;
}

/* 0, AM_REFUSED, AM_NO_CHANGE or -errno, as apply_am(). */
static int new_tree(struct git_repo *repo, const struct apply_series *s,
		    const struct apply_patch *p, enum apply_how how,
		    const struct git_id *head, struct git_id *tree,
		    struct apply_step *step)
{
	struct git_id old;
	int r;

	if (how == APPLY_GIT_ONLY)
		return by_git_am(repo, s, p, head, tree, step);
	r = repo_commit_tree(repo, head, &old);
	if (r)
		return r < 0 ? r : -EIO;
	r = apply_fast(repo, &old, &p->patch, tree, &step->why);
	if (r == FAST_ASK_GIT && how == APPLY_ANY)
		return by_git_am(repo, s, p, head, tree, step);
	if (r == FAST_ASK_GIT || r == FAST_REFUSED)
		return AM_REFUSED;
	strbuf_reset(&step->why);
	return r == FAST_NO_CHANGE ? AM_NO_CHANGE : r;
}

/* git says no. Perhaps because there is nothing left to do? */
static int check_upstream(struct git_repo *repo, const struct apply_patch *p,
			  const struct git_id *head, struct apply_step *step)
{
	enum there there = THERE_NOT;
	struct git_id tree;
	int r = repo_commit_tree(repo, head, &tree);

	if (!r)
		r = apply_is_there(repo, &tree, &p->patch, &there);
	if (r)
		return r < 0 ? r : -EIO;
	step->state = there == THERE_NOT ? APPLY_CONFLICT : APPLY_UPSTREAM;
	step->refused = true;
	if (there == THERE_NOT)
		return 0;
	step->changed_form = there == THERE_CHANGED;
	strbuf_setf(&step->why, there == THERE_CHANGED ?
		    "the tree has it already, in a changed form" :
		    "the tree has all of it already");
	return 0;
}

/* -errno, or 0 with the state in @step */
static int apply_one(struct git_repo *repo, const struct apply_series *s,
		     const struct apply_patch *p, enum apply_how how,
		     struct git_id *head, struct apply_step *step)
{
	struct git_id tree;
	int r;

	if (p->unreadable.len) {
		step->state = APPLY_CONFLICT;
		strbuf_addbuf(&step->why, &p->unreadable);
		return 0;
	}
	r = new_tree(repo, s, p, how, head, &tree, step);
	if (r < 0)
		return r;
	if (r == AM_REFUSED)
		return check_upstream(repo, p, head, step);
	if (r == AM_NO_CHANGE) {
		step->state = APPLY_UPSTREAM;
		strbuf_addstr(&step->why, "the tree has all of it already");
		return 0;
	}
	r = commit_tree(repo, p, head, &tree, &step->commit);
	if (r)
		return r;
	*head = step->commit;
	step->state = APPLY_APPLIED;
	return 0;
}

static int take_step(struct git_repo *repo, const struct apply_series *s,
		     size_t i, enum apply_how how, struct git_id *head,
		     struct apply_result *ret)
{
	struct apply_step *step = &ret->steps[i];
	int r = apply_one(repo, s, &s->v[i], how, head, step);

	if (r)
		return r;
	switch (step->state) {
	case APPLY_APPLIED:
		ret->applied++;
		return 0;
	case APPLY_UPSTREAM:
		ret->upstream++;
		ret->changed_form |= step->changed_form;
		return 0;
	case APPLY_CONFLICT:
	case APPLY_NOT_TRIED:
		break;
	}
	return APPLY_REFUSED;
}

int apply_series_on(struct git_repo *repo, const struct apply_series *s,
		    const struct git_id *base, enum apply_how how,
		    struct apply_result *ret, struct strbuf *why)
{
	struct git_id head = *base;
	size_t i;

	memset(ret, 0, sizeof(*ret));
	ret->steps = xcalloc(s->nr, sizeof(*ret->steps));
	ret->nr = s->nr;
	for (i = 0; i < s->nr; i++)
		strbuf_init(&ret->steps[i].why);
	for (i = 0; i < s->nr; i++) {
		int r = take_step(repo, s, i, how, &head, ret);

		if (r < 0)
			strbuf_addf(why, "patch %u: %s", s->v[i].number,
				    ret->steps[i].why.len ?
					    ret->steps[i].why.buf :
					    strerror(-r));
		if (r)
			return r;
	}
	return 0;
}
