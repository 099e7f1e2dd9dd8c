// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages moved to other places.
 *
 * Counts: nodes, move_pages() of a populated range to another memory node;
 * compact, a write to /proc/sys/vm/compact_memory while every second page of a
 * range is free.
 * Parameters: size_kib (512; for compact 131072).
 * Unit of work: one page asked to be moved; for compact one page left in place.
 * Checks: nodes, the status of every page is the node; compact, /proc/vmstat
 * counts pages that were migrated.
 * From: the common paths of every change to mm/migrate.c and mm/compaction.c.
 */
#include "bench.h"

#include <sys/syscall.h>

#define MAX_PAGES 1024
#define MPOL_MF_MOVE (1 << 1)

static char *mem;
static size_t bytes, page;
static bool compact;
static int failed;
static int target[MAX_PAGES], status[MAX_PAGES];
static void *addr[MAX_PAGES];
static long long before;

static void setup(void)
{
	mem = bench_small_pages(bytes);
	if (compact) {
		for (size_t i = 0; i < bytes; i += 2 * page)
			failed |= madvise(mem + i, page, MADV_DONTNEED);
		before = bench_stat("/proc/vmstat", "pgmigrate_success");
		return;
	}
	for (size_t i = 0; i < bytes / page; i++) {
		addr[i] = mem + i * page;
		target[i] = 1;
	}
}

static void rounds(void)
{
	if (compact)
		failed |= !bench_write("/proc/sys/vm/compact_memory", "1");
	else
		failed |= syscall(SYS_move_pages, 0, bytes / page, addr, target,
				  status, MPOL_MF_MOVE) != 0;
}

static void check(void)
{
	long long n;

	if (failed)
		bench_not_applicable("it fails: %s", strerror(errno));
	if (compact) {
		n = bench_stat("/proc/vmstat", "pgmigrate_success") - before;
		if (n <= 0)
			bench_not_applicable("nothing was migrated");
	} else {
		for (size_t i = 0; i < bytes / page; i++)
			if (status[i] != 1)
				bench_not_applicable("page %zu: status %d", i,
						     status[i]);
	}
	munmap(mem, bytes);
}

int main(int argc, char **argv)
{
	struct bench b = { .setup = setup, .round = rounds, .check = check };

	bench_name = "migrate";
	compact = !strcmp(bench_variant(argc, argv, "nodes"), "compact");
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = bench_arg(argc, argv, "size_kib", compact ? 131072 : 512) *
		1024;
	if (!compact && access("/sys/devices/system/node/node1", F_OK))
		bench_not_applicable("the guest has one memory node");
	if (!compact && bytes / page > MAX_PAGES)
		bench_not_applicable("more than %d pages", MAX_PAGES);
	if (compact && access("/proc/sys/vm/compact_memory", F_OK))
		bench_not_applicable("no compaction in this kernel");
	b.rounds = compact ? 4 : 0;
	b.work = compact ? bytes / page / 2 : bytes / page;
	return bench_run(&b);
}
