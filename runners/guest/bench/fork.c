// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes: fork with much memory, and exec.
 *
 * Counts: fork(), exit and wait4() of a child that touches nothing, n times; for
 * exec also execve() of this program, which exits at once.
 * Variants: fork, with a populated anonymous range; cow, where the child writes
 * to every page; exec.
 * Parameters: size_kib (512), n (1).
 * Unit of work: one process.
 * Checks: every child ended with the expected status.
 * From: the common paths of every change to mm/memory.c, mm/rmap.c, kernel/fork.c.
 */
#include "bench.h"

static const char *variant;
static char *mem;
static size_t bytes, page;
static uint64_t loops;
static uint64_t good;

static void child(void)
{
	static char *const argv[] = { (char *)"fork", (char *)"variant=exit",
				      NULL };
	static char *const env[] = { NULL };

	if (!strcmp(variant, "exec"))
		execve("/proc/self/exe", argv, env);
	if (!strcmp(variant, "cow"))
		for (size_t i = 0; i < bytes; i += page)
			mem[i] = 3;
	_exit(strcmp(variant, "exec") ? 7 : 1);
}

static void rounds(void)
{
	good = 0;
	for (uint64_t i = 0; i < loops; i++) {
		int status = 0;
		pid_t pid = fork();

		if (!pid)
			child();
		if (pid > 0 && waitpid(pid, &status, 0) == pid &&
		    WIFEXITED(status) && WEXITSTATUS(status) == 7)
			good++;
	}
}

static void check(void)
{
	if (good != loops)
		bench_not_applicable("%llu of %llu processes ran",
				     (unsigned long long)good,
				     (unsigned long long)loops);
}

int main(int argc, char **argv)
{
	struct bench b = { .round = rounds,
			   .check = check,
			   .settle_ticks = 10,
			   .rounds = 100 };

	bench_name = "fork";
	variant = bench_variant(argc, argv, "fork");
	if (!strcmp(variant, "exit"))
		_exit(7);
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = bench_arg(argc, argv, "size_kib", 512) * 1024;
	loops = bench_arg(argc, argv, "n", 1);
	mem = bench_small_pages(strcmp(variant, "exec") ? bytes : page);
	b.work = loops;
	return bench_run(&b);
}
