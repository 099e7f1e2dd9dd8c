// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "mail: " fmt
#include <errno.h>
#include <string.h>

#include "db/event.h"
#include "db/finding.h"
#include "db/mail.h"
#include "db/outgoing.h"
#include "db/version.h"
#include "jobs/eml.h"
#include "jobs/engine-private.h"
#include "jobs/policy.h"
#include "jobs/send.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/log.h"

#define LOOK_AGAIN_S 60
#define MAX_RETRY_S (4 * 3600)
#define DAY_S 86400

static char *marker_path(const struct engine *e, struct outgoing_id id)
{
	return xasprintf("%s/send/%lld.json", e->cfg->state_dir,
			 (long long)id.v);
}

static char *eml_path(const struct engine *e, struct outgoing_id id)
{
	return xasprintf("%s/send/%lld.eml", e->cfg->state_dir,
			 (long long)id.v);
}

int engine_mail_facts(struct engine *e, struct version_id id,
		      const char *answered, json_t **ret)
{
	json_t *version __free(json) = NULL, *mail __free(json) = NULL;
	json_t *facts __free(json) = json_object(), *author = json_object();
	struct mail_id mail_id;
	int r = db_version_get(e->db, id, &version);

	json_object_set_new(facts, "author", author);
	if (!r)
		r = db_mail_find(e->db, answered, &mail_id);
	if (!r)
		r = db_mail_fields(e->db, mail_id, &mail);
	if (r < 0)
		return r;
	json_set_text(facts, "list", json_get_str(version, "source", ""));
	json_set_text(facts, "tree", json_get_str(version, "tree", ""));
	json_set_text(author, "name", json_get_str(version, "author_name", ""));
	json_set_text(author, "email",
		      json_get_str(version, "author_email", ""));
	json_object_set(facts, "to", json_object_get(mail, "to"));
	json_object_set(facts, "cc", json_object_get(mail, "cc"));
	json_object_set(facts, "machine", json_object_get(mail, "machine"));
	*ret = no_free_ptr(facts);
	return 0;
}

static int add_people(struct engine *e, json_t *facts, const char *field,
		      json_t *people)
{
	const json_t *a;
	size_t i;

	json_array_foreach(json_object_get(facts, field), i, a) {
		const char *email = json_get_str(a, "email", "");
		bool is_person = false;
		int r = db_is_person(e->db, email, &is_person);

		if (r)
			return r;
		if (is_person)
			json_array_append_new(people, json_text(email));
	}
	return 0;
}

/* What may have changed since the reply was written is asked for each time. */
static int facts_now(struct engine *e, const json_t *row, json_t **ret)
{
	struct version_id version = { json_get_int(row, "version_id", 0) };
	json_t *facts __free(json) =
		json_deep_copy(json_object_get(row, "facts"));
	json_t *people = json_array(), *opt_out = NULL, *history = NULL;
	int64_t newer = 0;
	int r;

	if (!json_is_object(facts)) {
		json_decref(facts);
		facts = json_object();
	}
	json_object_set_new(facts, "people", people);
	json_set_int(facts, "created_s", json_get_int(row, "created_s", 0));
	json_set_bool(facts, "private", json_get_int(row, "private", 0));
	json_object_set(facts, "approved_by",
			json_object_get(row, "approved_by"));
	r = add_people(e, facts, "to", people);
	if (!r)
		r = add_people(e, facts, "cc", people);
	if (!r)
		r = db_version_newer(e->db, version, &newer);
	if (r == DB_NONE)
		r = 0;
	json_set_int(facts, "superseded_by", newer);
	if (!r)
		r = db_opt_outs(e->db, version, &opt_out);
	if (!r)
		r = db_outgoing_history(e->db, clock_now_s() - DAY_S,
					&history);
	if (opt_out)
		json_object_set_new(facts, "opt_out", opt_out);
	if (history)
		json_object_set_new(facts, "history", history);
	if (!r)
		*ret = no_free_ptr(facts);
	return r;
}

int engine_mail_decide(struct engine *e, const json_t *row, json_t **ret)
{
	json_t *facts __free(json) = NULL;
	int r = facts_now(e, row, &facts);

	if (!r)
		policy_decide(e->cfg, facts, clock_now_s(), ret);
	return r;
}

static json_t *those_who_get_it(const json_t *decision)
{
	json_t *list = json_array();
	const json_t *o;
	size_t i;

	json_array_foreach(json_object_get(decision, "recipients"), i, o) {
		if (json_get_bool(o, "gets", false))
			json_array_append(list, json_object_get(o, "email"));
	}
	return list;
}

