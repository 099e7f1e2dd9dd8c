/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_HOOK_H
#define MMCI_JOBS_HOOK_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * hook_worker() - the worker "hook": POST events to one address
 * @request: {url, secret, contact_url, events: [...]}, each sent by itself, in
 *	order, until one is not taken
 * @ret: {sent: how many were taken, error: why the next was not, or null,
 *	retry_after_s: what the receiver asked for, or 0}
 *
 * The body is the event as JSON, signed: X-Mmci-Signature is "sha256=" and the
 * HMAC-SHA256 (RFC 2104) of the body in hex; X-Mmci-Event is its kind and
 * X-Mmci-Delivery its number, the same at every try.
 *
 * Return: 0.
 */
int hook_worker(const json_t *request, json_t **ret, struct strbuf *why);

#endif
