// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "series: " fmt
#include <errno.h>
#include <string.h>

#include "db/compare.h"
#include "db/depend.h"
#include "db/derive.h"
#include "db/fixup.h"
#include "db/mail.h"
#include "db/tree.h"
#include "db/version.h"
#include "jobs/engine-private.h"
#include "jobs/plan-derived.h"
#include "jobs/plan.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/log.h"

#define TREE_TIMEOUT_S 3600
#define APPLY_TIMEOUT_S 600
/* More missing patches than this are counted. */
#define MAX_NAMED 20

static char *trees_git(const struct engine *e)
{
	return xasprintf("%s/trees.git", e->cfg->state_dir);
}

static void on_tree(json_t *answer, const char *error, void *arg)
{
	struct engine *e = arg;
	const char *commit = json_get_str(answer, "commit_id", NULL);
	int r;

	e->tree_worker = NULL;
	if (!error)
		error = json_get_str(answer, "error", NULL);
	if (!error && !commit)
		error = "the import gave no commit";
	r = db_begin(e->db);
	if (!r && error)
		r = db_tree_failed(e->db, e->tree, error);
	else if (!r)
		r = db_tree_fetched(e->db, e->tree, commit,
				    json_get_str(answer, "describe", ""));
	if (!r)
		r = db_commit(e->db);
	if (r)
		engine_fail_soft(e, "storing a tree", r);
	if (error)
		pr_err("tree %lld: %s\n", (long long)e->tree.v, error);
	else
		pr_info("tree %lld is at %.12s\n", (long long)e->tree.v,
			commit);
	engine_kick(e);
}

static int start_tree(struct engine *e, const json_t *row)
{
	static const char *const keys[] = { "name", "kind", "location",
					    "branch" };
	struct worker_spec spec = {
		.program = e->self, .name = "tree",
		.timeout_s = TREE_TIMEOUT_S, .done = on_tree, .arg = e,
	};
	json_t *q __free(json) = json_object();
	char *repo __free(kfree) = trees_git(e);

	json_set_text(q, "repo", repo);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(q, keys[i], json_object_get(row, keys[i]));
	spec.request = q;
	e->tree.v = json_get_int(row, "id", 0);
	pr_info("tree %s: importing %s\n", json_get_str(row, "name", ""),
		json_get_str(row, "location", ""));
	return worker_start(e->loop, &spec, &e->tree_worker);
}

static bool tree_is(const json_t *row, const char *state)
{
	return !strcmp(json_get_str(row, "state", ""), state);
}

void engine_trees(struct engine *e)
{
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r;

	if (e->tree_worker)
		return;
	r = db_trees(e->db, &rows);
	json_array_foreach(rows, i, row) {
		struct tree_id id = { json_get_int(row, "id", 0) };

		/* "fetching" without a worker: a former daemon was killed */
		if (!tree_is(row, "new") && !tree_is(row, "fetching"))
			continue;
		r = db_tree_fetching(e->db, id);
		if (!r)
			r = start_tree(e, row);
		break;
	}
	if (r)
		engine_fail_soft(e, "importing a tree", r);
}

/* "2/3 and 3/3 missing" */
static int say_missing(struct engine *e, const json_t *row,
		       struct strbuf *text, int64_t *n_missing)
{
	struct version_id id = { json_get_int(row, "id", 0) };
	json_t *patches __free(json) = NULL;
	int64_t total = json_get_int(row, "total", 0);
	struct strbuf last __free(strbuf) = STRBUF_INIT;
	size_t at = 0;
	int r = db_version_patches(e->db, id, &patches);

