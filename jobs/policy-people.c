// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <strings.h>

#include "jobs/eml.h"
#include "jobs/policy-private.h"
#include "lib/json.h"

#define MAX_COPIES 50

/* Addresses are compared without regard to case, as people write them. */
static const char *find_text(const json_t *object, const char *email)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)object, key, v) {
		if (!strcasecmp(key, email))
			return json_is_string(v) ? json_string_value(v) : "";
	}
	return NULL;
}

static bool in_strings(const struct config_strings *s, const char *email)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!strcasecmp(s->v[i], email))
			return true;
	}
	return false;
}

static bool is_person(const struct config *cfg, const json_t *facts,
		      const char *email)
{
	const json_t *p;
	size_t i;

	for (i = 0; i < cfg->n_policies; i++) {
		if (in_strings(&cfg->policies[i].lists, email) ||
		    !strcasecmp(cfg->policies[i].list, email))
			return false;
	}
	json_array_foreach(json_object_get(facts, "people"), i, p) {
		if (json_is_string(p) &&
		    !strcasecmp(json_string_value(p), email))
			return true;
	}
	return false;
}

static json_t *new_recipient(const json_t *who, const char *field, bool list)
{
	json_t *o = json_object();

	json_set_text(o, "email", json_get_str(who, "email", ""));
	json_set_text(o, "name", json_get_str(who, "name", ""));
	json_set_text(o, "field", field);
	json_set_bool(o, "list", list);
	json_set_bool(o, "gets", true);
	json_set_text(o, "rule", "");
	json_set_text(o, "why", "");
	return o;
}

static void leave_out(json_t *o, const struct config_policy *rule,
		      const char *why)
{
	json_set_bool(o, "gets", false);
	json_set_text(o, "rule", rule ? rule->name : "");
	json_set_text(o, "why", why);
}

static const char *opted_out(const struct config *cfg, const json_t *facts,
			     const char *email)
{
	if (in_strings(&cfg->mail.opt_out, email))
		return "mail.opt_out names this address";
	return find_text(json_object_get(facts, "opt_out"), email);
}

/* Lists that no rule names, or that one of the naming rules leaves out. */
static void decide_list(const struct config *cfg, const json_t *facts,
			const struct policy_effect *e, json_t *o)
{
	const json_t *author = json_object_get(facts, "author");
	const struct config_policy *named_by = NULL;

	for (size_t i = 0; i < cfg->n_policies; i++) {
		const struct config_policy *rule = &cfg->policies[i];

		if (!e->matches[i] || !rule->lists.n ||
		    (policy_is_person(rule) &&
		     strcasecmp(rule->person,
				json_get_str(author, "email", ""))))
			continue;
		if (!in_strings(&rule->lists, json_get_str(o, "email", ""))) {
			leave_out(o, rule, "not among the lists of the rule");
			return;
		}
		named_by = rule;
	}
	if (!named_by) {
		leave_out(o, NULL, "no rule names it, it may be a list");
		return;
	}
	json_set_text(o, "rule", named_by->name);
	json_set_text(o, "why", "the rule names this list");
}

/* What the rules about one copied person say; they may hold up all of it. */
static void decide_copied(const struct config *cfg, const json_t *facts,
			  struct policy_effect *e, json_t *o)
{
	const char *email = json_get_str(o, "email", "");
	const struct config_policy *rule;
	size_t i;

	for (i = 0; i < cfg->n_policies; i++) {
		rule = &cfg->policies[i];
		if (strcasecmp(rule->person, email) ||
		    !policy_about(rule, facts))
			continue;
		if (rule->level >= 0 && rule->level != LEVEL_MODERATED &&
		    rule->level < LEVEL_LISTS) {
			leave_out(o, rule, rule->level == LEVEL_AUTHOR ?
				  "only as author" :
				  "the rule keeps mails from this person");
			return;
		}
	}
	for (i = 0; i < cfg->n_policies; i++) {
		rule = &cfg->policies[i];
		if (!strcasecmp(rule->person, email) &&
		    policy_about(rule, facts))
			policy_merge(e, rule, i);
	}
	json_set_text(o, "rule", e->level_by ? e->level_by->name : "");
	json_set_text(o, "why", "the series was sent to this person");
}

static void decide_one(const struct config *cfg, const json_t *facts,
		       struct policy_effect *e, json_t *o, int level)
{
	const char *email = json_get_str(o, "email", "");
	const char *out = opted_out(cfg, facts, email);

