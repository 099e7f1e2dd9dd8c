// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/loop.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include "lib/clock.h"
#include "lib/list.h"
#include "lib/strbuf.h"

struct watch {
	struct list_head node;
	int fd;
	bool dead;
	void (*fn)(int fd, uint32_t events, void *arg);
	void *arg;
};

struct loop_timer {
	struct list_head node;
	int64_t at_ms;
	void (*fn)(void *arg);
	void *arg;
};

struct handler {
	void (*fn)(int signo, void *arg);
	void *arg;
};

struct loop {
	int epoll_fd;
	int signal_fd;
	sigset_t signals;
	struct handler handlers[64];
	struct list_head watches;
	struct list_head timers; /* sorted by time */
	bool quit;
};

struct loop *loop_new(void)
{
	struct loop *l = xcalloc(1, sizeof(*l));

	l->signal_fd = -1;
	INIT_LIST_HEAD(&l->watches);
	INIT_LIST_HEAD(&l->timers);
	sigemptyset(&l->signals);
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll_fd < 0) {
		free(l);
		return NULL;
	}
	return l;
}

void loop_free(struct loop *l)
{
	struct loop_timer *t, *tn;
	struct watch *w, *wn;

	if (!l)
		return;
	list_for_each_entry_safe(t, tn, &l->timers, node)
		free(t);
	list_for_each_entry_safe(w, wn, &l->watches, node)
		free(w);
	if (l->signal_fd >= 0)
		close(l->signal_fd);
	close(l->epoll_fd);
	free(l);
}

int loop_add_fd(struct loop *l, int fd, uint32_t events,
		void (*fn)(int fd, uint32_t events, void *arg), void *arg)
{
	struct watch *w = xcalloc(1, sizeof(*w));
	struct epoll_event ev = { .events = events, .data.ptr = w };

	w->fd = fd;
	w->fn = fn;
	w->arg = arg;
	if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev)) {
		free(w);
		return -errno;
	}
	list_add_tail(&w->node, &l->watches);
	return 0;
}

void loop_del_fd(struct loop *l, int fd)
{
	struct watch *w;

	list_for_each_entry(w, &l->watches, node) {
		if (w->fd != fd || w->dead)
			continue;
		epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
		/* an event of this round may still point to it */
		w->dead = true;
		return;
	}
}

static void free_dead_watches(struct loop *l)
{
	struct watch *w, *n;

	list_for_each_entry_safe(w, n, &l->watches, node) {
		if (!w->dead)
			continue;
		list_del(&w->node);
		free(w);
	}
}

struct loop_timer *loop_add_timer(struct loop *l, int64_t delay_ms,
				  void (*fn)(void *arg), void *arg)
{
	struct loop_timer *t = xcalloc(1, sizeof(*t)), *pos;

	t->at_ms = clock_mono_ms() + max(delay_ms, (int64_t)0);
	t->fn = fn;
	t->arg = arg;
	list_for_each_entry(pos, &l->timers, node) {
		if (pos->at_ms > t->at_ms)
			break;
	}
	list_add_tail(&t->node, &pos->node);
	return t;
}

void loop_cancel_timer(struct loop *l, struct loop_timer *t)
{
	if (!t)
		return;
	list_del(&t->node);
	free(t);
}

static void on_signal(int fd, uint32_t events, void *arg)
{
	struct signalfd_siginfo si;
	struct loop *l = arg;

	while (read(fd, &si, sizeof(si)) == sizeof(si)) {
		const struct handler *h = &l->handlers[si.ssi_signo % 64];

		if (h->fn)
			h->fn((int)si.ssi_signo, h->arg);
	}
}

int loop_add_signal(struct loop *l, int signo,
		    void (*fn)(int signo, void *arg), void *arg)
{
	bool first = l->signal_fd < 0;
	int fd;

	sigaddset(&l->signals, signo);
	if (sigprocmask(SIG_BLOCK, &l->signals, NULL))
		return -errno;
	fd = signalfd(l->signal_fd, &l->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	l->signal_fd = fd;
	l->handlers[signo % 64].fn = fn;
	l->handlers[signo % 64].arg = arg;
	return first ? loop_add_fd(l, fd, EPOLLIN, on_signal, l) : 0;
}

static int run_timers(struct loop *l)
{
	while (!list_empty(&l->timers) && !l->quit) {
		struct loop_timer *t = list_first_entry(&l->timers,
							struct loop_timer,
							node);
		int64_t left = t->at_ms - clock_mono_ms();

		if (left > 0)
			return (int)min(left, (int64_t)INT_MAX);
		list_del(&t->node);
		t->fn(t->arg);
		free(t);
	}
	return -1;
}

int loop_run(struct loop *l)
{
	l->quit = false;
	while (!l->quit) {
		struct epoll_event ev[32];
		int n, wait_ms = run_timers(l);

		if (l->quit)
			break;
		n = epoll_wait(l->epoll_fd, ev, ARRAY_SIZE(ev), wait_ms);
		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n && !l->quit; i++) {
			struct watch *w = ev[i].data.ptr;

			if (!w->dead)
				w->fn(w->fd, ev[i].events, w->arg);
		}
		free_dead_watches(l);
	}
	return 0;
}

void loop_quit(struct loop *l)
{
	l->quit = true;
}
