// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "pull: " fmt
#include <errno.h>
#include <string.h>

#include "db/source.h"
#include "db/submitter.h"
#include "jobs/engine-private.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/log.h"

#define PULL_TIMEOUT_S 86400
#define PULL_BATCH 200

static void pull_now(void *arg);

static void pull_later(struct engine_source *s)
{
	s->timer = loop_add_timer(s->e->loop, s->cfg->poll_s * 1000, pull_now,
				  s);
}

static int on_feed(const void *data, size_t len, struct strbuf *why, void *arg)
{
	struct engine_source *s = arg;

	return ingest_feed(s->ingest, data, len, why);
}

static void on_done(json_t *answer, const char *error, void *arg)
{
	struct engine_source *s = arg;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *versions __free(json) = NULL;
	int64_t n;
	int r;

	s->worker = NULL;
	/* the worker's own words in an error frame say more than its exit */
	r = ingest_finish(s->ingest, &versions, &why);
	n = ingest_count(s->ingest);
	if (!r && error)
		strbuf_setf(&why, "%s", error);
	if (r < 0 && error)
		strbuf_setf(&why, "%s", error);
	ingest_free(s->ingest);
	s->ingest = NULL;

	if (why.len && (!s->error || strcmp(s->error, why.buf)))
		pr_warn("%s: %s\n", s->cfg->name, why.buf);
	free(s->error);
	s->error = why.len ? xstrdup(why.buf) : NULL;
	if (n)
		pr_info("%s: %lld new mails\n", s->cfg->name, (long long)n);
	r = db_source_tried(s->e->db, s->id, why.len ? why.buf : NULL, n > 0);
	if (r)
		engine_fail_soft(s->e, "noting a look", r);
	pull_later(s);
	engine_kick(s->e);
}

static json_t *pull_request(struct engine_source *s, json_t *state)
{
	json_t *q = json_object();
	char *cache __free(kfree) = xasprintf("%s/inbox/%s",
					      s->e->cfg->state_dir,
					      s->cfg->name);

	json_set_text(q, "kind", s->cfg->kind);
	json_set_text(q, "location", s->cfg->location);
	json_set_text(q, "cache_dir", cache);
	json_object_set(q, "state", state);
	json_set_int(q, "since_s", s->cfg->since_s);
	json_set_int(q, "batch", PULL_BATCH);
	return q;
}

static void pull_now(void *arg)
{
	struct engine_source *s = arg;
	struct version_sync how = {
		.source = s->id,
		.settle_s = s->e->cfg->settle_s,
		.incomplete_s = s->e->cfg->incomplete_s,
	};
	struct worker_spec spec = {
		.program = s->e->self, .name = "pull",
		.timeout_s = PULL_TIMEOUT_S, .feed = on_feed, .done = on_done,
		.arg = s,
	};
	json_t *state __free(json) = NULL, *q __free(json) = NULL;
	int r;

	s->timer = NULL;
	r = db_source_state(s->e->db, s->id, &state);
	if (!r) {
		q = pull_request(s, state);
		spec.request = q;
		s->ingest = ingest_new(s->e->db, &how);
		r = worker_start(s->e->loop, &spec, &s->worker);
	}
	if (r) {
		pr_err("%s: %s\n", s->cfg->name, strerror(r < 0 ? -r : EIO));
		ingest_free(s->ingest);
		s->ingest = NULL;
		pull_later(s);
	}
}

int engine_pull_start(struct engine *e, struct strbuf *why)
{
	e->sources = xcalloc(e->cfg->n_sources, sizeof(*e->sources));
	for (size_t i = 0; i < e->cfg->n_sources; i++) {
		struct engine_source *s = &e->sources[i];
		int r;

		s->e = e;
		s->cfg = &e->cfg->sources[i];
		r = db_source_ensure(e->db, s->cfg->name, s->cfg->kind,
				     s->cfg->location, &s->id);
		if (r) {
			strbuf_setf(why, "source %s: %s", s->cfg->name,
				    db_error(e->db));
			return r;
		}
		s->timer = loop_add_timer(e->loop, 0, pull_now, s);
	}
	return 0;
}

