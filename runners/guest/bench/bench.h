/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest benchmarks share. Each is one small static program that takes
 * its parameters as name=value and prints one line for the host:
 *
 *	mmci-bench {"name": ..., "work": N, "samples": [ns, ...]}
 *	mmci-bench {"name": ..., "not_applicable": "reason"}
 *
 * A sample is CLOCK_MONOTONIC over one round, setup and checks excluded. Under
 * "-icount shift=0,sleep=off" the guest's clock advances 1 ns per instruction,
 * so that it is the number of instructions, user and kernel, of the round.
 *
 * Nothing is printed before the last round: what the host does with output
 * would be counted too.
 */
#ifndef MMCI_BENCH_H
#define MMCI_BENCH_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BENCH_ROUNDS 5

/**
 * struct bench - one benchmark
 * @name: printed, also names the parameters' variant
 * @work: operations in one round, for "instructions per operation"
 * @setup: before each round, not counted; may be NULL
 * @round: the counted part
 * @check: after each round, not counted: was the work done? may be NULL
 */
struct bench {
	const char *name;
	uint64_t work;
	void (*setup)(void);
	void (*round)(void);
	void (*check)(void);
};

static const char *bench_name;

/* The benchmark says nothing about this kernel, and why. */
__attribute__((format(printf, 1, 2), noreturn, unused))
static void bench_not_applicable(const char *fmt, ...)
{
	va_list ap;

	printf("mmci-bench {\"name\": \"%s\", \"not_applicable\": \"",
	       bench_name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\"}\n");
	exit(4);
}

/* A parameter "name=123" of the command line, or @dflt. */
__attribute__((unused))
static uint64_t bench_arg(int argc, char **argv, const char *name,
			  uint64_t dflt)
{
	size_t len = strlen(name);

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], name, len) && argv[i][len] == '=')
			return strtoull(argv[i] + len + 1, NULL, 0);
	return dflt;
}

__attribute__((unused))
static uint64_t bench_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Populated, private, anonymous memory in base pages. */
__attribute__((unused))
static char *bench_small_pages(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		bench_not_applicable("mmap of %zu bytes: %s", bytes,
				     strerror(errno));
	madvise(p, bytes, MADV_NOHUGEPAGE);
	memset(p, 1, bytes);
	return p;
}

static int bench_run(const struct bench *b)
{
	uint64_t ns[BENCH_ROUNDS];

	for (int i = 0; i < BENCH_ROUNDS; i++) {
		uint64_t start;

		if (b->setup)
			b->setup();
		start = bench_now_ns();
		b->round();
		ns[i] = bench_now_ns() - start;
		if (b->check)
			b->check();
	}
	printf("mmci-bench {\"name\": \"%s\", \"work\": %llu, \"samples\": [",
	       bench_name, (unsigned long long)b->work);
	for (int i = 0; i < BENCH_ROUNDS; i++)
		printf("%s%llu", i ? ", " : "", (unsigned long long)ns[i]);
	printf("]}\n");
	return 0;
}

#endif
