/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdlib.h>

#include "runners/build-log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct build_log_options o = { .src_prefix = "/src",
					     .obj_prefix = "/build" };
	json_t *r = build_log_parse(data, len, &o);
	json_t *unit, *d;
	size_t i, k;

	json_array_foreach(json_object_get(r, "units"), i, unit)
		json_array_foreach(json_object_get(unit, "diagnostics"), k, d)
			free(diag_fingerprint(d));
	json_decref(r);
	return 0;
}
