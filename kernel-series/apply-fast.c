// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/apply-fast.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-series/place.h"

#define MAX_BLOB_BYTES ((size_t)64 << 20)
/* git looks for a NUL in this many bytes to call content binary */
#define BINARY_BYTES 8000
#define MAX_REJECT_LINES 80

/**
 * struct fast - work on one patch
 * @repo: objects
 * @tree: tree before
 * @patch: the patch
 * @changes: paths that change
 * @nr: their number
 * @why: explanation of the first thing that does not fit
 */
struct fast {
	struct git_repo *repo;
	const struct git_id *tree;
	const struct patch *patch;
	struct git_change *changes;
	size_t nr;
	struct strbuf *why;
};

static const char *name_of(const struct patch_file *f)
{
	return f->new_path ? f->new_path : f->old_path;
}

static void add_change(struct fast *w, const char *path, unsigned int mode,
		       const struct git_id *id)
{
	struct git_change *c = &w->changes[w->nr++];

	c->path = path;
	c->mode = mode;
	if (id)
		c->id = *id;
	else
		memset(&c->id, 0, sizeof(c->id));
}

static bool is_file(unsigned int mode)
{
	return mode == GIT_MODE_FILE || mode == GIT_MODE_EXEC;
}

/* Say it once: the first reason is the one that counts. */
static struct strbuf *first_why(struct fast *w)
{
	static struct strbuf drop = STRBUF_INIT;

	strbuf_reset(&drop);
	return w->why->len ? &drop : w->why;
}

static void explain_hunk(struct fast *w, const struct patch_file *f, size_t nr)
{
	const struct patch_hunk *h = &f->hunks[nr];
	const char *p = h->text, *end = p + h->len;
	struct strbuf *sb = first_why(w);
	unsigned int lines = 0;

	strbuf_add_utf8(sb, name_of(f), strlen(name_of(f)));
	strbuf_addf(sb, ": hunk %zu of %zu (line %lu) does not match\n", nr + 1,
		    f->nr_hunks, h->old_start);
	while (p < end && lines++ < MAX_REJECT_LINES) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = nl ? (size_t)(nl - p) + 1 : (size_t)(end - p);

		strbuf_add_utf8(sb, p, min(n, (size_t)1000));
		p += n;
	}
	if (p < end)
		strbuf_addstr(sb, "...\n");
}

static void explain(struct fast *w, const char *path, const char *what)
{
	struct strbuf *sb = first_why(w);

	strbuf_add_utf8(sb, path, strlen(path));
	strbuf_addf(sb, ": %s", what);
}

/* May a file be made at @path? Nothing there, and only directories above. */
static int check_free(struct fast *w, const char *path)
{
	struct git_id id;
	unsigned int mode;
	const char *slash;
	int r = repo_path_lookup(w->repo, w->tree, path, &mode, &id);

	if (r < 0)
		return r;
	if (!r) {
		explain(w, path, "exists already");
		return is_file(mode) ? FAST_REFUSED : FAST_ASK_GIT;
	}
	for (slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *dir __free(kfree) =
			xstrndup(path, (size_t)(slash - path));

		r = repo_path_lookup(w->repo, w->tree, dir, &mode, &id);
		if (r < 0)
			return r;
		if (!r && mode != GIT_MODE_TREE) {
			explain(w, dir, "is no directory");
			return FAST_ASK_GIT;
		}
	}
	return 0;
}

/* 0: a plain file, read into @text. */
static int read_old(struct fast *w, const char *path, unsigned int *mode,
		    struct git_id *id, struct strbuf *text)
{
	int r = repo_path_lookup(w->repo, w->tree, path, mode, id);

	if (r < 0)
		return r;
	if (r) {
		explain(w, path, "there is no such file in this tree");
		return FAST_REFUSED;
	}
	if (!is_file(*mode)) {
		explain(w, path, "is no regular file");
		return FAST_ASK_GIT;
	}
	r = repo_blob_read(w->repo, id, MAX_BLOB_BYTES, text);
	return r == -EFBIG ? FAST_ASK_GIT : r > 0 ? -EIO : r;
}

/* The content of @f after the patch: 0, FAST_REFUSED, FAST_ASK_GIT. */
static int patched(struct fast *w, const struct patch_file *f,
		   const struct strbuf *old, struct strbuf *new)
{
	size_t bad = 0;
	int r = place_hunks(old, f, false, new, &bad);

	if (r)
		explain_hunk(w, f, bad);
	if (r == PLACE_MISMATCH)
		return FAST_REFUSED;
	if (r == PLACE_UNSURE)
		return FAST_ASK_GIT;
	if (!f->is_delete || !new->len)
		return 0;
	explain(w, f->old_path, "more is in the file than the patch removes");
	return FAST_REFUSED;
}

