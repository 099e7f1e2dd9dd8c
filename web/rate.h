/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_RATE_H
#define MMCI_WEB_RATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How often each client may ask: a bucket that fills at a steady rate and from
 * which each request takes. A fixed number of buckets is kept, so that no crowd
 * of clients costs memory; the one unused for longest makes room.
 */

struct rate;

/**
 * rate_new() - start counting
 * @per_min: requests a minute in the long run
 * @burst: and at once, after a rest
 */
struct rate *rate_new(unsigned int per_min, unsigned int burst);
/** rate_free() - NULL is fine */
void rate_free(struct rate *r);
/**
 * rate_take() - may this client ask now? Any thread may call it.
 * @r: NULL: there is no limit
 * @cost: how many requests this one is worth
 * @now_ms: clock_mono_ms()
 *
 * Return: 0: yes; else after how many seconds.
 */
unsigned int rate_take(struct rate *r, const char *key, unsigned int cost,
		       int64_t now_ms);

#endif