	*n_missing = 0;
	for (int64_t n = 1; n <= total && !r; n++) {
		const json_t *p = json_array_get(patches, at);

		if (json_get_int(p, "number", 0) == n) {
			at++;
			continue;
		}
		if ((*n_missing)++ >= MAX_NAMED)
			continue;
		if (last.len)
			strbuf_addf(text, "%s%s", text->len ? ", " : "",
				    last.buf);
		strbuf_setf(&last, "%lld/%lld", (long long)n,
			    (long long)total);
	}
	if (*n_missing > MAX_NAMED)
		strbuf_addf(text, ", %s and %lld more", last.buf,
			    (long long)(*n_missing - MAX_NAMED));
	else
		strbuf_addf(text, "%s%s", text->len ? " and " : "", last.buf);
	strbuf_addstr(text, " missing");
	return r;
}

static int settle_one(struct engine *e, const json_t *row)
{
	struct version_id id = { json_get_int(row, "id", 0) };
	struct strbuf what __free(strbuf) = STRBUF_INIT;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	int64_t missing, newer = 0;
	int r = say_missing(e, row, &what, &missing);

	if (!r)
		r = db_version_newer(e->db, id, &newer);
	if (!r || r == DB_NONE)
		r = db_begin(e->db);
	if (!r && missing) {
		strbuf_addf(&text, "incomplete, %s", what.buf);
		r = db_version_verdict(e->db, id, "incomplete", text.buf);
		if (!r)
			r = db_version_set(e->db, id, VERSION_DONE, text.buf);
	} else if (!r && newer) {
		/* an old archive is read from its end */
		strbuf_setf(&text, "version %lld came", (long long)newer);
		r = db_version_set(e->db, id, VERSION_SUPERSEDED, text.buf);
	} else if (!r) {
		r = db_version_set(e->db, id, VERSION_READY, NULL);
		if (!r)
			r = db_version_supersede(e->db, id);
		if (!r)
			r = db_depend_retry(e->db, id);
	}
	return r ? r : db_commit(e->db);
}

static void settle(struct engine *e)
{
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r;

	r = db_versions_in(e->db, VERSION_ASSEMBLING, clock_now_s(), &rows);
	json_array_foreach(rows, i, row) {
		if (!r)
			r = settle_one(e, row);
	}
	if (r)
		engine_fail_soft(e, "settling a series", r);
}

static int store_applied(struct engine *e, struct version_id id,
			 const json_t *answer)
{
	const char *outcome = json_get_str(answer, "outcome", "");
	const char *why = json_get_str(answer, "why", "");
	int r = db_begin(e->db);

	if (!r)
		r = db_version_apply_result(e->db, id, answer);
	if (!r)
		r = db_dependencies_store(e->db, id,
					  json_object_get(answer,
							  "dependencies"));
	if (!r)
		r = db_derivations_forget(e->db, id);
	if (!r)
		r = db_range_diff_store(e->db, id, e->applying_against,
					answer);
	if (!r)
		r = db_remarks_store(e->db, id,
				     json_object_get(answer, "remarks"));
	if (!r && !strcmp(outcome, "applied"))
		r = db_version_set(e->db, id, VERSION_APPLIED, why);
	else if (!r) {
		r = db_version_verdict(e->db, id,
				       !strcmp(outcome, "no-base") ?
					       "no-base" : "conflict", why);
		if (!r)
			r = db_version_set(e->db, id, VERSION_CONFLICT, why);
	}
	return r ? r : db_commit(e->db);
}

static void remove_apply_dir(const struct engine *e, struct version_id id)
{
	char *dir __free(kfree) = xasprintf("%s/apply/%lld", e->cfg->state_dir,
					    (long long)id.v);

	fs_rm_rf(dir);
}

static void on_applied(json_t *answer, const char *error, void *arg)
{
	struct engine *e = arg;
	struct version_id id = e->applying;
	int r = 0;

	e->apply_worker = NULL;
	e->applying.v = 0;
	remove_apply_dir(e, id);
	if (!error)
		error = json_get_str(answer, "error", NULL);
	if (!error) {
		engine_no_strikes(e, id);
		r = store_applied(e, id, answer);
	} else {
		pr_err("series %lld: applying: %s\n", (long long)id.v, error);
		if (engine_strike(e, id))
			r = engine_give_up(e, id, error);
	}
	if (r)
		engine_fail_soft(e, "storing an applied series", r);
	engine_kick(e);
}

