// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Locked memory.
 *
 * Counts: fill, mlock() of an untouched range, which faults it in; lock, mlock()
 * and munlock() of a populated range.
 * Parameters: size_kib (1024).
 * Unit of work: one page.
 * Checks: VmLck of /proc/self/status is the range after mlock(), and 0 after.
 * From: the common paths of every change to mm/mlock.c and mm/gup.c.
 */
#include "bench.h"

static char *mem;
static size_t bytes, page;
static bool fill;
static int failed;

static long long locked_kib(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	long long v = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmLck:", 6))
			v = atoll(line + 6);
	if (f)
		fclose(f);
	return v;
}

static void setup(void)
{
	if (!fill) {
		mem = bench_small_pages(bytes);
		return;
	}
	mem = bench_map(bytes, page);
	madvise(mem, bytes, MADV_NOHUGEPAGE);
}

static void rounds(void)
{
	failed |= mlock(mem, bytes);
	if (!fill)
		failed |= munlock(mem, bytes);
}

static void check(void)
{
	if (failed)
		bench_not_applicable("mlock fails: %s", strerror(errno));
	if (!fill)
		failed |= mlock(mem, bytes);
	if (failed || locked_kib() * 1024 != (long long)bytes)
		bench_not_applicable("%lld of %zu KiB are locked", locked_kib(),
				     bytes / 1024);
	if (munlock(mem, bytes) || locked_kib())
		bench_not_applicable("%lld KiB stay locked", locked_kib());
	munmap(mem, bytes);
}

int main(int argc, char **argv)
{
	struct bench b = { .setup = setup, .round = rounds, .check = check };

	bench_name = "mlock";
	fill = !strcmp(bench_variant(argc, argv, "lock"), "fill");
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = bench_arg(argc, argv, "size_kib", 1024) * 1024;
	b.work = bytes / page;
	return bench_run(&b);
}
