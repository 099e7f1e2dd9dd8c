// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/fs.h"
#include "server/cmd.h"

/* What print_text() writes to stdout, which carries our TAP otherwise. */
static void printed(const char *text, struct strbuf *out)
{
	char path[] = "/tmp/mmci-cmd-XXXXXX";
	int fd = mkstemp(path), saved = dup(1);

	assert_true(fd >= 0 && saved >= 0);
	fflush(stdout);
	dup2(fd, 1);
	print_text("%s", text);
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	close(fd);
	assert_int_equal(fs_read_file(path, 1000, out), 0);
	unlink(path);
}

static void prints(const char *text, const char *expected)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	printed(text, &out);
	assert_string_equal(out.buf, expected);
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
	prints("a\tb\n", "a\tb\n");
	prints("J\xc3\xbcrgen \xe2\x82\xac", "J\xc3\xbcrgen \xe2\x82\xac");
	prints("\033]0;title\007", "?]0;title?");
	prints("\033[2J\r\177", "?[2J??");
	prints("\xc2\x9b" "2J", "?2J"); /* CSI in one character */
	prints("\xc2\xa0", "\xc2\xa0");
	prints("bad \xff byte", "bad \xef\xbf\xbd byte");
}

static int options(int *argc, char **argv, const char **state,
		   const char **limit)
{
	const struct option_arg opts[] = {
		{ "--state", state }, { "--limit", limit }, { NULL },
	};

	return cmd_options(argc, argv, opts);
}

static void options_may_stand_anywhere(void **unused)
{
	char *argv[] = { "one", "--state", "done", "two", "--limit=5", NULL };
	const char *state = NULL, *limit = NULL;
	int argc = 5;

	assert_int_equal(options(&argc, argv, &state, &limit), 0);
	assert_int_equal(argc, 2);
	assert_string_equal(argv[0], "one");
	assert_string_equal(argv[1], "two");
	assert_null(argv[2]);
	assert_string_equal(state, "done");
	assert_string_equal(limit, "5");
}

static void wrong_options_are_refused(void **unused)
{
	char *unknown[] = { "--stat", "done", NULL };
	char *no_value[] = { "x", "--state", NULL };
	const char *state = NULL, *limit = NULL;
	int argc = 2;

	assert_int_equal(options(&argc, unknown, &state, &limit), CMD_USAGE);
	argc = 2;
	assert_int_equal(options(&argc, no_value, &state, &limit), CMD_USAGE);
	assert_null(state);
}

static void queries_are_escaped(void **state)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;

	strbuf_addstr(&path, "/api/v1/series");
	query_add(&path, "state", NULL);
	query_add(&path, "author", "a b&c=d");
	query_add(&path, "text", "\xc3\xbc");
	assert_string_equal(path.buf, "/api/v1/series?author=a%20b%26c%3Dd"
				      "&text=%C3%BC");
}

static void ages_are_readable(void **state)
{
	char buf[32];

	print_age(0, buf);
	assert_string_equal(buf, "-");
	print_age(1793607240, buf);
	assert_string_equal(buf, "2026-11-02 08:14 UTC");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_do_not_reach_the_terminal),
		cmocka_unit_test(options_may_stand_anywhere),
		cmocka_unit_test(wrong_options_are_refused),
		cmocka_unit_test(queries_are_escaped),
		cmocka_unit_test(ages_are_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
