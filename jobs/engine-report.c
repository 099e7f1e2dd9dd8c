// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "report: " fmt
#include <errno.h>
#include <string.h>

#include "db/compare.h"
#include "db/derive.h"
#include "db/finding.h"
#include "db/fixup.h"
#include "db/job.h"
#include "db/mail.h"
#include "db/outgoing.h"
#include "db/version.h"
#include "jobs/engine-private.h"
#include "jobs/plan-derived.h"
#include "jobs/plan.h"
#include "jobs/policy.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/log.h"

#define REPORT_TIMEOUT_S 120

int engine_control_of(struct engine *e, const json_t *job, struct job_id *ret)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	const char *kind = json_get_str(job, "kind", "");
	bool compiles = !strcmp(kind, "build") || !strcmp(kind, "check");
	int r;

	r = plan_control_key(e->cfg, compiles ? "base" : kind,
			     json_get_str(job, "base_commit", ""),
			     json_get_str(job, "arch", ""),
			     json_get_str(job, "kconfig", ""),
			     json_get_str(job, "toolchain", ""), &key, &why);
	/* the fragment is gone or has changed: there is no control any more */
	if (r)
		return r == -ENOENT ? DB_NONE : r;
	return db_job_by_key(e->db, key.buf, ret);
}

static int control_results(struct engine *e, const json_t *job, json_t **ret)
{
	struct job_id id;
	int r;

	/* it has its control with it, as number 0 */
	if (plan_is_derived(json_get_str(job, "kconfig", ""))) {
		id.v = json_get_int(job, "id", 0);
		return db_job_results(e->db, id, ret);
	}
	r = engine_control_of(e, job, &id);
	if (!r)
		return db_job_results(e->db, id, ret);
	*ret = json_array();
	return r == DB_NONE ? 0 : r;
}

static int image_patch(struct engine *e, const json_t *job, int64_t *ret)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	json_t *results __free(json) = NULL, *result;
	struct job_id id;
	int r;

	plan_own_key(job, "build", json_get_int(job, "upto", 0), &key);
	r = db_job_by_key(e->db, key.buf, &id);
	*ret = 0;
	if (r)
		return r == DB_NONE ? 0 : r;
	r = db_job_results(e->db, id, &results);
	if (r)
		return r;
	result = json_object_get(json_array_get(results, 0), "result");
	*ret = json_get_int(json_object_get(result, "artefacts"),
			    "image_patch", 0);
	return 0;
}

static int set_total(struct engine *e, const json_t *job, json_t *o)
{
	struct version_id id = { json_get_int(job, "version_id", 0) };
	json_t *version __free(json) = NULL;
	int r;

	if (!id.v)
		return 0;
	r = db_version_get(e->db, id, &version);
	if (r)
		return r < 0 ? r : -ENOENT;
	json_object_set(o, "total", json_object_get(version, "total"));
	return 0;
}

/* What runs of kernels in between gave: "bisect" of jobs/judge.h. */
static int bisect_facts(struct engine *e, const json_t *job, json_t **ret)
{
	json_t *rows __free(json) = NULL, *list __free(json) = json_array();
	json_t *row;
	size_t i;
	int r = db_jobs_bisecting(e->db, job, &rows);

	json_array_foreach(rows, i, row) {
		struct job_id id = { json_get_int(row, "id", 0) };
		const char *state = json_get_str(row, "state", "");
		json_t *results = NULL, *o = json_object();

		if (!r)
			r = db_job_results(e->db, id, &results);
		json_set_int(o, "upto", json_get_int(row, "upto", 0));
		json_set_bool(o, "open", !strcmp(state, "waiting") ||
					 !strcmp(state, "queued") ||
					 !strcmp(state, "running"));
		if (results)
			json_object_set_new(o, "results", results);
		json_array_append_new(list, o);
	}
	if (!r)
		*ret = no_free_ptr(list);
	return r;
}

