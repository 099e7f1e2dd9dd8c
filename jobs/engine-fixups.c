// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "fixups: " fmt
#include <errno.h>
#include <string.h>

#include "db/fixup.h"
#include "db/job.h"
#include "db/version.h"
#include "jobs/engine-private.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/log.h"

#define FIXUPS_TIMEOUT_S 300

static char *fixups_dir(const struct engine *e, struct version_id id)
{
	return xasprintf("%s/fixups/%lld", e->cfg->state_dir, (long long)id.v);
}

/* A build that has ended is made again, with the fix-up behind the series. */
static int build_again(struct engine *e, struct version_id id)
{
	json_t *jobs __free(json) = NULL, *job;
	size_t i;
	int r = db_jobs_of(e->db, id, &jobs);

	json_array_foreach(jobs, i, job) {
		struct job_id job_id = { json_get_int(job, "id", 0) };

		if (r)
			break;
		r = db_job_rerun(e->db, job_id, "a reply proposes a fix-up");
		if (r == -EALREADY)
			r = 0;
	}
	return r;
}

static bool any_applied(const json_t *answer)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(answer, "fixups"), i, f) {
		if (!strcmp(json_get_str(f, "state", ""), "applied"))
			return true;
	}
	return false;
}

static int store(struct engine *e, struct version_id id, const json_t *answer)
{
	json_t *row __free(json) = NULL;
	int r = db_begin(e->db);

	if (!r)
		r = db_fixups_store(e->db, id, answer);
	if (!r)
		r = db_version_get(e->db, id, &row);
	if (!r && any_applied(answer))
		r = build_again(e, id);
	if (!r && any_applied(answer) &&
	    !strcmp(json_get_str(row, "state", ""), "done"))
		r = db_version_set(e->db, id, VERSION_RUNNING,
				   "a reply proposes a fix-up");
	return r ? r : db_commit(e->db);
}

/* Without the worker's word each is marked, so that none is tried for ever. */
static json_t *all_unreadable(struct engine *e, struct version_id id,
			      const char *why)
{
	json_t *rows __free(json) = NULL, *list = json_array(), *row;
	size_t i;

	if (db_fixups_of(e->db, id, &rows))
		rows = json_array();
	json_array_foreach(rows, i, row) {
		json_t *o = json_object();

		json_object_set(o, "message_id",
				json_object_get(row, "message_id"));
		json_set_text(o, "state", "unreadable");
		json_set_text(o, "why", why);
		json_array_append_new(list, o);
	}
	return json_pack("{s:o}", "fixups", list);
}

static void on_fixups(json_t *answer, const char *error, void *arg)
{
	struct engine *e = arg;
	struct version_id id = e->fixing;
	char *dir __free(kfree) = fixups_dir(e, id);
	json_t *marked __free(json) = NULL;
	int r = 0;

	e->fixups_worker = NULL;
	e->fixing.v = 0;
	fs_rm_rf(dir);
	if (!error)
		error = json_get_str(answer, "error", NULL);
	if (!error) {
		engine_no_strikes(e, id);
		r = store(e, id, answer);
	} else {
		pr_err("series %lld: %s\n", (long long)id.v, error);
		if (engine_strike(e, id)) {
			marked = all_unreadable(e, id, error);
			r = store(e, id, marked);
		}
	}
	if (r)
		engine_fail_soft(e, "storing fix-ups", r);
	engine_kick(e);
}

static int put_fixups(struct engine *e, struct version_id id, const char *dir,
		      json_t *q)
{
	json_t *rows __free(json) = NULL, *list = json_array(), *row;
	size_t i;
	int r = fs_mkdir_p(dir);

	json_object_set_new(q, "fixups", list);
	if (!r)
		r = db_fixups_of(e->db, id, &rows);
	json_array_foreach(rows, i, row) {
		struct mail_id mail = { json_get_int(row, "mail_id", 0) };
		char *path __free(kfree) = xasprintf("%s/%zu.eml", dir, i);
		json_t *o = json_object();

		if (!r)
			r = engine_put_mail(e, mail, path);
		json_object_set(o, "message_id",
				json_object_get(row, "message_id"));
		json_set_text(o, "path", path);
		json_array_append_new(list, o);
	}
	return r;
}

static const char *head_of(const json_t *version, const json_t *patches)
{
	const char *head = json_get_str(version, "base_commit", "");
	const json_t *p;
	size_t i;

	json_array_foreach(patches, i, p)
		head = json_get_str(p, "commit_id", head);
	return head;
}

static int start(struct engine *e, struct version_id id)
{
	struct worker_spec spec = {
		.program = e->self, .name = "fixups",
		.timeout_s = FIXUPS_TIMEOUT_S, .done = on_fixups, .arg = e,
	};
	char *repo __free(kfree) = xasprintf("%s/trees.git", e->cfg->state_dir);
	char *prefix __free(kfree) = xasprintf("refs/mmci/%lld",
					       (long long)id.v);
	char *dir __free(kfree) = fixups_dir(e, id);
	json_t *version __free(json) = NULL, *patches __free(json) = NULL;
	json_t *q __free(json) = json_object();
	int r = db_version_get(e->db, id, &version);

	if (!r)
		r = db_version_patches(e->db, id, &patches);
	if (!r)
		r = put_fixups(e, id, dir, q);
	if (r)
		return r < 0 ? r : -ENOENT;
	json_set_text(q, "repo", repo);
	json_set_text(q, "ref_prefix", prefix);
	json_set_text(q, "head", head_of(version, patches));
	json_object_set(q, "total", json_object_get(version, "total"));
	spec.request = q;
	e->fixing = id;
	return worker_start(e->loop, &spec, &e->fixups_worker);
}

void engine_fixups(struct engine *e)
{
	struct version_id id;
	int r;

	/* both write refs of the same version */
	if (e->fixups_worker || e->apply_worker)
		return;
	r = db_fixups_next(e->db, &id);
	if (r == DB_NONE)
		return;
	if (!r)
		r = start(e, id);
	if (r)
		engine_fail_soft(e, "starting with fix-ups", r);
}
