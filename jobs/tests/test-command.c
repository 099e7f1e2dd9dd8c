// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "jobs/command.h"
#include "lib/json.h"

#define NOW 1780272000
#define PROOF "mx.example.org; dkim=pass header.d=example.org"

static char *hosts_v[] = { "mx.example.org" };
static char *people_v[] = { "boss@example.org" };

static struct config *config(void)
{
	static struct config cfg;

	cfg.mail.from = "mmci <mmci@example.org>";
	cfg.mail.reply_to = "owner@example.org";
	cfg.mail.command_hosts = (struct config_strings){ hosts_v, 1 };
	cfg.mail.command_people = (struct config_strings){ people_v, 1 };
	return &cfg;
}

static bool proved(const char *from, const char *first, const char *second)
{
	json_t *list __free(json) = json_array();
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	bool yes;

	if (first)
		json_array_append_new(list, json_string(first));
	if (second)
		json_array_append_new(list, json_string(second));
	yes = command_is_proved(list, &config()->mail.command_hosts, from,
				&why);
	assert_int_equal(yes, !why.len);
	return yes;
}

static void a_believed_server_vouches(void **state)
{
	const char *me = "dev@example.org";

	assert_true(proved(me, PROOF, NULL));
	assert_true(proved(me, "mx.example.org 1; spf=fail; dkim=pass (good) "
			   "header.i=@x.org header.d=example.org", NULL));
	assert_true(proved(me, "MX.example.org;\n\tdmarc=pass (p=none) "
			   "header.from=Example.ORG", NULL));
	assert_true(proved("dev@sub.example.org", PROOF, NULL));
	assert_true(proved(me, "other.example.net; dkim=fail", PROOF));
}

static void forgeries_are_seen(void **state)
{
	const char *me = "dev@example.org";

	assert_false(proved(me, NULL, NULL));
	assert_false(proved(me, "evil.example.net; dkim=pass "
			    "header.d=example.org", NULL));
	assert_false(proved(me, "mx.example.org; dkim=fail header.d=example.org",
			    NULL));
	assert_false(proved(me, "mx.example.org; dkim=pass header.d=evil.net",
			    NULL));
	assert_false(proved(me, "mx.example.org; dkim=pass header.d=org",
			    NULL));
	assert_false(proved(me, "mx.example.org; dkim=pass "
			    "header.d=notexample.org", NULL));
	assert_false(proved("dev@notexample.org", PROOF, NULL));
	assert_false(proved(me, "mx.example.org; spf=pass "
			    "smtp.mailfrom=example.org", NULL));
	assert_false(proved(me, "mx.example.org; dmarc=pass "
			    "header.from=evil.net", NULL));
	/* what came with the mail stands below what the server added */
	assert_false(proved(me, "mx.example.org; dkim=none", PROOF));
	/* comments and quotes are no results */
	assert_false(proved(me, "mx.example.org; x=y (; dkim=pass "
			    "header.d=example.org", NULL));
	assert_false(proved(me, "mx.example.org; spf=fail reason=\"; dkim=pass "
			    "header.d=example.org\"", NULL));
	assert_false(proved(me, "mx.example.org; xdkim=pass "
			    "header.d=example.org", NULL));
	assert_false(proved("nobody", PROOF, NULL));
}

static json_t *row(const char *from, const char *command, const char *args)
{
	return json_pack("{s:s, s:s, s:s, s:[s], s:i, s:I, s:i}", "from_email",
			 from, "command", command, "args", args, "auth", PROOF,
			 "machine", 0, "date_s", (json_int_t)NOW - 60,
			 "version_id", 7);
}

static void judge_is(json_t *r, int64_t today, enum command_verdict expected,
		     const char *reason)
{
	json_t *owned __free(json) = r;
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	assert_int_equal(command_judge(config(), owned, "dev@example.org",
				       today, NOW, &why), expected);
	if (!strstr(why.buf, reason))
		fail_msg("\"%s\" is not in \"%s\"", reason, why.buf);
}

static json_t *with_int(json_t *r, const char *key, int64_t v)
{
	json_set_int(r, key, v);
	return r;
}

static void who_may_what(void **state)
{
	json_t *forged = row("dev@example.org", "rerun", "");

	judge_is(row("Dev@example.org", "rerun", ""), 0, COMMAND_OBEY,
		 "author");
	judge_is(row("boss@example.org", "base", "mm-stable"), 0, COMMAND_OBEY,
		 "command_people");
	judge_is(row("kim@example.org", "not", "mine"), 0,
		 COMMAND_ASK_MAINTAINERS, "");
	judge_is(row("kim@example.org", "stop", "all"), 0, COMMAND_OBEY, "");
	judge_is(row("kim@example.org", "stop", "the press"), 0,
		 COMMAND_REFUSE, "no command");
	judge_is(row("dev@example.org", "fix", "x"), 0, COMMAND_REFUSE,
		 "no command");
	judge_is(row("dev@example.org", "base", ""), 0, COMMAND_REFUSE,
		 "no command");
	json_object_set_new(forged, "auth", json_array());
	judge_is(forged, 0, COMMAND_REFUSE, "no proof:");
	judge_is(row("dev@example.org", "rerun", ""), 10, COMMAND_REFUSE,
		 "ten commands");
	judge_is(with_int(row("dev@example.org", "rerun", ""), "date_s",
			  NOW - 8 * 86400), 0, COMMAND_REFUSE, "week");
	judge_is(with_int(row("dev@example.org", "rerun", ""), "version_id",
			  0), 0, COMMAND_REFUSE, "no series");
	judge_is(with_int(row("dev@example.org", "stop", "all"), "version_id",
			  0), 0, COMMAND_OBEY, "");
}

static void robots_start_nothing(void **state)
{
	judge_is(with_int(row("dev@example.org", "rerun", ""), "machine", 1),
		 0, COMMAND_REFUSE, "machine");
	judge_is(row("mmci@example.org", "rerun", ""), 0, COMMAND_REFUSE,
		 "our own");
	judge_is(row("Owner@example.org", "rerun", ""), 0, COMMAND_REFUSE,
		 "our own");
}

static void maintainers_of_the_touched_files(void **state)
{
	static const char text[] =
		"MEMORY MANAGEMENT\nM:\tAnn <ann@example.org>\n"
		"R:\tRon <ron@example.org>\nF:\tmm/\nF:\tinclude/linux/mm*.h\n"
		"\nOTHER\nM:\tkim@example.org\nF:\tfs/*\n"
		"\nTHE REST\nM:\tAll <all@example.org>\nF:\t*\nF:\t*/\n";
	json_t *files __free(json) = json_pack("[s]", "mm/mprotect.c");
	json_t *deep __free(json) = json_pack("[s,s]", "fs/ext4/inode.c",
					      "include/linux/mmzone.h");
	json_t *a __free(json) = command_maintainers_of(text, files);
	json_t *b __free(json) = command_maintainers_of(text, deep);

	assert_int_equal(json_array_size(a), 1);
	assert_string_equal(json_string_value(json_array_get(a, 0)),
			    "ann@example.org");
	/* fs/asterisk does not reach into directories */
	assert_int_equal(json_array_size(b), 1);
	assert_string_equal(json_string_value(json_array_get(b, 0)),
			    "ann@example.org");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_believed_server_vouches),
		cmocka_unit_test(forgeries_are_seen),
		cmocka_unit_test(who_may_what),
		cmocka_unit_test(robots_start_nothing),
		cmocka_unit_test(maintainers_of_the_touched_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
