// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/git-program.h"
#include "kernel-series/patch-id.h"

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
		TEXT BINARY,
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
		"\ntrailing text\n",
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n",
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ rubbish\n-a\n+b\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char ours[41] = "", theirs[41] = "";

		git_says(texts[i], theirs);
		patch_id(texts[i], strlen(texts[i]), ours);
		if (strcmp(ours, theirs))
			fail_msg("text %zu: %s, git says %s", i, ours, theirs);
	}
}

static void blanks_places_and_order_do_not_count(void **state)
{
	char a[41], b[41];
	const char *one = TEXT NEW_FILE, *two = NEW_FILE TEXT;

	assert_true(patch_id(one, strlen(one), a));
	assert_true(patch_id(two, strlen(two), b));
	assert_string_equal(a, b);
}

static void no_diff_no_id(void **state)
{
	char hex[41] = "untouched";
	const char *text = "Looks good.\n\nindex 1..2\n--- a\n+++ b\n";

	assert_false(patch_id(text, strlen(text), hex));
	assert_false(patch_id("", 0, hex));
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
		patch_id(copy, n, hex);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_what_git_says),
		cmocka_unit_test(blanks_places_and_order_do_not_count),
		cmocka_unit_test(no_diff_no_id),
		cmocka_unit_test(every_cut_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
