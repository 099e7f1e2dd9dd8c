/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_ASSEMBLE_H
#define MMCI_KERNEL_SERIES_ASSEMBLE_H

#include <jansson.h>

/**
 * assemble_json() - put mails together to series
 * @mails: array of what mail_to_json() gives, in order of arrival
 * @ret: a new reference:
 *	{"series": [{
 *	   "key": Message-ID of the cover, else of the lowest patch,
 *	   "version", "total", "title", "prefix": "RFC mm-unstable",
 *	   "prefixes": [..], "author": {"name", "email"},
 *	   "cover": id or null,
 *	   "patches": [{"number", "message_id", "title", "trailers": gathered
 *	               from the patch and from replies, [{name, value}],
 *	               "from_version": given when taken from an older one}],
 *	   "complete": bool, "missing": [numbers],
 *	   "date_s": of the cover or first patch,
 *	   "comments": [{"message_id", "number" (0: the cover), "has_diff"}],
 *	   "fixups": [{"message_id", "number"}],
 *	   "rejected_trailers": [{"name", "value", "reply_from"}],
 *	   "base_commit": or null, "prerequisites": [..],
 *	   "depends_on": [ids], "based_on": [ids], "supersedes": [ids],
 *	   "change_id": or null, "stable": bool,
 *	   "topic": index of the first series of the same work}],
 *	 "messages": [{"message_id", "role": "cover" | "patch" | "comment" |
 *	   "pull-request" | "other" | "duplicate", "series": index or null,
 *	   "number": of the patch or of the patch it answers, or null}]}
 *
 * A pure function: the same mails give the same series. Series are in order of
 * their first mail. Message ids are without angle brackets.
 *
 * Return: 0; -EINVAL if @mails is no array.
 */
int assemble_json(const json_t *mails, json_t **ret);

#endif
