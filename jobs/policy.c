// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/policy.h"

#include <string.h>

#include "jobs/policy-private.h"
#include "lib/clock.h"
#include "lib/json.h"

static void decide(json_t *d, const char *act, const struct config_policy *by,
		   const char *why)
{
	json_set_text(d, "act", act);
	json_set_text(d, "rule", by ? by->name : "");
	json_set_text(d, "why", why);
}

static void wait_until(json_t *d, int64_t until_s,
		       const struct config_policy *by, const char *why)
{
	char *text __free(kfree) = NULL;
	char date[32];

	/* a limit of 0 is never over */
	text = until_s == INT64_MAX ?
		xasprintf("%s: none at all", why) :
		xasprintf("%s: not before %s", why,
			  clock_rfc3339(until_s, date));
	decide(d, "wait", by, text);
	json_set_int(d, "until_s", until_s);
}

static bool hour_is_quiet(const struct config_policy *rule, int64_t at_s)
{
	int hour = (int)(at_s % POLICY_DAY_S / 3600);

	if (rule->quiet_from < 0)
		return false;
	if (rule->quiet_from < rule->quiet_to)
		return hour >= rule->quiet_from && hour < rule->quiet_to;
	return hour >= rule->quiet_from || hour < rule->quiet_to;
}

static const struct config_policy *quiet_by(const struct config *cfg,
					    const struct policy_effect *e,
					    int64_t at_s)
{
	for (size_t i = 0; i < cfg->n_policies; i++) {
		if (e->matches[i] && hour_is_quiet(&cfg->policies[i], at_s))
			return &cfg->policies[i];
	}
	return NULL;
}

/* The first full hour that no rule calls quiet, within a day. */
static int64_t quiet_until(const struct config *cfg,
			   const struct policy_effect *e, int64_t now_s)
{
	int64_t at = now_s - now_s % 3600;

	for (int i = 0; i < 24; i++) {
		at += 3600;
		if (!quiet_by(cfg, e, at))
			break;
	}
	return at;
}

/* Reasons for which a reply never leaves. */
static bool is_refused(const json_t *facts, const struct policy_effect *e,
		       const json_t *recipients, json_t *d)
{
	const json_t *author = json_array_get(recipients, 0);
	long long newer = json_get_int(facts, "superseded_by", 0);
	char *text __free(kfree) = NULL;

	if (newer) {
		text = xasprintf("version %lld came before this was sent",
				 newer);
		decide(d, "reject", NULL, text);
	} else if (json_get_bool(facts, "machine", false)) {
		decide(d, "reject", NULL, "the series was sent by a machine");
	} else if (e->level == LEVEL_OFF) {
		decide(d, "reject", e->level_by, "the rule says off");
	} else if (!json_get_bool(author, "gets", false)) {
		text = xasprintf("author: %s", json_get_str(author, "why", ""));
		decide(d, "reject", NULL, text);
	} else if (json_get_bool(facts, "clean", false) && e->clean != 1) {
		decide(d, "reject", e->clean_by,
		       "nobody asks for results without findings");
	} else {
		return false;
	}
	return true;
}

/* Reasons for which it waits for a person or stays for good. */
static bool is_held(const struct config *cfg, const json_t *facts,
		    const struct policy_effect *e, json_t *d)
{
	const char *approved = json_get_str(facts, "approved_by", NULL);

	if (strcmp(cfg->mail.mode, "send")) {
		char *text __free(kfree) =
			xasprintf("sending is off: mail.mode is \"%s\"",
				  cfg->mail.mode);

		decide(d, "hold", NULL, text);
	} else if (json_get_bool(facts, "private", false)) {
		decide(d, "hold", NULL, "the series was submitted privately");
	} else if (e->level == LEVEL_OUTBOX) {
		decide(d, "hold", e->level_by, e->level_by ?
		       "the rule keeps it in the outbox" :
		       "no rule says that it may leave");
	} else if (e->level == LEVEL_MODERATED && !approved) {
		decide(d, "hold", e->level_by, "waits for approval");
		json_set_bool(d, "approvable", true);
	} else {
		return false;
	}
	return true;
}

static void decide_when(const struct config *cfg, const json_t *facts,
			struct policy_effect *e, int64_t now_s, json_t *d)
{
	json_t *recipients = json_object_get(d, "recipients");
	int64_t free_s = json_get_int(facts, "created_s", 0) +
			 e->embargo_h * 3600;
	const struct config_policy *quiet = quiet_by(cfg, e, now_s);
	int64_t until;

	json_set_bool(d, "approvable", true);
	if (now_s < free_s && !json_get_str(facts, "approved_by", NULL)) {
		wait_until(d, free_s, e->embargo_by, "embargo");
		return;
	}
	if (quiet) {
		wait_until(d, quiet_until(cfg, e, now_s), quiet,
			   "quiet hours");
		return;
	}
	until = policy_limit(cfg, facts, recipients, now_s, d);
	if (until) {
		char *why __free(kfree) = xstrdup(json_get_str(d, "why", ""));
		char *rule __free(kfree) = xstrdup(json_get_str(d, "rule", ""));

		wait_until(d, until, NULL, why);
		json_set_text(d, "rule", rule);
		return;
	}
	decide(d, "send", e->level_by,
	       json_get_str(facts, "approved_by", NULL) ?
		       "a person approved it" : "the rule lets it leave");
}

static json_t *told_rules(const struct config *cfg, const json_t *facts,
			  const struct policy_effect *e)
{
	json_t *list = json_array();

	for (size_t i = 0; i < cfg->n_policies; i++) {
		const struct config_policy *rule = &cfg->policies[i];
		json_t *o = json_object();

		json_set_text(o, "name", rule->name);
		json_set_text(o, "send", config_send_name(rule->level));
		json_set_bool(o, "matches", e->matches[i]);
		json_set_text(o, "why",
			      e->matches[i] ? "" :
			      !policy_about(rule, facts) ?
			      "another list or tree" : "another person");
		json_array_append_new(list, o);
	}
	return list;
}

void policy_decide(const struct config *cfg, const json_t *facts,
		   int64_t now_s, json_t **ret)
{
	json_t *d = json_object(), *recipients;
	struct policy_effect e;

	policy_effect_of(cfg, facts, &e);
	recipients = policy_recipients(cfg, facts, &e);
	json_object_set_new(d, "recipients", recipients);
	json_set_bool(d, "approvable", false);
	json_set_text(d, "level", config_send_name(e.level));
	/* held goes first: where nothing leaves nothing needs refusing */
	if (strcmp(cfg->mail.mode, "send") ||
	    !is_refused(facts, &e, recipients, d)) {
		if (!is_held(cfg, facts, &e, d))
			decide_when(cfg, facts, &e, now_s, d);
	}
	json_object_set_new(d, "rules", told_rules(cfg, facts, &e));
	policy_effect_release(&e);
	*ret = d;
}

bool policy_wants_clean(const struct config *cfg, const json_t *facts)
{
	struct policy_effect e;
	bool wants;

	policy_effect_of(cfg, facts, &e);
	wants = e.clean == 1 && e.level > LEVEL_OUTBOX;
	policy_effect_release(&e);
	return wants && !strcmp(cfg->mail.mode, "send");
}
