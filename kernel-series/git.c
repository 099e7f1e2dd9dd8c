// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/git.h"

#include <ctype.h>
#include <errno.h>
#include <git2.h>
#include <git2/sys/commit.h>
#include <string.h>

#include "kernel-series/git-loose.h"

/*
 * The enum of our header shares no name with git2.h; values of modes are those
 * of the tree format itself.
 */

struct git_repo {
	git_repository *repo;
	git_odb *odb;
	char *path;
};

static void library_init(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	git_libgit2_init();
	/* we write only what we have just read or written ourselves */
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	/* a stranger's configuration must not change what we do */
	git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_GLOBAL, "");
	git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_XDG, "");
	git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_SYSTEM, "");
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
}

static const char *last_error(void)
{
	const git_error *e = git_error_last();

	return e && e->message ? e->message : "unknown error";
}

static int result(int r)
{
	if (!r)
		return 0;
	if (r == GIT_ENOTFOUND)
		return REPO_NONE;
	if (r == GIT_EAMBIGUOUS)
		return REPO_AMBIGUOUS;
	return -EIO;
}

static void to_oid(const struct git_id *id, git_oid *oid)
{
	git_oid_fromraw(oid, id->raw);
}

static void from_oid(const git_oid *oid, struct git_id *id)
{
	memcpy(id->raw, oid->id, sizeof(id->raw));
}

/* Above the backends it is opened with, so that it is the one written to. */
static int write_as_is(struct git_repo *repo)
{
	char *dir __free(kfree) = xasprintf("%s/objects", repo->path);

	return git_odb_add_backend(repo->odb, loose_backend(dir), 99);
}

int repo_open(const char *path, struct git_repo **ret, struct strbuf *why)
{
	struct git_repo *repo;
	int r;

	library_init();
	repo = xcalloc(1, sizeof(*repo));
	/* absolute: git am runs in another directory */
	repo->path = realpath(path, NULL);
	if (!repo->path)
		repo->path = xstrdup(path);
	r = git_repository_open_bare(&repo->repo, path);
	if (!r)
		r = git_repository_odb(&repo->odb, repo->repo);
	if (!r)
		r = write_as_is(repo);
	if (r) {
		strbuf_addf(why, "%s: %s", path, last_error());
		repo_free(repo);
		return result(r);
	}
	*ret = repo;
	return 0;
}

void repo_free(struct git_repo *repo)
{
	if (!repo)
		return;
	git_odb_free(repo->odb);
	git_repository_free(repo->repo);
	free(repo->path);
	free(repo);
}

const char *repo_path(const struct git_repo *repo)
{
	return repo->path;
}

char *git_id_hex(const struct git_id *id, char hex[static GIT_HEX_LEN + 1])
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < sizeof(id->raw); i++) {
		hex[2 * i] = digits[id->raw[i] >> 4];
		hex[2 * i + 1] = digits[id->raw[i] & 15];
	}
	hex[GIT_HEX_LEN] = '\0';
	return hex;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

