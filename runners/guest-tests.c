// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/guest-tests.h"

#include <string.h>

#include "lib/cleanup.h"

#define TIMEOUT_S 180

/* Programs with thousands of cases, each a mapping of its own. */
static const struct {
	const char *program;
	unsigned int timeout_s;
} slow[] = {
	{ "cow", 600 },
	{ "gup_longterm", 300 },
	{ "khugepaged", 300 },
	{ "mremap_test", 300 },
	{ "pagemap_ioctl", 300 },
	{ "split_huge_page_test", 300 },
	{ "uffd-stress", 300 },
	{ "uffd-unit-tests", 600 },
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

unsigned int guest_test_timeout_s(const char *program)
{
	for (size_t i = 0; i < ARRAY_SIZE(slow); i++) {
		if (!strcmp(slow[i].program, program))
			return slow[i].timeout_s;
	}
	return TIMEOUT_S;
}
