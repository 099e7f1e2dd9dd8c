// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel-series/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	json_t *list = commands_find(NULL, text, size, "#mmci");

	json_decref(list);
	commands_reply(text, size, "#mmci", "answer", &out);
	return 0;
}
