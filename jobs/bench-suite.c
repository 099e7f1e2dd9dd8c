// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/bench-suite.h"

#include "lib/json.h"
#include "lib/cleanup.h"

static const char *const suite[] = {
	/* batching mprotect() over large folios: its three cases */
	"mprotect.small",
	"mprotect.thp",
	"mprotect.64k",
	/* avoiding TLB flushes in mprotect(): the loop and its three steps */
	"mprotect-page.one",
	"mprotect-page.read",
	"mprotect-page.readwrite",
	"mprotect-page.write",
	"mprotect-page.threads2",
	/* hugetlb vma_lock: its two programs, and both together */
	"hugetlb.fault",
	"hugetlb.fork",
	"hugetlb.both",
	"hugetlb.fault24",
	"hugetlb.fork24",
	"hugetlb.both24",
	/* permission upgrades, as userfaultfd makes them */
	"uffd.wp",
	"uffd.resolve",
	/* the common paths */
	"fault.anon",
	"fault.thp",
	"fault.file",
	"fault.shared",
	"fault.cow",
	"fork.fork",
	"fork.cow",
	"fork.exec",
	"vma.mmap",
	"vma.munmap",
	"vma.mremap",
	"vma.split",
	"vma.brk",
	"madvise.dontneed",
	"madvise.free",
	"madvise.cold",
	"madvise.collapse",
	"mlock.lock",
	"mlock.fill",
	"tmpfs.read",
	"tmpfs.write",
	"tmpfs.fill",
	"tmpfs.punch",
	"memcg.charge",
	"memcg.uncharge",
	"migrate.nodes",
	"migrate.compact",
	"swap.out",
	"swap.in",
	"ksm.merge",
	"ksm.unmerge",
};

static void add(json_t *list, const char *name)
{
	json_array_append_new(list, json_pack("{s:s, s:[]}", "name", name,
					      "args"));
}

json_t *bench_suite(const struct config_strings *only)
{
	json_t *list = json_array();

	for (size_t i = 0; i < only->n; i++)
		add(list, only->v[i]);
	for (size_t i = 0; !only->n && i < ARRAY_SIZE(suite); i++)
		add(list, suite[i]);
	return list;
}