int engine_run_facts(struct engine *e, const json_t *job, json_t **ret)
{
	static const char *const keys[] = { "kind", "arch", "kconfig",
					    "toolchain", "state", "state_why" };
	struct job_id id = { json_get_int(job, "id", 0) };
	json_t *results __free(json) = NULL, *control __free(json) = NULL;
	json_t *bisect __free(json) = NULL, *o __free(json) = json_object();
	int64_t at;
	int r = db_job_results(e->db, id, &results);

	if (!r)
		r = bisect_facts(e, job, &bisect);
	if (!r)
		r = control_results(e, job, &control);
	if (!r)
		r = image_patch(e, job, &at);
	if (r)
		return r;
	json_set_int(o, "job_id", id.v);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(o, keys[i], json_object_get(job, keys[i]));
	json_object_set(o, "results", results);
	json_object_set(o, "control", control);
	json_object_set(o, "bisect", bisect);
	json_set_int(o, "image_patch", at);
	r = set_total(e, job, o);
	if (r)
		return r;
	*ret = no_free_ptr(o);
	return 0;
}

int engine_judge_input(struct engine *e, struct version_id id, json_t **ret)
{
	json_t *o __free(json) = json_object(), *runs = json_array(), *job;
	json_t *patches __free(json) = NULL, *jobs __free(json) = NULL;
	json_t *derived __free(json) = NULL;
	size_t i;
	int r = db_version_patches(e->db, id, &patches);

	json_object_set_new(o, "runs", runs);
	if (!r)
		r = db_derivations(e->db, id, &derived);
	if (!r)
		r = db_jobs_of(e->db, id, &jobs);
	json_array_foreach(jobs, i, job) {
		json_t *facts = NULL;

		if (!r)
			r = engine_run_facts(e, job, &facts);
		if (!r)
			json_array_append_new(runs, facts);
	}
	if (r)
		return r;
	json_object_set(o, "patches", patches);
	json_object_set(o, "derived", derived);
	*ret = no_free_ptr(o);
	return 0;
}

/* One line per architecture and toolchain, from any run that says it. */
static json_t *environments(const json_t *runs)
{
	json_t *list = json_array(), *run;
	json_t *seen __free(json) = json_object();
	size_t i;

	json_array_foreach(runs, i, run) {
		const json_t *first = json_array_get(
			json_object_get(run, "results"), 0);
		const json_t *env = json_object_get(
			json_object_get(first, "result"), "environment");
		const char *compiler = json_get_str(env, "compiler", NULL);
		const char *arch = json_get_str(run, "arch", "");
		char *key __free(kfree) = xasprintf(
			"%s %s", arch, json_get_str(run, "toolchain", ""));
		json_t *o;

		if (!compiler || json_object_get(seen, key))
			continue;
		json_set_bool(seen, key, true);
		o = json_object();
		json_set_text(o, "arch", arch);
		json_set_text(o, "compiler", compiler);
		json_array_append_new(list, o);
	}
	return list;
}

static int write_raw(struct engine *e, const char *dir, int64_t mail,
		     int64_t number, json_t *o)
{
	char *path __free(kfree) = xasprintf("%s/%lld.eml", dir,
					     (long long)number);
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	int r = db_mail_raw(e->db, (struct mail_id){ mail }, &raw);

	if (r)
		return r < 0 ? r : -ENOENT;
	json_set_text(o, "path", path);
	return fs_write_atomic(path, raw.buf, raw.len);
}

static int cover_of(struct engine *e, const char *dir, const json_t *version,
		    json_t **ret)
{
	int64_t mail = json_get_int(version, "cover_mail_id", 0);
	json_t *fields __free(json) = NULL, *o;
	int r;

	*ret = json_null();
	if (!mail)
		return 0;
	r = db_mail_fields(e->db, (struct mail_id){ mail }, &fields);
	if (r)
		return r < 0 ? r : -ENOENT;
	o = json_object();
	json_object_set(o, "message_id", json_object_get(fields, "message_id"));
	json_object_set(o, "subject", json_object_get(fields, "subject"));
	json_object_set(o, "date_s", json_object_get(fields, "date_s"));
	*ret = o;
	return write_raw(e, dir, mail, 0, o);
}

