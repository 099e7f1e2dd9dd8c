// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One page, again and again: read-only, writable, write.
 *
 * Counts: two mprotect() calls and, where the kernel left the pte read-only, a
 * fault, n times per thread.
 * Variants: one thread; threads2, two of them on a page each of one process.
 * Parameters: n (400).
 * Unit of work: one turn of the loop, all threads together.
 * Checks: the page holds the number of turns.
 * From: the linux-mm thread on avoiding TLB flushes in mprotect(). On one CPU no
 * other CPU has to be interrupted: what flushing costs there does not show.
 */
#include "bench.h"

#include <pthread.h>

static char *mem;
static size_t page;
static uint64_t turns;
static unsigned int threads;

static void *loop(void *arg)
{
	char *p = arg;

	*(uint64_t *)p = 0;
	for (uint64_t i = 0; i < turns; i++) {
		mprotect(p, page, PROT_READ);
		mprotect(p, page, PROT_READ | PROT_WRITE);
		++*(volatile uint64_t *)p;
	}
	return NULL;
}

static void rounds(void)
{
	pthread_t t;
	bool second = threads > 1 &&
		      !pthread_create(&t, NULL, loop, mem + 2 * page);

	loop(mem);
	if (second)
		pthread_join(t, NULL);
}

static void check(void)
{
	for (unsigned int i = 0; i < threads; i++)
		if (*(uint64_t *)(mem + 2 * i * page) != turns)
			bench_not_applicable("thread %u did not finish", i);
}

int main(int argc, char **argv)
{
	const char *variant = bench_variant(argc, argv, "one");
	struct bench b = { .round = rounds, .check = check };

	bench_name = "mprotect-page";
	threads = strcmp(variant, "threads2") ? 1 : 2;
	page = (size_t)sysconf(_SC_PAGESIZE);
	turns = bench_arg(argc, argv, "n", 400) / threads;
	/* a page between the two keeps their mappings from merging */
	mem = bench_small_pages(4 * page);
	mprotect(mem + page, page, PROT_NONE);
	b.work = turns * threads;
	return bench_run(&b);
}
