// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/integrity.h"
#include "lib/json.h"

#define HEAD(subject)                           \
	"From: An Author <author@example.org>\n" \
	"Message-ID: <" subject "@example.org>\n" \
	"Subject: " subject "\n\n"
#define SOB "Signed-off-by: An Author <author@example.org>\n"
#define HUNK(sign, line)                                                \
	"diff --git a/mm/x.c b/mm/x.c\n--- a/mm/x.c\n+++ b/mm/x.c\n"      \
	"@@ -1,2 +1,2 @@\n context\n" sign line "\n"

static struct mail *read_mail(const char *text)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct mail *m;

	assert_int_equal(mail_parse(text, strlen(text), &m, &why), 0);
	return m;
}

/* How many findings are of this kind? */
static int count(const json_t *list, const char *kind)
{
	int n = 0;
	size_t i;
	json_t *f;

	json_array_foreach(list, i, f)
		n += !strcmp(json_get_str(f, "kind", ""), kind);
	return n;
}

static const char add_line[] =
	HEAD("[PATCH v2 1/2] mm: add a line") SOB
	"---\nv2: fixed the locking\n\n"
	"diff --git a/mm/x.c b/mm/x.c\n--- a/mm/x.c\n+++ b/mm/x.c\n"
	"@@ -1,1 +1,2 @@\n context\n+\tmutex_lock(&some_lock);\n";
static const char remove_line[] =
	HEAD("[PATCH v2 2/2] mm: take it away") "No sign-off.\n---\n"
	"diff --git a/mm/x.c b/mm/x.c\n--- a/mm/x.c\n+++ b/mm/x.c\n"
	"@@ -1,2 +1,1 @@\n context\n-\tmutex_lock(&some_lock);\n";

static void finds_what_is_wrong(void **state)
{
	struct mail *a __free(mail) = read_mail(add_line);
	struct mail *b __free(mail) = read_mail(remove_line);
	struct mail *cover __free(mail) = read_mail(
		HEAD("[PATCH v2 0/2] work")
		"Hello\xe2\x80\x8b.\n\n mm/y.c | 3 +++\n"
		" 1 file changed, 3 insertions(+)\n");
	struct integrity_patch p[] = { { 1, a }, { 2, b } };
	struct integrity_patch old[] = { { 1, a } };
	json_t *list __free(json) =
		integrity_check(cover, p, 2, true, old, 1);

	assert_int_equal(count(list, "signed-off-by"), 1);
	assert_int_equal(count(list, "undone"), 1);
	assert_int_equal(count(list, "unchanged"), 1);
	/* a file that nobody touches, and numbers that do not add up */
	assert_int_equal(count(list, "diffstat"), 2);
	assert_int_equal(count(list, "invisible"), 1);
}

static void is_silent_about_a_good_series(void **state)
{
	struct mail *a __free(mail) = read_mail(add_line);
	struct mail *cover __free(mail) = read_mail(
		HEAD("[PATCH v2 0/1] work") "Hello.\n\n mm/x.c | 1 +\n"
		" 1 file changed, 1 insertion(+)\n");
	struct mail *old __free(mail) = read_mail(
		HEAD("[PATCH 1/1] mm: add a line") SOB "---\n"
		HUNK("+", "\tspin_lock(&some_lock);"));
	struct integrity_patch p[] = { { 1, a } }, o[] = { { 1, old } };
	json_t *list __free(json) = integrity_check(cover, p, 1, true, o, 1);

	assert_int_equal(json_array_size(list), 0);
}

/* A line moved within one patch, or a brace, is nobody's undoing. */
static void moved_lines_are_not_undone(void **state)
{
	struct mail *a __free(mail) = read_mail(add_line);
	struct mail *b __free(mail) = read_mail(
		HEAD("[PATCH v2 2/2] mm: move it") SOB "---\n"
		"diff --git a/mm/x.c b/mm/x.c\n--- a/mm/x.c\n+++ b/mm/x.c\n"
		"@@ -1,2 +1,2 @@\n-\tmutex_lock(&some_lock);\n context\n"
		"+\tmutex_lock(&some_lock);\n");
	struct integrity_patch p[] = { { 1, a }, { 2, b } };
	json_t *list __free(json) =
		integrity_check(NULL, p, 2, true, NULL, 0);

	assert_int_equal(json_array_size(list), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_is_wrong),
		cmocka_unit_test(is_silent_about_a_good_series),
		cmocka_unit_test(moved_lines_are_not_undone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
