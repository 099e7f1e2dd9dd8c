/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_SINCE_H
#define MMCI_JOBS_SINCE_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * since_fates() - what became of the findings of the version before
 * @older: rows as db_findings_before() gives them
 * @judgement: what judge() made of the new version
 * @runs: the "runs" that it was made of
 *
 * "still there": seen again, by anything. "fixed": every run that saw it was
 * made again, came as far as that place, and is silent. "not tested": one of
 * them was not, and why. "new": blamed on the series, and not seen before.
 *
 * A pure function. Return: a new array of fates, see db_fates_store(), the
 * old findings first; one for each fingerprint.
 */
json_t *since_fates(const json_t *older, const json_t *judgement,
		    const json_t *runs);

/**
 * since_say() - the line for the reply
 * @since: {version, fates}, or null: nothing is said
 * @out: "Of what v1 had, 1 is fixed, ..." and a newline are appended
 */
void since_say(const json_t *since, struct strbuf *out);

#endif
