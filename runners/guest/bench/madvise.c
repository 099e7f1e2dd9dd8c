// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * madvise() over a populated anonymous range.
 *
 * Counts: one call over the range: dontneed, free, cold, or collapse, which makes
 * a huge page of it.
 * Parameters: size_kib (1024; for collapse one PMD's size).
 * Unit of work: one page.
 * Checks: dontneed, nothing is in memory; free, /proc/self/smaps shows the range
 * as lazily freed; cold, /proc/vmstat counts the pages as deactivated; collapse,
 * AnonHugePages grows by it.
 * MADV_PAGEOUT is swap.out. From: the common paths of every change to
 * mm/madvise.c and mm/khugepaged.c.
 */
#include "bench.h"

#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static const char *variant;
static char *mem;
static size_t bytes, page;
static int advice, failed;
static long long before;

/* Sum of the lines "KEY:" of this process, in KiB. */
static long long smaps_kib(const char *key)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	char line[256];
	long long sum = 0;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			sum += atoll(line + strlen(key));
	if (f)
		fclose(f);
	return sum;
}

static void setup(void)
{
	if (advice == MADV_COLLAPSE) {
		/* asked for by nobody but us: khugepaged would come first */
		mem = bench_map(bytes, bytes);
		memset(mem, 1, bytes);
		before = smaps_kib("AnonHugePages:");
		return;
	}
	mem = bench_small_pages(bytes);
	/* makes a page in a per-CPU list one of the lists it is taken from */
	if (advice == MADV_COLD) {
		madvise(mem, bytes, MADV_COLD);
		for (size_t i = 0; i < bytes; i += page)
			mem[i]++;
		before = bench_stat("/proc/vmstat", "pgdeactivate");
	}
}

static void rounds(void)
{
	failed = madvise(mem, bytes, advice) ? errno : 0;
}

static void check(void)
{
	long long n;

	if (failed)
		bench_not_applicable("madvise: %s", strerror(failed));
	if (advice == MADV_DONTNEED && bench_resident(mem, bytes))
		bench_not_applicable("%zu pages stayed",
				     bench_resident(mem, bytes));
	if (advice == MADV_FREE) {
		n = smaps_kib("LazyFree:");
		/* the last pages wait in a per-CPU batch */
		if (n * 1024 < (long long)bytes / 2)
			bench_not_applicable("%lld of %zu KiB to be freed", n,
					     bytes / 1024);
	}
	if (advice == MADV_COLLAPSE) {
		n = smaps_kib("AnonHugePages:") - before;
		if (n * 1024 != (long long)bytes)
			bench_not_applicable("%lld of %zu KiB are huge", n,
					     bytes / 1024);
	}
	munmap(mem, bytes);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int advice;
	} known[] = {
		{ "dontneed", MADV_DONTNEED },
		{ "free", MADV_FREE },
		{ "cold", MADV_COLD },
		{ "collapse", MADV_COLLAPSE },
	};
	struct bench b = { .setup = setup, .round = rounds, .check = check };

	bench_name = "madvise";
	variant = bench_variant(argc, argv, "dontneed");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, variant))
			advice = known[i].advice;
	if (!advice)
		bench_not_applicable("no variant %s", variant);
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = advice == MADV_COLLAPSE
			? bench_pmd_bytes()
			: bench_arg(argc, argv, "size_kib", 1024) * 1024;
	b.work = bytes / page;
	return bench_run(&b);
}
