// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mprotect() to read-only and back over a populated range of base pages.
 *
 * Counts: the system calls and the page table walk, n times over the range.
 * Parameters: size_kib (16384), n (20).
 * Unit of work: one pte changed; 2 x n x pages in a round.
 * Checks: after a round the range is writable again, after an extra change to
 * read-only it really is (the kernel reports it as "r" in /proc/self/maps).
 * From: the linux-mm threads on batching mprotect() over ptes of large folios;
 * this is their third case, 4 KiB pages.
 */
#include "bench.h"

static char *mem;
static size_t bytes;
static uint64_t loops;
static int failed;

static void change(int prot)
{
	failed |= mprotect(mem, bytes, prot);
}

static void rounds(void)
{
	for (uint64_t i = 0; i < loops; i++) {
		change(PROT_READ);
		change(PROT_READ | PROT_WRITE);
	}
}

/* Protection of the mapping that starts at @p, "????" if there is none. */
static void protection_of(const void *p, char prot[static 5])
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned long long start, end;

	strcpy(prot, "????");
	while (f && fgets(line, sizeof(line), f)) {
		char got[5];

		if (sscanf(line, "%llx-%llx %4s", &start, &end, got) == 3 &&
		    start <= (uintptr_t)p && end > (uintptr_t)p)
			strcpy(prot, got);
	}
	if (f)
		fclose(f);
}

static void check(void)
{
	char prot[5];

	if (failed)
		bench_not_applicable("mprotect failed");
	for (size_t i = 0; i < bytes; i += 4096)
		mem[i]++; /* ends us with SIGSEGV if it is not writable */
	change(PROT_READ);
	protection_of(mem, prot);
	change(PROT_READ | PROT_WRITE);
	if (strncmp(prot, "r-", 2))
		bench_not_applicable("read-only memory shows as %s", prot);
}

int main(int argc, char **argv)
{
	struct bench b = { .round = rounds, .check = check };

	bench_name = "mprotect";
	bytes = bench_arg(argc, argv, "size_kib", 16384) * 1024;
	loops = bench_arg(argc, argv, "n", 20);
	b.work = 2 * loops * (bytes / (size_t)sysconf(_SC_PAGESIZE));
	mem = bench_small_pages(bytes);
	return bench_run(&b);
}
