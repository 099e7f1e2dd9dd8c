/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_DEADLINE_H
#define MMCI_WEB_DEADLINE_H

/*
 * The HTTP library's timeout starts anew with every byte, so one byte in ten
 * seconds holds a connection for ever. Here each has a moment at which its
 * socket is shut down, whatever trickles in.
 */

struct deadlines;

/** deadlines_start() - begin to watch, with a thread; 0 or -errno */
int deadlines_start(struct deadlines **ret);
/** deadlines_stop() - end the thread and free; NULL is fine */
void deadlines_stop(struct deadlines *d);
/** deadlines_add() - shut @fd down in @ms unless told otherwise */
void deadlines_add(struct deadlines *d, const void *key, int fd,
		   unsigned int ms);
/** deadlines_set() - a new deadline, @ms from now */
void deadlines_set(struct deadlines *d, const void *key, unsigned int ms);
/** deadlines_del() - forget it; before its descriptor is closed */
void deadlines_del(struct deadlines *d, const void *key);

#endif
