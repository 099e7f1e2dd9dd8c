/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "runners/ktap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	json_t *whole = ktap_parse(data, len);
	struct ktap_parser *k = ktap_new();
	json_t *parts;

	/* where the text is cut into pieces must not matter */
	ktap_feed(k, data, len / 2);
	ktap_feed(k, data + len / 2, len - len / 2);
	parts = ktap_finish(k);
	if (!json_equal(whole, parts))
		__builtin_trap();
	json_decref(parts);
	ktap_free(k);
	json_decref(whole);
	json_decref(ktap_parse_selftest(data, len, len ? data[0] : -1, false));
	return 0;
}
