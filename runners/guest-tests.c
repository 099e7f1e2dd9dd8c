// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/guest-tests.h"

#include <string.h>

#include "lib/cleanup.h"

/* Sorted by name. */
static const struct guest_test tests[] = {
	{ "compaction_test", 120, { NULL } },
	{ "cow", 180, { NULL } },
	{ "gup_longterm", 120, { NULL } },
	{ "mremap_test", 120, { NULL } },
	{ "split_huge_page_test", 120, { NULL } },
	{ "transhuge-stress", 60, { "-d", "10", NULL } },
	{ "uffd-stress", 60, { "anon", "20", "4" } },
	{ "uffd-unit-tests", 180, { NULL } },
};

const char *const guest_tests_default[] = {
	"madv_populate",
	"map_fixed_noreplace",
	"mdwe_test",
	"memfd_secret",
	"mkdirty",
	"mlock2-tests",
	"mrelease_test",
	"mremap_dontunmap",
	"mseal_test",
	"pagemap_ioctl",
	NULL
};

const struct guest_test *guest_test_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		if (!strcmp(tests[i].name, name))
			return &tests[i];
	return NULL;
}
