// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/profile.h"

#include <string.h>

#include "lib/json.h"

json_t *profile_for(const char *kind, const char *kconfig)
{
	bool numa = !strcmp(kconfig, "numa") || starts_with(kconfig, "numa-");
	bool test = !strcmp(kind, "test");
	json_t *o;

	if (!strcmp(kind, "bench") || (!test && !numa))
		return NULL;
	o = json_object();
	/* so much that 128 huge pages leave a test enough to work with */
	json_set_int(o, "memory_mib", test ? 1536 : 512);
	json_set_int(o, "cpus", 2);
	json_set_int(o, "nodes", numa ? 2 : 1);
	json_set_int(o, "hugepages", test ? 128 : 0);
	json_set_int(o, "swap_mib", test ? 256 : 0);
	return o;
}
