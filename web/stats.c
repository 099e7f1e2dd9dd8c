// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/stats.h"

static const struct {
	int64_t us;
	const char *s;
} bounds[STATS_N_BUCKETS] = {
	{ 1000, "0.001" },   { 2500, "0.0025" },  { 5000, "0.005" },
	{ 10000, "0.01" },   { 20000, "0.02" },	  { 50000, "0.05" },
	{ 100000, "0.1" },   { 500000, "0.5" },	  { 1000000, "1" },
	{ 10000000, "10" },
};

void stats_count(struct stats *s, unsigned int status, int64_t us)
{
	unsigned int i = 0;

	while (i < STATS_N_BUCKETS && us > bounds[i].us)
		i++;
	atomic_fetch_add(&s->by_class[status / 100 < 6 ? status / 100 : 0], 1);
	atomic_fetch_add(&s->buckets[i], 1);
	atomic_fetch_add(&s->sum_us, (unsigned long long)us);
	if (status == 429)
		atomic_fetch_add(&s->limited, 1);
}

void stats_text(struct stats *s, struct strbuf *out)
{
	unsigned long long n = 0;

	strbuf_addstr(out, "# HELP mmci_http_requests_total Requests answered, "
			   "by the first digit of the status.\n"
			   "# TYPE mmci_http_requests_total counter\n");
	for (int i = 1; i < 6; i++)
		strbuf_addf(out, "mmci_http_requests_total{class=\"%dxx\"} "
			    "%llu\n", i, atomic_load(&s->by_class[i]));
	strbuf_addstr(out, "# HELP mmci_http_limited_total Requests refused "
			   "because their sender asks too often.\n"
			   "# TYPE mmci_http_limited_total counter\n");
	strbuf_addf(out, "mmci_http_limited_total %llu\n",
		    atomic_load(&s->limited));
	strbuf_addstr(out, "# HELP mmci_http_viewers Streams of events and logs "
			   "that are open.\n"
			   "# TYPE mmci_http_viewers gauge\n");
	strbuf_addf(out, "mmci_http_viewers %u\n", atomic_load(&s->viewers));
	strbuf_addstr(out, "# HELP mmci_http_request_seconds From the request "
			   "line to the answer being handed over.\n"
			   "# TYPE mmci_http_request_seconds histogram\n");
	for (int i = 0; i < STATS_N_BUCKETS; i++) {
		n += atomic_load(&s->buckets[i]);
		strbuf_addf(out, "mmci_http_request_seconds_bucket{le=\"%s\"} "
			    "%llu\n", bounds[i].s, n);
	}
	n += atomic_load(&s->buckets[STATS_N_BUCKETS]);
	strbuf_addf(out, "mmci_http_request_seconds_bucket{le=\"+Inf\"} %llu\n"
		    "mmci_http_request_seconds_sum %.6f\n"
		    "mmci_http_request_seconds_count %llu\n", n,
		    (double)atomic_load(&s->sum_us) / 1e6, n);
}