static int direct_new(struct fast *w, const struct patch_file *f)
{
	struct strbuf none __free(strbuf) = STRBUF_INIT;
	struct strbuf new __free(strbuf) = STRBUF_INIT;
	struct git_id id;
	int r = check_free(w, f->new_path);

	if (!r)
		r = patched(w, f, &none, &new);
	if (!r)
		r = repo_blob_write(w->repo, new.buf, new.len, &id);
	if (!r)
		add_change(w, f->new_path, f->new_mode, &id);
	return r;
}

static int direct_file(struct fast *w, const struct patch_file *f)
{
	struct strbuf old __free(strbuf) = STRBUF_INIT;
	struct strbuf new __free(strbuf) = STRBUF_INIT;
	unsigned int mode;
	struct git_id id;
	int r;

	if (f->is_new)
		return direct_new(w, f);
	r = read_old(w, f->old_path, &mode, &id, &old);
	if (!r && (f->is_rename || f->is_copy))
		r = check_free(w, f->new_path);
	if (!r)
		r = patched(w, f, &old, &new);
	if (r)
		return r;
	if (f->is_delete) {
		add_change(w, f->old_path, GIT_MODE_NONE, NULL);
		return 0;
	}
	if (f->nr_hunks)
		r = repo_blob_write(w->repo, new.buf, new.len, &id);
	if (r)
		return r;
	if (f->is_rename)
		add_change(w, f->old_path, GIT_MODE_NONE, NULL);
	add_change(w, f->new_path, f->new_mode ? f->new_mode : mode, &id);
	return 0;
}

/* As git apply: all files, or nothing. */
static int direct(struct fast *w)
{
	size_t i;
	int r = 0;

	for (i = 0; i < w->patch->nr && !r; i++)
		r = direct_file(w, &w->patch->files[i]);
	return r;
}

/* The blob an index line names. Without it git am -3 gives up, too. */
static int ancestor(struct fast *w, const struct patch_file *f,
		    struct git_id *id, struct strbuf *text)
{
	int r;

	if (!*f->old_blob || !f->old_mode)
		return FAST_ASK_GIT;
	r = repo_blob_find(w->repo, f->old_blob, id);
	if (r < 0)
		return r;
	if (r)
		return r == REPO_NONE ? FAST_REFUSED : FAST_ASK_GIT;
	r = repo_blob_read(w->repo, id, MAX_BLOB_BYTES, text);
	return r == -EFBIG ? FAST_ASK_GIT : r > 0 ? -EIO : r;
}

static bool is_binary(const struct strbuf *sb)
{
	return memchr(sb->buf, '\0', min(sb->len, (size_t)BINARY_BYTES));
}

static int merge_content(struct fast *w, const char *path,
			 const struct strbuf *base, const struct strbuf *ours,
			 const struct strbuf *theirs, struct git_id *ret)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int r;

	if (is_binary(base) || is_binary(ours) || is_binary(theirs))
		return FAST_ASK_GIT;
	r = git_merge_content(base, ours, theirs, &out);
	if (r == REPO_CONFLICT) {
		explain(w, path, "the tree and the patch change the same lines");
		return FAST_ASK_GIT;
	}
	if (r)
		return r;
	return repo_blob_write(w->repo, out.buf, out.len, ret);
}

static int merge_mode(unsigned int base, unsigned int ours,
		      unsigned int theirs, unsigned int *ret)
{
	if (ours != base && theirs != base && ours != theirs)
		return FAST_ASK_GIT;
	*ret = ours == base ? theirs : ours;
	return 0;
}

static int merge_new(struct fast *w, const struct patch_file *f)
{
	struct strbuf none __free(strbuf) = STRBUF_INIT;
	struct strbuf new __free(strbuf) = STRBUF_INIT;
	unsigned int mode;
	struct git_id id, there;
	int r = patched(w, f, &none, &new);

	if (!r)
		r = repo_blob_write(w->repo, new.buf, new.len, &id);
	if (r)
		return r;
	r = repo_path_lookup(w->repo, w->tree, f->new_path, &mode, &there);
	if (r < 0)
		return r;
	if (!r && git_id_equal(&id, &there) && mode == f->new_mode)
		return 0;
	if (!r)
		return FAST_ASK_GIT;
	r = check_free(w, f->new_path);
	if (!r)
		add_change(w, f->new_path, f->new_mode, &id);
	return r;
}

static int merge_delete(struct fast *w, const struct patch_file *f,
			const struct git_id *base)
{
	unsigned int mode;
	struct git_id id;
	int r = repo_path_lookup(w->repo, w->tree, f->old_path, &mode, &id);

	if (r < 0)
		return r;
	if (r || !git_id_equal(&id, base) || mode != f->old_mode)
		return FAST_ASK_GIT;
	add_change(w, f->old_path, GIT_MODE_NONE, NULL);
	return 0;
}

