// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/apply.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/apply-am.h"
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

	step->by_git = true;
	return apply_am(repo, head, &p->mail.raw, paths, s->scratch, tree,
			&step->why);
}

/* -errno, or 0 with the state in @step */
static int apply_one(struct git_repo *repo, const struct apply_series *s,
		     const struct apply_patch *p, struct git_id *head,
		     struct apply_step *step)
{
	struct git_id tree;
	int r;

	if (p->unreadable.len) {
		step->state = APPLY_CONFLICT;
		strbuf_addbuf(&step->why, &p->unreadable);
		return 0;
	}
	r = by_git_am(repo, s, p, head, &tree, step);
	if (r < 0)
		return r;
	if (r == AM_REFUSED) {
		step->state = APPLY_CONFLICT;
		return 0;
	}
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
		struct apply_step *step = &ret->steps[i];
		int r = apply_one(repo, s, &s->v[i], &head, step);

		if (r) {
			strbuf_addf(why, "patch %u: %s", s->v[i].number,
				    step->why.len ? step->why.buf :
						    strerror(-r));
			return r;
		}
		if (step->state == APPLY_CONFLICT)
			return APPLY_REFUSED;
		ret->applied += step->state == APPLY_APPLIED;
		ret->upstream += step->state == APPLY_UPSTREAM;
	}
	return 0;
}
