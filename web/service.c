// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "db/event.h"
#include "db/metrics.h"
#include "lib/json.h"
#include "web/handlers.h"
#include "web/stats.h"

static void plain(struct response *rs, unsigned int status, const char *text)
{
	rs->status = status;
	rs->type = "text/plain; charset=utf-8";
	strbuf_reset(&rs->body);
	strbuf_addf(&rs->body, "%s\n", text);
}

/* The process lives and answers: whoever restarts it asks this. */
void page_healthz(struct request *rq, struct response *rs)
{
	plain(rs, 200, "ok");
}

/* It can do its work: whoever sends requests to it asks this. */
void page_readyz(struct request *rq, struct response *rs)
{
	const struct web_ops *ops = rq->site->ops;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int64_t last;
	int r = db_event_last(rq->db, &last);

	if (r)
		strbuf_setf(&why, "the database cannot be read");
	else if (ops->ready)
		r = ops->ready(rq->site->arg, &why);
	plain(rs, r ? 503 : 200, r ? why.buf : "ready");
	if (r)
		response_header(rs, "Retry-After", "5");
}

static void head(struct strbuf *out, const char *name, const char *type,
		 const char *help)
{
	strbuf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		    type);
}

/* A label's value: backslash, quote and line end escaped. */
static void add_label(struct strbuf *out, const char *name, const char *value,
		      bool first)
{
	strbuf_addf(out, "%s%s=\"", first ? "{" : ",", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			strbuf_addch(out, '\\');
		if (*value == '\n')
			strbuf_addstr(out, "\\n");
		else
			strbuf_addch(out, *value);
	}
	strbuf_addch(out, '"');
}

/* One metric from the rows of a list, with some of its columns as labels. */
static void add_rows(struct strbuf *out, const json_t *rows, const char *metric,
		     const char *const *labels, const char *value)
{
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		strbuf_addstr(out, metric);
		for (int k = 0; labels[k]; k++)
			add_label(out, labels[k],
				  json_get_str(row, labels[k], ""), !k);
		strbuf_addf(out, "} %" PRId64 "\n",
			    json_get_int(row, value, 0));
	}
}

static const struct {
	const char *list, *metric, *value, *help;
	const char *labels[4];
} gauges[] = {
	{ "jobs", "mmci_jobs", "n", "Jobs that have not ended.",
	  { "state", "kind", "arch" } },
	{ "outgoing", "mmci_replies", "n", "Replies by state.", { "state" } },
	{ "sources", "mmci_source_last_ok_timestamp_seconds", "last_ok_s",
	  "When a source of mails was last read to its end.", { "name" } },
	{ "sources", "mmci_source_last_mail_timestamp_seconds", "last_mail_s",
	  "When the last new mail came from a source.", { "name" } },
	{ "sources", "mmci_source_failing", "failing",
	  "1 where the last look at a source failed.", { "name" } },
	{ "trees", "mmci_tree_failing", "failing",
	  "1 where the last import of a tree failed.", { "name" } },
	{ "trees", "mmci_tree_fetched_timestamp_seconds", "fetched_s",
	  "When a tree was last imported.", { "name" } },
};

/* Rows are sorted by kind, architecture and seconds. */
static void add_durations(struct strbuf *out, const json_t *rows)
{
	static const double quantiles[] = { 0.5, 0.9, 1 };
	size_t from = 0, n = json_array_size(rows);

	head(out, "mmci_recent_job_seconds", "gauge",
	     "Durations of the newest thousand attempts, by quantile.");
	while (from < n) {
		json_t *a = json_array_get(rows, from);
		const char *kind = json_get_str(a, "kind", "");
		const char *arch = json_get_str(a, "arch", "");
		size_t to = from;

		while (to < n &&
		       !strcmp(json_get_str(json_array_get(rows, to), "kind",
					    ""), kind) &&
		       !strcmp(json_get_str(json_array_get(rows, to), "arch",
					    ""), arch))
			to++;
		for (size_t q = 0; q < ARRAY_SIZE(quantiles); q++) {
			size_t at = (size_t)((double)(to - from - 1) *
					     quantiles[q]);

			strbuf_addstr(out, "mmci_recent_job_seconds");
			add_label(out, "kind", kind, true);
			add_label(out, "arch", arch, false);
			strbuf_addf(out, ",quantile=\"%g\"} %" PRId64 "\n",
				    quantiles[q],
				    json_get_int(json_array_get(rows, from + at),
						 "seconds", 0));
		}
		from = to;
	}
}

static void add_totals(struct strbuf *out, json_t *totals)
{
	const char *name;
	json_t *v;

	json_object_foreach(totals, name, v) {
		char *metric __free(kfree) = xasprintf("mmci_%s_total", name);

		head(out, metric, "counter", "How many there were so far.");
		strbuf_addf(out, "%s %" JSON_INTEGER_FORMAT "\n", metric,
			    json_integer_value(v));
	}
}

void page_metrics(struct request *rq, struct response *rs)
{
	struct strbuf *out = &rs->body;
	json_t *v __free(json) = NULL;
	const char *last = "";

	if (!args_loaded(rq, rs, db_metrics(rq->db, &v), NULL))
		return;
	add_totals(out, json_object_get(v, "totals"));
	for (size_t i = 0; i < ARRAY_SIZE(gauges); i++) {
		if (strcmp(last, gauges[i].metric))
			head(out, gauges[i].metric, "gauge", gauges[i].help);
		last = gauges[i].metric;
		add_rows(out, json_object_get(v, gauges[i].list),
			 gauges[i].metric, gauges[i].labels, gauges[i].value);
	}
	add_durations(out, json_object_get(v, "recent"));
	head(out, "mmci_database_bytes", "gauge", "Size of the database.");
	strbuf_addf(out, "mmci_database_bytes %" PRId64 "\n",
		    json_get_int(v, "database_bytes", 0));
	stats_text(rq->site->stats, out);
	rs->status = 200;
	rs->type = "text/plain; version=0.0.4; charset=utf-8";
}