static int prepare(struct engine *e, struct outgoing_id id, const json_t *row,
		   const json_t *decision)
{
	json_t *to __free(json) = those_who_get_it(decision);
	struct strbuf eml __free(strbuf) = STRBUF_INIT;

	eml_set_recipients(json_get_str(row, "eml", ""),
			   json_object_get(decision, "recipients"), &eml);
	return db_outgoing_prepare(e->db, id, to, eml.buf);
}

/* One decision and what follows from it, inside a transaction. */
static int apply_decision(struct engine *e, struct outgoing_id id,
			  const json_t *row, const json_t *decision)
{
	const char *act = json_get_str(decision, "act", "");
	const char *why = json_get_str(decision, "why", "");
	int64_t now = clock_now_s();
	int64_t until = json_get_int(decision, "until_s", INT64_MAX);
	int64_t again = min(now + LOOK_AGAIN_S, until);
	int r;

	again = max(again, now + 1);
	r = db_outgoing_decided(e->db, id, decision, again);
	if (r)
		return r;
	if (!strcmp(act, "reject"))
		return db_outgoing_set(e->db, id, OUTGOING_REJECTED, why, 0);
	if (strcmp(act, "send"))
		return db_outgoing_set(e->db, id, OUTGOING_HELD, why, again);
	r = prepare(e, id, row, decision);
	return r ? r : db_outgoing_set(e->db, id, OUTGOING_APPROVED, why, now);
}

static int decide_one(struct engine *e, struct outgoing_id id)
{
	json_t *row __free(json) = NULL, *decision __free(json) = NULL;
	int r = db_begin(e->db);

	if (!r)
		r = db_outgoing_get(e->db, id, &row);
	/* only a person may let go what may have arrived already */
	if (!r && json_get_int(row, "doubtful", 0)) {
		r = db_outgoing_set(e->db, id, OUTGOING_HELD,
				    json_get_str(row, "state_why", ""),
				    INT64_MAX);
		return r ? r : db_commit(e->db);
	}
	if (!r)
		r = engine_mail_decide(e, row, &decision);
	if (!r)
		r = apply_decision(e, id, row, decision);
	return r ? r : db_commit(e->db);
}

static int decide_held(struct engine *e)
{
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r = db_outgoing_due(e->db, OUTGOING_HELD, clock_now_s(), &rows);

	json_array_foreach(rows, i, row) {
		if (r)
			break;
		r = decide_one(e, (struct outgoing_id){
					json_get_int(row, "id", 0) });
	}
	return r;
}

static int64_t retry_at(const struct engine *e, int64_t tries)
{
	int64_t pause = e->cfg->mail.retry_s;

	while (--tries > 0 && pause < MAX_RETRY_S)
		pause *= 2;
	return clock_now_s() + min(pause, (int64_t)MAX_RETRY_S);
}

/* Somebody was asked to wait: the same mail again, to those alone. */
static int put_off(struct engine *e, struct outgoing_id id, const json_t *row,
		   const char *answer)
{
	int64_t over = json_get_int(row, "created_s", 0) +
		       e->cfg->mail.give_up_h * 3600;
	int64_t at = retry_at(e, json_get_int(row, "tries", 1));
	char *why __free(kfree) = NULL;
	char date[32];

	if (at > over) {
		why = xasprintf("given up after %lld hours: %s",
				(long long)e->cfg->mail.give_up_h, answer);
		return db_outgoing_set(e->db, id, OUTGOING_REJECTED, why, 0);
	}
	why = xasprintf("next try %s: %s", clock_rfc3339(at, date), answer);
	return db_outgoing_set(e->db, id, OUTGOING_APPROVED, why, at);
}

static int settle(struct engine *e, struct outgoing_id id, const json_t *row,
		  const char *answer)
{
	struct version_id version = { json_get_int(row, "version_id", 0) };
	int64_t sent = 0, pending = 0;
	int r = db_outgoing_count(e->db, id, "sent", &sent);

	if (!r)
		r = db_outgoing_count(e->db, id, "pending", &pending);
	if (r)
		return r;
	if (sent && version.v)
		r = db_findings_reported(e->db, version);
	if (r)
		return r;
	if (pending)
		return put_off(e, id, row, answer);
	return db_outgoing_set(e->db, id,
			       sent ? OUTGOING_SENT : OUTGOING_REJECTED,
			       answer, 0);
}

