// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/asks.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "lib/clock.h"
#include "lib/json.h"
#include "lib/list.h"

#define ALIVE_MS 1000
#define MAX_SILENCE_MS 30000

enum ask_kind {
	ASK_RERUN_JOB,
	ASK_RERUN_VERSION,
	ASK_CANCEL_JOB,
	ASK_CANCEL_VERSION,
	ASK_SUBMIT,
	ASK_TREE_ADD,
	ASK_TREE_FETCH,
	ASK_TOKEN_ADD,
	ASK_TOKEN_REVOKE,
	ASK_SESSION_ADD,
	ASK_SESSION_END,
	ASK_HOOK_ADD,
	ASK_HOOK_REMOVE,
	ASK_OUTBOX_APPROVE,
	ASK_OUTBOX_REJECT,
};

/* Lives on the asking thread's stack until it is answered. */
struct ask {
	struct list_head node;
	struct asks *asks;
	enum ask_kind kind;
	int64_t id;
	const char *who;
	const char *name;
	const json_t *json;
	const void *data;
	size_t len;
	bool flag;
	bool answered;
	int r;
	json_t *ret;
	struct strbuf *why;
};

struct asks {
	struct loop *loop;
	struct engine *engine;
	int event_fd;
	pthread_mutex_t lock;
	pthread_cond_t answered;
	struct list_head waiting;
	bool closed;
	struct loop_timer *alive;
	atomic_llong alive_ms; /* when the loop last turned */
};

static void answer(struct ask *q, int r)
{
	struct asks *a = q->asks;

	pthread_mutex_lock(&a->lock);
	q->r = r;
	q->answered = true;
	pthread_cond_broadcast(&a->answered);
	pthread_mutex_unlock(&a->lock);
}

static void on_submitted(int r, json_t *ret, const char *why, void *arg)
{
	struct ask *q = arg;

	if (why)
		strbuf_setf(q->why, "%s", why);
	if (!r)
		q->ret = json_incref(ret);
	answer(q, r);
}

static int serve_admin(struct engine *e, struct ask *q)
{
	if (q->kind == ASK_TOKEN_REVOKE)
		return engine_token_revoke(e, q->json, q->who, &q->ret, q->why);
	if (q->kind == ASK_SESSION_ADD)
		return engine_session_add(e, q->json, &q->ret, q->why);
	if (q->kind == ASK_SESSION_END)
		return engine_session_end(e, q->json, &q->ret, q->why);
	if (q->kind == ASK_HOOK_ADD)
		return engine_hook_add(e, q->json, q->who, &q->ret, q->why);
	return engine_hook_remove(e, q->json, q->who, &q->ret, q->why);
}

static void serve(struct asks *a, struct ask *q)
{
	struct engine *e = a->engine;
	struct version_id version = { q->id };
	struct outgoing_id out = { q->id };
	struct job_id job = { q->id };
	int r = -EINVAL;

	switch (q->kind) {
	case ASK_RERUN_JOB:
		r = engine_rerun_job(e, job, q->who, &q->ret, q->why);
		break;
	case ASK_RERUN_VERSION:
		r = engine_rerun_version(e, version, q->name, q->flag, q->who,
					 &q->ret, q->why);
		break;
	case ASK_CANCEL_JOB:
		r = engine_cancel_job(e, job, q->who, &q->ret, q->why);
		break;
	case ASK_CANCEL_VERSION:
		r = engine_cancel_version(e, version, q->who, &q->ret, q->why);
		break;
	case ASK_TREE_ADD:
		r = engine_tree_add(e, q->json, q->who, &q->ret, q->why);
		break;
	case ASK_TREE_FETCH:
		r = engine_tree_fetch(e, q->name, q->who, &q->ret, q->why);
		break;
	case ASK_TOKEN_ADD:
		r = engine_token_add(e, q->json, q->who, &q->ret, q->why);
		break;
	case ASK_TOKEN_REVOKE:
	case ASK_SESSION_ADD:
	case ASK_SESSION_END:
	case ASK_HOOK_ADD:
	case ASK_HOOK_REMOVE:
		r = serve_admin(e, q);
		break;
	case ASK_OUTBOX_APPROVE:
		r = engine_outbox_approve(e, out, q->who, &q->ret, q->why);
		break;
	case ASK_OUTBOX_REJECT:
		r = engine_outbox_reject(e, out, q->who, q->name, &q->ret,
					 q->why);
		break;
	case ASK_SUBMIT:
		r = engine_submit(e, q->data, q->len, q->flag, q->who,
				  on_submitted, q);
		if (!r)
			return; /* on_submitted() answers */
		break;
	}
	answer(q, r);
}

