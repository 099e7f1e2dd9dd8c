// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/apply-there.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-series/place.h"

#define MAX_BLOB_BYTES ((size_t)64 << 20)
/* Fewer pairs than this prove nothing: a lone brace is everywhere. */
#define MIN_PAIRS 3

/** struct hashes - sorted or growing array of hashes of line pairs */
struct hashes {
	uint64_t *v;
	size_t nr, alloc;
};

/**
 * struct evidence - pairs of lines that tell before from after
 * @after: pairs that only the patched file has
 * @after_found: of these, in the tree
 * @before: pairs that only the unpatched file has
 * @before_found: of these, in the tree
 */
struct evidence {
	size_t after, after_found, before, before_found;
};

static void add_hash(struct hashes *h, uint64_t v)
{
	if (h->nr == h->alloc) {
		h->alloc = h->alloc ? 2 * h->alloc : 64;
		h->v = xrealloc_array(h->v, h->alloc, sizeof(*h->v));
	}
	h->v[h->nr++] = v;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_hashes(struct hashes *h)
{
	if (h->nr)
		qsort(h->v, h->nr, sizeof(*h->v), by_value);
}

static bool has_hash(const struct hashes *h, uint64_t v)
{
	return h->nr && bsearch(&v, h->v, h->nr, sizeof(v), by_value);
}

/* FNV-1a, 64 bits, white space left out: indentation is a changed form. */
static uint64_t hash_line(const char *p, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL;
	size_t i;

	for (i = 0; i < len; i++) {
		if (p[i] == ' ' || p[i] == '\t' || p[i] == '\n' || p[i] == '\r')
			continue;
		h = (h ^ (unsigned char)p[i]) * 0x100000001b3ULL;
	}
	return h;
}

static uint64_t pair(uint64_t a, uint64_t b)
{
	return (a * 0x9e3779b97f4a7c15ULL) ^ (b + (a >> 7));
}

static size_t length(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? (size_t)(nl - p) + 1 : (size_t)(end - p);
}

static void file_pairs(const struct strbuf *text, struct hashes *ret)
{
	const char *p = text->buf, *end = p + text->len;
	uint64_t last = 0;

	while (p < end) {
		size_t n = length(p, end);
		uint64_t h = hash_line(p, n);

		add_hash(ret, pair(last, h));
		last = h;
		p += n;
	}
	sort_hashes(ret);
}

/* Pairs of the lines that @side ('+' or '-') and the context make. */
static void hunk_pairs(const struct patch_hunk *h, char side,
		       struct hashes *ret)
{
	const char *p = h->text, *end = p + h->len;
	bool first = true;
	uint64_t last = 0;

	for (; p < end; p += length(p, end)) {
		uint64_t v;

		if (*p != side && *p != ' ' && *p != '\n')
			continue;
		v = *p == '\n' ? hash_line(p, 1) :
				 hash_line(p + 1, length(p, end) - 1);
		if (!first)
			add_hash(ret, pair(last, v));
		first = false;
		last = v;
	}
	sort_hashes(ret);
}

static void count(const struct hashes *mine, const struct hashes *other,
		  const struct hashes *file, size_t *all, size_t *found)
{
	size_t i;

	for (i = 0; i < mine->nr; i++) {
		if (has_hash(other, mine->v[i]))
			continue;
		++*all;
		*found += has_hash(file, mine->v[i]);
	}
}

static void gather(const struct patch_file *f, const struct strbuf *text,
		   struct evidence *e)
{
	struct hashes file = { 0 };
	size_t i;

	file_pairs(text, &file);
	for (i = 0; i < f->nr_hunks; i++) {
		struct hashes before = { 0 }, after = { 0 };

		hunk_pairs(&f->hunks[i], '-', &before);
		hunk_pairs(&f->hunks[i], '+', &after);
		count(&after, &before, &file, &e->after, &e->after_found);
		count(&before, &after, &file, &e->before, &e->before_found);
		free(before.v);
		free(after.v);
	}
	free(file.v);
}

/* 1: read; 0: no such file; -errno */
static int read_file(struct git_repo *repo, const struct git_id *tree,
		     const char *path, unsigned int *mode, struct strbuf *text)
{
	struct git_id id;
	int r = repo_path_lookup(repo, tree, path, mode, &id);

	if (r)
		return r < 0 ? r : 0;
	if (*mode != GIT_MODE_FILE && *mode != GIT_MODE_EXEC)
		return 0;
	r = repo_blob_read(repo, &id, MAX_BLOB_BYTES, text);
	if (r)
		return r == -EIO ? r : 0;
	return 1;
}

static int check_file(struct git_repo *repo, const struct git_id *tree,
		      const struct patch_file *f, struct evidence *e,
		      bool *exact)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct strbuf before __free(strbuf) = STRBUF_INIT;
	unsigned int mode = 0;
	size_t bad;
	int r = 0;

	if (f->is_delete || f->is_rename) {
		r = read_file(repo, tree, f->old_path, &mode, &text);
		if (r)
			*exact = false;
		if (r < 0)
			return r;
		e->before += f->removed;
		e->before_found += r ? f->removed : 0;
		strbuf_reset(&text);
	}
	if (f->is_delete) {
		/* it is gone: as good as all of its lines */
		e->after += f->removed;
		e->after_found += r ? 0 : f->removed;
		return 0;
	}
	r = read_file(repo, tree, f->new_path, &mode, &text);
	if (r < 0)
		return r;
	gather(f, &text, e);
	if (!r || place_hunks(&text, f, true, &before, &bad) ||
	    (f->is_new && before.len) || (f->new_mode && mode != f->new_mode))
		*exact = false;
	return 0;
}

int apply_is_there(struct git_repo *repo, const struct git_id *tree,
		   const struct patch *p, enum there *ret)
{
	struct evidence e = { 0 };
	bool exact = true;
	size_t i;

	*ret = THERE_NOT;
	if (!p->plain)
		return 0;
	for (i = 0; i < p->nr; i++) {
		int r = check_file(repo, tree, &p->files[i], &e, &exact);

		if (r)
			return r;
	}
	/* bare renames and mode changes prove little */
	if (exact && e.after)
		*ret = THERE_EXACTLY;
	else if (e.after >= MIN_PAIRS && 5 * e.after_found >= 4 * e.after &&
		 5 * e.before_found <= e.before)
		*ret = THERE_CHANGED;
	return 0;
}