static int merge_modified(struct fast *w, const struct patch_file *f,
			  const struct git_id *base_id,
			  const struct strbuf *base, const struct strbuf *theirs)
{
	struct strbuf ours __free(strbuf) = STRBUF_INIT;
	unsigned int mode, merged = 0;
	struct git_id our_id, their_id, id;
	int r = read_old(w, f->old_path, &mode, &our_id, &ours);

	/* gone from the tree: git looks whether it was renamed */
	if (r)
		return r == FAST_REFUSED ? FAST_ASK_GIT : r;
	r = merge_mode(f->old_mode, mode,
		       f->new_mode ? f->new_mode : f->old_mode, &merged);
	if (!r)
		r = git_id_of_blob(theirs->buf, theirs->len, &their_id);
	if (r)
		return r;
	if (git_id_equal(base_id, &their_id) ||
	    git_id_equal(&our_id, &their_id))
		id = our_id;
	else if (git_id_equal(base_id, &our_id))
		r = repo_blob_write(w->repo, theirs->buf, theirs->len, &id);
	else
		r = merge_content(w, f->old_path, base, &ours, theirs, &id);
	if (!r && (merged != mode || !git_id_equal(&id, &our_id)))
		add_change(w, f->new_path, merged, &id);
	return r;
}

static int merge_file(struct fast *w, const struct patch_file *f)
{
	struct strbuf base __free(strbuf) = STRBUF_INIT;
	struct strbuf theirs __free(strbuf) = STRBUF_INIT;
	struct git_id base_id;
	int r;

	if (f->is_new)
		return merge_new(w, f);
	r = ancestor(w, f, &base_id, &base);
	if (!r)
		r = patched(w, f, &base, &theirs);
	if (r)
		return r;
	if (f->is_delete)
		return merge_delete(w, f, &base_id);
	return merge_modified(w, f, &base_id, &base, &theirs);
}

/* Would git look for renames, in the patch or in the tree? */
static bool renames_matter(const struct patch *p)
{
	bool gone = false, made = false;
	size_t i;

	for (i = 0; i < p->nr; i++) {
		if (p->files[i].is_rename || p->files[i].is_copy)
			return true;
		gone |= p->files[i].is_delete;
		made |= p->files[i].is_new;
	}
	return gone && made;
}

/*
 * A blob that nobody has ends it for git, whatever else the patch does; only
 * then a refusal needs no second opinion.
 */
static int lacks_blobs(struct fast *w)
{
	size_t i;

	for (i = 0; i < w->patch->nr; i++) {
		const struct patch_file *f = &w->patch->files[i];
		struct git_id id;
		int r;

		/* mode changes and bare renames name no blob */
		if (f->is_new || !*f->old_blob)
			continue;
		r = repo_blob_find(w->repo, f->old_blob, &id);
		if (r < 0)
			return r;
		if (r == REPO_NONE && f->added + f->removed)
			return FAST_REFUSED;
	}
	return 0;
}

static int three_way(struct fast *w)
{
	size_t i;
	int r = lacks_blobs(w);

	if (r)
		return r;
	if (renames_matter(w->patch))
		return FAST_ASK_GIT;
	w->nr = 0;
	for (i = 0; i < w->patch->nr && !r; i++)
		r = merge_file(w, &w->patch->files[i]);
	if (r)
		return r < 0 ? r : FAST_ASK_GIT;
	return w->nr ? 0 : FAST_NO_CHANGE;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A path that is named twice, or is a directory of another one: git's. */
static bool paths_are_apart(const struct patch *p)
{
	const char **v __free(kfree) = patch_paths(p);
	size_t n = 0, i;

	while (v[n])
		n++;
	qsort(v, n, sizeof(*v), by_name);
	for (i = 1; i < n; i++) {
		size_t len = strlen(v[i - 1]);

		if (!strncmp(v[i], v[i - 1], len) &&
		    (!v[i][len] || v[i][len] == '/'))
			return false;
	}
	return true;
}

int apply_fast(struct git_repo *repo, const struct git_id *tree,
	       const struct patch *p, struct git_id *ret, struct strbuf *why)
{
	struct fast w = { .repo = repo, .tree = tree, .patch = p, .why = why };
	int r;

	if (!p->plain || !paths_are_apart(p))
		return FAST_ASK_GIT;
	w.changes = xcalloc(2 * p->nr + 1, sizeof(*w.changes));
	r = direct(&w);
	if (r == FAST_REFUSED)
		r = three_way(&w);
	if (!r)
		r = repo_tree_edit(repo, tree, w.changes, w.nr, ret);
	if (r == -EEXIST)
		r = FAST_ASK_GIT;
	free(w.changes);
	return r;
}
