// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Anonymous memory out to swap and in again, on a disk of the guest's memory.
 *
 * Counts: out, madvise(MADV_PAGEOUT) over a populated range; in, a read of every
 * page after that.
 * Parameters: size_kib (256; for out 128).
 * Unit of work: one page.
 * Checks: after out no page is in memory and the process has the range in swap;
 * after in every page is there with what was in it.
 * The disk is /dev/ram0 of CONFIG_BLK_DEV_RAM: no host, no interrupt, a copy.
 * From: the common paths of every change to mm/swapfile.c, mm/vmscan.c.
 */
#include "bench.h"

#include <sys/swap.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#define DISK "/dev/ram0"

static char *mem;
static size_t bytes, page;
static bool in;
static int failed;
static volatile char sink;

/* What of this process is in swap; slots are kept per CPU, SwapFree lags. */
static long long swapped_kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "re");
	char line[256];
	long long v = -1;

	while (f && v < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Swap:", 5))
			v = atoll(line + 5);
	if (f)
		fclose(f);
	return v;
}

static void setup(void)
{
	mem = bench_small_pages(bytes);
	for (size_t i = 0; i < bytes; i += page)
		mem[i] = (char)(1 + i / page % 100);
	if (in && madvise(mem, bytes, MADV_PAGEOUT))
		bench_not_applicable("MADV_PAGEOUT: %s", strerror(errno));
	if (in && bench_resident(mem, bytes))
		bench_not_applicable("%zu of %zu pages were not swapped out",
				     bench_resident(mem, bytes), bytes / page);
}

static void rounds(void)
{
	if (!in) {
		failed |= madvise(mem, bytes, MADV_PAGEOUT);
		return;
	}
	for (size_t i = 0; i < bytes; i += page)
		sink = mem[i];
}

static void check(void)
{
	long long kib = swapped_kib();
	size_t there = bench_resident(mem, bytes);

	if (failed || (!in && there))
		bench_not_applicable("%zu of %zu pages were not swapped out",
				     there, bytes / page);
	if (!in && kib * 1024 < (long long)bytes)
		bench_not_applicable("%lld of %zu KiB are in swap", kib,
				     bytes / 1024);
	for (size_t i = 0; i < bytes; i += page)
		if (mem[i] != (char)(1 + i / page % 100))
			bench_not_applicable("page %zu came back wrong",
					     i / page);
	munmap(mem, bytes);
}

/* What mkswap(8) writes: include/linux/swap.h, union swap_header. */
static void make_swap(void)
{
	static const char magic[] = "SWAPSPACE2";
	char head[65536] = { 0 };
	uint32_t info[2] = { 1, 0 };
	int fd = open(DISK, O_RDWR | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

	if (size <= 0 || page > sizeof(head))
		bench_not_applicable("no disk in memory (CONFIG_BLK_DEV_RAM)");
	info[1] = (uint32_t)((size_t)size / page - 1);
	memcpy(head + 1024, info, sizeof(info));
	memcpy(head + page - (sizeof(magic) - 1), magic, sizeof(magic) - 1);
	if (pwrite(fd, head, page, 0) != (ssize_t)page || fsync(fd))
		bench_not_applicable(DISK ": %s", strerror(errno));
	close(fd);
	if (swapon(DISK, 0))
		bench_not_applicable("swapon: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	struct bench b = { .setup = setup, .round = rounds, .check = check };

	bench_name = "swap";
	in = !strcmp(bench_variant(argc, argv, "out"), "in");
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = bench_arg(argc, argv, "size_kib", in ? 256 : 128) * 1024;
	swapoff(DISK);
	make_swap();
	b.work = bytes / page;
	b.rounds = 50;
	bench_run(&b);
	swapoff(DISK);
	return 0;
}