/* What the version before had, so that it can be said what became of it. */
static int put_older(struct engine *e, struct version_id id, json_t *q)
{
	json_t *findings __free(json) = NULL, *row __free(json) = NULL, *o;
	int r = db_findings_before(e->db, id, &e->reporting_against,
				   &findings);

	if (r || !e->reporting_against.v)
		return r;
	r = db_version_get(e->db, e->reporting_against, &row);
	if (r)
		return r < 0 ? r : -ENOENT;
	o = json_object();
	json_object_set(o, "version", json_object_get(row, "version"));
	json_object_set(o, "findings", findings);
	json_object_set_new(q, "older", o);
	return 0;
}

static int mail_context(struct engine *e, struct version_id id, json_t *ctx)
{
	const json_t *cover = json_object_get(ctx, "cover");
	const json_t *first = json_array_get(json_object_get(ctx, "patches"),
					     0);
	json_t *not_mine = NULL, *facts __free(json) = NULL;
	int r = db_not_mine(e->db, id, &not_mine);
	if (r)
		return r;
	json_object_set_new(ctx, "not_mine", not_mine);
	r = engine_mail_facts(e, id,
			      json_get_str(json_is_object(cover) ? cover :
								   first,
					   "message_id", ""), &facts);
	if (r)
		return r;
	json_set_bool(ctx, "want_clean", policy_wants_clean(e->cfg, facts));
	return 0;
}

static int report_request(struct engine *e, struct version_id id,
			  const char *dir, json_t **ret)
{
	json_t *version __free(json) = NULL, *input __free(json) = NULL;
	json_t *fixups __free(json) = NULL;
	json_t *q __free(json) = json_object(), *ctx = json_object(), *p;
	json_t *cover = NULL, *patches;
	size_t i;
	int r = fs_mkdir_p(dir);

	json_object_set_new(q, "context", ctx);
	if (!r)
		r = db_version_get(e->db, id, &version);
	if (!r)
		r = engine_judge_input(e, id, &input);
	if (!r)
		r = db_fixups_of(e->db, id, &fixups);
	if (!r)
		r = cover_of(e, dir, version, &cover);
	if (r)
		return r < 0 ? r : -ENOENT;
	patches = json_object_get(input, "patches");
	json_array_foreach(patches, i, p) {
		r = write_raw(e, dir, json_get_int(p, "mail_id", 0),
			      json_get_int(p, "number", 0), p);
		if (r)
			break;
	}
	json_object_set_new(ctx, "cover", cover);
	if (r)
		return r;
	json_object_set(ctx, "version", version);
	json_object_set(ctx, "patches", patches);
	json_object_set(ctx, "fixups", fixups);
	json_set_text(ctx, "from", e->cfg->mail.from);
	json_set_text(ctx, "reply_to", e->cfg->mail.reply_to);
	json_set_bool(ctx, "commands", e->cfg->mail.command_hosts.n > 0);
	json_set_text(ctx, "url", e->cfg->public_url);
	json_set_int(ctx, "date_s", clock_now_s());
	json_object_set_new(ctx, "environments",
			    environments(json_object_get(input, "runs")));
	json_object_set(ctx, "derived", json_object_get(input, "derived"));
	json_object_set(q, "judge", input);
	r = put_older(e, id, q);
	if (!r)
		r = mail_context(e, id, ctx);
	if (r)
		return r;
	*ret = no_free_ptr(q);
	return 0;
}

static char *report_dir(const struct engine *e, struct version_id id)
{
	return xasprintf("%s/report/%lld", e->cfg->state_dir, (long long)id.v);
}