void engine_pull_stop(struct engine *e)
{
	for (size_t i = 0; e->sources && i < e->cfg->n_sources; i++) {
		struct engine_source *s = &e->sources[i];

		worker_stop(s->worker);
		loop_cancel_timer(e->loop, s->timer);
		ingest_free(s->ingest);
		free(s->error);
	}
}

static int on_submit_feed(const void *data, size_t len, struct strbuf *why,
			  void *arg)
{
	struct engine_submission *s = arg;

	return ingest_feed(s->ingest, data, len, why);
}

/* Without this its sender could not see a private one. */
static int note_submitter(struct engine_submission *s, const json_t *versions)
{
	struct db *db = s->e->db;
	const json_t *v;
	size_t i;
	int r = s->who ? db_begin(db) : 0;

	if (!s->who)
		return 0;
	json_array_foreach((json_t *)versions, i, v) {
		if (!r)
			r = db_submitter_add(db, (struct version_id){
						json_integer_value(v) },
					     s->who, s->started_s);
	}
	if (!r)
		r = db_commit(db);
	if (r)
		db_rollback(db);
	return r;
}

static void on_submit_done(json_t *answer, const char *error, void *arg)
{
	struct engine_submission *s = arg;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *versions = NULL, *ret __free(json) = json_object();
	int r = ingest_finish(s->ingest, &versions, &why);

	if (r && !why.len)
		strbuf_addstr(&why, error ? error : "it could not be read");
	if (!r && !json_array_size(versions)) {
		r = -EINVAL;
		strbuf_addstr(&why, "there is no patch in it: nothing that "
				    "looks like \"[PATCH] title\" with a diff");
	}
	if (!r)
		r = note_submitter(s, versions);
	json_object_set_new(ret, "series", versions);
	json_set_int(ret, "mails", ingest_count(s->ingest));
	ingest_free(s->ingest);
	list_del(&s->node);
	unlink(s->path);
	s->done(r > 0 ? -EINVAL : r, ret, why.len ? why.buf : NULL, s->arg);
	engine_kick(s->e);
	free(s->path);
	free(s->who);
	free(s);
}

static int start_submission(struct engine_submission *s, bool is_private)
{
	struct version_sync how = { .is_private = is_private };
	struct worker_spec spec = {
		.program = s->e->self, .name = "pull", .timeout_s = 300,
		.feed = on_submit_feed, .done = on_submit_done, .arg = s,
	};
	json_t *q __free(json) = json_object();

	/* all its mails are there: nothing to wait for */
	json_set_text(q, "kind", "mbox");
	json_set_text(q, "location", s->path);
	json_object_set_new(q, "state", json_object());
	json_set_int(q, "batch", 10000);
	spec.request = q;
	s->ingest = ingest_new(s->e->db, &how);
	return worker_start(s->e->loop, &spec, &s->worker);
}

int engine_submit(struct engine *e, const void *mbox, size_t len,
		  bool is_private, const char *who,
		  void (*done)(int r, json_t *ret, const char *why, void *arg),
		  void *arg)
{
	static unsigned int serial;
	struct engine_submission *s = xcalloc(1, sizeof(*s));
	int r;

	s->e = e;
	s->done = done;
	s->arg = arg;
	s->who = xstrdup(who);
	s->started_s = clock_now_s();
	s->path = xasprintf("%s/submit/%d-%u.mbox", e->cfg->state_dir,
			    (int)getpid(), ++serial);
	r = fs_mkdir_parent(s->path);
	if (!r)
		r = fs_write_atomic(s->path, mbox, len);
	if (!r)
		r = start_submission(s, is_private);
	if (r) {
		ingest_free(s->ingest);
		unlink(s->path);
		free(s->path);
		free(s->who);
		free(s);
		return r;
	}
	list_add_tail(&s->node, &e->submissions);
	return 0;
}
