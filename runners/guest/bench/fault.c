// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page faults over a fresh mapping.
 *
 * Counts: one write fault per page; mapping and unmapping are not counted.
 * Variants: anon, private anonymous base pages; thp, the same in PMD-size huge
 * pages; file, read faults on a private mapping of a tmpfs file; shared, write
 * faults on a shared mapping of it; cow, write faults on the private mapping.
 * Parameters: size_kib (1024, for thp 2048).
 * Unit of work: one base page.
 * Checks: before the round no page is mapped by us, after it all of them are in
 * memory; for thp that the huge pages are there.
 * From: the common paths of every change to mm/memory.c.
 */
#include "bench.h"

static const char *variant;
static char *mem;
static size_t bytes, page;
static size_t align;
static int file = -1;
static volatile char sink;

static void setup(void)
{
	int flags = MAP_PRIVATE;

	if (file < 0) {
		mem = bench_map(bytes, align);
		madvise(mem, bytes,
			strcmp(variant, "thp") ? MADV_NOHUGEPAGE
					       : MADV_HUGEPAGE);
		return;
	}
	if (!strcmp(variant, "shared"))
		flags = MAP_SHARED;
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
	if (mem == MAP_FAILED)
		bench_not_applicable("mmap: %s", strerror(errno));
	madvise(mem, bytes, MADV_RANDOM); /* no pages mapped around a fault */
}

static void rounds(void)
{
	if (!strcmp(variant, "file")) {
		for (size_t i = 0; i < bytes; i += page)
			sink = mem[i];
		return;
	}
	for (size_t i = 0; i < bytes; i += page)
		mem[i] = 1;
}

static void check(void)
{
	size_t n = bench_resident(mem, bytes);

	if (n != bytes / page)
		bench_not_applicable("%zu of %zu pages are there", n,
				     bytes / page);
	if (!strcmp(variant, "thp") &&
	    bench_meminfo("AnonHugePages") * 1024 < (long long)bytes)
		bench_not_applicable("%lld of %zu KiB are huge",
				     bench_meminfo("AnonHugePages"),
				     bytes / 1024);
	munmap(mem, bytes);
}

static void make_file(void)
{
	char *p;

	file = memfd_create("fault", MFD_CLOEXEC);
	if (file < 0 || ftruncate(file, (off_t)bytes))
		bench_not_applicable("memfd: %s", strerror(errno));
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (p == MAP_FAILED)
		bench_not_applicable("mmap: %s", strerror(errno));
	memset(p, 2, bytes);
	munmap(p, bytes);
}

int main(int argc, char **argv)
{
	struct bench b = { .setup = setup, .round = rounds, .check = check };
	char text[32];

	bench_name = "fault";
	variant = bench_variant(argc, argv, "anon");
	page = (size_t)sysconf(_SC_PAGESIZE);
	align = page;
	bytes = bench_arg(argc, argv, "size_kib",
			  strcmp(variant, "thp") ? 1024 : 2048) *
		1024;
	if (!strcmp(variant, "thp")) {
		if (!bench_read("/sys/kernel/mm/transparent_hugepage/"
				"hpage_pmd_size",
				text, sizeof(text)))
			bench_not_applicable("no transparent huge pages");
		align = strtoull(text, NULL, 10);
	} else if (strcmp(variant, "anon")) {
		make_file();
	}
	b.work = bytes / page;
	b.rounds = 50;
	return bench_run(&b);
}
