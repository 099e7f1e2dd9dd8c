// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/plan-build.h"

#include <string.h>

#include "lib/json.h"

static const json_t *check_of(const json_t *check, int64_t number)
{
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(check, "patches"), i, p) {
		if (json_get_int(p, "number", -1) == number)
			return p;
	}
	return NULL;
}

static bool failed(const json_t *p)
{
	return strcmp(json_get_str(p, "outcome", "passed"), "passed") != 0;
}

/* The last one that the check passes, when it does not pass the end. */
static int64_t last_good(const json_t *patches, int64_t total,
			 const json_t *check)
{
	const json_t *p, *c = NULL;
	int64_t good = 0;
	size_t i;

	json_array_foreach(patches, i, p) {
		int64_t number = json_get_int(p, "number", 0);

		if (number > total)
			break;
		c = check_of(check, number);
		if (c && !failed(c))
			good = number;
	}
	return c && failed(c) ? good : 0;
}

static bool is_worth_it(const json_t *c, size_t n_patches)
{
	if (n_patches > PLAN_MANY_PATCHES)
		return false;
	return !c || json_get_str(c, "unjudged", NULL) ||
	       json_array_size(json_object_get(c, "units")) <= PLAN_FEW_UNITS;
}

void plan_build_steps(json_t *patches, int64_t total, const json_t *check)
{
	int64_t good = last_good(patches, total, check), last = 0;
	size_t n = json_array_size(patches), own = 0;
	const json_t *p;

	for (size_t i = 0; i < n; i++) {
		int64_t number = json_get_int(json_array_get(patches, i),
					      "number", 0);

		if (number > total)
			break;
		last = number;
		own++;
	}
	while (n-- > 0) {
		int64_t number;

		p = json_array_get(patches, n);
		number = json_get_int(p, "number", 0);
		if (number < last && number != good &&
		    !is_worth_it(check_of(check, number), own))
			json_array_remove(patches, n);
	}
}
