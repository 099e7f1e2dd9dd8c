// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <cmocka.h>

#include "lib/loop.h"
#include "lib/strbuf.h"

struct seen {
	struct loop *l;
	struct strbuf order;
	struct loop_timer *never;
	int fd;
};

static void on_early(void *arg)
{
	struct seen *s = arg;

	strbuf_addch(&s->order, 'e');
	loop_cancel_timer(s->l, s->never);
}

static void on_never(void *arg)
{
	struct seen *s = arg;

	strbuf_addch(&s->order, '!');
}

static void on_late(void *arg)
{
	struct seen *s = arg;

	strbuf_addch(&s->order, 'l');
	raise(SIGUSR1);
}

static void on_usr1(int signo, void *arg)
{
	struct seen *s = arg;

	strbuf_addch(&s->order, 's');
	loop_quit(s->l);
}

static void on_pipe(int fd, uint32_t events, void *arg)
{
	struct seen *s = arg;

	strbuf_addch(&s->order, 'p');
	loop_del_fd(s->l, fd);
}

static void everything_comes_in_its_order(void **state)
{
	struct loop *l __free(loop) = loop_new();
	struct seen s = { .l = l, .order = STRBUF_INIT };
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(loop_add_signal(l, SIGUSR1, on_usr1, &s), 0);
	assert_int_equal(loop_add_fd(l, fds[0], EPOLLIN, on_pipe, &s), 0);
	loop_add_timer(l, 60, on_late, &s);
	s.never = loop_add_timer(l, 40, on_never, &s);
	loop_add_timer(l, 20, on_early, &s);
	assert_int_equal(loop_run(l), 0);
	assert_string_equal(s.order.buf, "pels");
	strbuf_release(&s.order);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_comes_in_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
