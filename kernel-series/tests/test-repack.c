// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/git-program.h"
#include "kernel-series/git.h"
#include "kernel-series/repack.h"
#include "lib/fs.h"
#include "lib/json.h"

#define N_BLOBS 2000

static char dir[] = "/tmp/mmci-repack-XXXXXX";
static char *path;

static void git(const char *const *argv, struct strbuf *out)
{
	struct git_program g = { .repo = path, .argv = argv };
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	if (git_program_ok(&g, out, &why))
		fail_msg("git %s: %s", argv[0], why.buf);
}

static int setup(void **state)
{
	const char *argv[] = { "init", "-q", "--bare", NULL, NULL };
	struct git_program g = { .argv = argv };
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	if (!mkdtemp(dir))
		return -1;
	path = xasprintf("%s/r.git", dir);
	argv[3] = path;
	return git_program_ok(&g, NULL, &why);
}

static int teardown(void **state)
{
	free(path);
	return fs_rm_rf(dir);
}

static void write_blobs(int from, int n, struct git_id *last)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct git_repo *repo;

	assert_int_equal(repo_open(path, &repo, &why), 0);
	for (int i = from; i < from + n; i++) {
		char text[64];
		int len = snprintf(text, sizeof(text), "blob %d\n", i);

		assert_int_equal(repo_blob_write(repo, text, (size_t)len,
						 last), 0);
	}
	repo_free(repo);
}

static json_t *repack(int min_loose)
{
	json_t *q __free(json) = json_pack("{s:s,s:i}", "repo", path,
					   "min_loose", min_loose);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *ret = NULL;

	if (repack_worker(q, &ret, &why))
		fail_msg("%s", why.buf);
	return ret;
}

static bool is_there(const struct git_id *id)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct git_repo *repo;
	int r;

	assert_int_equal(repo_open(path, &repo, &why), 0);
	r = repo_blob_read(repo, id, 1 << 20, &text);
	repo_free(repo);
	return !r;
}

static void few_are_left_alone(void **state)
{
	struct git_id id;
	json_t *a __free(json) = NULL;

	write_blobs(0, N_BLOBS, &id);
	a = repack(100 * N_BLOBS);
	assert_false(json_get_bool(a, "packed", true));
	assert_true(is_there(&id));
}

static void many_are_packed_and_none_is_lost(void **state)
{
	static const char *const count[] = { "count-objects", "-v", NULL };
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct git_id first, id;
	json_t *a __free(json) = NULL;

	write_blobs(0, 1, &first);
	write_blobs(0, N_BLOBS, &id);
	a = repack(1);
	assert_true(json_get_bool(a, "packed", false));
	git(count, &out);
	assert_non_null(strstr(out.buf, "count: 0\n"));
	assert_non_null(strstr(out.buf, "in-pack: 2000\n"));
	/* nothing refers to them: they are there all the same */
	assert_true(is_there(&first));
	assert_true(is_there(&id));
}

static void what_is_written_is_what_git_reads(void **state)
{
	const char *argv[] = { "cat-file", "blob", NULL, NULL };
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	char hex[GIT_HEX_LEN + 1];
	struct git_id id;

	write_blobs(N_BLOBS + 7, 1, &id);
	argv[2] = git_id_hex(&id, hex);
	git(argv, &out);
	assert_string_equal(out.buf, "blob 2007\n");
}

static void what_is_no_repository_is_said(void **state)
{
	json_t *q __free(json) = json_pack("{s:s}", "repo", "/dev/null");
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *ret = NULL;

	assert_true(repack_worker(q, &ret, &why) < 0);
	assert_non_null(strstr(why.buf, "/dev/null"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_left_alone),
		cmocka_unit_test(many_are_packed_and_none_is_lost),
		cmocka_unit_test(what_is_written_is_what_git_reads),
		cmocka_unit_test(what_is_no_repository_is_said),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
