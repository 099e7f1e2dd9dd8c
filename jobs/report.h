/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_REPORT_H
#define MMCI_JOBS_REPORT_H

#include <jansson.h>

/**
 * report_reply() - the reply to a version, as a careful reviewer would write it
 * @ctx: {version: the row, see db_version_get(),
 *	patches: [{number, title, message_id, subject, date_s, text,
 *		   references: [ids, nearest first]}],
 *	cover: {message_id, subject, date_s, references} or null,
 *	fixups: [{number, message_id, from_name, state}],
 *	from: "mmci <mmci@host>", reply_to: the same or "", url: address of the dashboard, date_s,
 *	environments: [{arch, toolchain, compiler}],
 *	not_mine: {FINGERPRINT: who said so},
 *	commands: are commands by mail obeyed?,
 *	want_clean: write a mail also when nothing was found}
 * @judgement: what judge() gave
 * @ret: {message_id, in_reply_to, subject, recipients, body, eml, clean}, or null
 *	JSON when there is nothing to say: only what the series caused is worth a
 *	mail
 *
 * Answers the patch with the first error; where errors start at several
 * patches, the cover; with warnings alone likewise. The Message-ID is a hash of
 * the version, what is reported and to whom, so that the same report cannot
 * leave twice under two names.
 *
 * Return: 0; -EINVAL when @ctx lacks what it needs.
 */
int report_reply(const json_t *ctx, const json_t *judgement, json_t **ret);
/**
 * report_quotes() - set "quote" of what @judgement blames on the series
 * @ctx: as for report_reply()
 *
 * The lines of the patch up to the one that is wrong, where they are in one of
 * its hunks; nothing where the finding is elsewhere or follows from another.
 */
void report_quotes(const json_t *ctx, json_t *judgement);

#endif
