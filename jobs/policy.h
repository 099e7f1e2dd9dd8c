/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_POLICY_H
#define MMCI_JOBS_POLICY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/config.h"

/**
 * policy_decide() - may this reply leave, to whom, when, and by which rule?
 * @cfg: @cfg->mail and @cfg->policies
 * @facts: {list: name of the source, tree,
 *	author: {name, email}, to, cc: [{name, email}] of the answered mail,
 *	people: [addresses known to belong to people],
 *	machine: the answered mail was sent by a program,
 *	clean: true for a result without findings, private, created_s,
 *	approved_by: text or null, superseded_by: number of a newer version, 0,
 *	opt_out: {ADDRESS: why},
 *	history: {ADDRESS: [at_s of the mails of the last 24 hours]}}
 * @now_s: seconds since the epoch
 * @ret: new reference: {act: "send"|"wait"|"hold"|"reject", until_s (wait),
 *	level: as config_send_name(), rule: name of the one that decided, why:
 *	one line, approvable: would it leave if a person approved it?,
 *	recipients: [{email, name, field: "to"|"cc", list, gets, rule, why}],
 *	rules: [{name, send, matches, why}]}
 *
 * Pure. Of the rules that match, the quietest wins, property by property: the
 * lowest level, the longest embargo, the lowest limit, all quiet hours, clean
 * results only if no rule says no, only lists that every rule which names lists
 * names. Where no rule says how far a reply goes, it stays in the outbox.
 *
 * A rule with a person is about mails to that person: the author, or somebody
 * copied. Addresses that nobody has been seen to write from may be lists, and
 * lists get a copy only where a rule names them.
 *
 * What a person approved skips moderation and embargo, nothing else.
 */
void policy_decide(const struct config *cfg, const json_t *facts,
		   int64_t now_s, json_t **ret);

/**
 * policy_wants_clean() - would a mail without findings be sent at all?
 *
 * @facts as above. So that none is written where nobody asks for it.
 */
bool policy_wants_clean(const struct config *cfg, const json_t *facts);

#endif
