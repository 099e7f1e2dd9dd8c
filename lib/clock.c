// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t fake_ms = -1;

void clock_fake(int64_t now_ms)
{
	fake_ms = now_ms;
}

int64_t clock_now_ms(void)
{
	struct timespec ts;

	if (fake_ms >= 0)
		return fake_ms;
	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t clock_now_s(void)
{
	return clock_now_ms() / 1000;
}

int64_t clock_mono_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

char *clock_rfc3339(int64_t at_s, char buf[static 32])
{
	time_t t = (time_t)at_s;
	struct tm tm;

	memset(&tm, 0, sizeof(tm));
	gmtime_r(&t, &tm);
	strftime(buf, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return buf;
}

/* strftime()'s names follow the locale, a mail header must not. */
char *clock_rfc5322(int64_t at_s, char buf[static 48])
{
	static const char *const days[] = { "Sun", "Mon", "Tue", "Wed",
					    "Thu", "Fri", "Sat" };
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr",
					      "May", "Jun", "Jul", "Aug",
					      "Sep", "Oct", "Nov", "Dec" };
	time_t t = (time_t)at_s;
	struct tm tm;

	memset(&tm, 0, sizeof(tm));
	gmtime_r(&t, &tm);
	snprintf(buf, 48, "%s, %02d %s %04d %02d:%02d:%02d +0000",
		 days[tm.tm_wday % 7], tm.tm_mday, months[tm.tm_mon % 12],
		 tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return buf;
}
