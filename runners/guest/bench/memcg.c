// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory charged to a control group two levels down.
 *
 * Counts: charge, one write fault per page; uncharge, munmap() of the range.
 * Against fault.anon and vma.munmap, which run in the root group, it shows what
 * charging costs.
 * Parameters: size_kib (256).
 * Unit of work: one page.
 * Checks: this process is in the group, whose memory.current grows and falls by
 * most of the range (the charge of some pages is kept in stock per CPU).
 * From: the common paths of every change to mm/memcontrol.c.
 */
#include "bench.h"

#define ROOT "/sys/fs/cgroup"
#define OUTER ROOT "/mmci-bench"
#define INNER OUTER "/inner"

static char *mem;
static size_t bytes, page;
static bool uncharge;
static long long before;

static long long current_bytes(void)
{
	char text[32];

	if (!bench_read(INNER "/memory.current", text, sizeof(text)))
		bench_not_applicable("no memory.current");
	return atoll(text);
}

static void touch(void)
{
	for (size_t i = 0; i < bytes; i += page)
		mem[i] = 1;
}

static void setup(void)
{
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		bench_not_applicable("mmap: %s", strerror(errno));
	madvise(mem, bytes, MADV_NOHUGEPAGE);
	if (uncharge)
		touch();
	before = current_bytes();
}

static void rounds(void)
{
	if (uncharge)
		munmap(mem, bytes);
	else
		touch();
}

static void check(void)
{
	long long n = current_bytes() - before;

	if (uncharge)
		n = -n;
	if (n < (long long)bytes / 2)
		bench_not_applicable(
			"memory.current moved by %lld of %zu bytes", n, bytes);
	if (!uncharge)
		munmap(mem, bytes);
}

static void enter_group(void)
{
	if (!bench_write(ROOT "/cgroup.subtree_control", "+memory"))
		bench_not_applicable("no memory controller in cgroup2");
	mkdir(OUTER, 0755);
	bench_write(OUTER "/cgroup.subtree_control", "+memory");
	mkdir(INNER, 0755);
	if (!bench_write(INNER "/memory.max", "268435456") ||
	    !bench_write(INNER "/cgroup.procs", "0"))
		bench_not_applicable("no group to be in: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	struct bench b = { .setup = setup, .round = rounds, .check = check };

	bench_name = "memcg";
	uncharge = !strcmp(bench_variant(argc, argv, "charge"), "uncharge");
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = bench_arg(argc, argv, "size_kib", 256) * 1024;
	enter_group();
	b.work = bytes / page;
	b.rounds = 100;
	bench_run(&b);
	/* the next benchmark is not to find this one's groups */
	bench_write(ROOT "/cgroup.procs", "0");
	rmdir(INNER);
	rmdir(OUTER);
	bench_write(ROOT "/cgroup.subtree_control", "-memory");
	return 0;
}