static int take_answer(struct engine *e, struct outgoing_id id,
		       const json_t *answer)
{
	const char *text = json_get_str(answer, "answer", "");
	json_t *row __free(json) = NULL, *o;
	size_t i;
	int r = db_outgoing_get(e->db, id, &row);

	if (r)
		return r < 0 ? r : -ENOENT;
	if (!strcmp(json_get_str(answer, "outcome", ""), "doubtful")) {
		char *why __free(kfree) = xasprintf(
			"it may have arrived: %s; approve to send it again",
			text);

		r = db_outgoing_doubt(e->db, id, true);
		return r ? r : db_outgoing_set(e->db, id, OUTGOING_HELD, why,
					       INT64_MAX);
	}
	json_array_foreach(json_object_get(answer, "recipients"), i, o) {
		const char *state = json_get_str(o, "state", "");

		if (r || !strcmp(state, "deferred"))
			continue;
		r = db_outgoing_answer(e->db, id, json_get_str(o, "email", ""),
				       strcmp(state, "sent") ? "refused" :
							       "sent",
				       json_get_str(o, "answer", ""));
	}
	return r ? r : settle(e, id, row, text);
}

/* The marker says how far a try came whose answer nobody heard. */
static int recall(struct engine *e, struct outgoing_id id, const char *how)
{
	char *marker __free(kfree) = marker_path(e, id);
	json_t *answer __free(json) = NULL, *row __free(json) = NULL;
	char *text __free(kfree) = NULL;
	int r;

	switch (send_recall(marker, &answer)) {
	case 0:
		return take_answer(e, id, answer);
	case SEND_NOT_GIVEN:
		text = xasprintf("%s before the mail was handed over", how);
		r = db_outgoing_get(e->db, id, &row);
		return r ? r : put_off(e, id, row, text);
	}
	text = xasprintf("%s while the mail was handed over", how);
	answer = json_pack("{s:s, s:s}", "outcome", "doubtful", "answer", text);
	return take_answer(e, id, answer);
}

static void clean_up(struct engine *e, struct outgoing_id id)
{
	char *marker __free(kfree) = marker_path(e, id);
	char *eml __free(kfree) = eml_path(e, id);

	unlink(marker);
	unlink(eml);
}

static void on_sent(json_t *answer, const char *error, void *arg)
{
	struct engine *e = arg;
	struct outgoing_id id = e->mailing;
	int r = db_begin(e->db);

	e->send_worker = NULL;
	e->mailing.v = 0;
	if (!error)
		error = json_get_str(answer, "error", NULL);
	if (error)
		pr_err("reply %lld: %s\n", (long long)id.v, error);
	if (!r && !error)
		r = take_answer(e, id, answer);
	else if (!r)
		r = recall(e, id, error);
	if (!r)
		r = db_commit(e->db);
	if (r)
		engine_fail_soft(e, "what a mail server said", r);
	else
		clean_up(e, id);
	engine_kick(e);
}

static int write_eml(struct engine *e, struct outgoing_id id, const json_t *row)
{
	char *marker __free(kfree) = marker_path(e, id);
	char *path __free(kfree) = eml_path(e, id);
	const char *eml = json_get_str(row, "eml", "");
	int r = fs_mkdir_parent(path);

	if (!r && unlink(marker) && errno != ENOENT)
		r = -errno;
	return r ? r : fs_write_atomic(path, eml, strlen(eml));
}

static int start_worker(struct engine *e, struct outgoing_id id,
			const json_t *row, const json_t *to)
{
	char *marker __free(kfree) = marker_path(e, id);
	char *path __free(kfree) = eml_path(e, id);
	json_t *q __free(json) =
		send_request(e->cfg, path, json_get_str(row, "message_id", ""),
			     to, marker);
	struct worker_spec spec = {
		.program = e->self, .name = "send", .request = q,
		/* its own limit is the shorter one */
		.timeout_s = e->cfg->mail.timeout_s + 30,
		.done = on_sent, .arg = e,
	};

	e->mailing = id;
	return worker_start(e->loop, &spec, &e->send_worker);
}

/*
 * What was approved may have become wrong since. When it is still right the
 * state "sending" is committed before anybody is asked to send.
 */
static int send_one(struct engine *e, struct outgoing_id id)
{
	json_t *row __free(json) = NULL, *decision __free(json) = NULL;
	json_t *fresh __free(json) = NULL, *to __free(json) = NULL;
	int r = db_begin(e->db);

	if (!r)
		r = db_outgoing_get(e->db, id, &row);
	if (!r)
		r = engine_mail_decide(e, row, &decision);
	if (r)
		return r;
	r = apply_decision(e, id, row, decision);
	if (r || strcmp(json_get_str(decision, "act", ""), "send"))
		return r ? r : db_commit(e->db);
	r = db_outgoing_pending(e->db, id, &to);
	if (!r && !json_array_size(to))
		r = settle(e, id, row, "nobody is left to send it to");
	else if (!r)
		r = db_outgoing_set(e->db, id, OUTGOING_SENDING, "", 0);
	if (!r)
		r = db_outgoing_tried(e->db, id);
	if (!r)
		r = db_outgoing_get(e->db, id, &fresh);
	if (!r && json_array_size(to))
		r = write_eml(e, id, fresh);
	if (!r)
		r = db_commit(e->db);
	if (r || !json_array_size(to))
		return r;
	return start_worker(e, id, fresh, to);
}

