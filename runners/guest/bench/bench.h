/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest benchmarks share. Each is one small static program that takes
 * its parameters as name=value and prints one line for the host:
 *
 *	mmci-bench {"name": ..., "work": N, "samples": [ns, ...]}
 *	mmci-bench {"name": ..., "not_applicable": "reason"}
 *
 * A sample is the guest's clock over one round, setup and checks excluded. Under
 * "-icount shift=0,sleep=off" that clock advances 1 ns per instruction, so that
 * it is the number of instructions, user and kernel, of the round.
 *
 * A timer tick inside a round would be counted too, and where ticks fall depends
 * on everything before. So each round begins right after a tick and is meant to
 * end before the next one: 4 ms, that is 4 million instructions, with 250 ticks
 * a second. Nothing is printed before the last round, for the same reason.
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

#define BENCH_ROUNDS 25
#define BENCH_MAX_ROUNDS 100

/**
 * struct bench - one benchmark
 * @name: printed, also names the parameters' variant
 * @work: operations in one round, for "instructions per operation"
 * @setup: before each round, not counted; may be NULL
 * @round: the counted part
 * @timed: instead of @round, for one step out of many: does all and returns the
 *	sum of what it saw bench_now() advance in the counted ones
 * @check: after each round, not counted: was the work done? may be NULL
 * @settle_ticks: ticks to wait before a round, for what ended processes leave to
 *	be freed later; 0: one
 * @rounds: how often, at most %BENCH_MAX_ROUNDS; 0: %BENCH_ROUNDS. Where objects
 *	come from caches that are refilled now and then, more rounds meet the
 *	case without a refill several times.
 */
struct bench {
	const char *name;
	uint64_t work;
	void (*setup)(void);
	void (*round)(void);
	uint64_t (*timed)(void);
	void (*check)(void);
	unsigned int settle_ticks;
	unsigned int rounds;
};

static const char *bench_name;

/* "variant=NAME" of the command line, or @dflt: one program, several cases. */
__attribute__((unused)) static const char *bench_variant(int argc, char **argv,
							 const char *dflt)
{
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "variant=", 8))
			return argv[i] + 8;
	return dflt;
}

/* The benchmark says nothing about this kernel, and why. */
__attribute__((format(printf, 1, 2), noreturn, unused)) static void
bench_not_applicable(const char *fmt, ...)
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
__attribute__((unused)) static uint64_t
bench_arg(int argc, char **argv, const char *name, uint64_t dflt)
{
	size_t len = strlen(name);

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], name, len) && argv[i][len] == '=')
			return strtoull(argv[i] + len + 1, NULL, 0);
	return dflt;
}

/*
 * The guest's clock in nanoseconds, which are instructions when it counts them.
 * The time stamp counter is exact there; CLOCK_MONOTONIC multiplies it by a
 * factor calibrated at boot, which cost up to two in two million.
 */
static uint64_t bench_now(void)
{
#if defined(__x86_64__)
	uint32_t lo, hi;

	__asm__ __volatile__("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
#endif
}

/* First line of a file of /proc or /sys; false if it cannot be read. */
__attribute__((unused)) static bool bench_read(const char *path, char *buf,
					       size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

/* Put @value into a file of /proc or /sys. */
__attribute__((unused)) static bool bench_write(const char *path,
						const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, value, strlen(value)) > 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* The number after "KEY:" in /proc/meminfo, in KiB or pages; -1 without it. */
__attribute__((unused)) static long long bench_meminfo(const char *key)
{
	FILE *f = fopen("/proc/meminfo", "re");
	size_t len = strlen(key);
	char line[256];
	long long v = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, len) && line[len] == ':')
			v = atoll(line + len + 1);
	if (f)
		fclose(f);
	return v;
}

/* Pages of [p, p + bytes) that are in memory, as mincore() sees it. */
__attribute__((unused)) static size_t bench_resident(void *p, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 0;
	unsigned char *v = malloc(bytes / page);

	if (v && !mincore(p, bytes, v))
		for (size_t i = 0; i < bytes / page; i++)
			n += v[i] & 1;
	free(v);
	return n;
}

/* Private anonymous memory, untouched, aligned to @align (a power of two). */
__attribute__((unused)) static char *bench_map(size_t bytes, size_t align)
{
	char *p = mmap(NULL, bytes + align, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		bench_not_applicable("mmap of %zu bytes: %s", bytes,
				     strerror(errno));
	return (char *)(((uintptr_t)p + align - 1) & ~(align - 1));
}

/* Populated, private, anonymous memory in base pages. */
__attribute__((unused)) static char *bench_small_pages(size_t bytes)
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

/* Size of a PMD's huge page in bytes; a kernel without them is not asked. */
__attribute__((unused)) static size_t bench_pmd_bytes(void)
{
	char text[32];

	if (!bench_read("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
			text, sizeof(text)))
		bench_not_applicable("no transparent huge pages");
	return strtoull(text, NULL, 10);
}

/* A number out of a file of "NAME VALUE" lines such as /proc/vmstat; or -1. */
__attribute__((unused)) static long long bench_stat(const char *path,
						    const char *name)
{
	FILE *f = fopen(path, "re");
	size_t len = strlen(name);
	char line[256];
	long long v = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && line[len] == ' ')
			v = atoll(line + len + 1);
	if (f)
		fclose(f);
	return v;
}

/* Without high resolution timers a sleep ends in a tick; with them it is as good. */
static void bench_after_tick(void)
{
	struct timespec shortest = { 0, 1 };

	nanosleep(&shortest, NULL);
	nanosleep(&shortest, NULL);
}

static int bench_run(const struct bench *b)
{
	unsigned int n = b->rounds ? b->rounds : BENCH_ROUNDS;
	uint64_t ns[BENCH_MAX_ROUNDS];

	for (unsigned int i = 0; i < n; i++) {
		uint64_t start;

		if (b->setup)
			b->setup();
		for (unsigned int k = 0; k <= b->settle_ticks; k++)
			bench_after_tick();
		start = bench_now();
		if (b->timed) {
			ns[i] = b->timed();
		} else {
			b->round();
			ns[i] = bench_now() - start;
		}
		if (b->check)
			b->check();
	}
	printf("mmci-bench {\"name\": \"%s\", \"work\": %llu, \"samples\": [",
	       bench_name, (unsigned long long)b->work);
	for (unsigned int i = 0; i < n; i++)
		printf("%s%llu", i ? ", " : "", (unsigned long long)ns[i]);
	printf("]}\n");
	return 0;
}

#endif
