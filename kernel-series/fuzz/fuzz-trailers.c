// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel-series/trailers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct trailers t;
	json_t *o;

	trailers_of_message(text, size, &t);
	o = trailers_to_json(&t);
	json_decref(o);
	trailers_release(&t);
	trailers_of_reply(text, size, &t);
	trailers_release(&t);
	return 0;
}
