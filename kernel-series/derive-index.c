// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "kernel-series/derive-private.h"
#include "lib/fs.h"
#include "lib/json.h"

/* 7.3 has 6000 headers below include/. */
#define MAX_HEADERS 30000
#define MAX_CACHE_BYTES (64u << 20)
/* To be raised when the same headers would give another index. */
#define CACHE_VERSION "2"
/* A name that many things switch says nothing about this change. */
#define MAX_SWITCHES 6

/** struct indexing - name -> {symbol: bits seen}, and where */
struct indexing {
	struct derive *d;
	const char *top;
	json_t *seen;
	unsigned int headers;
};

static void note(json_t *seen, const char *name, const char *symbol, bool on,
		 const char *path, unsigned int line)
{
	json_t *o = json_object_get(seen, name), *v;
	int64_t bits = on ? 2 : 1;

	if (!o) {
		o = json_object();
		json_object_set_new(seen, name, o);
	}
	v = json_object_get(o, symbol);
	if (v) {
		bits |= json_integer_value(json_array_get(v, 0));
		json_array_set_new(v, 0, json_integer(bits));
		return;
	}
	json_object_set_new(o, symbol,
			    json_pack("[I, o, I]", (json_int_t)bits,
				      json_text(path), (json_int_t)line));
}

static void note_file(json_t *seen, const char *path, const struct cpp_file *f)
{
	for (size_t i = 0; i < f->n_defs; i++) {
		const struct cpp_def *def = &f->defs[i];

		for (int b = def->branch; b >= 0; b = f->branches[b].parent) {
			const struct cpp_branch *br = &f->branches[b];

			for (size_t k = 0; k < br->n; k++)
				note(seen, def->name, br->symbols[k],
				     br->on[k], path, def->line);
		}
	}
}

/* Only what is there both ways switches anything. */
static void take(json_t *index, const json_t *seen)
{
	const char *name, *symbol;
	json_t *o, *v;

	json_object_foreach((json_t *)seen, name, o) {
		json_t *both = json_object();

		json_object_foreach(o, symbol, v) {
			if (json_integer_value(json_array_get(v, 0)) == 3)
				json_object_set(both, symbol, v);
		}
		if (json_object_size(both) &&
		    json_object_size(both) <= MAX_SWITCHES)
			json_object_set(index, name, both);
		json_decref(both);
	}
}

void derive_index_file(struct derive *d, const char *path,
		       const struct cpp_file *f)
{
	json_t *seen __free(json) = json_object();

	note_file(seen, path, f);
	take(d->index, seen);
}

static int on_header(void *arg, const char *path, const struct git_id *old,
		     const struct git_id *new)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct cpp_file f __free(cpp_file) = { 0 };
	struct indexing *x = arg;
	char *full __free(kfree) = NULL;
	int r;

	(void)old;
	if (!new || !ends_with(path, ".h") || x->headers++ > MAX_HEADERS)
		return 0;
	r = repo_blob_read(x->d->repo, new, DERIVE_MAX_FILE_BYTES, &text);
	if (r)
		return r == -EIO ? r : 0;
	if (!memmem(text.buf, text.len, "CONFIG_", 7))
		return 0;
	full = xasprintf("%s/%s", x->top, path);
	cpp_scan(text.buf, text.len, &f);
	note_file(x->seen, full, &f);
	return 0;
}

static int index_dir(struct derive *d, struct indexing *x, const char *dir,
		     const struct git_id *tree)
{
	x->top = dir;
	x->headers = 0;
	return repo_tree_diff(d->repo, NULL, tree, on_header, x);
}

int derive_index(struct derive *d, const char *cache_dir)
{
	char *arch __free(kfree) = xasprintf("arch/%s/include", d->srcarch);
	const char *dirs[] = { "include", arch };
	struct indexing x = { .d = d };
	json_t *seen __free(json) = json_object();
	struct strbuf cache __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct git_id ids[ARRAY_SIZE(dirs)];
	bool there[ARRAY_SIZE(dirs)];
	int r = 0;

	x.seen = seen;
	if (cache_dir)
		strbuf_addf(&cache, "%s/headers-v" CACHE_VERSION, cache_dir);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char hex[GIT_HEX_LEN + 1];
		unsigned int mode;

		there[i] = !repo_path_lookup(d->repo, &d->base, dirs[i], &mode,
					     &ids[i]) &&
			   mode == GIT_MODE_TREE;
		if (there[i])
			strbuf_addf(&cache, "-%s", git_id_hex(&ids[i], hex));
	}
	if (cache_dir &&
	    !json_read_file(cache.buf, MAX_CACHE_BYTES, &d->index, &why) &&
	    json_is_object(d->index))
		return 0;
	json_decref(d->index);
	d->index = json_object();
	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !r; i++) {
		if (there[i])
			r = index_dir(d, &x, dirs[i], &ids[i]);
	}
	if (r)
		return r < 0 ? r : -EIO;
	take(d->index, seen);
	/* without the cache it only takes longer */
	if (cache_dir && !fs_mkdir_p(cache_dir))
		json_write_file(cache.buf, d->index);
	return 0;
}
