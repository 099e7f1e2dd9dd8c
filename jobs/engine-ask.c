// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "ask: " fmt
#include <errno.h>
#include <string.h>

#include "db/event.h"
#include "db/job.h"
#include "db/token.h"
#include "db/tree.h"
#include "db/version.h"
#include "jobs/engine-private.h"
#include "lib/clock.h"
#include "lib/hash.h"
#include "lib/json.h"

int engine_finish(struct engine *e, int r, struct strbuf *why)
{
	if (!r)
		r = db_commit(e->db);
	if (r) {
		if (!why->len)
			strbuf_setf(why, "%s", strerror(-r));
		db_rollback(e->db);
	}
	engine_kick(e);
	return r;
}

/* A version with an open job is running again, and judged again at its end. */
static int reopen(struct engine *e, struct version_id id, const char *why)
{
	json_t *row __free(json) = NULL;
	const char *state;
	int r;

	if (!id.v)
		return 0;
	r = db_version_get(e->db, id, &row);
	if (r)
		return r;
	state = json_get_str(row, "state", "");
	if (strcmp(state, "done") && strcmp(state, "superseded"))
		return 0;
	return db_version_set(e->db, id, VERSION_RUNNING, why);
}

int engine_rerun_job(struct engine *e, struct job_id id, const char *who,
		     json_t **ret, struct strbuf *why)
{
	char *reason __free(kfree) = xasprintf("rerun by %s", who);
	json_t *row __free(json) = NULL;
	struct version_id version = { 0 };
	int r = db_begin(e->db);

	if (!r)
		r = db_job_rerun(e->db, id, reason);
	if (r == DB_NONE) {
		r = -ENOENT;
		strbuf_setf(why, "there is no job %lld", (long long)id.v);
	} else if (r == -EALREADY) {
		strbuf_setf(why, "job %lld has not ended yet; cancel it first",
			    (long long)id.v);
	}
	if (!r)
		r = db_job_get(e->db, id, &row);
	if (!r) {
		version.v = json_get_int(row, "version_id", 0);
		r = reopen(e, version, reason);
	}
	r = engine_finish(e, r, why);
	if (!r)
		*ret = json_pack("{s:I, s:s, s:I}", "id", (json_int_t)id.v,
				 "state", "waiting", "attempt",
				 (json_int_t)json_get_int(row, "attempts", 0) +
					 1);
	return r;
}

static bool is_chosen(const json_t *job, const char *arch, bool failed)
{
	if (arch && strcmp(json_get_str(job, "arch", ""), arch))
		return false;
	if (!failed)
		return true;
	switch (job_state_parse(json_get_str(job, "state", ""))) {
	case JOB_FAILED:
	case JOB_ERRORED:
	case JOB_CANCELED:
	case JOB_TIMED_OUT:
		return true;
	case JOB_WAITING:
	case JOB_QUEUED:
	case JOB_RUNNING:
	case JOB_PASSED:
		break;
	}
	return false;
}

/* @chosen: how many there are; @n: of them, how many run again */
static int rerun_jobs(struct engine *e, struct version_id id, const char *arch,
		      bool failed, const char *reason, int64_t *chosen,
		      int64_t *n)
{
	json_t *jobs __free(json) = NULL, *job;
	size_t i;
	int r = db_jobs_of(e->db, id, &jobs);

	*n = *chosen = 0;
	json_array_foreach(jobs, i, job) {
		int one;

		if (r)
			break;
		if (!is_chosen(job, arch, failed))
			continue;
		(*chosen)++;
		one = db_job_rerun(e->db, (struct job_id){
					json_get_int(job, "id", 0) }, reason);
		*n += !one;
		if (one != -EALREADY)
			r = one;
	}
	return r;
}

/* No job was started: is there a reason, or is it to be looked at anew? */
static int rerun_none(struct engine *e, struct version_id id, const json_t *row,
		      bool all, int64_t chosen, const char *reason,
		      struct strbuf *why)
{
	int r;

	if (!all && !chosen) {
		strbuf_setf(why, "series %lld has no such job",
			    (long long)id.v);
		return -ENOENT;
	}
	if (!all || !json_get_str(row, "verdict", "")[0]) {
		strbuf_setf(why, "series %lld is at work already",
			    (long long)id.v);
		return -EALREADY;
	}
	/* it never came to jobs: look for a base again */
	r = db_version_verdict(e->db, id, "", "");
	return r ? r : db_version_set(e->db, id, VERSION_ASSEMBLING, reason);
}

