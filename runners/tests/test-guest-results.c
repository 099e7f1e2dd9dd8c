// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runners/guest-results.h"

static const char stream[] =
	"H 0 11\n6.12.0 s390\n"
	"B 1 1\n0\n"
	"O 2 6\nok 1\nx\n"
	"O 3 2\ny\n\n"
	"E 4 13\n0 exit 4 17 0\n"
	"N 5 4\nwarn\n"
	"B 6 1\n1\n"
	"O 7 4\nhalf\n";

static void check_stream(const struct guest_results *g)
{
	assert_true(g->hello);
	assert_string_equal(g->release, "6.12.0 s390");
	assert_int_equal(g->steps[0].state, GUEST_STEP_EXIT);
	assert_int_equal(g->steps[0].code, 4);
	assert_int_equal(g->steps[0].ms, 17);
	assert_string_equal(g->steps[0].output.buf, "ok 1\nxy\n");
	assert_int_equal(g->steps[1].state, GUEST_STEP_RUNNING);
	assert_string_equal(g->steps[1].output.buf, "half");
	assert_int_equal(g->steps[2].state, GUEST_STEP_NOT_RUN);
	assert_int_equal(g->current, 1);
	assert_string_equal(g->notes.buf, "warn\n");
	assert_int_equal(g->lost, 0);
	assert_false(g->done);
}

static void reads_records_cut_anywhere(void **state)
{
	for (size_t cut = 0; cut <= sizeof(stream) - 1; cut++) {
		struct guest_results g __free(guest_results);

		guest_results_init(&g, 3);
		assert_int_equal(guest_results_port(&g, stream, cut), 0);
		assert_int_equal(guest_results_port(&g, stream + cut,
						    sizeof(stream) - 1 - cut),
				 0);
		check_stream(&g);
	}
}

static void a_stream_of_something_else_is_refused(void **state)
{
	static const char *const bad[] = {
		"this is no record but a sentence of some length\n",
		"O 0 513\n",
		"O 0 1\nabc\n",
		"O 0 99999999999\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct guest_results g __free(guest_results);

		guest_results_init(&g, 1);
		assert_int_equal(guest_results_port(&g, bad[i],
						    strlen(bad[i])), -EPROTO);
	}
}

/* The sum of type 'B' and data "0": ('B' * 31 + '0') & 0xffff. */
static void console_records_survive_kernel_messages(void **state)
{
	static const char text[] =
		"[    1.0] booting\r\n"
		"mmci>H 0 0048 \r\n"
		"[    1.1] mmci>B 1 082e 30\n"
		"mmci>B 1 082e 30\r\n"
		"mmci>O 2 08[    1.2] oops in between\n"
		"mmci>O 2 0f43 7\n"
		"mmci>O 3 0a0b 7a\n";
	struct guest_results g __free(guest_results);

	guest_results_init(&g, 1);
	for (const char *p = text; *p; p++)
		guest_results_console(&g, p, 1);
	assert_true(g.hello);
	assert_int_equal(g.steps[0].state, GUEST_STEP_RUNNING);
	assert_string_equal(g.steps[0].output.buf, "z");
	assert_int_equal(g.lost, 1);
}

static void a_guest_cannot_make_up_steps(void **state)
{
	static const char text[] = "B 0 2\n-1\nO 1 1\nx\nB 2 9\n123456789\n"
				   "E 3 13\n0 exit 0 17 0\n";
	struct guest_results g __free(guest_results);

	guest_results_init(&g, 1);
	assert_int_equal(guest_results_port(&g, text, strlen(text)), 0);
	assert_int_equal(g.steps[0].state, GUEST_STEP_NOT_RUN);
	assert_int_equal(g.current, -1);
}

static void endless_output_is_cut(void **state)
{
	struct strbuf chunk __free(strbuf) = STRBUF_INIT;
	struct guest_results g __free(guest_results);

	guest_results_init(&g, 1);
	assert_int_equal(guest_results_port(&g, "B 0 1\n0\n", 8), 0);
	for (int i = 0; i < 3000; i++) {
		strbuf_setf(&chunk, "O %d 512\n%512s\n", i + 1, "x");
		assert_int_equal(guest_results_port(&g, chunk.buf, chunk.len),
				 0);
	}
	assert_int_equal(g.steps[0].output.len, GUEST_OUTPUT_BYTES);
	assert_true(g.steps[0].cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_records_cut_anywhere),
		cmocka_unit_test(a_stream_of_something_else_is_refused),
		cmocka_unit_test(console_records_survive_kernel_messages),
		cmocka_unit_test(a_guest_cannot_make_up_steps),
		cmocka_unit_test(endless_output_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
