// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "web/log.h"

static char dir[] = "/tmp/mmci-log-XXXXXX";

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	return fs_rm_rf(dir);
}

static json_t *window(const struct strbuf *text, int64_t line)
{
	char *path __free(kfree) = xasprintf("%s/w/log", dir);
	int fd __free(fd) = -1;
	json_t *v = NULL;

	assert_int_equal(fs_mkdir_parent(path), 0);
	assert_int_equal(fs_write_atomic(path, text->buf, text->len), 0);
	fd = log_open(dir, "w");
	assert_true(fd >= 0);
	assert_int_equal(log_window(fd, line, &v), 0);
	return v;
}

static const char *line_at(const json_t *v, size_t i)
{
	json_t *lines = json_object_get(v, "lines");

	return json_get_str(json_array_get(lines, i), "text", NULL);
}

static void add_lines(struct strbuf *sb, int from, int to)
{
	for (int i = from; i <= to; i++)
		strbuf_addf(sb, "line %d\n", i);
}

static void it_opens_at_the_first_error(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *v __free(json) = NULL;

	add_lines(&sb, 1, 4999);
	strbuf_addstr(&sb, "mm/x.c:1:2: error: bad\n");
	add_lines(&sb, 5001, 9000);
	v = window(&sb, 0);
	assert_int_equal(json_get_int(v, "n_lines", 0), 9000);
	assert_int_equal(json_get_int(v, "first_error", 0), 5000);
	assert_int_equal(json_get_int(v, "first", 0), 4980);
	assert_int_equal(json_get_int(v, "last", 0), 5479);
	assert_string_equal(line_at(v, 0), "line 4980");
	assert_string_equal(line_at(v, 20), "mm/x.c:1:2: error: bad");
	assert_string_equal(line_at(v, 499), "line 5479");
	assert_null(line_at(v, 500));
}

static void windows_join_without_gap(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	int64_t line = 1, next = 1;
	int windows = 0;

	add_lines(&sb, 1, 1777);
	while (line) {
		json_t *v __free(json) = window(&sb, line);

		assert_true(json_get_int(v, "first", 0) <= next);
		next = json_get_int(v, "last", 0) + 1;
		line = json_get_int(v, "after", 0);
		assert_true(++windows < 10);
	}
	assert_int_equal(next, 1778);
	line = 1777;
	while (line) {
		json_t *v __free(json) = window(&sb, line);

		assert_true(json_get_int(v, "last", 0) >= next - 1);
		next = json_get_int(v, "first", 0);
		line = json_get_int(v, "before", 0);
		assert_true(++windows < 20);
	}
	assert_int_equal(next, 1);
}

static void marks_are_found_and_bounded(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *v __free(json) = NULL;
	json_t *marks;

	strbuf_addstr(&sb, "==> patch 1\n");
	for (int i = 0; i < 1000; i++)
		strbuf_addstr(&sb, "a.c:1:1: warning: w\n");
	strbuf_addstr(&sb, "a.c:1:1: error: e\n");
	v = window(&sb, 0);
	marks = json_object_get(v, "marks");
	assert_int_equal(json_array_size(marks), 202);
	assert_true(json_get_bool(v, "more_marks", false));
	assert_string_equal(json_get_str(json_array_get(marks, 0), "kind", ""),
			    "stage");
	assert_int_equal(json_get_int(json_array_get(marks, 201), "line", 0),
			 1002);
}

static void lines_of_any_length_are_cut(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *v __free(json) = NULL;

	for (int i = 0; i < 700000; i++)
		strbuf_addch(&sb, 'x');
	strbuf_addstr(&sb, "\nsecond\nno newline");
	v = window(&sb, 1);
	assert_int_equal(json_get_int(v, "n_lines", 0), 3);
	assert_true(strlen(line_at(v, 0)) < 2100);
	assert_non_null(strstr(line_at(v, 0), "[line cut at 2000 bytes]"));
	assert_string_equal(line_at(v, 1), "second");
	assert_string_equal(line_at(v, 2), "no newline");
}

static void an_empty_log_is_empty(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *v __free(json) = window(&sb, 0);

	assert_int_equal(json_get_int(v, "n_lines", -1), 0);
	assert_null(line_at(v, 0));
	json_decref(v);
	v = window(&sb, INT64_MAX);
	assert_null(line_at(v, 0));
}

static void only_a_plain_file_below_the_state_is_read(void **state)
{
	char *link __free(kfree) = xasprintf("%s/l/log", dir);
	char *fifo __free(kfree) = xasprintf("%s/f/log", dir);

	assert_int_equal(fs_mkdir_parent(link), 0);
	assert_int_equal(fs_mkdir_parent(fifo), 0);
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(log_open(dir, "l"), -ENOENT);
	assert_int_equal(log_open(dir, "f"), -ENOENT);
	assert_int_equal(log_open(dir, "none"), -ENOENT);
	assert_int_equal(log_open(dir, "../w"), -ENOENT);
	assert_int_equal(log_open(dir, "/etc"), -ENOENT);
	assert_int_equal(log_open(dir, ""), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_opens_at_the_first_error),
		cmocka_unit_test(windows_join_without_gap),
		cmocka_unit_test(marks_are_found_and_bounded),
		cmocka_unit_test(lines_of_any_length_are_cut),
		cmocka_unit_test(an_empty_log_is_empty),
		cmocka_unit_test(only_a_plain_file_below_the_state_is_read),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