int engine_rerun_version(struct engine *e, struct version_id id,
			 const char *arch, bool failed, const char *who,
			 json_t **ret, struct strbuf *why)
{
	char *reason __free(kfree) = xasprintf("rerun by %s", who);
	json_t *row __free(json) = NULL;
	int64_t n = 0, chosen = 0;
	int r = db_begin(e->db);

	if (!r)
		r = db_version_get(e->db, id, &row);
	if (r == DB_NONE) {
		r = -ENOENT;
		strbuf_setf(why, "there is no series %lld", (long long)id.v);
	}
	if (!r)
		r = rerun_jobs(e, id, arch, failed, reason, &chosen, &n);
	if (!r)
		r = n ? reopen(e, id, reason) :
			rerun_none(e, id, row, !arch && !failed, chosen, reason,
				   why);
	r = engine_finish(e, r, why);
	if (!r)
		*ret = json_pack("{s:I, s:I}", "id", (json_int_t)id.v, "jobs",
				 (json_int_t)n);
	return r;
}

static int cancel_one(struct engine *e, const json_t *job, const char *reason)
{
	struct job_id id = { json_get_int(job, "id", 0) };

	switch (job_state_parse(json_get_str(job, "state", ""))) {
	case JOB_WAITING:
	case JOB_QUEUED:
		return db_job_set(e->db, id, JOB_CANCELED, reason);
	case JOB_RUNNING:
		engine_run_cancel(e, id);
		return 0;
	case JOB_PASSED:
	case JOB_FAILED:
	case JOB_ERRORED:
	case JOB_CANCELED:
	case JOB_TIMED_OUT:
		break;
	}
	return -EALREADY;
}

int engine_cancel_job(struct engine *e, struct job_id id, const char *who,
		      json_t **ret, struct strbuf *why)
{
	char *reason __free(kfree) = xasprintf("canceled by %s", who);
	json_t *row __free(json) = NULL;
	int r = db_begin(e->db);

	if (!r)
		r = db_job_get(e->db, id, &row);
	if (r == DB_NONE) {
		r = -ENOENT;
		strbuf_setf(why, "there is no job %lld", (long long)id.v);
	}
	if (!r)
		r = cancel_one(e, row, reason);
	if (r == -EALREADY)
		strbuf_setf(why, "job %lld has ended already",
			    (long long)id.v);
	r = engine_finish(e, r, why);
	if (!r)
		*ret = json_pack("{s:I}", "id", (json_int_t)id.v);
	return r;
}

int engine_cancel_version(struct engine *e, struct version_id id,
			  const char *who, json_t **ret, struct strbuf *why)
{
	char *reason __free(kfree) = xasprintf("canceled by %s", who);
	json_t *jobs __free(json) = NULL, *row __free(json) = NULL, *job;
	int64_t n = 0;
	size_t i;
	int r = db_begin(e->db);

	if (!r)
		r = db_version_get(e->db, id, &row);
	if (r == DB_NONE) {
		r = -ENOENT;
		strbuf_setf(why, "there is no series %lld", (long long)id.v);
	}
	if (!r)
		r = db_jobs_all_of(e->db, id, &jobs);
	json_array_foreach(jobs, i, job) {
		int one;

		if (r)
			break;
		one = cancel_one(e, job, reason);
		n += !one;
		if (one != -EALREADY)
			r = one;
	}
	r = engine_finish(e, r, why);
	if (!r)
		*ret = json_pack("{s:I, s:I}", "id", (json_int_t)id.v, "jobs",
				 (json_int_t)n);
	return r;
}

