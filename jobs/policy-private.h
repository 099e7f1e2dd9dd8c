/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_POLICY_PRIVATE_H
#define MMCI_JOBS_POLICY_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/config.h"

#define POLICY_DAY_S 86400

enum policy_level {
	LEVEL_UNSET = -1,
	LEVEL_OFF,
	LEVEL_OUTBOX,
	LEVEL_MODERATED,
	LEVEL_AUTHOR,
	LEVEL_LISTS,
};

/**
 * struct policy_effect - what the matching rules say together
 *
 * Each property with the rule that said it; NULL: none did.
 */
struct policy_effect {
	int level;
	const struct config_policy *level_by;
	int clean;
	const struct config_policy *clean_by;
	int64_t embargo_h;
	const struct config_policy *embargo_by;
	/* one per rule of @cfg->policies, for hours and lists */
	bool *matches;
};

/** policy_is_person() - does @rule concern mails to one person alone? */
bool policy_is_person(const struct config_policy *rule);
/** policy_about() - does @rule match the mail, apart from its person? */
bool policy_about(const struct config_policy *rule, const json_t *facts);
/** policy_merge() - add what @rule, number @i, says to @e */
void policy_merge(struct policy_effect *e, const struct config_policy *rule,
		  size_t i);
/** policy_effect_of() - rules that match the mail as one to its author */
void policy_effect_of(const struct config *cfg, const json_t *facts,
		      struct policy_effect *e);
/** policy_effect_release() - free what policy_effect_of() made */
void policy_effect_release(struct policy_effect *e);

/**
 * policy_recipients() - who gets the mail and who does not
 * @e: of the mail; rules of copied people that hold it up are merged into it
 *
 * Return: new array, see policy_decide().
 */
json_t *policy_recipients(const struct config *cfg, const json_t *facts,
			  struct policy_effect *e);
/** policy_limit() - until when the daily limits hold it up; 0: they do not */
int64_t policy_limit(const struct config *cfg, const json_t *facts,
		     json_t *recipients, int64_t now_s, json_t *decision);

#endif
