// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mprotect() to read-only and back over a populated range.
 *
 * Counts: the system calls and the page table walk, n times over the range.
 * Variants: small, base pages; thp, PMD-size huge pages whose PMDs were split
 * to ptes; 64k, folios of 64 KiB.
 * Parameters: size_kib (8192), n (1).
 * Unit of work: one pte changed; 2 x n x pages in a round.
 * Checks: the folios were made as asked for; after a round the range can be
 * written; made read-only once more it shows as such in /proc/self/maps.
 * From: the linux-mm threads on batching mprotect() over ptes of large folios,
 * whose three cases these are.
 */
#include "bench.h"

#define KIB_64 "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/"

static char *mem;
static size_t bytes;
static size_t page;
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

/* Protection of the mapping that holds @p, "????" if there is none. */
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
	for (size_t i = 0; i < bytes; i += page)
		mem[i]++; /* ends us with SIGSEGV if it is not writable */
	change(PROT_READ);
	protection_of(mem, prot);
	change(PROT_READ | PROT_WRITE);
	if (strncmp(prot, "r-", 2))
		bench_not_applicable("read-only memory shows as %s", prot);
}

static void make_thp(void)
{
	long long huge, split;
	char text[32];
	size_t pmd;

	if (!bench_read("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
			text, sizeof(text)))
		bench_not_applicable("no transparent huge pages");
	pmd = strtoull(text, NULL, 10);
	bytes = (bytes + pmd - 1) / pmd * pmd;
	mem = bench_map(bytes, pmd);
	if (madvise(mem, bytes, MADV_HUGEPAGE))
		bench_not_applicable("MADV_HUGEPAGE: %s", strerror(errno));
	huge = bench_meminfo("AnonHugePages");
	memset(mem, 1, bytes);
	huge = bench_meminfo("AnonHugePages") - huge;
	if (huge * 1024 != (long long)bytes)
		bench_not_applicable("%lld of %zu KiB are huge", huge,
				     bytes / 1024);
	/* a change of one page splits the PMD, not the folio */
	split = bench_meminfo("AnonHugePages");
	for (size_t i = 0; i < bytes; i += pmd) {
		failed |= mprotect(mem + i, page, PROT_READ);
		failed |= mprotect(mem + i, page, PROT_READ | PROT_WRITE);
	}
	split -= bench_meminfo("AnonHugePages");
	if (split != huge)
		bench_not_applicable("%lld of %lld KiB were split", split,
				     huge);
}

static long long folios_64k(void)
{
	char text[32];

	if (!bench_read(KIB_64 "stats/anon_fault_alloc", text, sizeof(text)))
		bench_not_applicable("no folios of 64 KiB in this kernel");
	return atoll(text);
}

static void make_64k(void)
{
	long long n = folios_64k(), want = (long long)(bytes / 65536);

	if (!bench_write(KIB_64 "enabled", "always"))
		bench_not_applicable("folios of 64 KiB cannot be enabled");
	mem = bench_map(bytes, 65536);
	memset(mem, 1, bytes);
	bench_write(KIB_64 "enabled", "never");
	n = folios_64k() - n;
	if (n < want)
		bench_not_applicable("%lld of %lld folios have 64 KiB", n,
				     want);
}

int main(int argc, char **argv)
{
	const char *variant = bench_variant(argc, argv, "small");
	struct bench b = { .round = rounds, .check = check };

	bench_name = "mprotect";
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = bench_arg(argc, argv, "size_kib", 8192) * 1024;
	loops = bench_arg(argc, argv, "n", 1);
	if (!strcmp(variant, "thp"))
		make_thp();
	else if (!strcmp(variant, "64k"))
		make_64k();
	else
		mem = bench_small_pages(bytes);
	b.work = 2 * loops * (bytes / page);
	return bench_run(&b);
}
