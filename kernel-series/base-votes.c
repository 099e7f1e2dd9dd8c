// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/base-votes.h"

#include <stdlib.h>
#include <string.h>

/* A path and where in the series it was met, to be sorted. */
struct meeting {
	const char *path;
	const char *blob; /* NULL: says nothing, but hides later ones */
	size_t order;
};

static int by_path(const void *a, const void *b)
{
	const struct meeting *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	if (c)
		return c;
	return x->order < y->order ? -1 : x->order > y->order;
}

static size_t collect(const struct apply_series *s, struct meeting *v)
{
	size_t i, j, n = 0;

	for (i = 0; i < s->nr; i++)
		for (j = 0; j < s->v[i].patch.nr; j++) {
			const struct patch_file *f = &s->v[i].patch.files[j];

			if (f->old_path) {
				v[n].path = f->old_path;
				v[n].blob = *f->old_blob ? f->old_blob : NULL;
				v[n].order = n;
				n++;
			}
			if (f->new_path && (!f->old_path ||
					    strcmp(f->old_path, f->new_path))) {
				v[n].path = f->new_path;
				v[n].blob = NULL;
				v[n].order = n;
				n++;
			}
		}
	return n;
}

void base_ballot_make(const struct apply_series *s, struct base_ballot *ret)
{
	struct meeting *m __free(kfree) = NULL;
	size_t i, n = 0;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < s->nr; i++)
		n += 2 * s->v[i].patch.nr;
	m = xcalloc(n + 1, sizeof(*m));
	ret->v = xcalloc(n + 1, sizeof(*ret->v));
	n = collect(s, m);
	qsort(m, n, sizeof(*m), by_path);
	for (i = 0; i < n; i++) {
		if ((i && !strcmp(m[i].path, m[i - 1].path)) || !m[i].blob)
			continue;
		ret->v[ret->nr].path = m[i].path;
		ret->v[ret->nr].blob = m[i].blob;
		ret->nr++;
	}
}

void base_ballot_release(struct base_ballot *b)
{
	free(b->v);
	memset(b, 0, sizeof(*b));
}

int base_ballot_count(struct git_repo *repo, const struct base_ballot *b,
		      const struct git_id *tree, size_t *count)
{
	size_t i;

	*count = 0;
	for (i = 0; i < b->nr; i++) {
		unsigned int mode;
		struct git_id id;
		int r = repo_path_lookup(repo, tree, b->v[i].path, &mode, &id);

		if (r < 0)
			return r;
		if (!r && mode != GIT_MODE_TREE)
			*count += git_id_has_prefix(&id, b->v[i].blob);
	}
	return 0;
}
