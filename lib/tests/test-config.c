// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/config.h"
#include "lib/fs.h"

static int load(const char *text, struct config **c, struct strbuf *why)
{
	char path[] = "/tmp/mmci-config-XXXXXX";
	int fd = mkstemp(path), r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	r = config_load(path, c, why);
	unlink(path);
	return r;
}

static void defaults_and_values(void **state)
{
	struct config *c __free(config) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	assert_int_equal(load("state_dir = \"/x\"\n"
			      "matrix { arches = {x86_64, s390} }\n"
			      "source mm { location = \"/lists/mm\"\n"
			      " since = \"2026-01-02\" }\n", &c, &why), 0);
	assert_string_equal(c->state_dir, "/x");
	assert_int_equal(c->listen_port, 8070);
	assert_string_equal(c->public_url, "http://127.0.0.1:8070");
	assert_string_equal(c->mail.mode, "outbox");
	assert_int_equal(c->arches.n, 2);
	assert_string_equal(c->arches.v[1], "s390");
	assert_int_equal(c->n_sources, 1);
	assert_string_equal(c->sources[0].name, "mm");
	assert_int_equal(c->sources[0].since_s, 1767312000);
}

static void policies_are_read(void **state)
{
	struct config *c __free(config) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	assert_int_equal(load("mail { mode = send\n transport = maildir\n"
			      " maildir = \"/m\"\n}\n"
			      "policy mm { list = linux-mm\n"
			      " send = \"author+lists\"\n"
			      " quiet_hours = \"22-7\"\n"
			      " lists = {\"linux-mm@kvack.org\"}\n}\n"
			      "policy quiet { person = \"a@example.org\"\n"
			      " send = off\n clean = no\n}\n", &c, &why), 0);
	assert_int_equal(c->n_policies, 2);
	assert_string_equal(config_send_name(c->policies[0].level),
			    "author+lists");
	assert_int_equal(c->policies[0].quiet_from, 22);
	assert_int_equal(c->policies[0].quiet_to, 7);
	assert_int_equal(c->policies[0].clean, -1);
	assert_int_equal(c->policies[0].embargo_h, -1);
	assert_int_equal(c->policies[0].lists.n, 1);
	assert_int_equal(c->policies[1].level, 0);
	assert_int_equal(c->policies[1].clean, 0);
	assert_int_equal(c->policies[1].quiet_from, -1);
}

static void mistake(const char *text, const char *line, const char *what)
{
	struct config *c __free(config) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	assert_int_equal(load(text, &c, &why), -EINVAL);
	assert_non_null(strstr(why.buf, line));
	assert_non_null(strstr(why.buf, what));
	assert_null(strchr(why.buf, '\n'));
	assert_int_equal(why.buf[0], '/');
}

static void mistakes_name_line_and_cause(void **state)
{
	mistake("state_dir = \"/x\"\nlisten_prot = 1\n", ":2:", "listen_prot");
	mistake("settle_s = \"soon\"\n", ":1:", "settle_s");
	mistake("settle_s = -1\n", ":1:", "negative");
	mistake("mail { mode = \"spam\" }\n", ":1:", "outbox");
	mistake("matrix { arches = {riscv} }\n", ":1:", "riscv");
	mistake("source a { location = \"/a\" }\n"
		"source a { location = \"/b\" }\n", ":2:", "a");
	mistake("source a { poll_s = 1 }\n", "", "no location");
	mistake("source a { location = \"/a\"\n since = \"May\" }\n", "",
		"YYYY-MM-DD");
	/* the library itself takes both for a complete file */
	mistake("matrix {\n", ":3:", "\"matrix\" is not closed");
	mistake("source a { location = \"/a\"\n", ":3:", "is not closed");
	mistake("state_dir = \"/x\"\n/* source a {\n", ":", "comment");
	mistake("state_dir = \"/x\n", ":", "premature end");
	mistake("state_dir = \"/x\"\n}\n", ":2:", "closing brace");
	mistake("mail {\n mode = send\n}\n", ":", "transport is needed");
	mistake("mail {\n transport = maildir\n}\n", ":",
		"maildir is needed");
	mistake("policy a {\n send = loud\n}\n", ":2:", "author+lists");
	mistake("policy a {\n quiet_hours = \"7\"\n}\n", ":", "FROM-TO");
	mistake("policy a {\n quiet_hours = \"7-7\"\n}\n", ":", "FROM-TO");
	mistake("policy a {\n embargo_h = -1\n}\n", ":2:", "0 to 100000");
	mistake("policy a {\n}\npolicy a {\n}\n", ":", "a");
	mistake("listen_port = 65536\n", ":1:", "0 to 65535");
	mistake("make_jobs = 0\n", ":1:", "at least 1");
	mistake("state_dir = \"\"\n", ":1:", "must not be empty");
	mistake("matrix {\n arches = {}\n}\n", ":", "at least one entry");
}

static void a_missing_file_is_named(void **state)
{
	struct config *c __free(config) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	assert_int_equal(config_load("/nonexistent/mmcid.conf", &c, &why),
			 -ENOENT);
	assert_string_equal(why.buf, "/nonexistent/mmcid.conf: "
				     "No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_and_values),
		cmocka_unit_test(policies_are_read),
		cmocka_unit_test(mistakes_name_line_and_cause),
		cmocka_unit_test(a_missing_file_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
