// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "command: " fmt
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "db/command.h"
#include "db/finding.h"
#include "db/job.h"
#include "db/outgoing.h"
#include "db/tree.h"
#include "db/version.h"
#include "jobs/command.h"
#include "jobs/engine-private.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "lib/log.h"

#define DAY_S 86400
#define MAINTAINERS_TIMEOUT_S 60

static int settle(struct engine *e, const json_t *row, const char *state,
		  const char *why)
{
	int r = db_begin(e->db);

	if (!r)
		r = db_command_set(e->db, row, state, why);
	if (!r)
		r = db_commit(e->db);
	if (!r)
		pr_info("%s: \"%s %s\" from %s in <%s>: %s\n", state,
			json_get_str(row, "command", ""),
			json_get_str(row, "args", ""),
			json_get_str(row, "from_email", ""),
			json_get_str(row, "message_id", ""), why);
	return r;
}

/* "rerun s390": every job of that architecture that has ended */
static int rerun_arch(struct engine *e, struct version_id id, const char *arch,
		      const char *who, struct strbuf *why)
{
	json_t *jobs __free(json) = NULL, *job;
	int64_t n = 0;
	size_t i;
	int r = db_jobs_of(e->db, id, &jobs);

	json_array_foreach(jobs, i, job) {
		struct job_id one = { json_get_int(job, "id", 0) };
		json_t *ret __free(json) = NULL;

		if (r || strcmp(json_get_str(job, "arch", ""), arch))
			continue;
		strbuf_reset(why);
		r = engine_rerun_job(e, one, who, &ret, why);
		n += !r;
		if (r == -EALREADY)
			r = 0;
	}
	if (r || n)
		return r;
	if (!why->len)
		strbuf_setf(why, "nothing was run on %s", arch);
	return -EINVAL;
}

static int rerun(struct engine *e, const json_t *row, struct version_id id,
		 const char *who, struct strbuf *why)
{
	const char *args = json_get_str(row, "args", "");
	json_t *ret __free(json) = NULL;

	if (*args)
		return rerun_arch(e, id, args, who, why);
	return engine_rerun_version(e, id, NULL, false, who, &ret,
					    why);
}

/* Another base is another test: only where nothing has been run yet. */
static int base(struct engine *e, const json_t *row, struct version_id id,
		const char *who, struct strbuf *why)
{
	const char *name = json_get_str(row, "args", "");
	json_t *jobs __free(json) = NULL, *ret __free(json) = NULL;
	struct tree_id tree;
	int r = db_tree_find(e->db, name, &tree);

	if (r == DB_NONE) {
		strbuf_setf(why, "there is no tree \"%s\" here", name);
		return -ENOENT;
	}
	if (!r)
		r = db_jobs_of(e->db, id, &jobs);
	if (!r && json_array_size(jobs)) {
		strbuf_setf(why, "it was tested on a base already; a new "
			    "version with base-commit: is tested there");
		return -EALREADY;
	}
	if (!r)
		r = db_version_want_tree(e->db, id, name);
	return r ? r : engine_rerun_version(e, id, NULL, false, who, &ret,
					    why);
}

static int not_mine(struct engine *e, struct version_id id, const char *who)
{
	char *why __free(kfree) = xasprintf("not mine, says %s", who);
	int r = db_begin(e->db);

	if (!r)
		r = db_not_mine_add(e->db, id, who);
	if (!r)
		r = db_outgoing_reject_older(e->db, id,
					     (struct outgoing_id){ 0 }, why);
	return r ? r : db_commit(e->db);
}

static int stop(struct engine *e, const json_t *row, struct version_id id)
{
	bool all = !strcmp(json_get_str(row, "args", ""), "all");
	const char *from = json_get_str(row, "from_email", "");
	char *why __free(kfree) = xasprintf(
		"wrote \"stop%s\" in <%s>", all ? " all" : "",
		json_get_str(row, "message_id", ""));

	return db_opt_out_add(e->db, from, all ? (struct version_id){ 0 } : id,
			      why);
}

