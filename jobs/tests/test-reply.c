// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "jobs/eml.h"
#include "jobs/quote.h"
#include "jobs/report.h"
#include "lib/json.h"

static const char patch_text[] =
	"Do a thing.\n"
	"---\n"
	"diff --git a/mm/a.c b/mm/a.c\n"
	"index 1111111..2222222 100644\n"
	"--- a/mm/a.c\n"
	"+++ b/mm/a.c\n"
	"@@ -1,3 +1,4 @@ int f(void)\n"
	" one\n"
	"-two\n"
	"+2\n"
	"+new\n"
	" three\n"
	"@@ -100,2 +101,3 @@\n"
	" hundred\n"
	"+ptep_modify_prot_start(vma);\n"
	" hundred and one\n"
	"diff --git a/mm/b.c b/mm/b.c\n"
	"--- a/mm/b.c\n"
	"+++ b/mm/b.c\n"
	"@@ -1 +1 @@\n"
	"-x\n"
	"+y\n"
	"-- \n"
	"2.39.5\n";

static void the_line_stands_last(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_true(quote_line(patch_text, "mm/a.c", 102, 5, &out));
	assert_string_equal(out.buf, "> +++ b/mm/a.c\n"
				     "> @@ -100,2 +101,3 @@\n"
				     ">  hundred\n"
				     "> +ptep_modify_prot_start(vma);\n");
}

static void findings_get_the_lines_they_are_about(void **state)
{
	json_t *ctx __free(json) = json_pack(
		"{s:[{s:i, s:s}]}", "patches", "number", 2, "text", patch_text);
	json_t *judgement __free(json) = json_pack(
		"{s:[{s:s,s:i,s:s,s:i,s:i},{s:s,s:i,s:s,s:i},{s:s,s:i,s:s,s:i,"
		"s:i},{s:s,s:i,s:s,s:i}]}", "findings",
		"blame", "series", "number", 2, "file", "mm/a.c", "line", 102,
		"leader", -1,
		"blame", "base", "number", 2, "file", "mm/a.c", "line", 102,
		"blame", "series", "number", 2, "file", "mm/a.c", "line", 102,
		"leader", 0,
		"blame", "series", "number", 1, "file", "mm/a.c", "line", 102);
	json_t *list = json_object_get(judgement, "findings");

	report_quotes(ctx, judgement);
	assert_non_null(strstr(json_get_str(json_array_get(list, 0), "quote", ""),
			       "> +ptep_modify_prot_start(vma);\n"));
	for (size_t i = 1; i < 4; i++)
		assert_null(json_object_get(json_array_get(list, i), "quote"));
}

static void context_is_cut_and_says_so(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_true(quote_line(patch_text, "mm/a.c", 3, 0, &out));
	assert_string_equal(out.buf, "> +++ b/mm/a.c\n"
				     "> @@ -1,3 +1,4 @@ int f(void)\n"
				     "> [ ... ]\n"
				     "> +new\n");
}

static void a_line_outside_every_hunk_is_not_quoted(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_false(quote_line(patch_text, "mm/a.c", 50, 5, &out));
	assert_false(quote_line(patch_text, "mm/a.c", 5, 5, &out));
	assert_false(quote_line(patch_text, "mm/c.c", 1, 5, &out));
	assert_true(quote_line(patch_text, "mm/b.c", 1, 5, &out));
	/* the signature's "-- " is no line of the file */
	assert_false(quote_line(patch_text, "mm/b.c", 2, 5, &out));
	assert_false(quote_line("+++ b/mm/a.c\n@@ -1 +999999999999999 @@\n",
				"mm/a.c", 1, 5, &out));
}

static void headers_cannot_be_forged(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	eml_header(&out, "Subject", "x\nBcc: evil@example.org\r\n");
	assert_null(strstr(out.buf, "\nBcc"));
	assert_false(eml_email_is_safe("x@y>\r\nRCPT TO:<evil@example.org"));
	assert_false(eml_email_is_safe("a b@example.org"));
	assert_false(eml_email_is_safe("@example.org"));
	assert_false(eml_email_is_safe("a@b@example.org"));
	assert_true(eml_email_is_safe("dev.jain+mm@example.org"));
}

static void names_are_encoded_or_quoted(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	eml_address(&out, "Carlos L\xc3\xb3pez", "c@example.org");
	assert_string_equal(out.buf, "=?UTF-8?B?Q2FybG9zIEzDs3Bleg==?= "
				     "<c@example.org>");
	strbuf_reset(&out);
	eml_address(&out, "A. \"B\" C", "c@example.org");
	assert_string_equal(out.buf, "\"A. \\\"B\\\" C\" <c@example.org>");
}

