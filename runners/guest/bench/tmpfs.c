// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page cache through read() and write(), on tmpfs.
 *
 * Counts: read, pread() of a file that is in memory; write, pwrite() over it;
 * fill, pwrite() into an empty file, which allocates; punch, fallocate() that
 * takes all of its pages away. Calls of 64 KiB.
 * Parameters: size_kib (1024; for fill and punch 256).
 * Unit of work: one page.
 * Checks: st_blocks of the file before and after; what was read is what was
 * written.
 * From: the common paths of every change to mm/filemap.c, mm/shmem.c.
 */
#include "bench.h"

#define CALL_BYTES 65536

static const char *variant;
static char *buf;
static size_t bytes, page;
static int file = -1;
static int failed;

static bool is(const char *name)
{
	return !strcmp(variant, name);
}

static void write_all(void)
{
	for (size_t i = 0; i < bytes; i += CALL_BYTES)
		failed |= pwrite(file, buf, CALL_BYTES, (off_t)i) != CALL_BYTES;
}

static void setup(void)
{
	memset(buf, 3, CALL_BYTES);
	if (is("fill"))
		failed |= ftruncate(file, 0);
	else
		write_all();
	if (is("read"))
		memset(buf, 4, CALL_BYTES);
}

static void rounds(void)
{
	if (is("punch")) {
		failed |= fallocate(file,
				    FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				    0, (off_t)bytes);
		return;
	}
	if (!is("read")) {
		write_all();
		return;
	}
	for (size_t i = 0; i < bytes; i += CALL_BYTES)
		failed |= pread(file, buf, CALL_BYTES, (off_t)i) != CALL_BYTES;
}

static void check(void)
{
	long long want = is("punch") ? 0 : (long long)bytes;
	struct stat st;

	if (failed || fstat(file, &st))
		bench_not_applicable("a call failed");
	if (st.st_blocks * 512LL != want)
		bench_not_applicable("the file has %lld instead of %lld bytes",
				     st.st_blocks * 512LL, want);
	if (buf[0] != 3 || buf[CALL_BYTES - 1] != 3)
		bench_not_applicable("what was read is not what was written");
}

int main(int argc, char **argv)
{
	struct bench b = { .setup = setup, .round = rounds, .check = check };

	bench_name = "tmpfs";
	variant = bench_variant(argc, argv, "read");
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = bench_arg(argc, argv, "size_kib",
			  is("fill") || is("punch") ? 256 : 1024) *
		1024;
	b.rounds = is("fill") || is("punch") ? 100 : 0;
	bytes = (bytes + CALL_BYTES - 1) / CALL_BYTES * CALL_BYTES;
	buf = bench_small_pages(CALL_BYTES);
	file = memfd_create("tmpfs", MFD_CLOEXEC);
	if (file < 0)
		bench_not_applicable("memfd: %s", strerror(errno));
	b.work = bytes / page;
	return bench_run(&b);
}
