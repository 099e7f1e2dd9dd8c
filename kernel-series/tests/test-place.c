// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/place.h"
#include "kernel-series/range-diff.h"
#include "lib/json.h"

#define HEAD "diff --git a/f b/f\nindex 1234567..89abcde 100644\n" \
	     "--- a/f\n+++ b/f\n"

static int place(const char *patch, const char *image, bool reverse,
		 struct strbuf *out)
{
	struct strbuf img __free(strbuf) = STRBUF_INIT;
	struct patch p;
	size_t bad = 0;
	int r;

	strbuf_addstr(&img, image);
	patch_parse(patch, strlen(patch), &p);
	assert_true(p.plain);
	assert_int_equal(p.nr, 1);
	strbuf_reset(out);
	r = place_hunks(&img, &p.files[0], reverse, out, &bad);
	patch_release(&p);
	return r;
}

static bool plain(const char *patch)
{
	struct patch p;
	bool ret;

	patch_parse(patch, strlen(patch), &p);
	ret = p.plain;
	patch_release(&p);
	return ret;
}

static void a_moved_hunk_is_found(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	const char *patch = HEAD "@@ -2,3 +2,3 @@\n a\n-b\n+B\n c\n";

	assert_int_equal(place(patch, "1\n2\n3\n4\na\nb\nc\n5\n", false, &out),
			 0);
	assert_string_equal(out.buf, "1\n2\n3\n4\na\nB\nc\n5\n");
	assert_int_equal(place(patch, "1\na\nB\nc\n", true, &out), 0);
	assert_string_equal(out.buf, "1\na\nb\nc\n");
}

static void the_nearest_of_two_places_wins_downwards_first(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_int_equal(place(HEAD "@@ -4,3 +4,3 @@\n a\n-b\n+B\n c\n",
			       "1\na\nb\nc\n5\na\nb\nc\n8\n", false, &out), 0);
	assert_string_equal(out.buf, "1\na\nb\nc\n5\na\nB\nc\n8\n");
}

static void context_must_be_equal(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_int_equal(place(HEAD "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
			       "a\nb\nx\n", false, &out), PLACE_MISMATCH);
	/* blanks count */
	assert_int_equal(place(HEAD "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
			       "a\n b\nc\n", false, &out), PLACE_MISMATCH);
}

static void first_line_and_last_line_bind(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	/* for line 1: not found further down */
	assert_int_equal(place(HEAD "@@ -1,2 +1,3 @@\n+n\n a\n b\n",
			       "0\na\nb\n", false, &out), PLACE_MISMATCH);
	/* no trailing context: only at the end */
	assert_int_equal(place(HEAD "@@ -2,2 +2,3 @@\n a\n b\n+n\n",
			       "0\na\nb\nc\n", false, &out), PLACE_MISMATCH);
	assert_int_equal(place(HEAD "@@ -2,2 +2,3 @@\n a\n b\n+n\n",
			       "0\n1\n2\na\nb\n", false, &out), 0);
	assert_string_equal(out.buf, "0\n1\n2\na\nb\nn\n");
}

static void what_a_hunk_wrote_is_not_matched_again(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_int_equal(place(HEAD "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
			       "@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n",
			       "a\nb\nc\nd\ne\n", false, &out),
			 PLACE_MISMATCH);
}

static void files_without_newline(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	const char *patch = HEAD "@@ -1,2 +1,2 @@\n a\n-b\n"
				 "\\ No newline at end of file\n+c\n";

	assert_int_equal(place(patch, "a\nb", false, &out), 0);
	assert_string_equal(out.buf, "a\nc\n");
	assert_int_not_equal(place(patch, "a\nb\n", false, &out), 0);
}

static void what_is_not_plain_is_left_to_git(void **state)
{
	assert_false(plain("diff --git a/f b/f\nindex 1234567..89abcde\n"
			   "GIT binary patch\nliteral 0\n"));
	assert_false(plain("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"));
	assert_false(plain("diff --git a/../f b/../f\n--- a/../f\n+++ b/../f\n"
			   "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"));
	assert_false(plain("diff --git a/.git/x b/.git/x\n--- a/.git/x\n"
			   "+++ b/.git/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"));
	/* fewer lines than the header says */
	assert_false(plain(HEAD "@@ -1,9 +1,9 @@\n a\n-b\n+c\n"));
	/* no context at all */
	assert_false(plain(HEAD "@@ -5 +5 @@\n-b\n+c\n"));
	assert_false(plain(""));
	assert_true(plain(HEAD "@@ -1,2 +1,2 @@\n a\n-b\n+c\n-- \n2.39\n"));
}

static void range_diff_is_read(void **state)
{
	json_t *v __free(json) = range_diff_parse(
		"1:  abc1234 = 1:  def5678 mm: one\n"
		"2:  abc1234 ! 2:  def5678 mm: two\n"
		"    @@ mm/x.c: int x\n"
		"     -\ta\n"
		"    ++\tb\n"
		"3:  abc1234 < -:  ------- mm: three\n"
		"-:  ------- > 3:  def5678 mm: four\n");
	const json_t *o;

	assert_int_equal(json_array_size(v), 4);
	assert_string_equal(json_get_str(json_array_get(v, 0), "state", ""),
			    "unchanged");
	o = json_array_get(v, 1);
	assert_string_equal(json_get_str(o, "state", ""), "changed");
	assert_string_equal(json_get_str(o, "title", ""), "mm: two");
	assert_string_equal(json_get_str(o, "diff", ""),
			    "@@ mm/x.c: int x\n -\ta\n++\tb\n");
	o = json_array_get(v, 2);
	assert_string_equal(json_get_str(o, "state", ""), "dropped");
	assert_int_equal(json_get_int(o, "old", 0), 3);
	assert_true(json_is_null(json_object_get(o, "new")));
	assert_string_equal(json_get_str(json_array_get(v, 3), "state", ""),
			    "new");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_moved_hunk_is_found),
		cmocka_unit_test(the_nearest_of_two_places_wins_downwards_first),
		cmocka_unit_test(context_must_be_equal),
		cmocka_unit_test(first_line_and_last_line_bind),
		cmocka_unit_test(what_a_hunk_wrote_is_not_matched_again),
		cmocka_unit_test(files_without_newline),
		cmocka_unit_test(what_is_not_plain_is_left_to_git),
		cmocka_unit_test(range_diff_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