static void only_endless_lines_are_encoded(void **state)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	for (int i = 0; i < 900; i++)
		strbuf_addch(&text, 'x');
	eml_body(&out, text.buf);
	assert_non_null(strstr(out.buf, "8bit"));
	for (int i = 0; i < 900; i++)
		strbuf_addch(&text, 'x');
	strbuf_reset(&out);
	eml_body(&out, text.buf);
	assert_non_null(strstr(out.buf, "quoted-printable"));
	assert_non_null(strstr(out.buf, "x=\nx"));
}

static json_t *context(void)
{
	json_t *ctx = json_pack(
		"{s:{s:i,s:s,s:i,s:s,s:s,s:s,s:s,s:s,s:s},"
		" s:[{s:i,s:s,s:s,s:s,s:i,s:s},{s:i,s:s,s:s,s:s,s:i,s:s}],"
		" s:{s:s,s:s,s:i}, s:s, s:s, s:i, s:[]}",
		"version", "id", 3, "key", "0@example.org", "version", 2,
		"author_name", "Dev", "author_email", "dev@example.org",
		"tree", "6.12", "tree_describe", "linux 6.12.95",
		"base_commit", "0123456789abcdef", "base_why",
		"all 2 blobs of the index lines are there",
		"patches", "number", 1, "title", "one", "message_id",
		"1@example.org", "subject", "[PATCH v2 1/2] one", "date_s", 1,
		"text", "", "number", 2, "title", "two", "message_id",
		"2@example.org", "subject", "[PATCH v2 2/2] two", "date_s", 2,
		"text", patch_text, "cover", "message_id", "0@example.org",
		"subject", "[PATCH v2 0/2] both", "date_s", 0, "from",
		"mmci <mmci@example.org>", "url", "http://localhost", "date_s",
		0, "environments");

	assert_non_null(ctx);
	return ctx;
}

static json_t *one_finding(int number, const char *severity,
			   const char *print, const char *arch)
{
	return json_pack("{s:i,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:i,s:s,s:s}",
			 "number", number, "severity", severity, "blame",
			 "series", "arch", arch, "kconfig", "small",
			 "toolchain", "gcc", "fingerprint", print, "file",
			 "mm/a.c", "line", 102, "message", "implicit thing",
			 "stage", "build");
}

static void the_reply_answers_the_patch_that_breaks(void **state)
{
	json_t *ctx __free(json) = context(), *mail __free(json) = NULL;
	json_t *again __free(json) = NULL;
	json_t *judgement __free(json) = json_pack(
		"{s:[o,o,o]}", "findings", one_finding(1, "warning", "w",
						       "x86_64"),
		one_finding(2, "error", "e", "x86_64"),
		one_finding(2, "error", "e", "arm64"));
	const char *body;

	assert_int_equal(report_reply(ctx, judgement, &mail), 0);
	assert_string_equal(json_get_str(mail, "in_reply_to", ""),
			    "2@example.org");
	assert_string_equal(json_get_str(mail, "subject", ""),
			    "Re: [PATCH v2 2/2] two");
	body = json_get_str(mail, "body", "");
	assert_non_null(strstr(body, "> +ptep_modify_prot_start(vma);\n\n"
				     "mm/a.c:102: error: implicit thing\n"
				     "  On x86_64 and arm64 (small, "
				     "gcc).\n"));
	assert_non_null(strstr(body, "In patch 1/2"));
	assert_non_null(strstr(json_get_str(mail, "eml", ""),
			       "References: <0@example.org> <2@example.org>"));
	assert_int_equal(report_reply(ctx, judgement, &again), 0);
	assert_string_equal(json_get_str(again, "message_id", "a"),
			    json_get_str(mail, "message_id", "b"));
}

static void errors_of_two_patches_answer_the_cover(void **state)
{
	json_t *ctx __free(json) = context(), *mail __free(json) = NULL;
	json_t *judgement __free(json) = json_pack(
		"{s:[o,o]}", "findings", one_finding(1, "error", "a", "x86_64"),
		one_finding(2, "error", "b", "x86_64"));

	assert_int_equal(report_reply(ctx, judgement, &mail), 0);
	assert_string_equal(json_get_str(mail, "in_reply_to", ""),
			    "0@example.org");
}

static void what_is_not_the_series_fault_is_no_mail(void **state)
{
	json_t *ctx __free(json) = context(), *mail __free(json) = NULL;
	json_t *f = one_finding(1, "error", "a", "x86_64");
	json_t *judgement __free(json) = json_pack("{s:[o]}", "findings", f);

	json_set_text(f, "blame", "flaky");
	assert_int_equal(report_reply(ctx, judgement, &mail), 0);
	assert_true(json_is_null(mail));
}

static json_t *reply_with(const char *key, json_t *value, json_t *judgement)
{
	json_t *ctx __free(json) = context(), *mail = NULL;
	json_t *owned __free(json) = judgement;

	json_object_set_new(ctx, key, value);
	assert_int_equal(report_reply(ctx, owned, &mail), 0);
	return mail;
}