static int check_tree(const json_t *tree, struct strbuf *why)
{
	static const char *const kinds[] = { "git", "source-package",
					     "source-dir" };
	const char *name = json_get_str(tree, "name", "");
	const char *kind = json_get_str(tree, "kind", "");
	const char *location = json_get_str(tree, "location", "");
	size_t i;

	/* it becomes refs/trees/NAME */
	if (!*name || strspn(name, "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-") != strlen(name) ||
	    *name == '.' || *name == '-' || strstr(name, "..") ||
	    ends_with(name, ".lock") || ends_with(name, ".")) {
		strbuf_setf(why, "name: letters, digits, '.', '_' and '-', not "
				 "beginning with '.' or '-'");
		return -EINVAL;
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kind, kinds[i]))
			break;
	}
	if (i == ARRAY_SIZE(kinds)) {
		strbuf_setf(why, "kind: expected git, source-package or "
				 "source-dir");
		return -EINVAL;
	}
	if (!*location || *location == '-') {
		strbuf_setf(why, "location: a path, a URL or a package name");
		return -EINVAL;
	}
	return 0;
}

int engine_tree_add(struct engine *e, const json_t *tree, const char *who,
		    json_t **ret, struct strbuf *why)
{
	const char *name = json_get_str(tree, "name", "");
	struct tree_id id;
	int r = check_tree(tree, why);

	if (r)
		return r;
	r = db_begin(e->db);
	if (!r)
		r = db_tree_add(e->db, tree, &id);
	if (r == -EEXIST)
		strbuf_setf(why, "there is a tree \"%s\" already", name);
	r = engine_finish(e, r, why);
	if (!r)
		*ret = json_pack("{s:I, s:s, s:s}", "id", (json_int_t)id.v,
				 "name", name, "state", "new");
	return r;
}

int engine_tree_fetch(struct engine *e, const char *name, const char *who,
		      json_t **ret, struct strbuf *why)
{
	struct tree_id id;
	int r = db_begin(e->db);

	if (!r)
		r = db_tree_find(e->db, name, &id);
	if (r == DB_NONE) {
		r = -ENOENT;
		strbuf_setf(why, "there is no tree \"%s\"", name);
	}
	if (!r)
		r = db_tree_fetching(e->db, id);
	r = engine_finish(e, r, why);
	if (!r)
		*ret = json_pack("{s:s, s:s}", "name", name, "state",
				 "fetching");
	return r;
}

static int check_scopes(const char *scopes, struct strbuf *why)
{
	static const char *const known[] = { "read-private", "submit", "rerun",
					     "moderate", "admin" };
	char *copy __free(kfree) = xstrdup(scopes);
	char *save = NULL;

	if (!*scopes) {
		strbuf_setf(why, "scopes: at least one of read-private, "
				 "submit, rerun, moderate, admin");
		return -EINVAL;
	}
	for (char *w = strtok_r(copy, " ", &save); w;
	     w = strtok_r(NULL, " ", &save)) {
		size_t i;

		for (i = 0; i < ARRAY_SIZE(known); i++) {
			if (!strcmp(w, known[i]))
				break;
		}
		if (i == ARRAY_SIZE(known)) {
			strbuf_setf(why, "scopes: \"%s\" is none of "
				    "read-private, submit, rerun, moderate, "
				    "admin", w);
			return -EINVAL;
		}
	}
	return 0;
}

int engine_token_add(struct engine *e, const json_t *spec, const char *who,
		     json_t **ret, struct strbuf *why)
{
	const char *name = json_get_str(spec, "name", "");
	const char *scopes = json_get_str(spec, "scopes", "");
	int64_t expires_s = json_get_int(spec, "expires_s", 0);
	char token[44], hex[HASH_HEX_LEN + 1];
	int r;

	if (!*name || strlen(name) > 100) {
		strbuf_setf(why, "name: 1 to 100 bytes that say whose it is");
		return -EINVAL;
	}
	if (expires_s && expires_s <= clock_now_s()) {
		strbuf_setf(why, "expires_s: that is in the past");
		return -EINVAL;
	}
	r = check_scopes(scopes, why);
	if (r)
		return r;
	hash_token_new(token);
	hash_hex(token, 43, hex);
	r = db_begin(e->db);
	if (!r)
		r = db_token_add(e->db, name, hex, scopes, expires_s);
	if (r == -EEXIST)
		strbuf_setf(why, "there is a token \"%s\" already", name);
	if (!r)
		r = db_event(e->db, "token.added", (struct version_id){ 0 },
			     (struct job_id){ 0 }, name);
	r = engine_finish(e, r, why);
	if (!r)
		*ret = json_pack("{s:s, s:s, s:s}", "name", name, "scopes",
				 scopes, "token", token);
	return r;
}
