// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/base-deps.h"
#include "kernel-series/base-maintainers.h"
#include "kernel-series/base.h"
#include "kernel-series/git-program.h"
#include "kernel-series/tree.h"
#include "lib/fs.h"
#include "lib/json.h"

/* A scratch directory with src/ (sources, a git repository) and trees.git. */
struct scene {
	char dir[64];
	char *src, *repo;
};

static void git(const struct scene *s, const char *const *argv,
		struct strbuf *out)
{
	static const char *const env[] = {
		"GIT_AUTHOR_NAME=A U Thor",
		"GIT_AUTHOR_EMAIL=author@example.org",
		"GIT_AUTHOR_DATE=1700000000 +0100",
		"GIT_COMMITTER_DATE=1700000000 +0000", NULL
	};
	struct git_program g = { .cwd = s->src, .env = env, .argv = argv };
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	if (git_program_ok(&g, out, &why))
		fail_msg("%s", why.buf);
}

#define GIT(s, ...) git(s, (const char *const[]){ __VA_ARGS__, NULL }, NULL)

static void put(const struct scene *s, const char *name, const char *text)
{
	char *path __free(kfree) = xasprintf("%s/%s", s->src, name);

	assert_int_equal(fs_mkdir_parent(path), 0);
	assert_int_equal(fs_write_atomic(path, text, strlen(text)), 0);
}

static void commit(const struct scene *s, const char *subject)
{
	GIT(s, "add", "-A", "-f", ".");
	GIT(s, "commit", "-q", "-m", subject);
}

