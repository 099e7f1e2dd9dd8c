// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "webhook: " fmt

/*
 * Each webhook has its own place in the log of events and, while it is told of
 * some, a worker of its own: one that is dead or slow holds up neither the
 * daemon nor the others.
 */
#include <string.h>

#include "db/webhook.h"
#include "jobs/engine-private.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "lib/log.h"

#define MAX_WORKERS 4
#define BATCH 20
#define TIMEOUT_S 300 /* of a worker: BATCH times its own limit, and some */
#define FIRST_RETRY_S 5
#define MAX_RETRY_S 3600
#define MAX_TRIES 30 /* about a day */

/**
 * struct engine_hook - a webhook that is being told
 * @row: as from db_webhooks_due()
 * @events: what it is sent; @last: up to which it has been looked at
 */
struct engine_hook {
	struct list_head node;
	struct engine *e;
	struct worker *worker;
	json_t *row;
	json_t *events;
	int64_t last;
};

static void free_hook(struct engine_hook *h)
{
	list_del(&h->node);
	json_decref(h->row);
	json_decref(h->events);
	free(h);
}

static int64_t pause_s(int64_t tries, int64_t asked_s)
{
	int64_t s = FIRST_RETRY_S;

	while (tries-- > 0 && s < MAX_RETRY_S)
		s *= 2;
	return min(max(s, asked_s), (int64_t)MAX_RETRY_S);
}

static int failed(struct engine_hook *h, const char *error, int64_t asked_s)
{
	int64_t tries = json_get_int(h->row, "tries", 0);
	int64_t id = json_get_int(h->row, "id", 0);
	int64_t wait_s = pause_s(tries, asked_s);
	const char *name = json_get_str(h->row, "name", "");

	/* once when it begins: a dead receiver must not fill our log */
	if (!tries)
		pr_warn("%s: %s; again in %lld s\n", name, error,
			(long long)wait_s);
	if (tries + 1 < MAX_TRIES)
		return db_webhook_failed(h->e->db, id, error,
					 clock_now_s() + wait_s);
	pr_warn("%s: %s; given up %zu events\n", name, error,
		json_array_size(h->events));
	return db_webhook_took(h->e->db, id, h->last, 0,
			       (int64_t)json_array_size(h->events));
}

/* What it took, it has; of the rest it is told again. */
static int take_answer(struct engine_hook *h, const json_t *answer,
		       const char *error)
{
	int64_t id = json_get_int(h->row, "id", 0);
	int64_t n = (int64_t)json_array_size(h->events);
	int64_t sent = min(json_get_int(answer, "sent", 0), n);
	const json_t *last = json_array_get(h->events, (size_t)(sent - 1));
	int r;

	if (sent == n)
		return db_webhook_took(h->e->db, id, h->last, n, 0);
	if (sent > 0) {
		r = db_webhook_took(h->e->db, id, json_get_int(last, "id", 0),
				    sent, 0);
		if (r)
			return r;
		json_set_int(h->row, "tries", 0);
		for (; sent; sent--)
			json_array_remove(h->events, 0);
	}
	return failed(h, error ? error : json_get_str(answer, "error", "?"),
		      json_get_int(answer, "retry_after_s", 0));
}

static void on_told(json_t *answer, const char *why, void *arg)
{
	struct engine_hook *h = arg;
	struct engine *e = h->e;
	int r = db_begin(e->db);

	if (!r)
		r = take_answer(h, answer, why);
	if (!r)
		r = db_commit(e->db);
	if (r)
		engine_fail_soft(e, "noting a webhook", r);
	free_hook(h);
	if (!r)
		engine_kick(e);
}

static int start(struct engine *e, struct engine_hook *h)
{
	struct worker_spec spec = {
		.program = e->self, .name = "hook", .timeout_s = TIMEOUT_S,
		.done = on_told, .arg = h,
	};
	json_t *q __free(json) = json_object();

	json_object_set(q, "url", json_object_get(h->row, "url"));
	json_object_set(q, "secret", json_object_get(h->row, "secret"));
	json_set_text(q, "contact_url", e->cfg->public_url);
	json_object_set(q, "events", h->events);
	spec.request = q;
	return worker_start(e->loop, &spec, &h->worker);
}

static bool is_busy(const struct engine *e, int64_t id, int *n)
{
	struct engine_hook *h;
	bool busy = false;

	*n = 0;
	list_for_each_entry(h, &e->hooks, node) {
		busy |= json_get_int(h->row, "id", 0) == id;
		++*n;
	}
	return busy;
}

static int tell(struct engine *e, json_t *row)
{
	struct engine_hook *h = xcalloc(1, sizeof(*h));
	int r;

	h->e = e;
	h->row = json_incref(row);
	list_add_tail(&h->node, &e->hooks);
	r = db_webhook_events(e->db, row, BATCH, &h->events, &h->last);
	if (!r && json_array_size(h->events))
		r = start(e, h);
	else if (!r)
		r = db_webhook_took(e->db, json_get_int(row, "id", 0), h->last,
				    0, 0);
	if (r || !json_array_size(h->events))
		free_hook(h);
	return r;
}

void engine_hooks(struct engine *e)
{
	json_t *due __free(json) = NULL, *row;
	size_t i;
	int n;
	int r = db_webhooks_due(e->db, clock_now_s(), &due);

	json_array_foreach(due, i, row) {
		if (r || is_busy(e, json_get_int(row, "id", 0), &n))
			continue;
		if (n >= MAX_WORKERS)
			break;
		r = tell(e, row);
	}
	if (r)
		engine_fail_soft(e, "webhooks", r);
}

void engine_hooks_stop(struct engine *e)
{
	struct engine_hook *h, *next;

	list_for_each_entry_safe(h, next, &e->hooks, node) {
		worker_stop(h->worker);
		free_hook(h);
	}
}