static struct ask *take(struct asks *a)
{
	struct ask *q = NULL;

	pthread_mutex_lock(&a->lock);
	if (!list_empty(&a->waiting)) {
		q = list_first_entry(&a->waiting, struct ask, node);
		list_del(&q->node);
	}
	pthread_mutex_unlock(&a->lock);
	return q;
}

static void on_event(int fd, uint32_t events, void *arg)
{
	struct asks *a = arg;
	struct ask *q;
	uint64_t n;

	(void)!read(fd, &n, sizeof(n));
	while ((q = take(a)))
		serve(a, q);
}

static void on_alive(void *arg)
{
	struct asks *a = arg;

	atomic_store(&a->alive_ms, clock_mono_ms());
	a->alive = loop_add_timer(a->loop, ALIVE_MS, on_alive, a);
}

struct asks *asks_new(struct loop *loop, struct engine *engine)
{
	struct asks *a = xcalloc(1, sizeof(*a));

	a->loop = loop;
	a->engine = engine;
	INIT_LIST_HEAD(&a->waiting);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->answered, NULL);
	a->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (a->event_fd < 0 ||
	    loop_add_fd(loop, a->event_fd, EPOLLIN, on_event, a)) {
		asks_free(a);
		return NULL;
	}
	on_alive(a);
	return a;
}

void asks_close(struct asks *a)
{
	struct ask *q;

	pthread_mutex_lock(&a->lock);
	a->closed = true;
	pthread_mutex_unlock(&a->lock);
	loop_del_fd(a->loop, a->event_fd);
	loop_cancel_timer(a->loop, a->alive);
	a->alive = NULL;
	while ((q = take(a)))
		answer(q, -ESHUTDOWN);
}

