/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_ENGINE_H
#define MMCI_JOBS_ENGINE_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"
#include "lib/config.h"
#include "lib/loop.h"

struct engine;

/**
 * engine_new() - what moves every version through its states
 * @cfg, @db, @loop: borrowed, must outlive the engine
 * @self: path of the daemon's binary, which is also its workers'
 * @runner: path of mmci-run
 * @why: on failure one line
 *
 * Everything that is decided stands in the database: a new engine goes on where
 * one that was killed stopped, and adopts runners that are still at work.
 *
 * Return: 0 and @ret, or -errno.
 */
int engine_new(const struct config *cfg, struct db *db, struct loop *loop,
	       const char *self, const char *runner, struct engine **ret,
	       struct strbuf *why);
/** engine_free() - stop workers and runners; their jobs are queued again */
void engine_free(struct engine *e);
DEFINE_FREE(engine, struct engine *, engine_free(_T))
/** engine_kick() - look soon at what can be done now */
void engine_kick(struct engine *e);

/*
 * What people ask for. Called on the loop's thread. Return 0 and @ret, or
 * -errno with one line in @why; see struct web_ops.
 */
int engine_rerun_job(struct engine *e, struct job_id id, const char *who,
		     json_t **ret, struct strbuf *why);
/* only jobs on @arch (NULL: any); @failed: only those that did not pass */
int engine_rerun_version(struct engine *e, struct version_id id,
			 const char *arch, bool failed, const char *who,
			 json_t **ret, struct strbuf *why);
int engine_cancel_job(struct engine *e, struct job_id id, const char *who,
		      json_t **ret, struct strbuf *why);
int engine_cancel_version(struct engine *e, struct version_id id,
			  const char *who, json_t **ret, struct strbuf *why);
int engine_outbox_approve(struct engine *e, struct outgoing_id id,
			  const char *who, json_t **ret, struct strbuf *why);
/* @reason: a few words for the record, may be "" */
int engine_outbox_reject(struct engine *e, struct outgoing_id id,
			 const char *who, const char *reason, json_t **ret,
			 struct strbuf *why);
int engine_tree_add(struct engine *e, const json_t *tree, const char *who,
		    json_t **ret, struct strbuf *why);
int engine_tree_fetch(struct engine *e, const char *name, const char *who,
		      json_t **ret, struct strbuf *why);
int engine_token_add(struct engine *e, const json_t *spec, const char *who,
		     json_t **ret, struct strbuf *why);
/* {name} */
int engine_token_revoke(struct engine *e, const json_t *spec, const char *who,
			json_t **ret, struct strbuf *why);
/* {hash, token, expires_s} */
int engine_session_add(struct engine *e, const json_t *spec, json_t **ret,
		       struct strbuf *why);
/* {hash} */
int engine_session_end(struct engine *e, const json_t *spec, json_t **ret,
		       struct strbuf *why);
/* {name, url, events}: gives {name, url, events, secret} */
int engine_hook_add(struct engine *e, const json_t *spec, const char *who,
		    json_t **ret, struct strbuf *why);
/* {name} */
int engine_hook_remove(struct engine *e, const json_t *spec, const char *who,
		       json_t **ret, struct strbuf *why);
/**
 * engine_submit() - take an mbox in
 * @who: name of the token, which may see the series also when it is private
 * @done: called once, later: 0 with {"series": [ids], "mails": n}, or -errno
 *	with one line
 *
 * Return: 0 or -errno, then @done is not called.
 */
int engine_submit(struct engine *e, const void *mbox, size_t len,
		  bool is_private, const char *who,
		  void (*done)(int r, json_t *ret, const char *why, void *arg),
		  void *arg);

#endif
