// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/git.h"
#include "kernel-series/git-program.h"
#include "lib/fs.h"

/*
 * repo_tree_diff() against "git diff-tree -r" over trees that differ in all the
 * ways a name can: next to its likes, as a file, a link, a directory.
 */
static char dir[] = "/tmp/mmci-tree-diff-XXXXXX";
static char *path;

static void git(const char *const *argv, const char *input,
		struct strbuf *out)
{
	struct git_program g = { .repo = path, .argv = argv, .input = input,
				 .input_len = input ? strlen(input) : 0 };
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	if (git_program_ok(&g, out, &why))
		fail_msg("git %s: %s", argv[0], why.buf);
}

static int setup(void **state)
{
	static const char *const init[] = { "init", "-q", "--bare", NULL, NULL };
	const char *argv[ARRAY_SIZE(init)];
	struct git_program g = { .argv = argv };
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	if (!mkdtemp(dir))
		return -1;
	path = xasprintf("%s/r.git", dir);
	memcpy(argv, init, sizeof(init));
	argv[3] = path;
	return git_program_ok(&g, NULL, &why);
}

static int teardown(void **state)
{
	free(path);
	return fs_rm_rf(dir);
}

/* Lines "MODE TEXT PATH"; the tree's id. */
static void make_tree(const char *lines, char hex[static GIT_HEX_LEN + 1])
{
	static const char *const clear[] = { "read-tree", "--empty", NULL };
	static const char *const write[] = { "write-tree", NULL };
	char *copy __free(kfree) = xstrdup(lines), *save, *line;
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	git(clear, NULL, NULL);
	for (line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		static const char *const hash[] = { "hash-object", "-w",
						    "--stdin", NULL };
		const char *add[] = { "update-index", "--add", "--cacheinfo",
				      NULL, NULL };
		struct strbuf blob __free(strbuf) = STRBUF_INIT;
		char mode[8], text[32], name[64];
		char *info __free(kfree) = NULL;

		assert_int_equal(sscanf(line, "%7s %31s %63s", mode, text,
					name), 3);
		git(hash, text, &blob);
		info = xasprintf("%s,%.40s,%s", mode, blob.buf, name);
		add[3] = info;
		git(add, NULL, NULL);
	}
	git(write, NULL, &out);
	snprintf(hex, GIT_HEX_LEN + 1, "%.40s", out.buf);
}

static int tell(void *arg, const char *name, const struct git_id *old,
		const struct git_id *new)
{
	char a[GIT_HEX_LEN + 1] = "-", b[GIT_HEX_LEN + 1] = "-";

	if (old)
		git_id_hex(old, a);
	if (new)
		git_id_hex(new, b);
	strbuf_addf(arg, "%s %s %s\n", a, b, name);
	return 0;
}

/* ":100644 100755 OLD NEW M\tpath" as tell() writes it. */
static void git_says(const char *from, const char *to, struct strbuf *ret)
{
	const char *argv[] = { "diff-tree", "-r", "--no-renames", "--raw",
			       "--no-abbrev", from, to, NULL };
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	char *line, *save;

	git(argv, NULL, &out);
	for (line = strtok_r(out.buf, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char a[41], b[41], what[2], name[64];

		assert_int_equal(sscanf(line, ":%*s %*s %40s %40s %1s %63s", a,
					b, what, name), 4);
		strbuf_addf(ret, "%s %s %s\n", *what == 'A' ? "-" : a,
			    *what == 'D' ? "-" : b, name);
	}
}

static const char *const trees[] = {
	"100644 x keep\n100644 1 a\n100644 1 a.c\n100644 1 b/one\n"
	"100644 1 b/two\n100644 1 c/d/e/f\n",
	"100644 x keep\n100644 2 a\n100644 1 a.c\n100755 1 b/one\n"
	"100644 1 b/three\n100644 1 c/d/e/f\n",
	/* a file becomes a directory, a directory a file or a link */
	"100644 x keep\n100644 1 a/in\n100644 1 a.c\n100644 1 b\n"
	"120000 1 c\n",
	"100644 x keep\n100644 1 a-b\n100644 1 a/in\n100644 1 a0\n"
	"100644 1 c/d/e/g\n",
	"",
};

static void it_is_what_git_says(void **state)
{
	char hex[ARRAY_SIZE(trees)][GIT_HEX_LEN + 1];
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct git_repo *repo __free(repo) = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
		make_tree(trees[i], hex[i]);
	assert_int_equal(repo_open(path, &repo, &why), 0);
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(trees); k++) {
			struct strbuf ours __free(strbuf) = STRBUF_INIT;
			struct strbuf theirs __free(strbuf) = STRBUF_INIT;
			struct git_id a, b;

			git_id_parse(hex[i], &a);
			git_id_parse(hex[k], &b);
			assert_int_equal(repo_tree_diff(repo, &a, &b, tell,
							&ours), 0);
			git_says(hex[i], hex[k], &theirs);
			assert_string_equal(ours.buf, theirs.buf);
		}
	}
}

static void from_nothing_everything_is_new(void **state)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct strbuf ours __free(strbuf) = STRBUF_INIT;
	struct strbuf theirs __free(strbuf) = STRBUF_INIT;
	struct git_repo *repo __free(repo) = NULL;
	char empty[GIT_HEX_LEN + 1], full[GIT_HEX_LEN + 1];
	struct git_id id;

	make_tree("", empty);
	make_tree(trees[3], full);
	git_id_parse(full, &id);
	assert_int_equal(repo_open(path, &repo, &why), 0);
	assert_int_equal(repo_tree_diff(repo, NULL, &id, tell, &ours), 0);
	git_says(empty, full, &theirs);
	assert_string_equal(ours.buf, theirs.buf);
	assert_non_null(strstr(ours.buf, "a/in\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_what_git_says),
		cmocka_unit_test(from_nothing_everything_is_new),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
