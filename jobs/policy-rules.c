// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <strings.h>

#include "jobs/policy-private.h"
#include "lib/json.h"

bool policy_is_person(const struct config_policy *rule)
{
	return *rule->person;
}

static bool addressed_to(const json_t *list, const char *email)
{
	const json_t *a;
	size_t i;

	json_array_foreach(list, i, a) {
		if (!strcasecmp(json_get_str(a, "email", ""), email))
			return true;
	}
	return false;
}

bool policy_about(const struct config_policy *rule, const json_t *facts)
{
	if (*rule->tree && strcmp(rule->tree, json_get_str(facts, "tree", "")))
		return false;
	return !*rule->list ||
	       !strcmp(rule->list, json_get_str(facts, "list", "")) ||
	       addressed_to(json_object_get(facts, "to"), rule->list) ||
	       addressed_to(json_object_get(facts, "cc"), rule->list);
}

void policy_merge(struct policy_effect *e, const struct config_policy *rule,
		  size_t i)
{
	if (e->matches[i])
		return;
	e->matches[i] = true;
	if (rule->level >= 0 && (!e->level_by || rule->level < e->level)) {
		e->level = rule->level;
		e->level_by = rule;
	}
	if (rule->clean >= 0 && (!e->clean_by || rule->clean < e->clean)) {
		e->clean = rule->clean;
		e->clean_by = rule;
	}
	if (rule->embargo_h >= 0 &&
	    (!e->embargo_by || rule->embargo_h > e->embargo_h)) {
		e->embargo_h = rule->embargo_h;
		e->embargo_by = rule;
	}
}

void policy_effect_of(const struct config *cfg, const json_t *facts,
		      struct policy_effect *e)
{
	const json_t *author = json_object_get(facts, "author");
	const char *email = json_get_str(author, "email", "");

	*e = (struct policy_effect){
		/* a fresh installation only fills the outbox */
		.level = LEVEL_OUTBOX,
		.matches = xcalloc(cfg->n_policies + 1, sizeof(bool)),
	};
	for (size_t i = 0; i < cfg->n_policies; i++) {
		const struct config_policy *rule = &cfg->policies[i];

		if (policy_about(rule, facts) &&
		    (!policy_is_person(rule) ||
		     !strcasecmp(rule->person, email)))
			policy_merge(e, rule, i);
	}
}

void policy_effect_release(struct policy_effect *e)
{
	free(e->matches);
	e->matches = NULL;
}
