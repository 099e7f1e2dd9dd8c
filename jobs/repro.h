/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_REPRO_H
#define MMCI_JOBS_REPRO_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * repro_script() - a POSIX shell script that repeats a job without mmci
 * @in: {job_id, job: its job.json, environment: of its result.json or absent,
 *	tree: {kind, location, branch}, patches: [{number, message_id}],
 *	mails_url: a mail is at "mails_url/MESSAGE-ID/raw"}
 * @out: the script is appended
 *
 * It gets the tree, applies the mails, makes the configuration, says when the
 * compiler is another, and runs make; its arguments are the targets. Whatever
 * stands in @in is quoted for the shell: Message-IDs are a stranger's text.
 *
 * Return: 0; -EINVAL when @in has no base or architecture.
 */
int repro_script(const json_t *in, struct strbuf *out);

#endif