void asks_free(struct asks *a)
{
	if (!a)
		return;
	if (a->event_fd >= 0)
		close(a->event_fd);
	pthread_cond_destroy(&a->answered);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

static int ask(struct asks *a, struct ask *q, json_t **ret, struct strbuf *why)
{
	const uint64_t one = 1;

	q->asks = a;
	q->why = why;
	pthread_mutex_lock(&a->lock);
	if (a->closed) {
		pthread_mutex_unlock(&a->lock);
		strbuf_setf(why, "the daemon is stopping");
		return -ESHUTDOWN;
	}
	list_add_tail(&q->node, &a->waiting);
	(void)!write(a->event_fd, &one, sizeof(one));
	while (!q->answered)
		pthread_cond_wait(&a->answered, &a->lock);
	pthread_mutex_unlock(&a->lock);
	if (q->r)
		json_decref(q->ret);
	else
		*ret = q->ret;
	return q->r;
}

static int rerun_job(void *arg, struct job_id id, const char *who,
		     json_t **ret, struct strbuf *why)
{
	struct ask q = { .kind = ASK_RERUN_JOB, .id = id.v, .who = who };

	return ask(arg, &q, ret, why);
}

static int rerun_version(void *arg, struct version_id id, const char *arch,
			 bool failed, const char *who, json_t **ret,
			 struct strbuf *why)
{
	struct ask q = { .kind = ASK_RERUN_VERSION, .id = id.v, .who = who,
			 .name = arch, .flag = failed };

	return ask(arg, &q, ret, why);
}

static int cancel_job(void *arg, struct job_id id, const char *who,
		      json_t **ret, struct strbuf *why)
{
	struct ask q = { .kind = ASK_CANCEL_JOB, .id = id.v, .who = who };

	return ask(arg, &q, ret, why);
}

static int cancel_version(void *arg, struct version_id id, const char *who,
			  json_t **ret, struct strbuf *why)
{
	struct ask q = { .kind = ASK_CANCEL_VERSION, .id = id.v, .who = who };

	return ask(arg, &q, ret, why);
}

static int submit(void *arg, const void *mbox, size_t len, bool is_private,
		  const char *who, json_t **ret, struct strbuf *why)
{
	struct ask q = { .kind = ASK_SUBMIT, .data = mbox, .len = len,
			 .flag = is_private, .who = who };

	return ask(arg, &q, ret, why);
}

static int tree_add(void *arg, const json_t *tree, const char *who,
		    json_t **ret, struct strbuf *why)
{
	struct ask q = { .kind = ASK_TREE_ADD, .json = tree, .who = who };

	return ask(arg, &q, ret, why);
}

static int tree_fetch(void *arg, const char *name, const char *who,
		      json_t **ret, struct strbuf *why)
{
	struct ask q = { .kind = ASK_TREE_FETCH, .name = name, .who = who };

	return ask(arg, &q, ret, why);
}

static int token_add(void *arg, const json_t *spec, const char *who,
		     json_t **ret, struct strbuf *why)
{
	struct ask q = { .kind = ASK_TOKEN_ADD, .json = spec, .who = who };

	return ask(arg, &q, ret, why);
}

static int act(void *arg, enum web_act what, const json_t *spec,
	       const char *who, json_t **ret, struct strbuf *why)
{
	static const enum ask_kind kinds[] = {
		[WEB_SESSION_ADD] = ASK_SESSION_ADD,
		[WEB_SESSION_END] = ASK_SESSION_END,
		[WEB_TOKEN_REVOKE] = ASK_TOKEN_REVOKE,
		[WEB_HOOK_ADD] = ASK_HOOK_ADD,
		[WEB_HOOK_REMOVE] = ASK_HOOK_REMOVE,
	};
	struct ask q = { .kind = kinds[what], .json = spec, .who = who };

	return ask(arg, &q, ret, why);
}

static int ready(void *arg, struct strbuf *why)
{
	struct asks *a = arg;
	int64_t silent_ms = clock_mono_ms() - atomic_load(&a->alive_ms);

	if (silent_ms <= MAX_SILENCE_MS)
		return 0;
	strbuf_setf(why, "the event loop has not turned for %lld s",
		    (long long)silent_ms / 1000);
	return -EAGAIN;
}

static int outbox_approve(void *arg, struct outgoing_id id, const char *who,
			  json_t **ret, struct strbuf *why)
{
	struct ask q = { .kind = ASK_OUTBOX_APPROVE, .id = id.v, .who = who };

	return ask(arg, &q, ret, why);
}

static int outbox_reject(void *arg, struct outgoing_id id, const char *reason,
			 const char *who, json_t **ret, struct strbuf *why)
{
	struct ask q = { .kind = ASK_OUTBOX_REJECT, .id = id.v, .who = who,
			 .name = reason };

	return ask(arg, &q, ret, why);
}

const struct web_ops asks_ops = {
	.rerun_job = rerun_job,
	.rerun_version = rerun_version,
	.cancel_job = cancel_job,
	.cancel_version = cancel_version,
	.submit = submit,
	.tree_add = tree_add,
	.tree_fetch = tree_fetch,
	.token_add = token_add,
	.act = act,
	.ready = ready,
	.outbox_approve = outbox_approve,
	.outbox_reject = outbox_reject,
};
