// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/mail.h"
#include "kernel-series/parse.h"
#include "lib/json.h"

/* A copy of exactly these bytes, so that a sanitizer sees one too far. */
static void read_exactly(const char *text)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	size_t len = strlen(text);
	char *exact __free(kfree) = xmalloc(len);
	json_t *ret __free(json) = NULL;

	memcpy(exact, text, len);
	assert_int_equal(parse_file_json("commands", exact, len, NULL, &ret,
					 &why), 0);
}

static void a_command_without_argument_ends_the_text(void **state)
{
	read_exactly("#syz fix:\n");
	read_exactly("#syz fix:");
	read_exactly("#mmci title:\n");
	read_exactly("#syz fix: \n\n");
}

static void a_fixup_has_a_hunk(void **state)
{
	static const char head[] = "diff --git a/x b/x\n--- a/x\n+++ b/x\n";
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_int_not_equal(fixup_diff(head, strlen(head), &out), 0);
	assert_int_equal(out.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_without_argument_ends_the_text),
		cmocka_unit_test(a_fixup_has_a_hunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
