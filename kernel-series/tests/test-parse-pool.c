// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <dirent.h>
#include <cmocka.h>

#include "kernel-series/parse-pool.h"
#include "lib/clock.h"

/* Doubles its input; some inputs are poison. */
static void twice(const void *in, size_t len, struct strbuf *out, void *arg)
{
	if (len == 5 && !memcmp(in, "crash", 5))
		raise(SIGSEGV);
	if (len == 4 && !memcmp(in, "exit", 4))
		_exit(7);
	if (len == 5 && !memcmp(in, "stall", 5))
		pause();
	strbuf_add(out, in, len);
	strbuf_add(out, in, len);
}

static void put(struct parse_pool *pool, const char *s)
{
	assert_int_equal(parse_pool_put(pool, s, strlen(s)), 0);
}

static int take(struct parse_pool *pool, const char *in_want,
		const char *out_want, struct strbuf *why)
{
	struct strbuf in __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int r = parse_pool_take(pool, &in, &out, true, why);

	assert_string_equal(in.buf, in_want);
	assert_string_equal(out.buf, out_want);
	return r;
}

static void answers_come_in_order(void **state)
{
	struct parse_pool *pool __free(parse_pool) =
		parse_pool_new(3, 5000, twice, NULL);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct strbuf in __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	char text[32], want[64];

	assert_int_equal(parse_pool_take(pool, &in, &out, true, &why), -EAGAIN);
	for (int i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "%d", i);
		put(pool, text);
	}
	for (int i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "%d", i);
		snprintf(want, sizeof(want), "%d%d", i, i);
		assert_int_equal(take(pool, text, want, &why), 0);
	}
	assert_int_equal(parse_pool_pending(pool), 0);
	put(pool, "");
	assert_int_equal(take(pool, "", "", &why), 0);
}

/* Input and answer larger than any pipe, many at once: nobody may block. */
static void large_ones_do_not_deadlock(void **state)
{
	struct parse_pool *pool __free(parse_pool) =
		parse_pool_new(2, 20000, twice, NULL);
	struct strbuf big __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct strbuf in __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	for (int i = 0; i < 300000; i++)
		strbuf_addf(&big, "%08d", i);
	for (int i = 0; i < 6; i++)
		assert_int_equal(parse_pool_put(pool, big.buf, big.len), 0);
	assert_int_equal(parse_pool_pending(pool), 6 * big.len);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(parse_pool_take(pool, &in, &out, true, &why),
				 0);
		assert_int_equal(out.len, 2 * big.len);
		assert_memory_equal(out.buf + big.len, big.buf, big.len);
	}
}

static void poison_costs_itself_only(void **state)
{
	struct parse_pool *pool __free(parse_pool) =
		parse_pool_new(1, 3000, twice, NULL);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int64_t start = clock_mono_ms();

	put(pool, "a");
	put(pool, "crash");
	put(pool, "b");
	put(pool, "exit");
	put(pool, "stall");
	put(pool, "c");
	assert_int_equal(take(pool, "a", "aa", &why), 0);
	assert_int_equal(take(pool, "crash", "", &why), PARSE_POOL_DIED);
	assert_non_null(strstr(why.buf, "died: "));
	assert_int_equal(take(pool, "b", "bb", &why), 0);
	strbuf_reset(&why);
	assert_int_equal(take(pool, "exit", "", &why), PARSE_POOL_DIED);
	assert_string_equal(why.buf, "its parser died: exit 7");
	strbuf_reset(&why);
	assert_int_equal(take(pool, "stall", "", &why), PARSE_POOL_DIED);
	assert_string_equal(why.buf, "its parser took more than 3000 ms");
	assert_int_equal(take(pool, "c", "cc", &why), 0);
	assert_true(clock_mono_ms() - start < 60000);
}

static int open_fds(void)
{
	DIR *d __free(dir) = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	return n;
}

static void a_pool_leaves_nothing_behind(void **state)
{
	int before = open_fds();

	for (int i = 0; i < 3; i++) {
		struct parse_pool *pool __free(parse_pool) =
			parse_pool_new(4, 1000, twice, NULL);

		put(pool, "never taken");
		put(pool, "stall");
	}
	parse_pool_free(NULL);
	assert_int_equal(open_fds(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_come_in_order),
		cmocka_unit_test(large_ones_do_not_deadlock),
		cmocka_unit_test(poison_costs_itself_only),
		cmocka_unit_test(a_pool_leaves_nothing_behind),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("parse-pool", tests, NULL, NULL);
}
