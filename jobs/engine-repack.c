// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "repack: " fmt
#include <string.h>

#include "jobs/engine-private.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "lib/log.h"

#define REPACK_EVERY_S 3600
#define REPACK_TIMEOUT_S 4000
/* what git itself takes for too many (gc.auto in git-config(1)) */
#define MIN_LOOSE 6700

static void on_repack(json_t *answer, const char *error, void *arg)
{
	struct engine *e = arg;

	e->repack_worker = NULL;
	if (!error)
		error = json_get_str(answer, "error", NULL);
	if (error)
		pr_err("%s\n", error);
	else if (json_get_bool(answer, "packed", false))
		pr_info("about %lld objects are in a pack now\n",
			(long long)json_get_int(answer, "loose", 0));
}

void engine_repack(struct engine *e)
{
	struct worker_spec spec = {
		.program = e->self, .name = "repack",
		.timeout_s = REPACK_TIMEOUT_S, .done = on_repack, .arg = e,
	};
	char *repo __free(kfree) = xasprintf("%s/trees.git", e->cfg->state_dir);
	int64_t now = clock_now_s();
	json_t *q __free(json) = NULL;
	int r;

	if (e->repack_worker || now < e->repack_next_s)
		return;
	e->repack_next_s = now + REPACK_EVERY_S;
	q = json_object();
	json_set_text(q, "repo", repo);
	json_set_int(q, "min_loose", MIN_LOOSE);
	spec.request = q;
	r = worker_start(e->loop, &spec, &e->repack_worker);
	if (r)
		pr_err("%s\n", strerror(-r));
}
