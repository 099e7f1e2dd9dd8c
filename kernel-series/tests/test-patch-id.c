// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <glob.h>
#include <cmocka.h>

#include "kernel-series/git-program.h"
#include "kernel-series/patch-id.h"
#include "lib/child.h"
#include "lib/fs.h"

/* What git says of it: the one that decides. */
static void git_says(const char *text, char hex[static 41])
{
	const char *argv[] = { "patch-id", "--stable", NULL };
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct git_program g = { .argv = argv, .input = text,
				 .input_len = strlen(text) };
	int code;

	assert_int_equal(git_program_run(&g, &out, NULL, &code), 0);
	assert_int_equal(code, 0);
	snprintf(hex, 41, "%.40s", out.buf);
}

#define TEXT                                                              \
	"diff --git a/mm/x.c b/mm/x.c\nindex 0123456..abcdef0 100644\n"    \
	"--- a/mm/x.c\n+++ b/mm/x.c\n@@ -10,3 +10,3 @@ int f(void)\n one\n" \
	"-two\n+2\t \n three\n@@ -40 +40,2 @@\n-four\n+4\n+5\n"
#define NEW_FILE                                                          \
	"diff --git a/mm/n.c b/mm/n.c\nnew file mode 100644\n"             \
	"index 0000000..abcdef0\n--- /dev/null\n+++ b/mm/n.c\n"            \
	"@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n"
#define MODE                                                              \
	"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
#define RENAME                                                            \
	"diff --git a/old.c b/new.c\nsimilarity index 100%\n"              \
	"rename from old.c\nrename to new.c\n"
#define BINARY                                                            \
	"diff --git a/b.bin b/b.bin\nindex 0123456789..abcdef0123 100644\n" \
	"GIT binary patch\nliteral 4\nLcmZQzU|?Wi00jU5\n\nliteral 3\n"    \
	"KcmZQzU|?ik0001v\n\n"

static void equals_what_git_says(void **state)
{
	static const char *const texts[] = {
		TEXT,
		"Subject: x\n\nmessage\n---\n x | 2 +-\n\n" TEXT
		"-- \n2.39.5\n\nbase-commit: x\n",
		NEW_FILE, MODE, RENAME, BINARY,
		TEXT NEW_FILE MODE,
		MODE TEXT, RENAME TEXT,
		TEXT BINARY, BINARY TEXT, BINARY BINARY MODE,
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
		"\ntrailing text\n",
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n",
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ rubbish\n-a\n+b\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char ours[41] = "", theirs[41] = "";

		git_says(texts[i], theirs);
		patch_id(texts[i], strlen(texts[i]), PATCH_ID_MAIL, ours);
		if (strcmp(ours, theirs))
			fail_msg("text %zu: %s, git says %s", i, ours, theirs);
	}
}

static void check_commit(const char *dir, size_t n, const char *want)
{
	char *pattern __free(kfree) = xasprintf("%s/out/%04zu-*", dir, n);
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	char hex[41] = "", expected[41];
	glob_t g;

	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	assert_int_equal(fs_read_file(g.gl_pathv[0], 1 << 20, &text), 0);
	snprintf(expected, sizeof(expected), "%.40s", want);
	patch_id(text.buf, text.len, PATCH_ID_COMMIT, hex);
	if (strcmp(hex, expected))
		fail_msg("%s: %s, git writes %s", g.gl_pathv[0], hex, expected);
	globfree(&g);
}

/* The id of a commit, as git format-patch --base writes it into the next. */
static void equals_what_git_writes_of_commits(void **state)
{
	static const char script[] =
		"set -e; cd \"$1\"; exec 2>/dev/null; git init -q;"
		"c() { git add -A; git -c user.name=A -c user.email=a@b"
		"  commit -q -m \"$1\"; };"
		"seq 30 >t.c; seq 20 >d.c; seq 40 >'r n.c'; seq 9 >p.c;"
		"printf 'a\\0b' >bin; c base;"
		"sed -i s/^5/five/ t.c; printf 'a\\0c' >bin; c binary;"
		"chmod +x t.c; c mode;"
		"git mv 'r n.c' s.c; sed -i s/^9/nine/ s.c; c rename;"
		"git mv p.c q.c; c pure; rm d.c; echo new >new.c; c files;"
		": >empty.c; chmod -x t.c; sed -i s/^7/seven/ t.c; c empty;"
		"rm empty.c bin; printf 'z\\0' >abin; c remove; echo last >>t.c;"
		"c last; base=$(git rev-list --max-parents=0 HEAD);"
		"git format-patch -q --stdout --base=$base -1 |"
		"  sed -n 's/^prerequisite-patch-id: //p' >ids;"
		"git format-patch -q -o out $base..HEAD~1";
	char dir[] = "/tmp/mmci-patch-id-XXXXXX";
	const char *argv[] = { "sh", "-c", script, "sh", NULL, NULL };
	struct child_spec spec = CHILD_SPEC_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct strbuf ids __free(strbuf) = STRBUF_INIT;
	char *path __free(kfree) = NULL;
	int status;
	size_t n;

	assert_non_null(mkdtemp(dir));
	argv[4] = dir;
	spec.argv = argv;
	assert_int_equal(child_run(&spec, NULL, 0, &out, 1 << 20, 60000,
				   &status), 0);
	assert_int_equal(status, 0);
	path = xasprintf("%s/ids", dir);
	assert_int_equal(fs_read_file(path, 1 << 20, &ids), 0);
	assert_int_equal(ids.len, 7 * 41);
	for (n = 0; n < 7; n++)
		check_commit(dir, n + 1, ids.buf + 41 * n);
	fs_rm_rf(dir);
}

static void blanks_places_and_order_do_not_count(void **state)
{
	char a[41], b[41];
	const char *one = TEXT NEW_FILE, *two = NEW_FILE TEXT;

	assert_true(patch_id(one, strlen(one), PATCH_ID_MAIL, a));
	assert_true(patch_id(two, strlen(two), PATCH_ID_MAIL, b));
	assert_string_equal(a, b);
}

static void no_diff_no_id(void **state)
{
	char hex[41] = "untouched";
	const char *text = "Looks good.\n\nindex 1..2\n--- a\n+++ b\n";

	assert_false(patch_id(text, strlen(text), PATCH_ID_MAIL, hex));
	assert_false(patch_id("", 0, PATCH_ID_MAIL, hex));
	assert_string_equal(hex, "untouched");
}

/* Cut anywhere it neither reads beyond the end nor hangs. */
static void every_cut_is_survived(void **state)
{
	const char *text = TEXT BINARY NEW_FILE MODE;
	char hex[41];

	for (size_t n = 0; n <= strlen(text); n++) {
		char *copy = xmalloc(n + !n);

		memcpy(copy, text, n);
		patch_id(copy, n, PATCH_ID_MAIL, hex);
		patch_id(copy, n, PATCH_ID_COMMIT, hex);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_what_git_says),
		cmocka_unit_test(equals_what_git_writes_of_commits),
		cmocka_unit_test(blanks_places_and_order_do_not_count),
		cmocka_unit_test(no_diff_no_id),
		cmocka_unit_test(every_cut_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