static int send_next(struct engine *e)
{
	json_t *rows __free(json) = NULL;
	struct outgoing_id id;
	int r;

	if (e->send_worker)
		return 0;
	r = db_outgoing_due(e->db, OUTGOING_APPROVED, clock_now_s(), &rows);
	if (r || !json_array_size(rows))
		return r;
	id.v = json_get_int(json_array_get(rows, 0), "id", 0);
	r = send_one(e, id);
	if (r && !e->send_worker)
		e->mailing.v = 0;
	return r;
}

int engine_mail_recover(struct engine *e, struct strbuf *why)
{
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r = db_outgoing_due(e->db, OUTGOING_SENDING, INT64_MAX, &rows);

	if (!r)
		r = db_begin(e->db);
	json_array_foreach(rows, i, row) {
		if (!r)
			r = recall(e, (struct outgoing_id){
					json_get_int(row, "id", 0) },
				   "mmcid stopped");
	}
	if (!r)
		r = db_commit(e->db);
	if (r) {
		strbuf_setf(why, "replies being sent: %s", db_error(e->db));
		db_rollback(e->db);
	}
	return r;
}

void engine_mails(struct engine *e)
{
	int r = decide_held(e);

	if (!r)
		r = send_next(e);
	if (r)
		engine_fail_soft(e, "sending", r);
}

void engine_mail_stop(struct engine *e)
{
	worker_stop(e->send_worker);
	e->send_worker = NULL;
}

static int finish(struct engine *e, int r, struct outgoing_id id,
		  json_t **ret, struct strbuf *why)
{
	json_t *row __free(json) = NULL;

	if (!r)
		r = db_outgoing_get(e->db, id, &row);
	if (!r)
		r = db_commit(e->db);
	if (r) {
		if (!why->len)
			strbuf_setf(why, "%s", strerror(r < 0 ? -r : ENOENT));
		db_rollback(e->db);
		return r;
	}
	*ret = json_pack("{s:I, s:s, s:s}", "id", (json_int_t)id.v, "state",
			 json_get_str(row, "state", ""), "state_why",
			 json_get_str(row, "state_why", ""));
	engine_kick(e);
	return 0;
}

static int find_waiting(struct engine *e, struct outgoing_id id, json_t **row,
			struct strbuf *why)
{
	const char *state;
	int r = db_outgoing_get(e->db, id, row);

	if (r == DB_NONE) {
		strbuf_setf(why, "there is no reply %lld", (long long)id.v);
		return -ENOENT;
	}
	if (r)
		return r;
	state = json_get_str(*row, "state", "");
	if (!strcmp(state, "held") || !strcmp(state, "approved"))
		return 0;
	strbuf_setf(why, "reply %lld is %s already", (long long)id.v, state);
	return -EALREADY;
}

int engine_outbox_approve(struct engine *e, struct outgoing_id id,
			  const char *who, json_t **ret, struct strbuf *why)
{
	json_t *row __free(json) = NULL, *decision __free(json) = NULL;
	json_t *after __free(json) = NULL;
	int r = db_begin(e->db);

	if (!r)
		r = find_waiting(e, id, &row, why);
	if (!r && strcmp(json_get_str(row, "state", ""), "held")) {
		strbuf_setf(why, "reply %lld is approved already",
			    (long long)id.v);
		r = -EALREADY;
	}
	if (!r)
		r = db_outgoing_approve(e->db, id, who);
	if (!r)
		r = db_outgoing_get(e->db, id, &after);
	if (!r)
		r = engine_mail_decide(e, after, &decision);
	/* a person may skip moderation, not what others asked for */
	if (!r && strcmp(json_get_str(decision, "act", ""), "send") &&
	    strcmp(json_get_str(decision, "act", ""), "wait")) {
		strbuf_setf(why, "%s", json_get_str(decision, "why", ""));
		r = -EPERM;
	}
	if (!r)
		r = apply_decision(e, id, after, decision);
	return finish(e, r, id, ret, why);
}

int engine_outbox_reject(struct engine *e, struct outgoing_id id,
			 const char *who, const char *reason, json_t **ret,
			 struct strbuf *why)
{
	char *text __free(kfree) =
		xasprintf("rejected by %s%s%s", who, *reason ? ": " : "",
			  reason);
	json_t *row __free(json) = NULL;
	int r = db_begin(e->db);

	if (!r)
		r = find_waiting(e, id, &row, why);
	if (!r)
		r = db_outgoing_set(e->db, id, OUTGOING_REJECTED, text, 0);
	return finish(e, r, id, ret, why);
}
