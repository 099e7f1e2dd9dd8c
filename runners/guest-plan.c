// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/guest-plan.h"

#include <errno.h>
#include <string.h>

#include "runners/guest-results.h"

void guest_plan_init(struct guest_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	strbuf_init(&plan->text);
}

void guest_plan_release(struct guest_plan *plan)
{
	strbuf_release(&plan->text);
	free(plan->timeouts_s);
	plan->timeouts_s = NULL;
	plan->n_steps = 0;
}

int guest_plan_step(struct guest_plan *plan, unsigned int timeout_s,
		    const char *const *argv)
{
	size_t argc = 0;

	for (; argv[argc]; argc++)
		if (argc == GUEST_PLAN_MAX_ARGS || strchr(argv[argc], '\n'))
			return -EINVAL;
	if (!argc)
		return -EINVAL;

	strbuf_addf(&plan->text, "step %u %u\n", timeout_s, GUEST_OUTPUT_BYTES);
	for (size_t i = 0; i < argc; i++)
		strbuf_addf(&plan->text, "arg %s\n", argv[i]);
	strbuf_addstr(&plan->text, "run\n");
	plan->timeouts_s = xrealloc_array(plan->timeouts_s, plan->n_steps + 1,
					  sizeof(*plan->timeouts_s));
	plan->timeouts_s[plan->n_steps++] = timeout_s;
	return 0;
}

void guest_plan_write(struct guest_plan *plan, const char *path,
		      const char *value)
{
	strbuf_addf(&plan->text, "write %s %s\n", path, value);
}

void guest_plan_swapon(struct guest_plan *plan, const char *path)
{
	strbuf_addf(&plan->text, "swapon %s\n", path);
}

void guest_plan_nobody(struct guest_plan *plan)
{
	strbuf_addstr(&plan->text, "nobody\n");
}
