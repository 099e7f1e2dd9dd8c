/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several processes that do one piece of work each, at once: started and parked
 * before a round, let go at its beginning, awaited at its end, so that making
 * them is not counted. On one CPU they take turns where they sleep or where a
 * tick falls.
 */
#ifndef MMCI_BENCH_PROCS_H
#define MMCI_BENCH_PROCS_H

#include "bench.h"

#include <signal.h>

#define BENCH_MAX_PROCS 64

static struct {
	unsigned int n;
	pid_t pid[BENCH_MAX_PROCS];
	int go[2];
	int done[2];
	unsigned int good;
} procs;

static void procs_child(unsigned int i, bool (*work)(unsigned int i))
{
	char c = 0;

	close(procs.go[1]);
	close(procs.done[0]);
	/* memory of our own is made ready here, while nobody counts */
	if (read(procs.go[0], &c, 1) != 1)
		_exit(1);
	c = (char)work(i);
	if (write(procs.done[1], &c, 1) != 1)
		_exit(1);
	/* the end of this process is not part of its work */
	for (;;)
		pause();
}

/* Before a round: @n processes, each waiting to call @work with its number. */
static void procs_start(unsigned int n, bool (*work)(unsigned int i))
{
	procs.n = n;
	if (n > BENCH_MAX_PROCS || pipe2(procs.go, O_CLOEXEC) ||
	    pipe2(procs.done, O_CLOEXEC))
		bench_not_applicable("%u processes: %s", n, strerror(errno));
	for (unsigned int i = 0; i < n; i++) {
		procs.pid[i] = fork();
		if (!procs.pid[i])
			procs_child(i, work);
		if (procs.pid[i] < 0)
			bench_not_applicable("fork: %s", strerror(errno));
	}
	/* let every one of them come to its read() */
	for (int i = 0; i < 4; i++)
		bench_after_tick();
}

/* The round: let all go and wait until each has said that it is through. */
static void procs_run(void)
{
	char c[BENCH_MAX_PROCS] = { 0 };
	unsigned int n = 0;

	procs.good = 0;
	if (write(procs.go[1], c, procs.n) != (ssize_t)procs.n)
		return;
	while (n < procs.n) {
		ssize_t got = read(procs.done[0], c, procs.n - n);

		if (got <= 0)
			return;
		for (ssize_t i = 0; i < got; i++)
			procs.good += c[i] != 0;
		n += (unsigned int)got;
	}
}

/* After a round: all of them gone, and each had done its work. */
static void procs_check(void)
{
	for (unsigned int i = 0; i < procs.n; i++) {
		kill(procs.pid[i], SIGKILL);
		waitpid(procs.pid[i], NULL, 0);
	}
	close(procs.go[0]);
	close(procs.go[1]);
	close(procs.done[0]);
	close(procs.done[1]);
	if (procs.good != procs.n)
		bench_not_applicable("%u of %u processes did their work",
				     procs.good, procs.n);
}

#endif