int git_id_parse(const char *hex, struct git_id *ret)
{
	struct git_id id;
	size_t i;

	if (strlen(hex) != GIT_HEX_LEN)
		return -EINVAL;
	for (i = 0; i < sizeof(id.raw); i++) {
		int hi = hex_value(hex[2 * i]), lo = hex_value(hex[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return -EINVAL;
		id.raw[i] = (unsigned char)(hi << 4 | lo);
	}
	*ret = id;
	return 0;
}

bool git_id_equal(const struct git_id *a, const struct git_id *b)
{
	return !memcmp(a->raw, b->raw, sizeof(a->raw));
}

bool git_id_has_prefix(const struct git_id *id, const char *hex)
{
	size_t len = strlen(hex), i;

	if (len < 4 || len > GIT_HEX_LEN)
		return false;
	for (i = 0; i < len; i++) {
		int v = hex_value(hex[i]);
		int nibble = i & 1 ? id->raw[i / 2] & 15 : id->raw[i / 2] >> 4;

		if (v != nibble)
			return false;
	}
	return true;
}

int git_id_of_blob(const void *data, size_t len, struct git_id *ret)
{
	git_oid oid;

	library_init();
	if (git_odb_hash(&oid, data, len, GIT_OBJECT_BLOB))
		return -EIO;
	from_oid(&oid, ret);
	return 0;
}

int repo_ref_get(struct git_repo *repo, const char *ref, struct git_id *ret)
{
	git_oid oid;
	int r = git_reference_name_to_id(&oid, repo->repo, ref);

	if (r)
		return r == GIT_EINVALIDSPEC ? REPO_NONE : result(r);
	from_oid(&oid, ret);
	return 0;
}

int repo_ref_set(struct git_repo *repo, const char *ref,
		const struct git_id *id, struct strbuf *why)
{
	git_reference *out = NULL;
	git_oid oid;

	to_oid(id, &oid);
	if (git_reference_create(&out, repo->repo, ref, &oid, 1, NULL)) {
		strbuf_addf(why, "%s: %s", ref, last_error());
		return -EIO;
	}
	git_reference_free(out);
	return 0;
}

int repo_ref_delete_below(struct git_repo *repo, const char *prefix)
{
	git_strarray names = { 0 };
	size_t i;
	int r = 0;

	if (git_reference_list(&names, repo->repo))
		return -EIO;
	for (i = 0; i < names.count; i++)
		if (starts_with(names.strings[i], prefix) &&
		    git_reference_remove(repo->repo, names.strings[i]))
			r = -EIO;
	git_strarray_dispose(&names);
	return r;
}

int repo_commit_find(struct git_repo *repo, const char *hex,
		    struct git_id *ret)
{
	git_commit *c = NULL;
	git_oid oid;
	size_t len = strlen(hex);
	int r;

	if (len < 7 || len > GIT_HEX_LEN || git_oid_fromstrn(&oid, hex, len))
		return REPO_NONE;
	r = git_commit_lookup_prefix(&c, repo->repo, &oid, len);
	if (r)
		return result(r);
	from_oid(git_commit_id(c), ret);
	git_commit_free(c);
	return 0;
}

static int lookup_commit(struct git_repo *repo, const struct git_id *id,
			 git_commit **ret)
{
	git_oid oid;

	to_oid(id, &oid);
	return git_commit_lookup(ret, repo->repo, &oid);
}

int repo_commit_tree(struct git_repo *repo, const struct git_id *commit,
		       struct git_id *tree)
{
	git_commit *c = NULL;
	int r = lookup_commit(repo, commit, &c);

	if (r)
		return result(r);
	from_oid(git_commit_tree_id(c), tree);
	git_commit_free(c);
	return 0;
}

int repo_commit_message(struct git_repo *repo, const struct git_id *commit,
			struct strbuf *ret)
{
	git_commit *c = NULL;
	int r = lookup_commit(repo, commit, &c);

	if (r)
		return result(r);
	strbuf_addstr(ret, git_commit_message(c));
	git_commit_free(c);
	return 0;
}

static bool is_crud(char c)
{
	return (unsigned char)c <= ' ' || strchr(".,:;<>\"\\'", c);
}

/*
 * As git writes it: without what is no part of a name at either end, and
 * without what would end the name or the address early.
 */
static char *ident_text(const char *s, const char *fallback)
{
	struct strbuf sb = STRBUF_INIT;
	size_t len = strlen(s), i;

	while (len && is_crud(s[len - 1]))
		len--;
	for (; len && is_crud(*s); s++)
		len--;
	for (i = 0; i < len; i++)
		if (s[i] != '<' && s[i] != '>' && s[i] != '\n')
			strbuf_addch(&sb, s[i]);
	if (!sb.len)
		strbuf_addstr(&sb, fallback);
	return strbuf_detach(&sb);
}

/* Bytes of the character at @p that git takes for UTF-8, 0 if it does not. */
static size_t good_utf8(const unsigned char *p, size_t left)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	size_t n = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2, i;
	unsigned int cp;

	if (n == 1)
		return 1;
	if (n > left)
		return 0;
	strbuf_add_utf8(&sb, p, n);
	if (sb.len != n || memcmp(sb.buf, p, n))
		return 0;
	cp = *p & (0xffu >> (n + 1));
	for (i = 1; i < n; i++)
		cp = cp << 6 | (p[i] & 0x3f);
	/* those that are for ever no characters */
	if ((cp & 0xfffe) == 0xfffe || (cp >= 0xfdd0 && cp <= 0xfdef))
		return 0;
	return n;
}

/* git takes a byte that is no UTF-8 for Latin 1, in names and in text. */
static void add_as_utf8(struct strbuf *out, const struct strbuf *in)
{
	const unsigned char *p = (const unsigned char *)in->buf;
	size_t run = 0, i = 0;

	while (i < in->len) {
		size_t n = good_utf8(p + i, in->len - i);

		if (n) {
			i += n;
			continue;
		}
		strbuf_add(out, p + run, i - run);
		strbuf_addch(out, 0xc0 | p[i] >> 6);
		strbuf_addch(out, 0x80 | (p[i] & 0x3f));
		run = ++i;
	}
	strbuf_add(out, p + run, in->len - run);
}

/*
 * Written by hand: libgit2 wants a signature without characters that real
 * names contain, and trims where git does not.
 */
int repo_commit_write(struct git_repo *repo, const struct git_commit_spec *spec,
		      struct git_id *ret)
{
	char *name __free(kfree) = ident_text(spec->author_name, "nobody");
	char *email __free(kfree) = ident_text(spec->author_email, "nobody");
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct strbuf utf8 __free(strbuf) = STRBUF_INIT;
	char tree[GIT_HEX_LEN + 1], parent[GIT_HEX_LEN + 1];
	long long date = spec->date_s > 0 ? (long long)spec->date_s : 0;
	int off = spec->tz_min < 0 ? -spec->tz_min : spec->tz_min;
	git_oid oid;

	strbuf_addf(&sb, "tree %s\nparent %s\n", git_id_hex(&spec->tree, tree),
		    git_id_hex(&spec->parent, parent));
	strbuf_addf(&sb, "author %s <%s> %lld %c%02d%02d\n", name, email, date,
		    spec->tz_min < 0 ? '-' : '+', off / 60 % 100, off % 60);
	strbuf_addf(&sb, "committer mmci <mmci@localhost> %lld +0000\n\n",
		    date);
	strbuf_addstr(&sb, spec->message);
	if (sb.buf[sb.len - 1] != '\n')
		strbuf_addch(&sb, '\n');
	add_as_utf8(&utf8, &sb);
	if (git_odb_write(&oid, repo->odb, utf8.buf, utf8.len,
			  GIT_OBJECT_COMMIT))
		return -EIO;
	from_oid(&oid, ret);
	return 0;
}

int repo_path_lookup(struct git_repo *repo, const struct git_id *tree,
		     const char *path, unsigned int *mode, struct git_id *ret)
{
	git_tree_entry *e = NULL;
	git_tree *t = NULL;
	git_oid oid;
	int r;

	to_oid(tree, &oid);
	r = git_tree_lookup(&t, repo->repo, &oid);
	if (r)
		return result(r);
	r = git_tree_entry_bypath(&e, t, path);
	git_tree_free(t);
	if (r)
		return result(r);
	from_oid(git_tree_entry_id(e), ret);
	*mode = (unsigned int)git_tree_entry_filemode_raw(e);
	git_tree_entry_free(e);
	return 0;
}

int repo_blob_read(struct git_repo *repo, const struct git_id *id,
		   size_t max_bytes, struct strbuf *ret)
{
	git_object_t type;
	git_odb_object *o = NULL;
	git_oid oid;
	size_t len;
	int r;

	to_oid(id, &oid);
	r = git_odb_read_header(&len, &type, repo->odb, &oid);
	if (r)
		return result(r);
	if (type != GIT_OBJECT_BLOB)
		return REPO_NONE;
	if (len > max_bytes)
		return -EFBIG;
	r = git_odb_read(&o, repo->odb, &oid);
	if (r)
		return result(r);
	strbuf_add(ret, git_odb_object_data(o), git_odb_object_size(o));
	git_odb_object_free(o);
	return 0;
}

int repo_blob_write(struct git_repo *repo, const void *data, size_t len,
		    struct git_id *ret)
{
	git_oid oid;

	if (git_odb_write(&oid, repo->odb, data, len, GIT_OBJECT_BLOB))
		return -EIO;
	from_oid(&oid, ret);
	return 0;
}

int repo_blob_find(struct git_repo *repo, const char *hex, struct git_id *ret)
{
	size_t len = strlen(hex), size_bytes;
	git_object_t type;
	git_oid prefix, oid;
	int r;

	if (len < 4 || len > GIT_HEX_LEN ||
	    git_oid_fromstrn(&prefix, hex, len))
		return REPO_NONE;
	r = git_odb_exists_prefix(&oid, repo->odb, &prefix, len);
	if (!r)
		r = git_odb_read_header(&size_bytes, &type, repo->odb, &oid);
	if (r)
		return result(r);
	if (type != GIT_OBJECT_BLOB)
		return REPO_NONE;
	from_oid(&oid, ret);
	return 0;
}

int repo_tree_edit(struct git_repo *repo, const struct git_id *base,
		   const struct git_change *changes, size_t nr,
		   struct git_id *ret)
{
	git_tree_update *up = xcalloc(nr + 1, sizeof(*up));
	git_tree *t = NULL;
	git_oid oid;
	size_t i;
	int r;

	for (i = 0; i < nr; i++) {
		up[i].action = changes[i].mode ? GIT_TREE_UPDATE_UPSERT :
						 GIT_TREE_UPDATE_REMOVE;
		up[i].filemode = (git_filemode_t)changes[i].mode;
		up[i].path = changes[i].path;
		to_oid(&changes[i].id, &up[i].id);
	}
	to_oid(base, &oid);
	r = git_tree_lookup(&t, repo->repo, &oid);
	if (!r)
		r = git_tree_create_updated(&oid, repo->repo, t, nr, up);
	git_tree_free(t);
	free(up);
	if (r)
		return r == GIT_EEXISTS ? -EEXIST : -EIO;
	from_oid(&oid, ret);
	return 0;
}

int git_merge_content(const struct strbuf *ancestor, const struct strbuf *ours,
		      const struct strbuf *theirs, struct strbuf *out)
{
	git_merge_file_input a = GIT_MERGE_FILE_INPUT_INIT;
	git_merge_file_input o = GIT_MERGE_FILE_INPUT_INIT;
	git_merge_file_input t = GIT_MERGE_FILE_INPUT_INIT;
	git_merge_file_result res = { 0 };
	int r;

	library_init();
	a.ptr = ancestor->buf;
	a.size = ancestor->len;
	o.ptr = ours->buf;
	o.size = ours->len;
	t.ptr = theirs->buf;
	t.size = theirs->len;
	r = git_merge_file(&res, &a, &o, &t, NULL);
	if (r)
		return -EIO;
	if (!res.automergeable)
		r = REPO_CONFLICT;
	else
		strbuf_add(out, res.ptr, res.len);
	git_merge_file_result_free(&res);
	return r;
}

int repo_first_parent(struct git_repo *repo, const struct git_id *commit,
		      struct git_id *ret)
{
	git_commit *c = NULL;
	int r = lookup_commit(repo, commit, &c);

	if (r)
		return result(r);
	if (git_commit_parentcount(c))
		from_oid(git_commit_parent_id(c, 0), ret);
	else
		r = REPO_NONE;
	git_commit_free(c);
	return r;
}

int repo_is_ancestor(struct git_repo *repo, const struct git_id *ancestor,
		     const struct git_id *commit)
{
	git_oid a, c;
	int r;

	if (git_id_equal(ancestor, commit))
		return 0;
	to_oid(ancestor, &a);
	to_oid(commit, &c);
	r = git_graph_descendant_of(repo->repo, &c, &a);
	if (r < 0)
		return result(r);
	return r ? 0 : REPO_NONE;
}

/* Deeper trees than any project has are refused, not followed. */
#define MAX_TREE_DEPTH 64

/**
 * struct tree_walk - two trees side by side; see repo_tree_diff()
 * @path: of the directory that is looked at, with its slash
 */
struct tree_walk {
	git_repository *repo;
	int (*cb)(void *arg, const char *path, const struct git_id *old,
		  const struct git_id *new);
	void *arg;
	struct strbuf path;
	unsigned int depth;
};

static int walk_trees(struct tree_walk *w, const git_oid *from,
		      const git_oid *to);

static const git_oid *tree_of(const git_tree_entry *e)
{
	return e && git_tree_entry_type(e) == GIT_OBJECT_TREE ?
		       git_tree_entry_id(e) : NULL;
}

static int tell_entry(struct tree_walk *w, const git_tree_entry *old,
		      const git_tree_entry *new)
{
	struct git_id a, b;

	if (old)
		from_oid(git_tree_entry_id(old), &a);
	if (new)
		from_oid(git_tree_entry_id(new), &b);
	return w->cb(w->arg, w->path.buf, old ? &a : NULL, new ? &b : NULL);
}

/* Two entries of one name and kind, or one that is only on one side. */
static int walk_entry(struct tree_walk *w, const git_tree_entry *old,
		      const git_tree_entry *new)
{
	const git_oid *a = tree_of(old), *b = tree_of(new);
	size_t len = w->path.len;
	int r;

	if (old && new &&
	    git_oid_equal(git_tree_entry_id(old), git_tree_entry_id(new)) &&
	    git_tree_entry_filemode_raw(old) ==
		    git_tree_entry_filemode_raw(new))
		return 0;
	strbuf_addstr(&w->path, git_tree_entry_name(old ? old : new));
	if (a || b) {
		strbuf_addch(&w->path, '/');
		r = walk_trees(w, a, b);
	} else {
		r = tell_entry(w, old, new);
	}
	strbuf_setlen(&w->path, len);
	return r;
}

/* Both lists have git's order, in which "a" and "a/" are different names. */
static int merge_trees(struct tree_walk *w, const git_tree *from,
		       const git_tree *to)
{
	size_t nr_from = from ? git_tree_entrycount(from) : 0;
	size_t nr_to = to ? git_tree_entrycount(to) : 0;
	size_t i = 0, k = 0;
	int r = 0;

	while (!r && (i < nr_from || k < nr_to)) {
		const git_tree_entry *old = NULL, *new = NULL;
		int order = 0;

		if (i < nr_from)
			old = git_tree_entry_byindex(from, i);
		if (k < nr_to)
			new = git_tree_entry_byindex(to, k);
		if (old && new)
			order = git_tree_entry_cmp(old, new);
		if (order < 0)
			new = NULL;
		else if (order > 0)
			old = NULL;
		i += old != NULL;
		k += new != NULL;
		r = walk_entry(w, old, new);
	}
	return r;
}

/* NULL: a tree without entries. */
static int walk_trees(struct tree_walk *w, const git_oid *from,
		      const git_oid *to)
{
	git_tree *a = NULL, *b = NULL;
	int r = 0;

	if (w->depth == MAX_TREE_DEPTH)
		return -EIO;
	if (from)
		r = git_tree_lookup(&a, w->repo, from);
	if (!r && to)
		r = git_tree_lookup(&b, w->repo, to);
	r = r ? result(r) : 0;
	w->depth++;
	if (!r)
		r = merge_trees(w, a, b);
	w->depth--;
	git_tree_free(a);
	git_tree_free(b);
	return r;
}

/*
 * libgit2's own comparison reads every directory, equal or not: 28 ms for a
 * kernel tree, where this one needs a fraction of one.
 */
int repo_tree_diff(struct git_repo *repo, const struct git_id *from,
		   const struct git_id *to,
		   int (*cb)(void *arg, const char *path,
			     const struct git_id *old,
			     const struct git_id *new),
		   void *arg)
{
	struct tree_walk w = { .repo = repo->repo, .cb = cb, .arg = arg,
			       .path = STRBUF_INIT };
	git_oid a, b;
	int r;

	if (from)
		to_oid(from, &a);
	to_oid(to, &b);
	r = walk_trees(&w, from ? &a : NULL, &b);
	strbuf_release(&w.path);
	return r;
}

struct changes {
	void (*cb)(void *arg, unsigned int line);
	void *arg;
	int last; /* line of the new file told last */
};

static int on_hunk(const git_diff_delta *d, const git_diff_hunk *h, void *arg)
{
	struct changes *c = arg;

	(void)d;
	/* without new lines, the number is that of the line before */
	if (!h->new_lines && h->new_start + 1 > c->last) {
		c->last = h->new_start + 1;
		c->cb(c->arg, (unsigned int)c->last);
	}
	return 0;
}

static int on_line(const git_diff_delta *d, const git_diff_hunk *h,
		   const git_diff_line *l, void *arg)
{
	struct changes *c = arg;

	(void)d;
	(void)h;
	if (l->origin == GIT_DIFF_LINE_ADDITION && l->new_lineno > c->last) {
		c->last = l->new_lineno;
		c->cb(c->arg, (unsigned int)c->last);
	}
	return 0;
}

int repo_blob_changes(struct git_repo *repo, const struct git_id *old,
		      const struct git_id *new,
		      void (*cb)(void *arg, unsigned int line), void *arg)
{
	git_diff_options opts = GIT_DIFF_OPTIONS_INIT;
	struct changes c = { cb, arg, 0 };
	git_blob *a = NULL, *b = NULL;
	git_oid oid;
	int r = 0;

	opts.context_lines = 0;
	opts.interhunk_lines = 0;
	if (old) {
		to_oid(old, &oid);
		r = git_blob_lookup(&a, repo->repo, &oid);
	}
	to_oid(new, &oid);
	if (!r)
		r = git_blob_lookup(&b, repo->repo, &oid);
	if (!r)
		r = git_diff_blobs(a, NULL, b, NULL, &opts, NULL, NULL,
				   on_hunk, on_line, &c);
	git_blob_free(a);
	git_blob_free(b);
	return r ? result(r) : 0;
}
