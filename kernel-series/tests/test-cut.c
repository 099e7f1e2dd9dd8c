// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "kernel-series/mail.h"
#include "kernel-series/mbox.h"
#include "kernel-series/parse.h"
#include "kernel-series/tests/corpora.h"
#include "lib/clock.h"
#include "lib/json.h"

/*
 * Every file of the corpora, cut off at many lengths and with bytes changed:
 * a reader must neither crash nor hang. With MMCI_TEST_LONG=1 each mail at each
 * of its lengths, by SHARES processes; else as many as fit into a share of about
 * 20 seconds. A sanitizer's finding ends a process, and with it the case.
 */
#define BUDGET_MS 20000
#define SHARES 2

struct cut_case {
	char *path, *name;
	size_t nr_cases;
};

static void read_all_ways(const char *data, size_t len, bool series)
{
	static const char *const kinds[] = { "mail", "diff", "commands" };
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	json_t *ret = NULL;
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		r = parse_file_json(kinds[i], data, len, NULL, &ret, &why);
		assert_true(r == 0 || r == PARSE_REFUSED);
		json_decref(ret);
		ret = NULL;
	}
	fixup_diff(data, len, &out);
	if (!series)
		return;
	assert_int_equal(
		parse_file_json("series", data, len, NULL, &ret, &why), 0);
	json_decref(ret);
}

/* A copy of exactly @len bytes, so that one byte too far is seen. */
static void read_cut(const struct strbuf *in, size_t len, bool series)
{
	char *exact __free(kfree) = xmalloc(len ? len : 1);

	memcpy(exact, in->buf, len);
	read_all_ways(exact, len, series);
}

/* The same bytes with one of them replaced by one that means something. */
static void read_changed(struct strbuf *in, size_t at, bool series)
{
	static const char bytes[] = "\0\n\r <>@:=?\"(-+\xff";
	char old = in->buf[at];

	in->buf[at] = bytes[at % (sizeof(bytes) - 1)];
	read_all_ways(in->buf, in->len, series);
	in->buf[at] = old;
}

/* A mail cut at @len, read as one: that reads diff, tags and commands too. */
static void read_as_mail(const struct strbuf *in, size_t len)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct mail *m __free(mail) = NULL;
	char *exact __free(kfree) = xmalloc(len ? len : 1);
	json_t *fields;

	memcpy(exact, in->buf, len);
	if (mail_parse_lenient(exact, len, &m, &why))
		return;
	fields = mail_to_json(m);
	json_decref(fields);
	mail_fixup_diff(m, &out);
	mail_patch_mbox(m, &out);
}

/* Each mail of the file on its own, at each of its lengths. */
static size_t cut_each_mail(const struct strbuf *in, size_t share)
{
	struct strbuf mail __free(strbuf) = STRBUF_INIT;
	struct mbox mb;
	size_t n = 0;

	mbox_init(&mb, in->buf, in->len);
	while (mbox_next(&mb, &mail))
		for (size_t at = share; at <= mail.len; at += SHARES, n++)
			read_as_mail(&mail, at);
	return n;
}

/* Runs in a child, so that two cores are of use; says how much it has cut. */
__attribute__((noreturn))
static void cut_share(const struct strbuf *in, size_t share, int to_fd)
{
	size_t n = cut_each_mail(in, share);

	for (size_t at = 61 * share; at <= in->len; at += 61 * SHARES, n++)
		read_cut(in, at, true);
	_exit(write(to_fd, &n, sizeof(n)) != sizeof(n));
}

static void cut_at_every_length(const struct strbuf *in)
{
	size_t all = 0, want = in->len / 61 + 1, n;
	struct strbuf mail __free(strbuf) = STRBUF_INIT;
	struct mbox mb;
	int fds[2], status;

	mbox_init(&mb, in->buf, in->len);
	while (mbox_next(&mb, &mail))
		want += mail.len + 1;
	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	for (size_t share = 0; share < SHARES; share++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid)
			cut_share(in, share, fds[1]);
	}
	for (size_t share = 0; share < SHARES; share++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
		assert_int_equal(read(fds[0], &n, sizeof(n)), sizeof(n));
		all += n;
	}
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(all, want);
	print_message("# %zu cuts\n", all);
}

static void cut_everywhere(void **state)
{
	const struct cut_case *c = *state;
	struct strbuf in __free(strbuf) = STRBUF_INIT;
	int64_t end_ms, start_ms = clock_mono_ms();
	size_t at, stride;

	assert_int_equal(fs_read_file(c->path, 8 << 20, &in), 0);
	end_ms = start_ms + BUDGET_MS / (int64_t)c->nr_cases;
	if (getenv("MMCI_TEST_LONG")) {
		cut_at_every_length(&in);
		return;
	}
	/* a stride that shares no factor with the length visits all of them */
	read_cut(&in, in.len, true);
	for (stride = in.len / 61 + 7; in.len % stride == 0 && stride > 1;)
		stride++;
	at = 0;
	for (size_t n = 0; n < in.len && clock_mono_ms() < end_ms; n++) {
		at = (at + stride) % (in.len + 1);
		read_cut(&in, at, n % 4 == 0);
		if (n % 3 == 0 && at < in.len)
			read_changed(&in, at, n % 12 == 0);
	}
}

static void not_run(void **state)
{
	(void)state;
}

static void add_files(const char *folder, struct cut_case **cases, size_t *nr)
{
	char *path __free(kfree) = xasprintf("%s/%s", corpora_dir(), folder);
	DIR *d __free(dir) = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct cut_case c;

		if (!ends_with(e->d_name, ".mbox") &&
		    !ends_with(e->d_name, ".eml") &&
		    !ends_with(e->d_name, ".txt"))
			continue;
		c.path = xasprintf("%s/%s", path, e->d_name);
		c.name = xasprintf("%s/%s", folder, e->d_name);
		*cases = xrealloc_array(*cases, *nr + 1, sizeof(c));
		(*cases)[(*nr)++] = c;
	}
}

int main(void)
{
	static const char *const folders[] = { "mail", "mail-commands", "fuzz",
					       "series", "../series" };
	struct cut_case *cases = NULL;
	struct CMUnitTest *tests;
	size_t nr = 0;
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		add_files(folders[i], &cases, &nr);
	tests = xcalloc(nr + 1, sizeof(*tests));
	for (size_t i = 0; i < nr; i++) {
		cases[i].nr_cases = nr;
		tests[i].name = cases[i].name;
		tests[i].test_func = cut_everywhere;
		tests[i].initial_state = &cases[i];
	}
	if (!nr) {
		tests[0].name = "cut mails # SKIP no corpora (MMCI_CORPORA)";
		tests[0].test_func = not_run;
	}
	r = _cmocka_run_group_tests("cut", tests, nr ? nr : 1, NULL, NULL);
	for (size_t i = 0; i < nr; i++) {
		free(cases[i].path);
		free(cases[i].name);
	}
	free(cases);
	free(tests);
	return r;
}
