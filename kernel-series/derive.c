// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/derive.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/derive-private.h"
#include "lib/json.h"

#define MAX_FILES 300
#define MAX_LINES 4000
#define MAX_TOUCHED 100000

/** struct touched - numbers of the lines that a change touches */
struct touched {
	unsigned int *v;
	size_t n, alloc;
};

/** struct walk - over the files of one change */
struct walk {
	struct derive *d;
	struct git_id from, to;
	bool is_total; /* base to last patch, for "lines" */
	unsigned int files;
};

int derive_read(struct derive *d, const struct git_id *tree, const char *path,
		struct strbuf *text)
{
	struct git_id id;
	unsigned int mode;
	int r = repo_path_lookup(d->repo, tree, path, &mode, &id);

	if (r)
		return r;
	if (mode != GIT_MODE_FILE && mode != GIT_MODE_EXEC)
		return REPO_NONE;
	return repo_blob_read(d->repo, &id, DERIVE_MAX_FILE_BYTES, text);
}

static void on_touched(void *arg, unsigned int line)
{
	struct touched *t = arg;

	if (t->n == MAX_TOUCHED)
		return;
	if (t->n == t->alloc) {
		t->alloc = max(t->alloc * 2, (size_t)64);
		t->v = xrealloc_array(t->v, t->alloc, sizeof(*t->v));
	}
	t->v[t->n++] = line;
}

static void note_lines(struct derive *d, const char *path,
		       const struct cpp_file *f, const struct touched *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->n; i++) {
		if (t->v[i] > f->n_lines || !f->lines[t->v[i] - 1].is_code)
			continue;
		if (d->n_lines == MAX_LINES) {
			d->lines_left++;
			continue;
		}
		d->n_lines++;
		json_array_append_new(
			list, json_pack("[I, I]", (json_int_t)t->v[i],
					(json_int_t)f->lines[t->v[i] - 1]
						.anchor));
	}
	if (json_array_size(list))
		json_object_set(d->lines, path, list);
	json_decref(list);
}

/* C that is part of the kernel: tools and samples have no Kconfig of it. */
static bool is_kernel_c(const char *path)
{
	return (ends_with(path, ".c") || ends_with(path, ".h")) &&
	       !starts_with(path, "tools/") && !starts_with(path, "scripts/") &&
	       !starts_with(path, "usr/") && !starts_with(path, "Documentation/");
}

static int on_file(void *arg, const char *path, const struct git_id *old,
		   const struct git_id *new)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct cpp_file f __free(cpp_file) = { 0 };
	struct walk *w = arg;
	struct touched t = { 0 };
	int r;

	if (!new || !is_kernel_c(path) || w->files++ >= MAX_FILES)
		return 0;
	r = repo_blob_read(w->d->repo, new, DERIVE_MAX_FILE_BYTES, &text);
	if (r)
		return r == -EFBIG || r == REPO_NONE ? 0 : r;
	r = repo_blob_changes(w->d->repo, old, new, on_touched, &t);
	if (!r) {
		cpp_scan(text.buf, text.len, &f);
		if (w->is_total) {
			note_lines(w->d, path, &f, &t);
		} else {
			if (ends_with(path, ".h"))
				derive_index_file(w->d, path, &f);
			derive_look(w->d, path, &text, &f, t.v, t.n);
			derive_makefiles(w->d, path);
		}
	}
	free(t.v);
	return r;
}

static int tree_of(struct derive *d, const char *commit, struct git_id *ret,
		   struct strbuf *why)
{
	struct git_id id;
	int r = git_id_parse(commit, &id);

	if (!r)
		r = repo_commit_tree(d->repo, &id, ret);
	if (r) {
		strbuf_setf(why, "commit ");
		strbuf_add_utf8(why, commit, min(strlen(commit), (size_t)64));
		strbuf_addstr(why, " is not there");
	}
	return r > 0 ? -ENOENT : r;
}

static int look_at_patches(struct derive *d, const json_t *patches,
			   struct strbuf *why)
{
	struct walk w = { .d = d, .from = d->base };
	const json_t *p;
	size_t i;
	int r = 0;

	d->tree = d->base;
	json_array_foreach((json_t *)patches, i, p) {
		r = tree_of(d, json_get_str(p, "commit", ""), &d->tree, why);
		if (r)
			return r;
		w.to = d->tree;
		w.files = 0;
		r = repo_tree_diff(d->repo, &w.from, &w.to, on_file, &w);
		if (r)
			return r < 0 ? r : -EIO;
		w.from = w.to;
	}
	w.from = d->base;
	w.is_total = true;
	w.files = 0;
	r = repo_tree_diff(d->repo, &w.from, &d->tree, on_file, &w);
	return r > 0 ? -EIO : r;
}

static int get_kconfig(void *arg, const char *path, struct strbuf *text)
{
	struct derive *d = arg;

	return derive_read(d, &d->tree, path, text);
}

static int analyse(struct derive *d, const json_t *q, json_t *out,
		   struct strbuf *why)
{
	struct kconfig *k __free(kconfig) = NULL;
	int r = tree_of(d, json_get_str(q, "base_commit", ""), &d->base, why);

	if (!r)
		r = derive_index(d, json_get_str(q, "cache_dir", NULL));
	if (!r)
		r = look_at_patches(d, json_object_get(q, "patches"), why);
	if (r)
		return r;
	k = kconfig_read(d->srcarch, get_kconfig, d);
	kconfig_set_config(k, json_get_str(q, "kconfig_text", ""));
	derive_plan(d, k, json_get_int(q, "max_configs", 2),
		    json_get_int(q, "max_symbols", 24), out);
	json_object_set(out, "lines", d->lines);
	json_set_int(out, "lines_left", d->lines_left);
	return 0;
}

int derive_configs(const json_t *request, json_t **ret, struct strbuf *why)
{
	struct git_repo *repo __free(repo) = NULL;
	const char *arch = json_get_str(request, "arch", "");
	struct derive d = { .srcarch = strcmp(arch, "x86_64") ? arch : "x86" };
	json_t *out __free(json) = json_object();
	int r = repo_open(json_get_str(request, "repo", ""), &repo, why);

	if (r)
		return r < 0 ? r : -ENOENT;
	d.repo = repo;
	d.symbols = json_object();
	d.lines = json_object();
	r = analyse(&d, request, out, why);
	json_decref(d.symbols);
	json_decref(d.lines);
	json_decref(d.index);
	if (!r)
		*ret = no_free_ptr(out);
	return r;
}
