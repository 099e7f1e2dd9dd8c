// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <utime.h>
#include <cmocka.h>

#include "kernel-series/inbox-int.h"
#include "lib/fs.h"

/* A directory, what inbox_pull() gave from it, and the state it left. */
struct fixture {
	char *dir;
	char *path;
	struct strbuf got;
	struct strbuf why;
	json_t *state;
	int64_t full_len;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->dir = xstrdup("/tmp/test-inbox-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	f->path = xasprintf("%s/mbox", f->dir);
	strbuf_init(&f->got);
	strbuf_init(&f->why);
	f->state = json_object();
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fs_rm_rf(f->dir);
	free(f->dir);
	free(f->path);
	strbuf_release(&f->got);
	strbuf_release(&f->why);
	json_decref(f->state);
	free(f);
	return 0;
}

static int on_mail(const struct inbox_mail *mail, void *arg)
{
	struct fixture *f = arg;

	strbuf_add(&f->got, mail->raw, min(mail->len, (size_t)100));
	strbuf_addch(&f->got, '|');
	f->full_len = max(f->full_len, (int64_t)mail->full_len);
	return strstr(mail->raw, "stop here") ? -EINTR : 0;
}

static int on_state(const json_t *state, void *arg)
{
	struct fixture *f = arg;

	json_decref(f->state);
	f->state = json_deep_copy(state);
	strbuf_addch(&f->got, '!');
	return 0;
}

static int pull(struct fixture *f, const char *kind, const char *location,
		unsigned int batch)
{
	static const struct inbox_ops ops = { on_mail, on_state };
	json_t *before __free(json) = json_deep_copy(f->state);
	struct inbox_spec spec = { .kind = kind, .location = location,
				   .state = before, .batch = batch };

	strbuf_reset(&f->got);
	strbuf_reset(&f->why);
	return inbox_pull(&spec, &ops, f, &f->why);
}

/* Write the mbox and make it look as if nobody had touched it for a while. */
static void set_mbox(struct fixture *f, const char *text, size_t len)
{
	struct utimbuf then = { 1700000000, 1700000000 };
	FILE *out = fopen(f->path, "w");

	assert_non_null(out);
	fwrite(text, 1, len, out);
	fclose(out);
	utime(f->path, &then);
}

#define FROM "From a@example.org Mon Nov 30 23:05:23 2026\n"

static void an_mbox_gives_each_mail_once(void **state)
{
	static const char text[] = FROM "A: 1\n\nx\n>From y\n>>From z\n\n"
		FROM "A: 2\n\nFrom here on it is text\n\nFrom this too\n\n"
		FROM "A: 3\n\nno line end";
	struct fixture *f = *state;
	struct strbuf more __free(strbuf) = STRBUF_INIT;

	set_mbox(f, text, strlen(text));
	assert_int_equal(pull(f, "mbox", f->path, 2), 0);
	assert_string_equal(f->got.buf, "A: 1\n\nx\nFrom y\n>From z\n|"
		"A: 2\n\nFrom here on it is text\n\nFrom this too\n|!"
		"A: 3\n\nno line end|!");
	assert_int_equal(pull(f, "mbox", f->path, 2), 0);
	assert_string_equal(f->got.buf, "!");

	/* it grows: an empty line more or less before the next is no matter */
	strbuf_addstr(&more, text);
	strbuf_addstr(&more, "\n\n" FROM "A: 4\n\n");
	set_mbox(f, more.buf, more.len);
	assert_int_equal(pull(f, "mbox", f->path, 2), 0);
	assert_string_equal(f->got.buf, "A: 4\n|!");
}

static void an_mbox_that_was_replaced_is_read_again(void **state)
{
	static const char a[] = FROM "A: 1\n\n" FROM "A: 2\n\n";
	static const char b[] = FROM "A: 3\n\n";
	static const char c[] = FROM "A: long\n\n" FROM "A: 3\n\nx\n";
	struct fixture *f = *state;

	set_mbox(f, a, strlen(a));
	assert_int_equal(pull(f, "mbox", f->path, 0), 0);
	set_mbox(f, b, strlen(b));
	assert_int_equal(pull(f, "mbox", f->path, 0), 0);
	assert_string_equal(f->got.buf, "A: 3\n|!");
	/* longer than before, but something else stands where we stopped */
	set_mbox(f, c, strlen(c));
	assert_int_equal(pull(f, "mbox", f->path, 0), 0);
	assert_string_equal(f->got.buf, "A: long\n|A: 3\n\nx\n|!");
}

static void a_stop_between_two_states_repeats_and_loses_nothing(void **state)
{
	static const char text[] = FROM "A: 1\n\n" FROM "A: 2\n\n"
		FROM "A: stop here\n\n" FROM "A: 4\n\n";
	static const char cured[] = FROM "A: 1\n\n" FROM "A: 2\n\n"
		FROM "A: go on now\n\n" FROM "A: 4\n\n";
	struct fixture *f = *state;

	set_mbox(f, text, strlen(text));
	assert_int_equal(pull(f, "mbox", f->path, 2), -EINTR);
	assert_string_equal(f->got.buf, "A: 1\n|A: 2\n|!A: stop here\n|");
	set_mbox(f, cured, strlen(cured));
	assert_int_equal(pull(f, "mbox", f->path, 2), 0);
	assert_string_equal(f->got.buf, "A: go on now\n|A: 4\n|!!");
}

static void a_mail_too_large_is_cut_and_says_so(void **state)
{
	struct fixture *f = *state;
	struct strbuf big __free(strbuf) = STRBUF_INIT;

	strbuf_addstr(&big, FROM "A: big\n\n");
	while (big.len < INBOX_MAX_MAIL_BYTES + 1000)
		strbuf_addstr(&big, "0123456789abcdef\n");
	strbuf_addstr(&big, "\n" FROM "A: next\n");
	set_mbox(f, big.buf, big.len);
	f->full_len = 0;
	assert_int_equal(pull(f, "mbox", f->path, 1), 0);
	assert_true(starts_with(f->got.buf, "A: big\n"));
	assert_non_null(strstr(f->got.buf, "|!A: next\n|!"));
	assert_int_equal(f->full_len, big.len - strlen(FROM) -
			 strlen("\n" FROM "A: next\n"));
}

/* A mail that is being written now is waited for, or left for the next time. */
static void a_fresh_mbox_gets_a_moment_to_settle(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	assert_int_equal(fs_write_atomic(f->path, FROM "A: 1\n\n",
					 strlen(FROM) + 6), 0);
	assert_int_equal(pull(f, "mbox", f->path, 0), 0);
	assert_string_equal(f->got.buf, "A: 1\n|!");
	assert_int_equal(stat(f->path, &st), 0);
	assert_true(time(NULL) > st.st_mtime);
}

static void what_is_not_there_is_said_in_one_line(void **state)
{
	struct fixture *f = *state;
	char *empty __free(kfree) = xasprintf("%s/empty", f->dir);

	assert_int_equal(pull(f, "public-inbox", "/nonexistent", 0), -ENOENT);
	assert_string_equal(f->why.buf,
			    "/nonexistent: No such file or directory");
	assert_int_equal(pull(f, "mbox", f->path, 0), -ENOENT);
	assert_true(starts_with(f->why.buf, f->path));
	assert_int_equal(pull(f, "mbox", f->dir, 0), -EINVAL);
	assert_int_equal(pull(f, "maildir", f->dir, 0), -EINVAL);
	assert_int_equal(pull(f, "mbox", "", 0), -EINVAL);

	fs_mkdir_p(empty);
	assert_int_equal(pull(f, "public-inbox", empty, 0), -ENOTDIR);
	assert_non_null(strstr(f->why.buf, "not a public-inbox v2 archive"));
	set_mbox(f, "", 0);
	assert_int_equal(pull(f, "public-inbox", f->path, 0), -ENOTDIR);
	assert_int_equal(pull(f, "mbox", f->path, 0), 0);
	assert_string_equal(f->got.buf, "!");
	/* over HTTP a place to keep the mirror is needed */
	assert_int_equal(pull(f, "public-inbox", "http://127.0.0.1:1/x", 0),
			 -EINVAL);
}

static void sort(unsigned int n, const char *known, struct strbuf *out)
{
	struct inbox_epochs e __free(inbox_epochs) = { 0 };
	json_t *state __free(json) = json_object();

	for (; *known; known++)
		inbox_epoch_make(state, (unsigned int)(*known - '0'));
	/* as readdir() may give them */
	for (unsigned int i = 0; i < n; i++)
		inbox_epochs_add(&e, (i * 3 + 1) % n);
	inbox_epochs_sort(&e, state);
	strbuf_reset(out);
	for (size_t i = 0; i < e.nr; i++)
		strbuf_addf(out, "%u", e.v[i]);
}

static void the_newest_epoch_comes_first_but_only_once(void **state)
{
	struct strbuf got __free(strbuf) = STRBUF_INIT;

	sort(0, "", &got);
	assert_string_equal(got.buf, "");
	sort(5, "", &got);
	assert_string_equal(got.buf, "43210");
	sort(5, "3", &got);
	assert_string_equal(got.buf, "34210");
	sort(5, "24", &got);
	assert_string_equal(got.buf, "23410");
	sort(5, "01234", &got);
	assert_string_equal(got.buf, "01234");
}

static void epochs_before_the_time_are_not_wanted(void **state)
{
	json_t *s __free(json) = json_object();

	assert_true(inbox_epoch_wanted(s, 0));
	inbox_epoch_make(s, 4);
	assert_true(inbox_epoch_wanted(s, 3));
	json_set_bool(inbox_epoch_make(s, 3), "past", true);
	assert_false(inbox_epoch_wanted(s, 2));
	assert_true(inbox_epoch_wanted(s, 3));
	assert_true(inbox_epoch_wanted(s, 4));
	assert_true(inbox_epoch_wanted(s, 5));
}

static void epoch_names_are_strict(void **state)
{
	static const char *const bad[] = {
		"", ".git", "all.git", "1", "1.gi", "1.git.git", "01.git",
		"-1.git", "+1.git", " 1.git", "10000.git", "99999999999.git",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(inbox_epoch_number(bad[i]), -1);
	assert_int_equal(inbox_epoch_number("0.git"), 0);
	assert_int_equal(inbox_epoch_number("9999.git"), 9999);
}

int main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(an_mbox_gives_each_mail_once),
		T(an_mbox_that_was_replaced_is_read_again),
		T(a_stop_between_two_states_repeats_and_loses_nothing),
		T(a_mail_too_large_is_cut_and_says_so),
		T(a_fresh_mbox_gets_a_moment_to_settle),
		T(what_is_not_there_is_said_in_one_line),
		T(the_newest_epoch_comes_first_but_only_once),
		T(epochs_before_the_time_are_not_wanted),
		T(epoch_names_are_strict),
	};

	return cmocka_run_group_tests_name("inbox", tests, NULL, NULL);
}
