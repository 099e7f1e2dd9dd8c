/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_STATS_H
#define MMCI_WEB_STATS_H

#include <stdatomic.h>
#include <stdint.h>

#include "lib/strbuf.h"

#define STATS_N_BUCKETS 10

/** struct stats - requests answered since the start; any thread counts */
struct stats {
	atomic_ullong by_class[6]; /* [4]: those with a status of 4xx */
	atomic_ullong buckets[STATS_N_BUCKETS + 1];
	atomic_ullong sum_us;
	atomic_ullong limited; /* answered 429 */
	atomic_uint viewers; /* streams now */
};

/** stats_count() - one request was answered with @status after @us */
void stats_count(struct stats *s, unsigned int status, int64_t us);
/** stats_text() - append them in the text format of Prometheus */
void stats_text(struct stats *s, struct strbuf *out);

#endif
