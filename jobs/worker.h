/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_WORKER_H
#define MMCI_JOBS_WORKER_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/loop.h"
#include "lib/strbuf.h"

struct worker;

/**
 * struct worker_spec - one child that reads what a stranger wrote
 * @program: the daemon's own binary
 * @name: which worker, see docs/design.md, section 10.3
 * @request: JSON for its stdin, borrowed
 * @timeout_s: killed after that
 * @feed: called with each piece of output as it comes; not 0 kills the worker.
 *	NULL: the output is collected and parsed as one JSON value
 * @done: called once, at the end. @answer: what it said, NULL with @feed or
 *	after a failure; @why: what went wrong, NULL when it ended well
 * @arg: for both
 */
struct worker_spec {
	const char *program;
	const char *name;
	const json_t *request;
	int64_t timeout_s;
	int (*feed)(const void *data, size_t len, struct strbuf *why,
		    void *arg);
	void (*done)(json_t *answer, const char *why, void *arg);
	void *arg;
};

/**
 * worker_start() - start a worker and return at once
 * @ret: for worker_stop(); invalid once @done has been called
 *
 * Return: 0 or -errno, then @done is not called.
 */
int worker_start(struct loop *loop, const struct worker_spec *spec,
		 struct worker **ret);
/** worker_stop() - kill it without calling @done; NULL is fine */
void worker_stop(struct worker *w);

#endif
