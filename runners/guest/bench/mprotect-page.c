// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One page, again and again: read-only, writable, write.
 *
 * Counts: two mprotect() calls and, where the kernel left the pte read-only, a
 * fault, n times per thread; read, readwrite and write count that one step of
 * the loop alone (with the two readings of the clock around it).
 * Variants: one thread; threads2, two of them on a page each of one process; the
 * second is there and waiting when a round begins.
 * Parameters: n (400, for threads2 100).
 * Unit of work: one turn of the loop, all threads together.
 * Checks: the page holds the number of turns.
 * From: the linux-mm thread on avoiding TLB flushes in mprotect(). On one CPU no
 * other CPU has to be interrupted: what flushing costs there does not show.
 */
#include "bench.h"

#include <pthread.h>
#include <semaphore.h>

static char *mem;
static size_t page;
static uint64_t turns;
static unsigned int threads;
static sem_t go, done;

static void loop(char *p)
{
	*(uint64_t *)p = 0;
	for (uint64_t i = 0; i < turns; i++) {
		mprotect(p, page, PROT_READ);
		mprotect(p, page, PROT_READ | PROT_WRITE);
		++*(volatile uint64_t *)p;
	}
}

/* The time of one of the three steps, 0 to 2, over all turns. */
static uint64_t step_ns(int step)
{
	uint64_t t[4], sum = 0;

	*(uint64_t *)mem = 0;
	for (uint64_t i = 0; i < turns; i++) {
		t[0] = bench_now();
		mprotect(mem, page, PROT_READ);
		t[1] = bench_now();
		mprotect(mem, page, PROT_READ | PROT_WRITE);
		t[2] = bench_now();
		++*(volatile uint64_t *)mem;
		t[3] = bench_now();
		sum += t[step + 1] - t[step];
	}
	return sum;
}

static uint64_t first_step(void)
{
	return step_ns(0);
}

static uint64_t second_step(void)
{
	return step_ns(1);
}

static uint64_t third_step(void)
{
	return step_ns(2);
}

static void *second_thread(void *arg)
{
	for (;;) {
		sem_wait(&go);
		loop(mem + 2 * page);
		sem_post(&done);
	}
	return NULL;
}

static void rounds(void)
{
	if (threads > 1)
		sem_post(&go);
	loop(mem);
	if (threads > 1)
		sem_wait(&done);
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
	pthread_t t;

	bench_name = "mprotect-page";
	threads = strcmp(variant, "threads2") ? 1 : 2;
	if (!strcmp(variant, "read"))
		b.timed = first_step;
	if (!strcmp(variant, "readwrite"))
		b.timed = second_step;
	if (!strcmp(variant, "write"))
		b.timed = third_step;
	page = (size_t)sysconf(_SC_PAGESIZE);
	turns = bench_arg(argc, argv, "n", threads > 1 ? 100 : 400) / threads;
	/* a page between the two keeps their mappings from merging */
	mem = bench_small_pages(4 * page);
	mprotect(mem + page, page, PROT_NONE);
	sem_init(&go, 0, 0);
	sem_init(&done, 0, 0);
	if (threads > 1 && pthread_create(&t, NULL, second_thread, NULL))
		bench_not_applicable("no second thread");
	b.work = turns * threads;
	b.rounds = threads > 1 ? 100 : 0;
	return bench_run(&b);
}