static int store_reply(struct engine *e, struct version_id id,
		       const json_t *mail)
{
	struct outgoing_id out = { 0 };
	json_t *full __free(json) = NULL, *facts = NULL;
	int r = 0;

	if (json_is_object(mail) && strcmp(e->cfg->mail.mode, "off")) {
		r = engine_mail_facts(e, id,
				      json_get_str(mail, "in_reply_to", ""),
				      &facts);
		if (r)
			return r;
		json_object_set(facts, "clean", json_object_get(mail, "clean"));
		full = json_copy((json_t *)mail);
		json_object_set_new(full, "facts", facts);
		r = db_outgoing_add(e->db, id, full, "just written", &out);
		if (r == DB_OUTGOING_KNOWN)
			r = 0;
	}
	return r ? r : db_outgoing_reject_older(e->db, id, out,
						"a later run came to another "
						"result");
}

/* Verdict, findings and the reply that tells them are one transaction. */
static int store_verdict(struct engine *e, struct version_id id,
			 const json_t *answer)
{
	const json_t *judgement = json_object_get(answer, "judgement");
	json_t *row __free(json) = NULL;
	int64_t open = 0;
	int r = db_begin(e->db);

	if (!r)
		r = db_jobs_open_of(e->db, id, &open);
	if (!r)
		r = db_version_get(e->db, id, &row);
	/* rerun or superseded meanwhile: this verdict is of yesterday */
	if (!r && (open || strcmp(json_get_str(row, "state", ""), "running"))) {
		db_rollback(e->db);
		return 0;
	}
	if (!r)
		r = db_findings_replace(e->db, id, json_object_get(judgement,
								   "findings"));
	if (!r)
		r = db_fates_store(e->db, id, e->reporting_against,
				   json_object_get(json_object_get(judgement,
								   "since"),
						   "fates"));
	if (!r)
		r = db_version_verdict(e->db, id,
				       json_get_str(judgement, "verdict",
						    "unknown"),
				       json_get_str(judgement, "why", ""));
	if (!r)
		r = db_coverage_store(e->db, id,
				      json_object_get(judgement, "coverage"));
	if (!r)
		r = db_version_early(e->db, id,
				     DB_EARLY_WANTED | DB_EARLY_GIVEN, 0);
	if (!r)
		r = store_reply(e, id, json_object_get(answer, "mail"));
	if (!r)
		r = db_version_set(e->db, id, VERSION_DONE,
				   json_get_str(judgement, "verdict", ""));
	return r ? r : db_commit(e->db);
}

/*
 * The first bad news of a check is told while the rest goes on; good news can
 * wait. Nothing is mailed before everything was run.
 */
static int store_early(struct engine *e, struct version_id id,
		       const json_t *judgement)
{
	const char *verdict = json_get_str(judgement, "verdict", "");
	const char *why = json_get_str(judgement, "why", "");
	json_t *row __free(json) = NULL;
	int r = db_begin(e->db);
	bool may;

	if (!r)
		r = db_version_get(e->db, id, &row);
	/* what an earlier run came to, all of it, is not undone by a part */
	may = !*json_get_str(row, "verdict", "") ||
	      json_get_int(row, "early", 0) & DB_EARLY_GIVEN;
	if (!r && may && !strcmp(json_get_str(row, "state", ""), "running") &&
	    (!strcmp(verdict, "broken") || !strcmp(verdict, "warns"))) {
		r = db_findings_replace(e->db, id,
					json_object_get(judgement, "findings"));
		if (!r)
			r = db_version_verdict(e->db, id, verdict, why);
		if (!r)
			r = db_version_early(e->db, id, 0,
					     DB_EARLY_GIVEN);
		pr_info("series %lld: %s so far: %s\n", (long long)id.v,
			verdict, why);
	}
	return r ? r : db_commit(e->db);
}