int engine_put_mail(struct engine *e, struct mail_id id, const char *path)
{
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	int r = db_mail_raw(e->db, id, &raw);

	if (r)
		return r < 0 ? r : -ENOENT;
	return fs_write_atomic(path, raw.buf, raw.len);
}

/* The patches of the version before, so that the two can be compared. */
static int put_older(struct engine *e, struct version_id id, const char *dir,
		     json_t *q)
{
	json_t *patches __free(json) = NULL, *list = json_array(), *p;
	json_t *row __free(json) = NULL;
	struct version_id old;
	size_t i;
	int r = db_version_before(e->db, id, &old);

	json_object_set_new(q, "older", list);
	e->applying_against.v = 0;
	if (r == DB_NONE)
		return 0;
	if (!r)
		r = db_version_patches(e->db, old, &patches);
	if (!r)
		r = db_version_get(e->db, old, &row);
	if (!r)
		e->applying_against = old;
	json_object_set_new(q, "compare",
			    json_pack("{s:O?, s:O?}", "base_commit",
				      json_object_get(row, "base_commit"),
				      "patches", patches));
	json_array_foreach(patches, i, p) {
		struct mail_id mail = { json_get_int(p, "mail_id", 0) };
		char *path __free(kfree) = xasprintf("%s/old-%zu.eml", dir, i);
		json_t *o = json_object();

		if (!r)
			r = engine_put_mail(e, mail, path);
		json_object_set(o, "number", json_object_get(p, "number"));
		json_set_text(o, "path", path);
		json_array_append_new(list, o);
	}
	return r;
}

/* The worker has no database: the mails lie in files for it. */
static int put_mails(struct engine *e, const json_t *row, json_t *q)
{
	struct version_id id = { json_get_int(row, "id", 0) };
	json_t *patches __free(json) = NULL, *list = json_array(), *p;
	char *dir __free(kfree) = xasprintf("%s/apply/%lld", e->cfg->state_dir,
					    (long long)id.v);
	int64_t cover = json_get_int(row, "cover_mail_id", 0);
	size_t i;
	int r = fs_mkdir_p(dir);

	json_object_set_new(q, "patches", list);
	if (!r)
		r = db_version_patches(e->db, id, &patches);
	json_array_foreach(patches, i, p) {
		struct mail_id mail = { json_get_int(p, "mail_id", 0) };
		long long n = json_get_int(p, "number", 0);
		char *path __free(kfree) = xasprintf("%s/%lld.eml", dir, n);
		json_t *o = json_object();

		if (!r)
			r = engine_put_mail(e, mail, path);
		json_set_int(o, "number", n);
		json_set_text(o, "path", path);
		json_array_append_new(list, o);
	}
	if (!r && cover) {
		char *path __free(kfree) = xasprintf("%s/0.eml", dir);

		r = engine_put_mail(e, (struct mail_id){ cover }, path);
		json_set_text(q, "cover", path);
	}
	if (!r)
		r = engine_deps_put(e, id, dir, q);
	return r ? r : put_older(e, id, dir, q);
}

static int apply_request(struct engine *e, const json_t *row,
			 const json_t *trees, json_t **ret)
{
	json_t *q __free(json) = json_object(), *list = json_array(), *t;
	char *repo __free(kfree) = trees_git(e);
	char *prefix __free(kfree) = xasprintf(
		"refs/mmci/%lld", (long long)json_get_int(row, "id", 0));
	const char *wanted = json_get_str(row, "wanted_tree", "");
	size_t i;
	int r;

	json_set_text(q, "repo", repo);
	json_set_text(q, "ref_prefix", prefix);
	json_set_text(q, "key", json_get_str(row, "key", ""));
	json_set_text(q, "title", json_get_str(row, "title", ""));
	json_set_text(q, "prefix", json_get_str(row, "prefix", ""));
	json_object_set_new(q, "cover", json_null());
	json_object_set_new(q, "trees", list);
	json_array_foreach(trees, i, t) {
		/* somebody who may said where it belongs */
		if (*wanted && strcmp(wanted, json_get_str(t, "name", "")))
			continue;
		if (json_is_string(json_object_get(t, "commit_id")))
			json_array_append(list, t);
	}
	r = put_mails(e, row, q);
	if (r)
		return r;
	*ret = no_free_ptr(q);
	return 0;
}

