// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The address space itself: mapping, unmapping, moving, the heap.
 *
 * Counts: mmap, mmap() of one untouched page and its munmap(), n times; munmap,
 * munmap() of a populated range; mremap, moving such a range; split, munmap() of
 * every second page of an untouched range; brk, the heap grown, touched and cut
 * off again.
 * Parameters: n (50), size_kib (1024, for brk 256, for split 64).
 * Unit of work: one mapping for mmap and split, one page otherwise.
 * Checks: what was unmapped is not there, what was moved is there with what was
 * in it, the heap has its end where it was.
 * From: the common paths of every change to mm/mmap.c, mm/vma.c, mm/mremap.c.
 */
#include "bench.h"

static const char *variant;
static char *mem, *to;
static size_t bytes, page;
static uint64_t loops;
static int failed;

static bool is(const char *name)
{
	return !strcmp(variant, name);
}

static void setup(void)
{
	if (is("munmap"))
		mem = bench_small_pages(bytes);
	if (is("split"))
		mem = bench_map(bytes, page);
	if (is("mremap")) {
		mem = bench_small_pages(bytes);
		/* a place of its own, whose page tables are not there */
		to = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	}
}

static void map_and_unmap(void)
{
	for (uint64_t i = 0; i < loops; i++) {
		void *p = mmap(NULL, page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		failed |= p == MAP_FAILED || munmap(p, page);
	}
}

static void heap(void)
{
	char *end = sbrk((intptr_t)bytes);

	if (end == (char *)-1) {
		failed = 1;
		return;
	}
	for (size_t i = 0; i < bytes; i += page)
		end[i] = 1;
	failed |= sbrk(-(intptr_t)bytes) == (void *)-1 || sbrk(0) != end;
}

static void rounds(void)
{
	if (is("mmap"))
		map_and_unmap();
	else if (is("munmap"))
		failed |= munmap(mem, bytes);
	else if (is("mremap"))
		failed |= mremap(mem, bytes, bytes,
				 MREMAP_MAYMOVE | MREMAP_FIXED, to) != to;
	else if (is("brk"))
		heap();
	else
		for (size_t i = 0; i < bytes; i += 2 * page)
			failed |= munmap(mem + i, page);
}

static void check(void)
{
	unsigned char v;

	if (failed)
		bench_not_applicable("a call failed");
	if (is("munmap") && (!mincore(mem, page, &v) || errno != ENOMEM))
		bench_not_applicable("it is still mapped");
	if (is("split")) {
		if (!mincore(mem, page, &v) || mincore(mem + page, page, &v))
			bench_not_applicable("the wrong pages are mapped");
		munmap(mem, bytes);
	}
	if (is("mremap")) {
		for (size_t i = 0; i < bytes; i += page)
			if (to[i] != 1)
				bench_not_applicable("page %zu got lost",
						     i / page);
		munmap(to, bytes);
	}
}

int main(int argc, char **argv)
{
	struct bench b = { .setup = setup, .round = rounds, .check = check };

	bench_name = "vma";
	variant = bench_variant(argc, argv, "mmap");
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = bench_arg(argc, argv, "size_kib",
			  is("brk")	? 256
			  : is("split") ? 64
					: 1024) *
		1024;
	loops = bench_arg(argc, argv, "n", 50);
	b.rounds = is("mmap") || is("split") ? 100 : 0;
	b.work = is("mmap")    ? loops
		 : is("split") ? bytes / page / 2
			       : bytes / page;
	return bench_run(&b);
}
