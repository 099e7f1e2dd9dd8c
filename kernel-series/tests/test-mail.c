// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/mail.h"
#include "lib/json.h"

#define TOP "From: A <a@example.org>\nMessage-ID: <1@example.org>\n"
#define DIFF "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n"

static struct mail *read_mail(const char *text)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct mail *m;
	int r = mail_parse(text, strlen(text), &m, &why);

	if (r)
		print_error("# %s\n", why.buf);
	assert_int_equal(r, 0);
	return m;
}

static void refuse(const char *text, size_t len, const char *want)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct mail *m;

	assert_int_equal(mail_parse(text, len, &m, &why), MAIL_REFUSED);
	assert_null(m);
	assert_string_equal(why.buf, want);
}

static void says_why_it_refuses(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	char *want __free(kfree) = NULL;

	refuse("", 0, "no From header");
	refuse("From: nobody\n\n", 14, "From holds no mail address");
	refuse("From: a@example.org\nMessage-ID: <>\n\n", 36, "no Message-ID");
	strbuf_addstr(&sb, TOP "X-Long: ");
	while (sb.len < MAIL_MAX_HEADER_BYTES + 8192)
		strbuf_addstr(&sb, "xxxxxxxxxxxxxxxx\n ");
	refuse(sb.buf, sb.len, "a header of more than 64 KiB");
	while (sb.len <= MAIL_MAX_BYTES)
		strbuf_add(&sb, "0123456789abcdef0123456789abcdef", 32);
	want = xasprintf("%zu bytes, more than 8 MiB", sb.len);
	refuse(sb.buf, sb.len, want);
}

/* Nested groups and comments took GMime and others down the whole stack. */
static void nesting_is_just_characters(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct mail *m;

	strbuf_addstr(&sb, TOP "To: ");
	for (int i = 0; i < 20000; i++)
		strbuf_addstr(&sb, "g:");
	strbuf_addstr(&sb, " b@example.org\nCc: ");
	for (int i = 0; i < 60000; i++)
		strbuf_addch(&sb, '(');
	strbuf_addstr(&sb, "\n\ntext\n");
	m = read_mail(sb.buf);
	assert_string_equal(m->to.v[0].email, "b@example.org");
	mail_free(m);
}

static void addresses_as_people_write_them(void **state)
{
	struct mail *m __free(mail) = read_mail(
		TOP "To: \"Doe, J\" <j@example.org>, k@example.org (K),\n"
		    " =?utf-8?q?J=C3=B6rg?= <l@example.org>, a b c,\n"
		    " list: m@example.org, n@example.org;\n\n");
	static const char *const want[][2] = {
		{ "Doe, J", "j@example.org" }, { "K", "k@example.org" },
		{ "J\xc3\xb6rg", "l@example.org" }, { "a b c", "" },
		{ "", "m@example.org" },	{ "", "n@example.org" },
	};

	assert_int_equal(m->to.nr, ARRAY_SIZE(want));
	for (size_t i = 0; i < m->to.nr; i++) {
		assert_string_equal(m->to.v[i].name, want[i][0]);
		assert_string_equal(m->to.v[i].email, want[i][1]);
	}
}

static void dates_that_lie_are_none(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t s;
	} dates[] = {
		{ "Mon, 30 Nov 2026 10:00:00 +0100", true, 1796029200 },
		{ "30 Nov 26 09:00 GMT", true, 1796029200 },
		{ "Mon, 30 Nov 2026 09:00:00 -0000 (UTC)", true, 1796029200 },
		{ "Mon, 30 Nov 2026 09:00:00 +9999", true, 1796029200 },
		{ "Mon, 30 Nov 20269 09:00:00 +0000", false, 0 },
		{ "Mon, 99 Nov 2026 09:00:00 +0000", false, 0 },
		{ "yesterday", false, 0 },
		{ "", false, 0 },
		{ "30 Nov 2026 77:00:00", false, 0 },
	};
	int64_t s;

	for (size_t i = 0; i < ARRAY_SIZE(dates); i++) {
		assert_int_equal(mail_parse_date(dates[i].text, &s),
				 dates[i].ok);
		if (dates[i].ok)
			assert_int_equal(s, dates[i].s);
	}
}