static int obey(struct engine *e, const json_t *row, const char *because)
{
	const char *command = json_get_str(row, "command", "");
	struct version_id id = { json_get_int(row, "version_id", 0) };
	char *who __free(kfree) = xasprintf(
		"%s by mail", json_get_str(row, "from_email", ""));
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r = -EINVAL;

	if (!strcmp(command, "rerun"))
		r = rerun(e, row, id, who, &why);
	else if (!strcmp(command, "base"))
		r = base(e, row, id, who, &why);
	else if (!strcmp(command, "not"))
		r = not_mine(e, id, who);
	else if (!strcmp(command, "stop"))
		r = stop(e, row, id);
	if (r == -EIO || r == -EBUSY)
		return r;
	if (r) {
		db_rollback(e->db);
		return settle(e, row, "refused",
			      why.len ? why.buf : strerror(r < 0 ? -r : EIO));
	}
	return settle(e, row, "done", because);
}

static bool among(const json_t *emails, const char *from)
{
	const json_t *v;
	size_t i;

	json_array_foreach(emails, i, v) {
		if (json_is_string(v) &&
		    !strcasecmp(json_string_value(v), from))
			return true;
	}
	return false;
}

static void on_maintainers(json_t *answer, const char *error, void *arg)
{
	struct engine *e = arg;
	json_t *row __free(json) = e->command;
	const char *from = json_get_str(row, "from_email", "");
	int r;

	e->command_worker = NULL;
	e->command = NULL;
	if (!error)
		error = json_get_str(answer, "error", NULL);
	if (error)
		r = settle(e, row, "refused", error);
	else if (among(json_object_get(answer, "emails"), from))
		r = obey(e, row, "from a maintainer of the files");
	else
		r = settle(e, row, "refused", "neither the author nor a "
			   "maintainer of the files");
	if (r)
		engine_fail_soft(e, "a command", r);
	engine_kick(e);
}

static int ask_maintainers(struct engine *e, const json_t *row,
			   const json_t *version)
{
	struct version_id id = { json_get_int(row, "version_id", 0) };
	struct worker_spec spec = {
		.program = e->self, .name = "maintainers",
		.timeout_s = MAINTAINERS_TIMEOUT_S, .done = on_maintainers,
		.arg = e,
	};
	const char *commit = json_get_str(version, "base_commit", "");
	json_t *q __free(json) = json_object(), *files = NULL;
	char *repo __free(kfree) = xasprintf("%s/trees.git",
					     e->cfg->state_dir);
	int r;

	if (!*commit)
		return settle(e, row, "refused", "not the author, and the "
			      "series has no tree to ask for maintainers");
	r = db_version_files(e->db, id, &files);
	if (r)
		return r;
	json_set_text(q, "repo", repo);
	json_set_text(q, "commit", commit);
	json_object_set_new(q, "files", files);
	spec.request = q;
	e->command = json_deep_copy(row);
	return worker_start(e->loop, &spec, &e->command_worker);
}

static int one_command(struct engine *e, const json_t *row)
{
	struct version_id id = { json_get_int(row, "version_id", 0) };
	json_t *version __free(json) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int64_t now = clock_now_s(), n = 0;
	int r = 0;

	if (id.v)
		r = db_version_get(e->db, id, &version);
	if (!r && id.v)
		r = db_command_count(e->db, id, now - DAY_S, &n);
	if (r)
		return r < 0 ? r : -ENOENT;
	switch (command_judge(e->cfg, row,
			      json_get_str(version, "author_email", ""), n,
			      now, &why)) {
	case COMMAND_OBEY:
		return obey(e, row, why.buf);
	case COMMAND_REFUSE:
		return settle(e, row, "refused", why.buf);
	case COMMAND_ASK_MAINTAINERS:
		return ask_maintainers(e, row, version);
	}
	return -EINVAL;
}

void engine_commands(struct engine *e)
{
	int r = 0;

	while (!r && !e->command_worker) {
		json_t *row __free(json) = NULL;

		r = db_command_next(e->db, &row);
		if (!r)
			r = one_command(e, row);
	}
	if (r && r != DB_NONE)
		engine_fail_soft(e, "commands", r);
}

void engine_command_stop(struct engine *e)
{
	worker_stop(e->command_worker);
	e->command_worker = NULL;
	json_decref(e->command);
	e->command = NULL;
}
