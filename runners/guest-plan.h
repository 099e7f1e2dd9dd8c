/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_GUEST_PLAN_H
#define MMCI_RUNNERS_GUEST_PLAN_H

/*
 * What the guest's init is to do, as lines of the file /plan:
 *
 *	write PATH VALUE		put VALUE into a file of /proc or /sys
 *	swapon PATH			use the disk PATH for swapping
 *	nobody				the next step has no privilege
 *	step TIMEOUT_S OUTPUT_BYTES	a program to run ...
 *	arg TEXT			... its path and arguments, one each
 *	run				... and now it runs
 */

#include <stddef.h>

#include "lib/strbuf.h"

/* As in runners/guest/init.c. */
#define GUEST_PLAN_MAX_ARGS 64

/**
 * struct guest_plan - a plan in the making
 * @text: the file
 * @timeouts_s: limit of each step, @n_steps of them
 * @n_steps: number of steps
 */
struct guest_plan {
	struct strbuf text;
	unsigned int *timeouts_s;
	size_t n_steps;
};

/** guest_plan_init() - an empty plan: boot and power off */
void guest_plan_init(struct guest_plan *plan);
/** guest_plan_release() - free what @plan holds */
void guest_plan_release(struct guest_plan *plan);
DEFINE_FREE(guest_plan, struct guest_plan, guest_plan_release(&_T))
/**
 * guest_plan_step() - add a step
 * @timeout_s: seconds it may take
 * @argv: path in the guest and arguments, NULL-terminated
 *
 * Return: 0; -EINVAL for no or too many arguments or one with a line feed.
 */
int guest_plan_step(struct guest_plan *plan, unsigned int timeout_s,
		    const char *const *argv);
/** guest_plan_write() - put @value into @path of the guest, best effort */
void guest_plan_write(struct guest_plan *plan, const char *path,
		      const char *value);
/** guest_plan_nobody() - the next step runs as user nobody */
void guest_plan_nobody(struct guest_plan *plan);
/** guest_plan_swapon() - swap to the disk @path of the guest, best effort */
void guest_plan_swapon(struct guest_plan *plan, const char *path);

#endif
