// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "lib/child.h"
#include "lib/clock.h"

static int run(const char *script, const char *input, struct strbuf *out,
	       size_t max_bytes, int64_t timeout_ms, int *status)
{
	const char *argv[] = { "sh", "-c", script, NULL };
	struct child_spec spec = CHILD_SPEC_INIT;

	spec.argv = argv;
	return child_run(&spec, input, input ? strlen(input) : 0, out,
			 max_bytes, timeout_ms, status);
}

static void feeds_and_collects(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int status = -1;

	assert_int_equal(run("cat; exit 3", "hello", &out, 100, 5000, &status),
			 0);
	assert_string_equal(out.buf, "hello");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
}

static void a_big_input_does_not_deadlock(void **state)
{
	struct strbuf in __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int status = -1;

	for (int i = 0; i < 100000; i++)
		strbuf_addf(&in, "%08d\n", i);
	assert_int_equal(run("cat", in.buf, &out, 1 << 24, 20000, &status), 0);
	assert_int_equal(out.len, in.len);
	assert_memory_equal(out.buf, in.buf, in.len);
}

static void too_slow_is_killed_with_its_children(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int64_t start = clock_mono_ms();
	int status = -1;

	assert_int_equal(run("sleep 60 & sleep 60", NULL, &out, 100, 200,
			     &status), -ETIMEDOUT);
	assert_true(clock_mono_ms() - start < 5000);
}

static void too_much_output_is_cut(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int status = -1;

	assert_int_equal(run("yes", NULL, &out, 1000, 10000, &status), -EFBIG);
	assert_int_equal(out.len, 1000);
}

static void a_missing_program_is_an_error(void **state)
{
	const char *argv[] = { "/nonexistent/program", NULL };
	struct child_spec spec = CHILD_SPEC_INIT;
	struct child c;

	spec.argv = argv;
	assert_int_equal(child_spawn(&spec, &c), -ENOENT);
}

static void no_descriptor_leaks_in(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int status = -1;

	assert_int_equal(run("ls /proc/self/fd | wc -l", NULL, &out, 100, 5000,
			     &status), 0);
	/* 0, 1, 2 and the directory that ls itself reads */
	assert_string_equal(out.buf, "4\n");
}

static void named_descriptors_are_passed(void **state)
{
	const char *argv[] = { "sh", "-c", "ls /proc/self/fd | wc -l", NULL };
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct child_spec spec = CHILD_SPEC_INIT;
	int status = -1, fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	spec.argv = argv;
	spec.pass_fds[0] = fds[0];
	spec.pass_fds[1] = fds[1];
	assert_int_equal(child_run(&spec, NULL, 0, &out, 100, 5000, &status),
			 0);
	assert_string_equal(out.buf, "6\n");
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(feeds_and_collects),
		cmocka_unit_test(a_big_input_does_not_deadlock),
		cmocka_unit_test(too_slow_is_killed_with_its_children),
		cmocka_unit_test(too_much_output_is_cut),
		cmocka_unit_test(a_missing_program_is_an_error),
		cmocka_unit_test(no_descriptor_leaks_in),
		cmocka_unit_test(named_descriptors_are_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
