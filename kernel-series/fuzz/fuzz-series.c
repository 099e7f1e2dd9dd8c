// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel-series/integrity.h"
#include "kernel-series/mbox.h"
#include "kernel-series/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *o = NULL;

	if (!parse_file_json("series", data, size, NULL, &o, &why))
		json_decref(o);
	return 0;
}