static void what_is_not_mine_is_left_out(void **state)
{
	json_t *mail __free(json) = reply_with(
		"not_mine", json_pack("{s:s}", "e", "Dev"),
		json_pack("{s:[o]}", "findings",
			  one_finding(2, "error", "e", "x86_64")));

	assert_true(json_is_null(mail));
}

static void a_clean_result_is_a_mail_only_on_demand(void **state)
{
	json_t *none __free(json) = reply_with(
		"want_clean", json_false(),
		json_pack("{s:[],s:s}", "findings", "verdict", "clean"));
	json_t *unknown __free(json) = reply_with(
		"want_clean", json_true(),
		json_pack("{s:[],s:s}", "findings", "verdict", "unknown"));
	json_t *mail __free(json) = reply_with(
		"want_clean", json_true(),
		json_pack("{s:[],s:s}", "findings", "verdict", "clean"));

	assert_true(json_is_null(none));
	assert_true(json_is_null(unknown));
	assert_true(json_get_bool(mail, "clean", false));
	assert_string_equal(json_get_str(mail, "in_reply_to", ""),
			    "0@example.org");
	assert_non_null(strstr(json_get_str(mail, "body", ""),
			       "Nothing new was found"));
}

static void five_findings_and_twenty_lines_are_enough(void **state)
{
	struct strbuf log __free(strbuf) = STRBUF_INIT;
	json_t *list = json_array();
	json_t *mail __free(json) = NULL;
	const char *body, *at;

	for (int i = 0; i < 30; i++)
		strbuf_addf(&log, "line-%d\n", i);
	for (int i = 0; i < 7; i++) {
		char print[16];
		json_t *f;

		snprintf(print, sizeof(print), "print%d", i);
		f = one_finding(2, "error", print, "x86_64");
		json_set_text(f, "message", print);
		if (!i) {
			json_set_text(f, "stage", "boot");
			json_set_text(f, "detail", log.buf);
		}
		json_array_append_new(list, f);
	}
	mail = reply_with("url", json_string("http://h"),
			  json_pack("{s:o}", "findings", list));
	body = at = json_get_str(mail, "body", "");
	assert_non_null(strstr(body, "    line-19\n    [ the rest is in the "
				     "log ]\n"));
	assert_null(strstr(body, "line-20"));
	assert_non_null(strstr(body, "2 more: http://h/series/3\n"));
	/* equal ones stand as they were judged, not as memory has them */
	for (int i = 0; i < 5; i++) {
		char print[16];

		snprintf(print, sizeof(print), "print%d", i);
		at = strstr(at, print);
		assert_non_null(at);
	}
	/* how it was booted can be typed */
	assert_non_null(strstr(body, "  qemu-system-x86_64 -M pc "));
	assert_non_null(strstr(body, "    -kernel arch/x86/boot/bzImage "
				     "-initrd ROOTFS \\\n"));
	assert_non_null(strstr(body, "\nROOTFS is any initramfs.\n"));
}

static void recipients_are_replaced_in_the_head_alone(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	json_t *to __free(json) = json_pack(
		"[{s:s,s:s,s:s,s:b},{s:s,s:s,s:s,s:b},{s:s,s:s,s:s,s:b},"
		"{s:s,s:s,s:s,s:b}]",
		"name", "A, B", "email", "a@h", "field", "to", "gets", 1,
		"name", "", "email", "b@h", "field", "cc", "gets", 1,
		"name", "", "email", "c@h", "field", "cc", "gets", 0,
		"name", "", "email", "d@h", "field", "cc", "gets", 1);

	eml_set_recipients("From: x\nTo: old,\n older\nCc: old\nSubject: s\n"
			   "\nTo: stays\n", to, &out);
	assert_string_equal(out.buf, "From: x\nTo: \"A, B\" <a@h>\nCc: b@h,\n"
				     " d@h\nSubject: s\n\nTo: stays\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_stands_last),
		cmocka_unit_test(findings_get_the_lines_they_are_about),
		cmocka_unit_test(context_is_cut_and_says_so),
		cmocka_unit_test(a_line_outside_every_hunk_is_not_quoted),
		cmocka_unit_test(headers_cannot_be_forged),
		cmocka_unit_test(names_are_encoded_or_quoted),
		cmocka_unit_test(only_endless_lines_are_encoded),
		cmocka_unit_test(the_reply_answers_the_patch_that_breaks),
		cmocka_unit_test(errors_of_two_patches_answer_the_cover),
		cmocka_unit_test(what_is_not_the_series_fault_is_no_mail),
		cmocka_unit_test(what_is_not_mine_is_left_out),
		cmocka_unit_test(a_clean_result_is_a_mail_only_on_demand),
		cmocka_unit_test(five_findings_and_twenty_lines_are_enough),
		cmocka_unit_test(recipients_are_replaced_in_the_head_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
