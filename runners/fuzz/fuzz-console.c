/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "runners/console.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	json_t *first = console_parse(data, len);
	json_t *all = console_parse_all(data, len);

	if (json_is_true(json_object_get(first, "has_report")) !=
		    console_has_report(data, len) ||
	    json_is_true(json_object_get(first, "has_report")) !=
		    (json_array_size(all) > 0))
		__builtin_trap();
	json_decref(first);
	json_decref(all);
	return 0;
}
