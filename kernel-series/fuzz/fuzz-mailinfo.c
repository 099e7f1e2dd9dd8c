// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel-series/mailinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What it gives must be consistent as well: no member without the others. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mailinfo m;
	int r;

	mailinfo_init(&m);
	r = mailinfo_plain((const char *)data, size, &m);
	if (r && (m.subject || m.author_email || m.body.len || m.diff.len))
		abort();
	if (!r && m.body.len + m.diff.len > 4 * size + 64)
		abort();
	mailinfo_release(&m);
	return 0;
}
