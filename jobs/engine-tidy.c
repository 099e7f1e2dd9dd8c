// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "tidy: " fmt
#include <string.h>

#include "jobs/engine-private.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "lib/log.h"

#define TIDY_EVERY_S 600
#define TIDY_TIMEOUT_S 600

static void on_tidy(json_t *answer, const char *error, void *arg)
{
	struct engine *e = arg;
	const json_t *path;
	size_t i;

	e->tidy_worker = NULL;
	if (!error)
		error = json_get_str(answer, "error", NULL);
	if (error)
		pr_err("%s\n", error);
	json_array_foreach(json_object_get(answer, "removed"), i, path)
		pr_info("removed %s\n", json_string_value(path));
}

void engine_tidy(struct engine *e)
{
	struct worker_spec spec = {
		.program = e->self, .name = "tidy",
		.timeout_s = TIDY_TIMEOUT_S, .done = on_tidy, .arg = e,
	};
	char *dir __free(kfree) = xasprintf("%s/warm", e->cfg->state_dir);
	int64_t now = clock_now_s();
	json_t *q __free(json) = NULL;
	int r;

	if (!e->cfg->warm_max_gib || e->tidy_worker || now < e->tidy_next_s)
		return;
	e->tidy_next_s = now + TIDY_EVERY_S;
	q = json_object();
	json_set_text(q, "warm_dir", dir);
	json_set_int(q, "max_mib", e->cfg->warm_max_gib << 10);
	spec.request = q;
	r = worker_start(e->loop, &spec, &e->tidy_worker);
	if (r)
		pr_err("%s\n", strerror(-r));
}
