// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/diff.h"
#include "kernel-series/mail.h"

static const char two_files[] = "Text first.\n"
				"diff --git a/mm/old.c b/mm/new.c\n"
				"similarity index 100%\n"
				"rename from mm/old.c\n"
				"rename to mm/new.c\n"
				"diff --git a/mm/a.c b/mm/a.c\n"
				"index 1234567..89abcde 100644\n"
				"--- a/mm/a.c\n"
				"+++ b/mm/a.c\n"
				"@@ -1,3 +1,3 @@ int f(void)\n"
				" one\n"
				"-- two\n"
				"+\n"
				"\n"
				"-- \n"
				"2.39.5\n";

struct seen {
	int added, removed;
	char path[64];
};

static void see(const struct diff_file *f, char sign, const char *line,
		size_t len, void *data)
{
	struct seen *s = data;

	s->added += sign == '+';
	s->removed += sign == '-';
	snprintf(s->path, sizeof(s->path), "%s", f->path);
}

static void finds_files_and_leaves_the_signature(void **state)
{
	struct seen s = { 0 };
	struct diff d;
	size_t start;

	assert_true(diff_find(two_files, strlen(two_files), &d, &start));
	assert_int_equal(start, strlen("Text first.\n"));
	assert_int_equal(d.nr_files, 2);
	assert_true(d.files[0].is_rename);
	assert_string_equal(d.files[0].old_path, "mm/old.c");
	assert_string_equal(d.files[0].path, "mm/new.c");
	assert_string_equal(d.files[1].old_blob, "1234567");
	assert_string_equal(d.files[1].new_blob, "89abcde");
	assert_int_equal(d.files[1].added, 1);
	assert_int_equal(d.files[1].removed, 1);
	assert_false(d.damaged);
	assert_null(strstr(d.text.buf, "2.39.5"));
	/* the file without hunks before it must not shift the names */
	diff_each_change(&d, see, &s);
	assert_int_equal(s.added, 1);
	assert_int_equal(s.removed, 1);
	assert_string_equal(s.path, "mm/a.c");
	diff_release(&d);
}

static void quotes_and_words_are_no_diff(void **state)
{
	static const char *const texts[] = {
		"> diff --git a/x b/x\n> --- a/x\n> +++ b/x\n> @@ -1 +1 @@\n",
		"diff --git is a word\ndifferent\n",
		"--- a/x\n+++ b/x\nno hunk\n",
		"--- \n+++ \n",
		"",
		"diff --git a/x b/x",
	};
	struct diff d;
	size_t start;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_false(diff_find(texts[i], strlen(texts[i]), &d,
				       &start));
		assert_int_equal(start, strlen(texts[i]));
		diff_release(&d);
	}
}

static void names_with_blanks_and_quotes(void **state)
{
	static const char text[] =
		"diff --git a/a b.c b/a b.c\nnew file mode 100644\n"
		"index 0000000..e69de29\n"
		"diff --git \"a/\\303\\244.c\" \"b/\\303\\244.c\"\n"
		"old mode 100644\nnew mode 100755\n"
		"diff --git a/mm/gone.c b/mm/gone.c\n"
		"deleted file mode 100644\n"
		"--- a/mm/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
		"\\ No newline at end of file\n"
		"--- linux.orig/mm/x.c\t2026-01-01\n+++ linux/mm/x.c\n"
		"@@ -1 +1 @@\n-a\n+b\n";
	struct diff d;
	size_t start;

	assert_true(diff_find(text, strlen(text), &d, &start));
	assert_int_equal(d.nr_files, 4);
	assert_string_equal(d.files[0].path, "a b.c");
	assert_true(d.files[0].is_new);
	assert_string_equal(d.files[1].path, "\xc3\xa4.c");
	assert_true(d.files[1].mode_change);
	assert_string_equal(d.files[2].path, "mm/gone.c");
	assert_true(d.files[2].is_deleted);
	assert_string_equal(d.files[3].path, "mm/x.c");
	diff_release(&d);
}

static void a_hunk_that_is_too_short_is_damaged(void **state)
{
	static const char text[] = "--- a/x.c\n+++ b/x.c\n@@ -1,9 +1,9 @@\n"
				   " a\n-b\n+c\n\n\nRegards\n";
	struct diff d;
	size_t start;

	assert_true(diff_find(text, strlen(text), &d, &start));
	assert_true(d.damaged);
	assert_string_equal(d.text.buf, "--- a/x.c\n+++ b/x.c\n"
					"@@ -1,9 +1,9 @@\n a\n-b\n+c\n");
	diff_release(&d);
}

static void hash_ignores_positions_only(void **state)
{
	static const char *const texts[] = {
		"--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,2 @@\n k\n-b\n+c\n",
		"--- a/x.c\n+++ b/x.c\n@@ -8,2 +9,2 @@ f\n l\n-b\n+c\n",
		"--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,2 @@\n k\n-b\n+d\n",
		"--- a/y.c\n+++ b/y.c\n@@ -1,2 +1,2 @@\n k\n-b\n+c\n",
	};
	char hex[4][65];
	struct diff d;
	size_t start;

	for (size_t i = 0; i < 4; i++) {
		assert_true(diff_find(texts[i], strlen(texts[i]), &d, &start));
		diff_change_hash(&d, hex[i]);
		diff_release(&d);
	}
	assert_string_equal(hex[0], hex[1]);
	assert_string_not_equal(hex[0], hex[2]);
	assert_string_not_equal(hex[0], hex[3]);
}

static const char wrapped[] =
	"Try this:\n\n"
	"diff --git a/mm/x.c b/mm/x.c\n"
	"--- a/mm/x.c\n"
	"+++ b/mm/x.c\n"
	"@@ -10,4 +10,4 @@ static void a_function_with_a_long_name(struct\n"
	"mm_struct *mm)\n"
	" {\n"
	"-\told();\n"
	"+\ta_call_that_is_so_long_that_a_mailer_wrapped_it(first_argument,\n"
	"second);\n"
	"\n"
	" }\n"
	"\n"
	"Regards\n";

static void a_wrapped_diff_is_joined(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_int_equal(fixup_diff(wrapped, strlen(wrapped), &out), 0);
	assert_string_equal(
		out.buf,
		"diff --git a/mm/x.c b/mm/x.c\n"
		"--- a/mm/x.c\n"
		"+++ b/mm/x.c\n"
		"@@ -10,4 +10,4 @@ static void a_function_with_a_long_name(struct "
		"mm_struct *mm)\n"
		" {\n"
		"-\told();\n"
		"+\ta_call_that_is_so_long_that_a_mailer_wrapped_it("
		"first_argument, second);\n"
		" \n"
		" }\n");
}

static void what_does_not_add_up_is_no_fixup(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	static const char shorter[] = "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n a\n";
	static const char none[] = "no diff\n> --- a/x\n> +++ b/x\n";

	assert_int_equal(fixup_diff(shorter, strlen(shorter), &out), -EBADMSG);
	assert_int_equal(out.len, 0);
	assert_int_equal(fixup_diff(none, strlen(none), &out), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_files_and_leaves_the_signature),
		cmocka_unit_test(quotes_and_words_are_no_diff),
		cmocka_unit_test(names_with_blanks_and_quotes),
		cmocka_unit_test(a_hunk_that_is_too_short_is_damaged),
		cmocka_unit_test(hash_ignores_positions_only),
		cmocka_unit_test(a_wrapped_diff_is_joined),
		cmocka_unit_test(what_does_not_add_up_is_no_fixup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
