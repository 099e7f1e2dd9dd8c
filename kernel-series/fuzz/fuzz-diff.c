// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel-series/diff.h"
#include "kernel-series/mail.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct diff d;
	size_t start;
	char hex[65];
	json_t *o;

	if (diff_find(text, size, &d, &start) && start >= size)
		abort();
	diff_change_hash(&d, hex);
	o = diff_to_json(&d);
	json_decref(o);
	diff_release(&d);
	/* what is given as a fix-up must be found as a diff again, whole */
	if (!fixup_diff(text, size, &out)) {
		if (!diff_find(out.buf, out.len, &d, &start) || d.damaged)
			abort();
		diff_release(&d);
	}
	return 0;
}