/* Patch bytes are decoded, never converted to another charset. */
static void patches_keep_their_bytes(void **state)
{
	struct mail *m __free(mail) = read_mail(
		TOP "Subject: [PATCH] x\n"
		    "Content-Type: text/plain; charset=iso-8859-1\n"
		    "Content-Transfer-Encoding: quoted-printable\n\n"
		    "caf=E9\r\n---\r\n"
		    "--- a/x.c\r\n+++ b/x.c\r\n@@ -1 +1 @@\r\n-a=E9=20\r\n"
		    "+b=3D=\r\nc\r\n");
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_string_equal(m->text.buf, "caf\xe9\n---\n--- a/x.c\n+++ b/x.c\n"
					 "@@ -1 +1 @@\n-a\xe9 \n+b=c\n");
	assert_non_null(strstr(m->display.buf, "caf\xc3\xa9\n"));
	assert_true(m->crlf);
	assert_int_equal(m->kind, MAIL_PATCH);
	assert_int_equal(mail_patch_mbox(m, &out), 0);
	assert_true(starts_with(out.buf, "From: A <a@example.org>\n"));
	assert_non_null(strstr(out.buf, "charset=iso-8859-1\n"));
	assert_non_null(strstr(out.buf, "-a\xe9 \n"));
}

static void parts_are_found(void **state)
{
	struct mail *m __free(mail) = read_mail(
		TOP "Subject: [PATCH] x\n"
		    "Content-Type: multipart/mixed; boundary=b\n\n"
		    "--b\nContent-Type: multipart/alternative; boundary=c\n\n"
		    "--c\nContent-Type: text/plain\n\nsee attachment\n"
		    "--c\nContent-Type: text/html\n\n<p>see</p>\n--c--\n"
		    "--b\nContent-Type: text/x-patch; name=x.patch\n"
		    "Content-Transfer-Encoding: base64\n\n"
		    "LS0tIGEveC5jCisrKyBiL3guYwpAQCAtMSArMSBAQAotYQorYgo=\n"
		    "--b\nContent-Type: message/rfc822\n\n"
		    "Subject: other\n\n--- a/y.c\n+++ b/y.c\n@@ -1 +1 @@\n"
		    "-a\n+b\n--b--\n");
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_string_equal(m->attached.buf, DIFF);
	assert_null(strstr(m->text.buf, "<p>"));
	assert_int_equal(m->diff.nr_files, 1);
	assert_string_equal(m->diff.files[0].path, "x.c");
	assert_int_equal(mail_patch_mbox(m, &out), 0);
	assert_non_null(strstr(out.buf, "see attachment\n"));
	assert_non_null(strstr(out.buf, DIFF));
}

static void flowed_text_is_joined_for_reading_only(void **state)
{
	struct mail *m __free(mail) = read_mail(
		TOP "Content-Type: text/plain; format=flowed\n\n"
		    "one \ntwo\n-- \n stuffed\n> quoted \n> more\n");

	assert_true(m->flowed);
	assert_string_equal(m->display.buf,
			    "one two\n-- \nstuffed\n> quoted \n> more\n");
	assert_true(starts_with(m->text.buf, "one \ntwo\n"));
}

