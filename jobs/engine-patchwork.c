// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "patchwork: " fmt
#include <string.h>

#include "db/patchwork.h"
#include "jobs/engine-private.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "lib/log.h"

#define TIMEOUT_S 1800
#define RETRY_S 300

/* What was not answered is tried again; a dead server holds up nothing. */
static int take_results(struct engine *e, const json_t *results,
			const char *error)
{
	int64_t again = clock_now_s() + RETRY_S;
	const json_t *c;
	size_t i;
	int r = db_begin(e->db);

	json_array_foreach(e->checks, i, c) {
		const json_t *o = json_array_get(results, i);
		const char *outcome = json_get_str(o, "outcome", "");
		const char *posted = NULL;

		if (!strcmp(outcome, "posted"))
			posted = json_get_str(c, "want", "");
		else if (!strcmp(outcome, "unknown"))
			posted = "none";
		if (!r)
			r = db_check_told(e->db, c, posted,
					  posted ? "" : error ? error :
					  json_get_str(o, "why", ""),
					  posted ? 0 : again);
		if (!strcmp(outcome, "failed"))
			pr_warn("%s\n", json_get_str(o, "why", ""));
	}
	return r ? r : db_commit(e->db);
}

static void on_posted(json_t *answer, const char *error, void *arg)
{
	struct engine *e = arg;
	int r;

	e->patchwork_worker = NULL;
	if (!error)
		error = json_get_str(answer, "error", NULL);
	if (error)
		pr_warn("%s\n", error);
	r = take_results(e, json_object_get(answer, "results"), error);
	json_decref(e->checks);
	e->checks = NULL;
	if (r)
		engine_fail_soft(e, "noting checks", r);
}

static json_t *post_request(const struct engine *e, const json_t *due)
{
	json_t *q = json_object(), *checks = json_array();
	const json_t *c;
	size_t i;

	json_set_text(q, "url", e->cfg->mail.patchwork_url);
	json_set_text(q, "token_file", e->cfg->mail.patchwork_token_file);
	json_array_foreach(due, i, c) {
		json_t *o = json_object();
		char *context __free(kfree) =
			xasprintf("mmci-%s", json_get_str(c, "arch", ""));
		char *url __free(kfree) = xasprintf(
			"%s/series/%lld", e->cfg->public_url,
			(long long)json_get_int(c, "version_id", 0));

		json_object_set(o, "message_id",
				json_object_get(c, "message_id"));
		json_object_set(o, "state", json_object_get(c, "want"));
		json_object_set(o, "description",
				json_object_get(c, "description"));
		json_set_text(o, "context", context);
		json_set_text(o, "target_url", url);
		json_array_append_new(checks, o);
	}
	json_object_set_new(q, "checks", checks);
	return q;
}

static int post_due(struct engine *e)
{
	struct worker_spec spec = {
		.program = e->self, .name = "patchwork",
		.timeout_s = TIMEOUT_S, .done = on_posted, .arg = e,
	};
	json_t *due __free(json) = NULL, *q __free(json) = NULL;
	int r = db_checks_due(e->db, clock_now_s(), &due);

	if (r || !json_array_size(due))
		return r;
	q = post_request(e, due);
	spec.request = q;
	r = worker_start(e->loop, &spec, &e->patchwork_worker);
	if (!r)
		e->checks = no_free_ptr(due);
	return r;
}

void engine_patchwork(struct engine *e)
{
	int r;

	if (!*e->cfg->mail.patchwork_url || e->patchwork_worker)
		return;
	r = db_begin(e->db);
	if (!r)
		r = db_checks_begin(e->db);
	if (!r)
		r = db_checks_end(e->db);
	if (!r)
		r = db_commit(e->db);
	if (!r)
		r = post_due(e);
	if (r)
		engine_fail_soft(e, "checks", r);
}

void engine_patchwork_stop(struct engine *e)
{
	worker_stop(e->patchwork_worker);
	e->patchwork_worker = NULL;
	json_decref(e->checks);
	e->checks = NULL;
}
