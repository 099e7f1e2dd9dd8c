// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/deadline.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

#include "lib/clock.h"
#include "lib/list.h"
#include "lib/strbuf.h"

struct entry {
	struct list_head list;
	const void *key;
	int fd;
	int64_t at_ms;
};

struct deadlines {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool stop;
	struct list_head entries;
};

/* Shut down what is over; when is the next one? INT64_MAX: none */
static int64_t sweep(struct deadlines *d)
{
	int64_t now = clock_mono_ms(), next = INT64_MAX;
	struct entry *e;

	list_for_each_entry(e, &d->entries, list) {
		if (e->at_ms <= now) {
			shutdown(e->fd, SHUT_RDWR);
			/* not again: its owner is about to close it */
			e->at_ms = INT64_MAX;
		}
		next = min(next, e->at_ms);
	}
	return next;
}

static void *watch(void *arg)
{
	struct deadlines *d = arg;

	pthread_mutex_lock(&d->lock);
	while (!d->stop) {
		int64_t next = sweep(d);
		struct timespec ts = { .tv_sec = next / 1000,
				       .tv_nsec = next % 1000 * 1000000 };

		if (next == INT64_MAX)
			pthread_cond_wait(&d->wake, &d->lock);
		else
			pthread_cond_timedwait(&d->wake, &d->lock, &ts);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

int deadlines_start(struct deadlines **ret)
{
	struct deadlines *d = xcalloc(1, sizeof(*d));
	pthread_condattr_t attr;
	sigset_t all, old;
	int r;

	pthread_mutex_init(&d->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&d->wake, &attr);
	pthread_condattr_destroy(&attr);
	INIT_LIST_HEAD(&d->entries);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&d->thread, NULL, watch, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r) {
		pthread_cond_destroy(&d->wake);
		pthread_mutex_destroy(&d->lock);
		free(d);
		return -r;
	}
	*ret = d;
	return 0;
}

void deadlines_stop(struct deadlines *d)
{
	struct entry *e, *next;

	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	d->stop = true;
	pthread_cond_signal(&d->wake);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	list_for_each_entry_safe(e, next, &d->entries, list)
		free(e);
	pthread_cond_destroy(&d->wake);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

static struct entry *find(struct deadlines *d, const void *key)
{
	struct entry *e;

	list_for_each_entry(e, &d->entries, list) {
		if (e->key == key)
			return e;
	}
	return NULL;
}

void deadlines_add(struct deadlines *d, const void *key, int fd,
		   unsigned int ms)
{
	struct entry *e = xcalloc(1, sizeof(*e));

	e->key = key;
	e->fd = fd;
	e->at_ms = clock_mono_ms() + ms;
	pthread_mutex_lock(&d->lock);
	list_add_tail(&e->list, &d->entries);
	pthread_cond_signal(&d->wake);
	pthread_mutex_unlock(&d->lock);
}

void deadlines_set(struct deadlines *d, const void *key, unsigned int ms)
{
	int64_t at_ms = clock_mono_ms() + ms;
	struct entry *e;
	bool sooner;

	pthread_mutex_lock(&d->lock);
	e = find(d, key);
	if (e) {
		sooner = at_ms < e->at_ms;
		e->at_ms = at_ms;
		/* a later one is noticed when the thread wakes up anyway */
		if (sooner)
			pthread_cond_signal(&d->wake);
	}
	pthread_mutex_unlock(&d->lock);
}

void deadlines_del(struct deadlines *d, const void *key)
{
	struct entry *e;

	pthread_mutex_lock(&d->lock);
	e = find(d, key);
	if (e) {
		list_del(&e->list);
		free(e);
	}
	pthread_mutex_unlock(&d->lock);
}
