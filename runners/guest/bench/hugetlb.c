// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared mappings of hugetlb memory, faulted and forked.
 *
 * Counts: fault, mapping a shared area, writing to every page and unmapping it;
 * fork, mapping one, writing to a few pages, fork(), exit and wait4(), unmapping;
 * both, as many processes of either kind at once. In parallel instances, which
 * are there and waiting when a round begins.
 * Variants: fault, fork, both, with one instance of each; fault24, fork24 and
 * both24 with 24.
 * Parameters: procs (of the variant), pages (1, of the default huge size).
 * Unit of work: one area, all instances together. Operations per second are what
 * the thread shows; here it is what one of them costs.
 * Checks: huge pages are reserved for every area, /proc/meminfo says all of them
 * are free again after a round, every child ended as it should.
 * From: the linux-mm thread on hugetlb vma_lock and MADV_DONTNEED, whose two
 * programs run on 1 and 24 instances. Contention does not show on one CPU.
 */
#include "bench-procs.h"

static bool faults, forks, good;
static size_t pages, huge;
static unsigned int instances;

static char *map_area(void)
{
	char *p = mmap(NULL, pages * huge, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < pages; i++)
		p[i * huge] = 1;
	return p;
}

static bool child_ends(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(7);
	return pid > 0 && waitpid(pid, &status, 0) == pid &&
	       WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static bool work(unsigned int i)
{
	char *p = map_area();
	bool ok = p != NULL;

	/* of both kinds the odd ones fork */
	if (ok && forks && (!faults || i % 2))
		ok = child_ends();
	return p && !munmap(p, pages * huge) && ok;
}

/* One instance needs no other process to do its work in. */
static void rounds(void)
{
	if (instances > 1)
		procs_run();
	else
		good = work(0);
}

static void setup(void)
{
	if (instances > 1)
		procs_start(instances, work);
}

static void check(void)
{
	if (instances > 1)
		procs_check();
	else if (!good)
		bench_not_applicable("mapping or forking failed");
	if (bench_meminfo("HugePages_Free") != bench_meminfo("HugePages_Total"))
		bench_not_applicable("%lld of %lld huge pages came back",
				     bench_meminfo("HugePages_Free"),
				     bench_meminfo("HugePages_Total"));
}

static void reserve(size_t n)
{
	long long kib = bench_meminfo("Hugepagesize");
	char text[32];

	if (kib <= 0)
		bench_not_applicable("no hugetlb in this kernel");
	huge = (size_t)kib * 1024;
	snprintf(text, sizeof(text), "%zu", n);
	bench_write("/proc/sys/vm/nr_hugepages", text);
	if (bench_meminfo("HugePages_Total") < (long long)n)
		bench_not_applicable("%lld of %zu huge pages to be had",
				     bench_meminfo("HugePages_Total"), n);
}

int main(int argc, char **argv)
{
	const char *variant = bench_variant(argc, argv, "fault");
	struct bench b = { .setup = setup, .round = rounds, .check = check };

	bench_name = "hugetlb";
	faults = strncmp(variant, "fork", 4) != 0;
	forks = strncmp(variant, "fault", 5) != 0;
	instances = (unsigned int)bench_arg(argc, argv, "procs",
					    strstr(variant, "24") ? 24 : 1);
	instances *= faults && forks ? 2 : 1;
	pages = bench_arg(argc, argv, "pages", 1);
	reserve(instances * pages);
	b.work = instances;
	b.settle_ticks = forks ? 10 : 0;
	/* ticks fall into the long ones whatever is done */
	b.rounds = instances > 2 ? 3 : forks ? 50 : 0;
	bench_run(&b);
	bench_write("/proc/sys/vm/nr_hugepages", "0");
	return 0;
}
