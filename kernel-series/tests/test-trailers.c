// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/trailers.h"
#include "lib/strbuf.h"

static void expect(bool reply, const char *text, const char *want)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct trailers t;

	if (reply)
		trailers_of_reply(text, strlen(text), &t);
	else
		trailers_of_message(text, strlen(text), &t);
	for (size_t i = 0; i < t.nr; i++)
		strbuf_addf(&sb, "%s=%s;", t.v[i].name, t.v[i].value);
	trailers_release(&t);
	assert_string_equal(sb.buf, want);
}

static void last_paragraphs_of_a_message(void **state)
{
	expect(false, "Note: this is text.\n\nFixes: 123 (\"x\")\n"
		      "Signed-off-by: A <a@example.org>\n",
	       "Fixes=123 (\"x\");Signed-off-by=A <a@example.org>;");
	expect(false, "Text.\n\nCc: stable@example.org\n\n"
		      "Signed-off-by: A <a@example.org>\n\n\n",
	       "Cc=stable@example.org;Signed-off-by=A <a@example.org>;");
	expect(false, "Text\n\nThe bug: it is bad\nand more text: yes\n", "");
	expect(false, "", "");
	expect(false, "\n\n\n", "");
	expect(false, "Signed-off-by: A <a@example.org>",
	       "Signed-off-by=A <a@example.org>;");
}

static void unquoted_lines_of_a_reply(void **state)
{
	expect(true, "> Acked-by: B <b@example.org>\nfine,\n\n"
		     "Reviewed-by: C <c@example.org>\nthanks\n-- \n"
		     "Acked-by: Sig <s@example.org>\n",
	       "Reviewed-by=C <c@example.org>;");
	expect(true, "default: return 0;\nFrom: x@example.org\nFixes: ?\n"
		     "Cc: d@example.org\nSo nobody is named by: me\n",
	       "");
	expect(true, "Reviewed-by: D <d@example.org<mailto:d@example.org>>\n",
	       "Reviewed-by=D <d@example.org>;");
	expect(true, "Closes: https://example.org/1\nLink: see there\n",
	       "Closes=https://example.org/1;");
}

static void a_person_is_taken_apart(void **state)
{
	static const char *const lines[][3] = {
		{ "Tested-by: F (CORP) <f@example.org>", "F (CORP)",
		  "f@example.org" },
		{ "Cc: <stable@example.org> # 6.1", "", "stable@example.org" },
		{ "Acked-by: \"Doe, J\" <j@example.org>", "Doe, J",
		  "j@example.org" },
	};
	struct trailer t;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_true(trailer_parse(lines[i][0], strlen(lines[i][0]),
					  &t));
		assert_string_equal(t.addr_name, lines[i][1]);
		assert_string_equal(t.addr_email, lines[i][2]);
		trailer_release(&t);
	}
	assert_false(trailer_parse("https://example.org", 19, &t));
	assert_false(trailer_parse("mm: ", 4, &t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_paragraphs_of_a_message),
		cmocka_unit_test(unquoted_lines_of_a_reply),
		cmocka_unit_test(a_person_is_taken_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