static void on_report(json_t *answer, const char *error, void *arg)
{
	struct engine *e = arg;
	struct version_id id = e->reporting;
	char *dir __free(kfree) = report_dir(e, id);
	int r = 0;

	e->report_worker = NULL;
	e->reporting.v = 0;
	fs_rm_rf(dir);
	if (!error)
		error = json_get_str(answer, "error", NULL);
	if (!error) {
		const json_t *j = json_object_get(answer, "judgement");

		engine_no_strikes(e, id);
		r = e->reporting_early ? store_early(e, id, j) :
					 store_verdict(e, id, answer);
		if (!e->reporting_early)
			pr_info("series %lld: %s: %s\n", (long long)id.v,
				json_get_str(j, "verdict", ""),
				json_get_str(j, "why", ""));
	} else {
		pr_err("series %lld: judging: %s\n", (long long)id.v, error);
		if (engine_strike(e, id))
			r = engine_give_up(e, id, error);
	}
	if (r)
		engine_fail_soft(e, "storing a verdict", r);
	engine_kick(e);
}

static int start_report(struct engine *e, struct version_id id, bool early)
{
	struct worker_spec spec = {
		.program = e->self, .name = "report",
		.timeout_s = REPORT_TIMEOUT_S, .done = on_report, .arg = e,
	};
	char *dir __free(kfree) = report_dir(e, id);
	json_t *q __free(json) = NULL;
	/* first, so that a check that ends meanwhile is not missed */
	int r = db_version_early(e->db, id, DB_EARLY_WANTED, 0);

	if (!r)
		r = report_request(e, id, dir, &q);

	if (r)
		return r;
	spec.request = q;
	e->reporting = id;
	e->reporting_early = early;
	return worker_start(e->loop, &spec, &e->report_worker);
}

static int report_next(struct engine *e)
{
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r = db_versions_in(e->db, VERSION_RUNNING, INT64_MAX, &rows);

	json_array_foreach(rows, i, row) {
		struct version_id id = { json_get_int(row, "id", 0) };
		int64_t open = 1;

		r = db_jobs_open_of(e->db, id, &open);
		if (!r && !open)
			return start_report(e, id, false);
		if (!r && json_get_int(row, "early", 0) & DB_EARLY_WANTED)
			return start_report(e, id, true);
		if (r)
			break;
	}
	return r;
}

/* Every job was canceled before one ran: that too has to be told. */
static int wake_planned(struct engine *e)
{
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r = db_versions_in(e->db, VERSION_PLANNED, INT64_MAX, &rows);

	json_array_foreach(rows, i, row) {
		struct version_id id = { json_get_int(row, "id", 0) };
		int64_t open = 1;

		if (!r)
			r = db_jobs_open_of(e->db, id, &open);
		if (!r && !open)
			r = db_version_set(e->db, id, VERSION_RUNNING, NULL);
	}
	return r;
}

static void file_name_of(const char *message_id, struct strbuf *out)
{
	for (; *message_id && *message_id != '@'; message_id++) {
		char c = *message_id;
		bool ok = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
			  c == '-';

		strbuf_addch(out, ok ? c : '_');
	}
}

static int file_replies(struct engine *e)
{
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r = db_outgoing_unfiled(e->db, &rows);

	json_array_foreach(rows, i, row) {
		struct outgoing_id id = { json_get_int(row, "id", 0) };
		const char *eml = json_get_str(row, "eml", "");
		struct strbuf path __free(strbuf) = STRBUF_INIT;

		strbuf_addf(&path, "%s/", e->cfg->mail.spool_dir);
		file_name_of(json_get_str(row, "message_id", "x"), &path);
		strbuf_addstr(&path, ".eml");
		if (!r)
			r = fs_mkdir_p(e->cfg->mail.spool_dir);
		if (!r)
			r = fs_write_atomic(path.buf, eml, strlen(eml));
		if (!r)
			r = db_outgoing_filed(e->db, id, path.buf);
	}
	return r;
}

void engine_reports(struct engine *e)
{
	int r = wake_planned(e);

	if (!r && !e->report_worker)
		r = report_next(e);
	if (!r)
		r = file_replies(e);
	if (r)
		engine_fail_soft(e, "reporting", r);
}
