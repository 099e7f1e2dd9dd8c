/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_GATHER_H
#define MMCI_KERNEL_SERIES_GATHER_H

#include <jansson.h>
#include <stdbool.h>

/**
 * gather_trailers() - take over what one reply gives to a patch
 * @reply: fields of the reply
 * @own: trailers of the patch itself; what it has already is not added
 * @extra: appended: {name, value, type, extinfo, ...}, without doubles
 * @rejected: appended: {name, value, reply_from}, trailers of somebody other
 *	than the sender; once each
 *
 * The address of a trailer must be the sender's, or the name must consist of
 * the same words: people answer from private addresses and sign with those of
 * their employers.
 */
void gather_trailers(const json_t *reply, const json_t *own, json_t *extra,
		     json_t *rejected);
/** gather_join() - @own followed by @extra, a new reference */
json_t *gather_join(const json_t *own, const json_t *extra);
/** gather_same() - are two trailers the same, but for the case of letters? */
bool gather_same(const json_t *a, const json_t *b);

#endif
