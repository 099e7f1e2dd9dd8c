/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_PARSE_POOL_H
#define MMCI_KERNEL_SERIES_PARSE_POOL_H

#include <stddef.h>

#include "lib/strbuf.h"

/** PARSE_POOL_DIED - parse_pool_take(): the input killed or stalled its parser */
#define PARSE_POOL_DIED 1

struct parse_pool;

/**
 * parse_pool_new() - child processes that turn bytes into bytes
 * @processes: how many, 0: one per processor, at most 4
 * @timeout_ms: one input may take so long
 * @fn: runs in a child; appends its answer, at most 64 MiB, to @out
 * @arg: for @fn; the child sees the value that it had when it was forked
 *
 * The children are forked when the first input comes, without exec, have no
 * descriptor but their pipes and stderr, and end with the pool or its process.
 * The caller must have SIGPIPE ignored.
 *
 * Return: the pool.
 */
struct parse_pool *parse_pool_new(unsigned int processes,
				  unsigned int timeout_ms,
				  void (*fn)(const void *in, size_t len,
					     struct strbuf *out, void *arg),
				  void *arg);
/** parse_pool_free() - end the children; NULL is fine */
void parse_pool_free(struct parse_pool *pool);
DEFINE_FREE(parse_pool, struct parse_pool *, parse_pool_free(_T))

/**
 * parse_pool_put() - queue one input, which is copied
 *
 * Return: 0, or -errno when no child could be started.
 */
int parse_pool_put(struct parse_pool *pool, const void *in, size_t len);
/**
 * parse_pool_take() - the answer to the oldest input that was put
 * @in: receives the input, replaced
 * @out: receives the answer, replaced
 * @wait: until there is one
 * @why: for %PARSE_POOL_DIED what happened to the parser
 *
 * Return: 0; %PARSE_POOL_DIED, the next input gets a new child; -EAGAIN when
 * there is no answer yet (not @wait), or nothing was put; -errno.
 */
int parse_pool_take(struct parse_pool *pool, struct strbuf *in,
		    struct strbuf *out, bool wait, struct strbuf *why);
/** parse_pool_pending() - bytes of input put and not taken */
size_t parse_pool_pending(const struct parse_pool *pool);

#endif
