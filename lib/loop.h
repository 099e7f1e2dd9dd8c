/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_LOOP_H
#define MMCI_LIB_LOOP_H

#include <stdint.h>

#include "lib/cleanup.h"

struct loop;
struct loop_timer;

/** loop_new() - an event loop over epoll(7); NULL without resources */
struct loop *loop_new(void);
/** loop_free() - free the loop and all timers; descriptors stay the caller's */
void loop_free(struct loop *l);
DEFINE_FREE(loop, struct loop *, loop_free(_T))

/**
 * loop_add_fd() - call @fn when @fd is ready for @events (EPOLLIN, ...)
 *
 * The registration lasts until loop_del_fd(). Return: 0 or -errno.
 */
int loop_add_fd(struct loop *l, int fd, uint32_t events,
		void (*fn)(int fd, uint32_t events, void *arg), void *arg);
/** loop_del_fd() - forget @fd; call it before closing the descriptor */
void loop_del_fd(struct loop *l, int fd);
/**
 * loop_add_timer() - call @fn once, @delay_ms from now
 *
 * Return: a handle that is valid until @fn is called or it is cancelled.
 */
struct loop_timer *loop_add_timer(struct loop *l, int64_t delay_ms,
				  void (*fn)(void *arg), void *arg);
/** loop_cancel_timer() - @t is not called any more; NULL is fine */
void loop_cancel_timer(struct loop *l, struct loop_timer *t);
/**
 * loop_add_signal() - block @signo in this thread and call @fn when it arrives
 *
 * Call it before other threads start, they inherit the mask. One loop at most
 * may use signals. Return: 0 or -errno.
 */
int loop_add_signal(struct loop *l, int signo,
		    void (*fn)(int signo, void *arg), void *arg);
/** loop_run() - serve events until loop_quit(); return 0 or -errno */
int loop_run(struct loop *l);
/** loop_quit() - make loop_run() return after the current callback */
void loop_quit(struct loop *l);

#endif