static void what_a_series_stands_on(void **state)
{
	struct mail *m __free(mail) = read_mail(
		TOP "Subject: [PATCH 0/2] x\n\n"
		    "Based-on: 2@example.org\n"
		    "Depends-on: https://lore.example.org/all/3@example.org/T\n"
		    "Depends-on: <4@example.org> (\"title\")\n\n"
		    "-- \nbase-commit: 0123456789abcdef0123456789abcdef01234567"
		    "\nprerequisite-patch-id: "
		    "1123456789abcdef0123456789abcdef01234567\n"
		    "base-commit: broken\nchange-id: 2026-x\n");
	json_t *o __free(json) = mail_to_json(m);
	json_t *want __free(json) = json_pack(
		"{s:[s],s:[s,s],s:[s]}", "based_on", "2@example.org",
		"depends_on", "3@example.org", "4@example.org",
		"prerequisites", "1123456789abcdef0123456789abcdef01234567");
	const char *key;
	json_t *v;

	json_object_foreach(want, key, v)
		assert_true(json_equal(v, json_object_get(o, key)));
	assert_string_equal(m->base_commit,
			    "0123456789abcdef0123456789abcdef01234567");
	assert_string_equal(m->change_id, "2026-x");
	assert_int_equal(m->kind, MAIL_COVER);
}

static void machines_are_known(void **state)
{
	static const struct {
		const char *text;
		bool machine;
	} mails[] = {
		{ "From: review-bot <r@example.org>", true },
		{ "From: kernel test robot <k@example.org>", true },
		{ "From: A <a@example.org>\nAuto-Submitted: auto-replied",
		  true },
		{ "From: A <a@example.org>\nAuto-Submitted: no", false },
		{ "From: A <a@example.org>\nPrecedence: bulk", false },
		{ "From: Jan Abbot <abbot@example.org>", false },
		{ "From: <mailer-daemon@example.org>", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(mails); i++) {
		char *text __free(kfree) = xasprintf(
			"%s\nMessage-ID: <1@example.org>\n\n", mails[i].text);
		struct mail *m __free(mail) = read_mail(text);

		assert_int_equal(m->machine, mails[i].machine);
	}
}

static void check_links(const char *text, const char *want)
{
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	struct strbuf got __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct mail *m __free(mail) = NULL;

	strbuf_addf(&raw, "From: A <a@example.org>\nMessage-ID: <x@y>\n"
			  "Subject: [PATCH 0/2] x\n\n%s", text);
	assert_int_equal(mail_parse(raw.buf, raw.len, &m, &why), 0);
	for (size_t i = 0; i < m->depends_on.nr; i++) {
		char *id __free(kfree) = mail_ref_id(m->depends_on.v[i].value);

		strbuf_addf(&got, "%s%s", i ? " " : "", id);
	}
	assert_string_equal(got.buf, want);
}

static void prose_with_a_link_is_a_dependency(void **state)
{
#define L "https://lore.example.org/all/"
	check_links("This applies on top of " L "a@b/.\n", "a@b");
	check_links("It depends on the series\n" L "a@b/ and more.\n", "a@b");
	check_links("It depends on:\n\n" L "a@b/\n\nOld: " L "c@d/\n", "a@b");
	check_links("On top of [1] and [2].\n\n[1] " L "a@b/T/#u\n"
		    "[2]: " L "c@d/\n", "a@b c@d");
	/* a link of another sentence, a quoted one, a tree, a function */
	check_links("On top of mm-unstable. v1: " L "a@b/\n", "");
	check_links("On top of mm-unstable.\n" L "a@b/\n", "");
	check_links("> on top of " L "a@b/\n", "");
	check_links("on top of https://git.example.org/mm.git\n", "");
	check_links("This depends on foo()\n\nv1: " L "a@b/\n", "");
	check_links("on top of [9]", "");
	check_links("Depends-on: <a@b>\n", "a@b");
#undef L
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prose_with_a_link_is_a_dependency),
		cmocka_unit_test(says_why_it_refuses),
		cmocka_unit_test(nesting_is_just_characters),
		cmocka_unit_test(addresses_as_people_write_them),
		cmocka_unit_test(dates_that_lie_are_none),
		cmocka_unit_test(patches_keep_their_bytes),
		cmocka_unit_test(parts_are_found),
		cmocka_unit_test(flowed_text_is_joined_for_reading_only),
		cmocka_unit_test(what_a_series_stands_on),
		cmocka_unit_test(machines_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
