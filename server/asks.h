/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_SERVER_ASKS_H
#define MMCI_SERVER_ASKS_H

#include "jobs/engine.h"
#include "lib/loop.h"
#include "web/web.h"

/*
 * HTTP threads ask, the loop's thread answers: it alone writes the database.
 */

struct asks;

/** asks_new() - begin to serve @engine's answers from @loop; NULL on failure */
struct asks *asks_new(struct loop *loop, struct engine *engine);
/**
 * asks_close() - answer whoever waits with -ESHUTDOWN, and all later ones
 *
 * To be called on the loop's thread, before web_stop().
 */
void asks_close(struct asks *a);
/** asks_free() - after web_stop(); NULL is fine */
void asks_free(struct asks *a);
DEFINE_FREE(asks, struct asks *, asks_free(_T))
/** asks_ops - what web_start() gets, with the struct asks as argument */
extern const struct web_ops asks_ops;

#endif
