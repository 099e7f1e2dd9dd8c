// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/mbox.h"

static void expect(const char *in, const char *const *mails, size_t nr)
{
	struct strbuf mail __free(strbuf) = STRBUF_INIT;
	struct mbox mb;

	mbox_init(&mb, in, strlen(in));
	for (size_t i = 0; i < nr; i++) {
		assert_true(mbox_next(&mb, &mail));
		assert_string_equal(mail.buf, mails[i]);
	}
	assert_false(mbox_next(&mb, &mail));
}

static void splits_and_unescapes(void **state)
{
	static const char *const mails[] = {
		"Subject: a\n\n> quote\nFrom me\n>From him\nlast\n",
		"Subject: b\n\nFrom here on, no mail\n",
	};

	expect("From x Mon Nov 30 00:00:00 2026\n"
	       "Subject: a\n\n> quote\n>From me\n>>From him\nlast\n\n"
	       "From x Mon Nov 30 00:00:00 2026\n"
	       "Subject: b\n\nFrom here on, no mail\n",
	       mails, 2);
}

static void a_single_mail_is_one(void **state)
{
	static const char *const mails[] = {
		"Subject: a\n\nFrom x Mon Nov 30 00:00:00 2026\nSubject: b\n",
	};

	expect(mails[0], mails, 1);
}

static void odd_ends(void **state)
{
	static const char *const empty[] = { "" };

	expect("", NULL, 0);
	expect("From x", empty, 1);
	expect("From x\n", empty, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_and_unescapes),
		cmocka_unit_test(a_single_mail_is_one),
		cmocka_unit_test(odd_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
