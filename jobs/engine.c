// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "engine: " fmt
#include "jobs/engine-private.h"

#include <errno.h>
#include <string.h>

#include "lib/json.h"
#include "lib/log.h"

#define POLL_MS 1000
#define MAX_STRIKES 3

void engine_fail_soft(struct engine *e, const char *what, int r)
{
	pr_err("%s: %s (%s)\n", what, strerror(-r), db_error(e->db));
	db_rollback(e->db);
}

static void look(struct engine *e)
{
	if (e->stopping)
		return;
	engine_trees(e);
	engine_fixups(e);
	engine_series(e);
	engine_runs(e);
	engine_reports(e);
	engine_commands(e);
	engine_mails(e);
	engine_tidy(e);
	engine_repack(e);
	engine_patchwork(e);
	engine_hooks(e);
}

static void on_kick(void *arg)
{
	struct engine *e = arg;

	e->kick = NULL;
	look(e);
}

void engine_kick(struct engine *e)
{
	if (!e->kick && !e->stopping)
		e->kick = loop_add_timer(e->loop, 0, on_kick, e);
}

/* Settle times pass and adopted runners end without telling anyone. */
static void on_poll(void *arg)
{
	struct engine *e = arg;

	e->poll = loop_add_timer(e->loop, POLL_MS, on_poll, e);
	look(e);
}

bool engine_strike(struct engine *e, struct version_id id)
{
	char key[24];
	int64_t n;

	snprintf(key, sizeof(key), "%lld", (long long)id.v);
	n = json_get_int(e->strikes, key, 0) + 1;
	json_set_int(e->strikes, key, n);
	return n >= MAX_STRIKES;
}

void engine_no_strikes(struct engine *e, struct version_id id)
{
	char key[24];

	snprintf(key, sizeof(key), "%lld", (long long)id.v);
	json_object_del(e->strikes, key);
}

int engine_give_up(struct engine *e, struct version_id id, const char *why)
{
	int r = db_begin(e->db);

	if (!r)
		r = db_version_verdict(e->db, id, "unknown", why);
	if (!r)
		r = db_version_set(e->db, id, VERSION_DONE, why);
	return r ? r : db_commit(e->db);
}

int engine_new(const struct config *cfg, struct db *db, struct loop *loop,
	       const char *self, const char *runner, struct engine **ret,
	       struct strbuf *why)
{
	struct engine *e __free(engine) = xcalloc(1, sizeof(*e));
	int r;

	e->cfg = cfg;
	e->db = db;
	e->loop = loop;
	e->self = xstrdup(self);
	e->runner = xstrdup(runner);
	e->strikes = json_object();
	INIT_LIST_HEAD(&e->runs);
	INIT_LIST_HEAD(&e->submissions);
	INIT_LIST_HEAD(&e->hooks);
	r = engine_runs_adopt(e, why);
	if (!r)
		r = engine_mail_recover(e, why);
	if (!r)
		r = engine_pull_start(e, why);
	if (r)
		return r;
	e->poll = loop_add_timer(loop, 0, on_poll, e);
	*ret = no_free_ptr(e);
	return 0;
}

static void stop_submissions(struct engine *e)
{
	struct engine_submission *s, *n;

	list_for_each_entry_safe(s, n, &e->submissions, node) {
		worker_stop(s->worker);
		ingest_free(s->ingest);
		s->done(-ESHUTDOWN, NULL, "the daemon is stopping", s->arg);
		unlink(s->path);
		free(s->path);
		free(s->who);
		free(s);
	}
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	e->stopping = true;
	loop_cancel_timer(e->loop, e->kick);
	loop_cancel_timer(e->loop, e->poll);
	worker_stop(e->tree_worker);
	worker_stop(e->apply_worker);
	worker_stop(e->derive_worker);
	worker_stop(e->fixups_worker);
	worker_stop(e->report_worker);
	worker_stop(e->tidy_worker);
	worker_stop(e->repack_worker);
	engine_mail_stop(e);
	engine_command_stop(e);
	engine_patchwork_stop(e);
	engine_hooks_stop(e);
	engine_pull_stop(e);
	stop_submissions(e);
	engine_runs_stop(e);
	json_decref(e->strikes);
	free(e->sources);
	free(e->self);
	free(e->runner);
	free(e);
}
