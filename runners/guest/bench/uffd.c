// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userfaultfd write protection of populated anonymous memory.
 *
 * Counts: wp, UFFDIO_WRITEPROTECT over the range and its removal; resolve, one
 * write to each protected page, where a second thread reads the event and takes
 * the protection from that page.
 * Parameters: size_kib (2048, for resolve 64).
 * Unit of work: one page (protected and released again).
 * Checks: the number of events is the number of pages; every write arrived.
 * From: the linux-mm thread on permission upgrades, which happen where a
 * protected page is made writable again.
 */
#include "bench.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

static int uffd = -1;
static char *mem;
static size_t bytes, page;
static bool resolve;
static volatile uint64_t events;
static int failed;

static void protect(void *p, size_t len, bool on)
{
	struct uffdio_writeprotect wp = {
		.range = { (uintptr_t)p, len },
		.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	failed |= ioctl(uffd, UFFDIO_WRITEPROTECT, &wp);
}

static void *reader(void *arg)
{
	struct uffd_msg m;

	while (read(uffd, &m, sizeof(m)) == sizeof(m)) {
		if (m.event != UFFD_EVENT_PAGEFAULT)
			continue;
		events++;
		protect((void *)(uintptr_t)(m.arg.pagefault.address &
					    ~(page - 1)),
			page, false);
	}
	return NULL;
}

static void setup(void)
{
	events = 0;
	if (resolve)
		protect(mem, bytes, true);
}

static void rounds(void)
{
	if (resolve) {
		for (size_t i = 0; i < bytes; i += page)
			mem[i] = 5;
		return;
	}
	protect(mem, bytes, true);
	protect(mem, bytes, false);
}

static void check(void)
{
	if (failed)
		bench_not_applicable("UFFDIO_WRITEPROTECT fails");
	if (resolve && events != bytes / page)
		bench_not_applicable("%llu events for %zu pages",
				     (unsigned long long)events, bytes / page);
	if (resolve)
		return;
	/* was it protected? a write must be seen by nobody but us now */
	for (size_t i = 0; i < bytes; i += page)
		mem[i]++;
	if (events)
		bench_not_applicable("the range stayed protected");
}

static void open_uffd(void)
{
	struct uffdio_api api = { .api = UFFD_API,
				  .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register reg = {
		.range = { (uintptr_t)mem, bytes },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};

	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (uffd < 0)
		bench_not_applicable("no userfaultfd: %s", strerror(errno));
	if (ioctl(uffd, UFFDIO_API, &api) ||
	    !(api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP))
		bench_not_applicable("userfaultfd without write protection");
	if (ioctl(uffd, UFFDIO_REGISTER, &reg))
		bench_not_applicable("UFFDIO_REGISTER: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	const char *variant = bench_variant(argc, argv, "wp");
	struct bench b = { .setup = setup, .round = rounds, .check = check };
	pthread_t t;

	bench_name = "uffd";
	resolve = !strcmp(variant, "resolve");
	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = bench_arg(argc, argv, "size_kib", resolve ? 64 : 2048) * 1024;
	mem = bench_small_pages(bytes);
	open_uffd();
	if (pthread_create(&t, NULL, reader, NULL))
		bench_not_applicable("no second thread");
	b.work = bytes / page;
	b.rounds = resolve ? 100 : 0;
	return bench_run(&b);
}