/*
 * A series waits while a tree it may belong to is being brought in, and for the
 * first tree of a new service.
 */
static bool trees_are_ready(const json_t *trees)
{
	const json_t *t;
	size_t i;

	if (!json_array_size(trees))
		return false;

	json_array_foreach(trees, i, t) {
		if ((tree_is(t, "new") || tree_is(t, "fetching")) &&
		    !json_is_string(json_object_get(t, "commit_id")))
			return false;
	}
	return true;
}

static int start_apply(struct engine *e, const json_t *row,
		       const json_t *trees)
{
	struct worker_spec spec = {
		.program = e->self, .name = "apply",
		.timeout_s = APPLY_TIMEOUT_S, .done = on_applied, .arg = e,
	};
	json_t *q __free(json) = NULL;
	int r = apply_request(e, row, trees, &q);

	if (r)
		return r;
	spec.request = q;
	e->applying.v = json_get_int(row, "id", 0);
	return worker_start(e->loop, &spec, &e->apply_worker);
}

/* The oldest that does not wait for a series it stands on. */
static int start_next(struct engine *e, const json_t *rows,
		      const json_t *trees)
{
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		bool wait;
		int r = engine_deps_wait(e, row, &wait);

		if (r)
			return r;
		if (!wait)
			return start_apply(e, row, trees);
	}
	return 0;
}

static void apply_next(struct engine *e)
{
	json_t *rows __free(json) = NULL, *trees __free(json) = NULL;
	int r;

	/* both write refs of the same version */
	if (e->apply_worker || e->fixups_worker)
		return;
	r = db_versions_in(e->db, VERSION_READY, INT64_MAX, &rows);
	if (!r && !json_array_size(rows))
		return;
	if (!r)
		r = db_trees(e->db, &trees);
	if (!r && trees_are_ready(trees))
		r = start_next(e, rows, trees);
	if (r)
		engine_fail_soft(e, "starting to apply", r);
}

static int plan_one(struct engine *e, struct version_id id,
		    struct strbuf *why)
{
	int r = db_begin(e->db);

	if (!r)
		r = plan_version(e->db, e->cfg, id, why);
	if (!r)
		r = plan_derived(e->db, e->cfg, id, why);
	if (!r)
		r = db_version_set(e->db, id, VERSION_PLANNED, NULL);
	return r ? r : db_commit(e->db);
}

static void plan_next(struct engine *e)
{
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r = db_versions_in(e->db, VERSION_APPLIED, INT64_MAX, &rows);

	json_array_foreach(rows, i, row) {
		struct version_id id = { json_get_int(row, "id", 0) };
		struct strbuf why __free(strbuf) = STRBUF_INIT;
		int64_t fixups = 0;
		bool derived = false;

		/* those that are there already go into the first build */
		r = db_fixups_new_of(e->db, id, &fixups);
		if (!r && fixups)
			continue;
		if (!r)
			r = engine_derive(e, row, &derived);
		if (!r && !derived)
			continue;
		if (!r)
			r = plan_one(e, id, &why);
		if (r && why.len) {
			/* a mistake in the configuration: say it, go on */
			db_rollback(e->db);
			pr_err("planning series %lld: %s\n", (long long)id.v,
			       why.buf);
			r = engine_give_up(e, id, why.buf);
		}
		if (r)
			break;
	}
	if (r)
		engine_fail_soft(e, "planning", r);
}

void engine_series(struct engine *e)
{
	settle(e);
	apply_next(e);
	plan_next(e);
}
