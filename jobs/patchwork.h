/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_PATCHWORK_H
#define MMCI_JOBS_PATCHWORK_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * patchwork_post() - worker: tell a Patchwork server the state of checks
 * @request: {url, token_file, checks: [{message_id, context, state,
 *	description, target_url}]}
 * @ret: {results: [{outcome: "posted"|"unknown"|"failed", why}]}, in the same
 *	order; "unknown": the server has no such patch
 *
 * Ends after the first failure: the rest is tried later. Return: 0; -errno with
 * one line in @why.
 * Source: Patchwork's REST API, version 1.2: patches/?msgid=, patches/N/checks/.
 */
int patchwork_post(const json_t *request, json_t **ret, struct strbuf *why);

#endif
