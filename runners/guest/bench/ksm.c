// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages with the same content made one, and many again.
 *
 * Counts: merge, from ksmd's start until it has been over the range twice, which
 * is when all pages are merged (it and this program, which waits, take turns on
 * the one CPU); unmerge, madvise(MADV_UNMERGEABLE) over the merged range.
 * Parameters: size_kib (256).
 * Unit of work: one page.
 * Checks: pages_sharing of /sys/kernel/mm/ksm is the range (but for the one page
 * that is shared) after merging; the process has its full size again after unmerging.
 * From: the common paths of every change to mm/ksm.c.
 */
#include "bench.h"

#define KSM "/sys/kernel/mm/ksm/"

static char *mem;
static size_t bytes, page;
static bool unmerge;
static int failed;

static long long ksm_value(const char *name)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), KSM "%s", name);
	if (!bench_read(path, text, sizeof(text)))
		bench_not_applicable("no KSM in this kernel");
	return atoll(text);
}

/* Proportional size of this process in KiB: what is shared counts once. */
static long long pss_kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "re");
	char line[256];
	long long v = -1;

	while (f && v < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Pss:", 4))
			v = atoll(line + 4);
	if (f)
		fclose(f);
	return v;
}

static bool is_merged(void)
{
	/* a shared page takes no more than max_page_sharing mappings */
	return ksm_value("pages_sharing") + ksm_value("pages_shared") >=
	       (long long)(bytes / page);
}

static void merge(void)
{
	bench_write(KSM "run", "1");
	for (int i = 0; i < 1000 && !is_merged(); i++)
		bench_after_tick();
	bench_write(KSM "run", "0");
}

static void setup(void)
{
	mem = bench_small_pages(bytes);
	failed |= madvise(mem, bytes, MADV_MERGEABLE);
	if (failed)
		bench_not_applicable("MADV_MERGEABLE: %s", strerror(errno));
	if (unmerge) {
		merge();
		if (!is_merged())
			bench_not_applicable("%lld of %zu pages were merged",
					     ksm_value("pages_sharing"),
					     bytes / page);
	}
}

static void rounds(void)
{
	if (unmerge)
		failed |= madvise(mem, bytes, MADV_UNMERGEABLE);
	else
		merge();
}

static void check(void)
{
	if (failed)
		bench_not_applicable("a call failed");
	if (unmerge && pss_kib() * 1024 < (long long)bytes)
		bench_not_applicable("pages stay shared: %lld KiB in all",
				     pss_kib());
	if (!unmerge && !is_merged())
		bench_not_applicable("%lld of %zu pages were merged",
				     ksm_value("pages_sharing"), bytes / page);
	munmap(mem, bytes);
	bench_write(KSM "run", "2");
	bench_write(KSM "run", "0");
}

int main(int argc, char **argv)
{
	struct bench b = { .setup = setup, .round = rounds, .check = check };

	bench_name = "ksm";
	unmerge = !strcmp(bench_variant(argc, argv, "merge"), "unmerge");
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = bench_arg(argc, argv, "size_kib", 256) * 1024;
	ksm_value("run");
	bench_write(KSM "sleep_millisecs", "0");
	bench_write(KSM "pages_to_scan", "4096");
	bench_write(KSM "use_zero_pages", "0");
	b.work = bytes / page;
	return bench_run(&b);
}