static int setup(void **state)
{
	struct scene *s = xcalloc(1, sizeof(*s));

	strcpy(s->dir, "/tmp/mmci-base-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	s->src = xasprintf("%s/src", s->dir);
	s->repo = xasprintf("%s/trees.git", s->dir);
	put(s, "Makefile", "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 3\n"
			   "EXTRAVERSION =\n");
	put(s, "mm/a.c", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
	put(s, ".gitignore", "*\n");
	GIT(s, "init", "-q", "--initial-branch=main", ".");
	commit(s, "base");
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct scene *s = *state;

	fs_rm_rf(s->dir);
	free(s->src);
	free(s->repo);
	free(s);
	return 0;
}

static json_t *import(const struct scene *s, const char *kind)
{
	json_t *q __free(json) = json_object();
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *ret = NULL;

	json_set_text(q, "repo", s->repo);
	json_set_text(q, "name", "6.12");
	json_set_text(q, "kind", kind);
	json_set_text(q, "location", s->src);
	json_set_text(q, "branch", "main");
	if (tree_import(q, &ret, &why))
		fail_msg("%s", why.buf);
	return ret;
}

/* The last commit as a mail; what format-patch writes for HEAD. */
static char *mail(const struct scene *s, const char *name, const char *more)
{
	const char *const argv[] = { "format-patch", "--stdout", "-1", NULL };
	char *path = xasprintf("%s/%s.eml", s->dir, name);
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	git(s, argv, &out);
	strbuf_addstr(&out, more);
	assert_int_equal(fs_write_atomic(path, out.buf, out.len), 0);
	return path;
}

static json_t *apply(const struct scene *s, const char *commit_id,
		     const char *path)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *ret = NULL;
	json_t *q __free(json) = json_pack(
		"{s:s, s:[{s:s, s:s, s:s, s:i}], s:s, s:s, s:s, s:[{s:i, s:s}]}",
		"repo", s->repo, "trees", "name", "6.12", "commit_id",
		commit_id, "role", "", "rank", 1, "ref_prefix", "refs/mmci/1",
		"title", "x", "prefix", "PATCH", "patches", "number", 1,
		"path", path);

	if (base_and_apply(q, &ret, &why))
		fail_msg("%s", why.buf);
	return ret;
}

static const char *patch_text(const json_t *a, const char *key)
{
	return json_get_str(json_array_get(json_object_get(a, "patches"), 0),
			    key, "");
}

static void same_sources_same_commit(void **state)
{
	struct scene *s = *state;
	json_t *a __free(json) = import(s, "source-dir");
	json_t *b __free(json) = NULL;

	assert_string_equal(json_get_str(a, "describe", ""), "6.12.3");
	fs_rm_rf(s->repo);
	b = import(s, "source-dir");
	assert_string_equal(json_get_str(a, "commit_id", "a"),
			    json_get_str(b, "commit_id", "b"));
}

static void index_lines_find_the_tree(void **state)
{
	struct scene *s = *state;
	json_t *t __free(json) = import(s, "source-dir");
	json_t *a __free(json) = NULL, *b __free(json) = NULL;
	char *path __free(kfree) = NULL;

	put(s, "mm/a.c", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
	commit(s, "mm: spell five");
	path = mail(s, "one", "");
	a = apply(s, json_get_str(t, "commit_id", ""), path);
	assert_string_equal(json_get_str(a, "outcome", ""), "applied");
	assert_string_equal(json_get_str(a, "tree", ""), "6.12");
	assert_string_equal(json_get_str(a, "why", ""),
			    "the blob of the index line is there");
	b = apply(s, json_get_str(t, "commit_id", ""), path);
	assert_true(json_equal(a, b));

	/* on top of itself: nothing to do */
	json_decref(b);
	b = apply(s, patch_text(a, "commit_id"), path);
	assert_string_equal(patch_text(b, "state"), "upstream");
}

static void a_missing_file_is_named(void **state)
{
	struct scene *s = *state;
	json_t *t __free(json) = import(s, "source-dir");
	json_t *a __free(json) = NULL;
	char *path __free(kfree) = NULL;

	put(s, "mm/gone.c", "a\nb\nc\n");
	commit(s, "add");
	put(s, "mm/gone.c", "a\nB\nc\n");
	commit(s, "mm: change gone");
	path = mail(s, "gone", "");
	a = apply(s, json_get_str(t, "commit_id", ""), path);
	assert_string_equal(json_get_str(a, "outcome", ""), "no-base");
	assert_string_equal(patch_text(a, "state"), "conflict");
	assert_string_equal(patch_text(a, "why"),
			    "mm/gone.c: there is no such file in this tree");
}

static void the_history_is_searched_by_blobs(void **state)
{
	struct scene *s = *state;
	json_t *t __free(json) = NULL, *a __free(json) = NULL;
	char *path __free(kfree) = NULL;
	int round;

	put(s, "mm/a.c", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
	commit(s, "mm: spell five");
	path = mail(s, "one", "");
	GIT(s, "reset", "-q", "--hard", "HEAD~1");
	put(s, "mm/a.c", "1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n");
	commit(s, "mm: shout");
	/* once from nothing, once on top of what the index knows */
	for (round = 1; round <= 2; round++) {
		char *want __free(kfree) =
			xasprintf("the blob of the index line is there, %d "
				  "commits before the tip", round);

		json_decref(t);
		json_decref(a);
		t = import(s, "git");
		a = apply(s, json_get_str(t, "commit_id", ""), path);
		assert_string_equal(json_get_str(a, "outcome", ""), "applied");
		assert_string_equal(json_get_str(a, "why", ""), want);
		put(s, "mm/b.c", round == 1 ? "b\n" : "c\n");
		commit(s, "mm: b");
	}
}

static void an_unknown_base_commit_is_said(void **state)
{
	struct scene *s = *state;
	json_t *t __free(json) = import(s, "source-dir");
	json_t *a __free(json) = NULL;
	const json_t *try;
	char *path __free(kfree) = NULL;

	put(s, "mm/a.c", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
	commit(s, "mm: spell five");
	path = mail(s, "one", "base-commit: "
		    "0123456789012345678901234567890123456789\n");
	a = apply(s, json_get_str(t, "commit_id", ""), path);
	assert_string_equal(json_get_str(a, "outcome", ""), "applied");
	try = json_array_get(json_object_get(a, "tries"), 0);
	assert_string_equal(json_get_str(try, "signal", ""), "base-commit");
	assert_string_equal(json_get_str(try, "outcome", ""), "unknown");
}

static void dependencies_in_order_and_no_cycles(void **state)
{
	json_t *q __free(json) = json_loads(
		"{\"needs\": [\"c\", \"nobody\"], \"dependencies\": ["
		"{\"key\": \"a\", \"patches\": [1]},"
		"{\"key\": \"b\", \"needs\": [\"a\"], \"patches\": [2]},"
		"{\"key\": \"c\", \"needs\": [\"b\", \"a\"], \"patches\": [3]},"
		"{\"key\": \"x\", \"needs\": [\"y\"], \"patches\": [4]},"
		"{\"key\": \"y\", \"needs\": [\"x\"], \"patches\": [5]}]}",
		0, NULL);
	json_t *cycle __free(json) = json_deep_copy(q);
	json_t *want __free(json) = json_pack("[i,i,i]", 1, 2, 3);
	json_t *p __free(json) = NULL, *a __free(json) = NULL;

	base_deps_order(q, &p, &a);
	assert_true(json_equal(p, want));
	assert_string_equal(json_get_str(json_array_get(a, 3), "state", ""),
			    "missing");
	json_decref(p);
	json_decref(a);
	json_object_set_new(cycle, "needs", json_pack("[s]", "x"));
	base_deps_order(cycle, &p, &a);
	assert_int_equal(json_array_size(p), 0);
	assert_string_equal(json_get_str(json_array_get(a, 0), "state", ""),
			    "cycle");
	assert_string_equal(json_get_str(json_array_get(a, 0), "why", ""),
			    "x needs y needs x");
}

static void maintainers_names_the_tree(void **state)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct strbuf trees __free(strbuf) = STRBUF_INIT;

	strbuf_addstr(&text,
		      "MEMORY MANAGEMENT\n"
		      "T:\tgit git://git.example.org/akpm/mm mm-unstable\n"
		      "F:\tmm/\n\n"
		      "SLAB\nT:\tgit git://git.example.org/vbabka/slab.git\n"
		      "F:\tmm/slab*\n\n"
		      "THE REST\nT:\tgit git://git.example.org/linux.git\n"
		      "F:\t*\nF:\t*/\n");
	base_maintainers_trees(&text, "mm/mprotect.c", &trees);
	assert_false(base_maintainers_match(&trees, "slab"));
	strbuf_reset(&trees);
	base_maintainers_trees(&text, "mm/slab_common.c", &trees);
	assert_true(base_maintainers_match(&trees, "slab"));
	assert_false(base_maintainers_match(&trees, "mm"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(same_sources_same_commit),
		T(index_lines_find_the_tree),
		T(a_missing_file_is_named),
		T(the_history_is_searched_by_blobs),
		T(an_unknown_base_commit_is_said),
		cmocka_unit_test(dependencies_in_order_and_no_cycles),
		cmocka_unit_test(maintainers_names_the_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
