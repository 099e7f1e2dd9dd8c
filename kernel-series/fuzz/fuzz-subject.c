// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel-series/subject.h"
#include "lib/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text __free(kfree) = xstrndup((const char *)data, size);
	struct subject s;

	subject_parse(text, &s);
	subject_release(&s);
	return 0;
}
