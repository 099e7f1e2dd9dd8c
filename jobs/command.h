/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_COMMAND_H
#define MMCI_JOBS_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/config.h"
#include "lib/strbuf.h"

/** enum command_verdict - what is to be done about one command */
enum command_verdict {
	COMMAND_OBEY,
	COMMAND_REFUSE,
	COMMAND_ASK_MAINTAINERS, /* yes, if they are one of those */
};

/**
 * command_judge() - may this mail have its way?
 * @cfg: @cfg->mail
 * @row: what db_command_next() gave
 * @author: address of the author of the series, "" if it answers none
 * @done_today: commands obeyed for the series in the last 24 hours
 * @now_s: seconds since the epoch
 * @why: the reason, for the log; in any case
 *
 * Mails of machines, our own, old ones and those whose sender is not proved by
 * a server we trust are refused. "stop" may be said by anybody, it is about mails
 * to the sender alone; the rest by the author, configured people and
 * maintainers. Pure.
 */
enum command_verdict command_judge(const struct config *cfg,
				   const json_t *row, const char *author,
				   int64_t done_today, int64_t now_s,
				   struct strbuf *why);
/**
 * command_is_proved() - does a trusted server say that @from wrote the mail?
 * @results: array of Authentication-Results values, topmost first
 * @hosts: names of servers that are believed
 * @why: one line when the answer is no
 *
 * Only the topmost field of a believed server counts: what is below it came with
 * the mail. Either dmarc=pass for the domain of @from, or dkim=pass with a
 * domain that is that one or above it.
 *
 * Source: RFC 8601 sections 2.2 and 5.
 */
bool command_is_proved(const json_t *results,
		       const struct config_strings *hosts, const char *from,
		       struct strbuf *why);

/**
 * command_maintainers() - worker: who maintains these files?
 * @request: {repo, commit, files: [paths]}
 * @ret: {emails: [addresses]}: of the M: lines of all sections that have one
 *	of the files, apart from the section for everything
 *
 * Return: 0; -errno with one line in @why.
 */
int command_maintainers(const json_t *request, json_t **ret,
			struct strbuf *why);
/**
 * command_maintainers_of() - the same over a text
 * @text: content of MAINTAINERS
 */
json_t *command_maintainers_of(const char *text, const json_t *files);

#endif
