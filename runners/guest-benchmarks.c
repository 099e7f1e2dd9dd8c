// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/json.h"
#include "runners/bench.h"
#include "runners/guest-job.h"

#define BENCH_TIMEOUT_S 300
#define MAX_BENCHMARKS 64

static int add_benchmark(struct guest_job *g, const json_t *b)
{
	const char *argv[GUEST_PLAN_MAX_ARGS + 1] = { NULL };
	const char *name = json_get_str(b, "name", "");
	const json_t *args = json_object_get(b, "args"), *a;
	/* "fault.anon" is variant "anon" of bench-fault */
	size_t base = strcspn(name, ".");
	char *file __free(kfree) = xasprintf("bench-%.*s", (int)base, name);
	char *variant __free(kfree) =
		name[base] ? xasprintf("variant=%s", name + base + 1) : NULL;
	char *to __free(kfree) = xasprintf("/bench/%s", file);
	size_t i, n = 0;
	int r;

	if (!*name || strchr(name, '/')) {
		strbuf_setf(g->summary, "job.json: \"benchmarks\": no name");
		return -EINVAL;
	}
	r = guest_add_program(g, to, file);
	if (r)
		return r;
	argv[n++] = to;
	if (variant)
		argv[n++] = variant;
	json_array_foreach(args, i, a)
		if (json_is_string(a) && n < GUEST_PLAN_MAX_ARGS)
			argv[n++] = json_string_value(a);
	return guest_add_task(g, name, BENCH_TIMEOUT_S, argv);
}

int guest_benchmarks_prepare(struct guest_job *g)
{
	const json_t *b;
	int r = 0;
	size_t i;

	guest_plan_write(&g->plan, GUEST_THP_ENABLED, "madvise");
	json_array_foreach(g->job->benchmarks, i, b) {
		if (!r && i < MAX_BENCHMARKS)
			r = add_benchmark(g, b);
	}
	return r;
}

static char *failure_of(const struct guest_step *s)
{
	switch (s->state) {
	case GUEST_STEP_NOT_RUN:
		return xstrdup("not run: the guest ended before");
	case GUEST_STEP_RUNNING:
		return xstrdup("the kernel ended during it");
	case GUEST_STEP_SIGNAL:
		return xasprintf("it ended by signal %d", s->code);
	case GUEST_STEP_TIMEOUT:
		return xstrdup("it took too long");
	case GUEST_STEP_ERROR:
		return xasprintf("could not be started: %s", strerror(s->code));
	case GUEST_STEP_EXIT:
		break;
	}
	return s->code && s->code != 4 ? xasprintf("exit %d", s->code) : NULL;
}

static json_t *parse_step(const char *name, const struct guest_step *s)
{
	char *failure __free(kfree) = failure_of(s);

	return bench_parse(name, &s->output, failure);
}

void guest_benchmarks_report(struct guest_job *g, const struct boot_result *a,
			     const struct boot_result *b)
{
	json_t *rows = json_array();
	size_t countable = 0;

	for (size_t i = 0; i < g->plan.n_steps; i++) {
		const char *name = g->tasks[i];
		json_t *one __free(json) = parse_step(name, &a->guest.steps[i]);
		json_t *two __free(json) = parse_step(name, &b->guest.steps[i]);
		json_t *row = bench_combine(one, two);
		json_t *value = json_object_get(row, "value");

		countable += json_is_integer(value);
		job_logf(g->job, "%s: %" PRId64 " instructions %s\n", name,
			 (int64_t)json_integer_value(value),
			 json_get_str(row, "why", ""));
		json_array_append_new(rows, row);
	}
	job_set(g->job, "benchmarks", rows);
	strbuf_setf(g->summary, "%zu of %zu benchmarks counted", countable,
		    g->plan.n_steps);
}
