/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_PARSE_PRIV_H
#define MMCI_KERNEL_SERIES_PARSE_PRIV_H

#include <jansson.h>
#include <stdbool.h>

#include "kernel-series/mail.h"

/** parse_bracketed() - "<id>" as JSON, null for NULL */
json_t *parse_bracketed(const char *id);
/** parse_bracketed_list() - the same for an array of ids; links stay links */
json_t *parse_bracketed_list(const json_t *ids);
/** parse_mail_view() - all that "mmci parse mail" says about @m */
json_t *parse_mail_view(const struct mail *m, const json_t *options);
/** parse_text_view() - the same for a text without headers */
json_t *parse_text_view(const char *text, size_t len, const json_t *options);
/** parse_people() - who sent it, to whom, which of them are we; added to @o */
void parse_people(const struct mail *m, const json_t *options, json_t *o);
/** parse_is_own() - is the sender one of options.own_addresses? */
bool parse_is_own(const struct mail *m, const json_t *options);
/** parse_route() - names of options.projects that take the mail */
json_t *parse_route(const struct mail *m, const json_t *options);
/** parse_thread_type() - "patch", "reminder", "report" or "mention" */
const char *parse_thread_type(const struct mail *m, bool own);
/** parse_series_view() - what "mmci parse series" says about an mbox */
json_t *parse_series_view(const void *data, size_t len,
			  const json_t *options);
/** parse_threads() - {"threads", "ignored"} of @mails (struct mail *[]) */
void parse_threads(struct mail *const *mails, size_t nr,
		   const json_t *options, json_t *o);
/**
 * ready_patches() - the patches of a series with their trailers in order
 * @series: one of assemble_json()'s series
 * @mails: by Message-ID: what mail_to_json() gave
 * @options: add_followup_trailers (default true), add_my_signoff, copy_ccs,
 *	add_link, link_mask, trailer_order, accept_mismatched_from,
 *	ignore_trailers_from, me
 *
 * Return: new array of {subject, from, message_id, trailers: [[name, value]]}.
 */
json_t *ready_patches(const json_t *series, const json_t *mails,
		      const json_t *options);

#endif
