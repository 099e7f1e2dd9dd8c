/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_CLOCK_H
#define MMCI_LIB_CLOCK_H

#include <stdint.h>

/** clock_now_s() - seconds since the epoch, or the fake time if one is set */
int64_t clock_now_s(void);
/** clock_now_ms() - the same in milliseconds */
int64_t clock_now_ms(void);
/** clock_mono_ms() - CLOCK_MONOTONIC in milliseconds, never faked */
int64_t clock_mono_ms(void);
/** clock_fake() - answer @now_ms from now on; negative: the real time again */
void clock_fake(int64_t now_ms);

/**
 * clock_rfc3339() - "2026-11-30T23:05:23Z" into @buf (RFC 3339 section 5.6)
 *
 * Return: @buf.
 */
char *clock_rfc3339(int64_t at_s, char buf[static 32]);
/**
 * clock_rfc5322() - "Mon, 30 Nov 2026 23:05:23 +0000" (RFC 5322 section 3.3)
 *
 * Return: @buf.
 */
char *clock_rfc5322(int64_t at_s, char buf[static 48]);

#endif