	if (!eml_email_is_safe(email))
		leave_out(o, NULL, "not a plain address");
	else if (out)
		leave_out(o, NULL, *out ? out : "asked to be left out");
	else if (level < LEVEL_LISTS)
		leave_out(o, e->level_by, "the mail goes to its author alone");
	else if (json_get_bool(o, "list", false))
		decide_list(cfg, facts, e, o);
	else
		decide_copied(cfg, facts, e, o);
}

static bool have_email(const json_t *list, const char *email)
{
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (!strcasecmp(json_get_str(o, "email", ""), email))
			return true;
	}
	return false;
}

json_t *policy_recipients(const struct config *cfg, const json_t *facts,
			  struct policy_effect *e)
{
	static const char *const fields[] = { "to", "cc" };
	const json_t *author = json_object_get(facts, "author"), *who;
	const char *email = json_get_str(author, "email", "");
	const char *out = opted_out(cfg, facts, email);
	json_t *list = json_array(), *o = new_recipient(author, "to", false);
	/* copied people must not lift what they themselves lowered */
	int level = e->level;
	size_t i;

	json_array_append_new(list, o);
	json_set_text(o, "rule", e->level_by ? e->level_by->name : "");
	json_set_text(o, "why", "author of the series");
	if (!eml_email_is_safe(email))
		leave_out(o, NULL, "not a plain address");
	else if (out)
		leave_out(o, NULL, *out ? out : "asked to be left out");
	for (size_t f = 0; f < ARRAY_SIZE(fields); f++) {
		json_array_foreach(json_object_get(facts, fields[f]), i, who) {
			const char *addr = json_get_str(who, "email", "");

			if (!*addr || have_email(list, addr) ||
			    json_array_size(list) > MAX_COPIES)
				continue;
			o = new_recipient(who, "cc",
					  !is_person(cfg, facts, addr));
			json_array_append_new(list, o);
			decide_one(cfg, facts, e, o, level);
		}
	}
	return list;
}

static const json_t *history_of(const json_t *facts, const char *email)
{
	json_t *history = json_object_get(facts, "history"), *v;
	const char *key;

	json_object_foreach(history, key, v) {
		if (!strcasecmp(key, email))
			return v;
	}
	return NULL;
}

/* When does one more mail fit under @limit? @times: oldest first. */
static int64_t fits_at(const json_t *times, int64_t limit, int64_t now_s)
{
	size_t n = json_array_size(times), recent = 0, i;
	const json_t *t;

	if (!limit)
		return INT64_MAX;
	json_array_foreach(times, i, t)
		recent += json_integer_value(t) > now_s - POLICY_DAY_S;
	if ((int64_t)recent < limit)
		return 0;
	return json_integer_value(json_array_get(times, n - (size_t)limit)) +
	       POLICY_DAY_S;
}

/* The lowest limit of the rules for everybody and of those for this address. */
static const struct config_policy *limit_of(const struct config *cfg,
					    const json_t *facts,
					    const json_t *recipient,
					    int64_t *limit)
{
	const char *email = json_get_str(recipient, "email", "");
	bool list = json_get_bool(recipient, "list", false);
	const struct config_policy *by = NULL;

	for (size_t i = 0; i < cfg->n_policies; i++) {
		const struct config_policy *rule = &cfg->policies[i];
		int64_t said = list ? rule->daily_per_list :
				      rule->daily_per_recipient;

		if (said < 0 || (by && said >= *limit) ||
		    !policy_about(rule, facts) ||
		    (policy_is_person(rule) &&
		     strcasecmp(rule->person, email)))
			continue;
		*limit = said;
		by = rule;
	}
	return by;
}

int64_t policy_limit(const struct config *cfg, const json_t *facts,
		     json_t *recipients, int64_t now_s, json_t *decision)
{
	int64_t until = 0;
	json_t *o;
	size_t i;

	json_array_foreach(recipients, i, o) {
		bool list = json_get_bool(o, "list", false);
		const char *email = json_get_str(o, "email", "");
		const struct config_policy *by;
		int64_t limit = 0, at;

		by = limit_of(cfg, facts, o, &limit);
		if (!by || !json_get_bool(o, "gets", false))
			continue;
		at = fits_at(history_of(facts, email), limit, now_s);
		if (!at)
			continue;
		/* the author's mail does not wait for somebody copied */
		if (!list && strcmp(json_get_str(o, "field", ""), "to")) {
			leave_out(o, by, "has had enough mails for today");
		} else if (at > until) {
			until = at;
			json_set_text(decision, "rule", by->name);
			json_set_text(decision, "why", list ?
				      "daily limit of the list" :
				      "daily limit of the recipient");
		}
	}
	return until;
}
