// SPDX-License-Identifier: GPL-2.0-or-later
/* Ledger, flaky tests, benchmarks and the tally: as pages and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "db/view-history.h"
#include "lib/json.h"
#include "web/chart.h"
#include "web/handlers.h"
#include "web/links.h"
#include "web/words.h"

static const char *const blames[] = { "series", "base", "flaky", "unknown",
				      NULL };

static bool as_list(const struct request *rq, struct response *rs, int r,
		    json_t *rows, json_t **ret)
{
	if (!args_loaded(rq, rs, r, NULL))
		return false;
	*ret = json_pack("{s:o, s:n}", "items", rows, "next");
	return true;
}

static bool load_ledger(const struct request *rq, struct response *rs,
			json_t **ret)
{
	json_t *rows = NULL;
	int r = view_ledger(rq->db, request_query(rq, "blame"),
			    request_sees_private(rq), &rows);

	return as_list(rq, rs, r, rows, ret);
}

static bool load_flaky(const struct request *rq, struct response *rs,
		       json_t **ret)
{
	json_t *rows = NULL;
	int r = view_flaky(rq->db, request_sees_private(rq), &rows);

	return as_list(rq, rs, r, rows, ret);
}

static bool load_benchmarks(const struct request *rq, struct response *rs,
			    json_t **ret)
{
	json_t *rows = NULL;
	int r = view_benchmarks(rq->db, request_query(rq, "name"),
				request_query(rq, "arch"),
				request_sees_private(rq), &rows);

	return as_list(rq, rs, r, rows, ret);
}

static bool load_tally(const struct request *rq, struct response *rs,
		       json_t **ret)
{
	return args_loaded(rq, rs, view_tally(rq->db, ret), NULL);
}

static void answer(struct request *rq, struct response *rs,
		   bool (*load)(const struct request *rq, struct response *rs,
				json_t **ret))
{
	json_t *v = NULL;

	if (load(rq, rs, &v))
		response_json(rs, 200, v);
}

void api_ledger(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_ledger);
}

void api_flaky(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_flaky);
}

void api_benchmarks(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_benchmarks);
}

void api_tally(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_tally);
}

static void add_blames(const struct request *rq, json_t *v)
{
	json_t *list = links_choices(rq, "blame", blames, NULL), *c;
	char *all __free(kfree) = links_with(rq, "blame", NULL);
	size_t i;

	json_array_foreach(list, i, c) {
		char *href __free(kfree) = links_with(
			rq, "blame", json_get_str(c, "value", ""));

		json_set_text(c, "href", href);
	}
	json_object_set_new(v, "tabs", list);
	json_set_text(v, "all_href", all);
	json_set_bool(v, "all", !request_query(rq, "blame"));
}

void page_ledger(struct request *rq, struct response *rs)
{
	json_t *v = NULL, *f;
	size_t i;

	if (!load_ledger(rq, rs, &v))
		return;
	json_array_foreach(json_object_get(v, "items"), i, f) {
		char *seen __free(kfree) = NULL;
		int64_t n = json_get_int(f, "n_series", 0);

		seen = xasprintf("in %" PRId64 " series", n);
		json_set_text(f, "seen", seen);
		json_set_bool(f, "open", json_get_int(f, "open", 0));
		json_set_text(f, "mark",
			      strcmp(json_get_str(f, "severity", ""), "error") ?
				      "warns" : "broken");
	}
	add_blames(rq, v);
	response_page(rq, rs, "ledger", v);
}

void page_flaky(struct request *rq, struct response *rs)
{
	json_t *v = NULL, *t, *h;
	size_t i, k;

	if (!load_flaky(rq, rs, &v))
		return;
	json_array_foreach(json_object_get(v, "items"), i, t) {
		int64_t failed = json_get_int(t, "failed", 0);
		int64_t all = failed + json_get_int(t, "passed", 0);
		char *rate __free(kfree) = xasprintf(
			"%" PRId64 " of %" PRId64, failed, all);
		json_t *history = json_object_get(t, "history");

		json_set_text(t, "rate", rate);
		/* as many as fit in a line: the newest come first */
		while (json_array_size(history) > 40)
			json_array_remove(history,
					  json_array_size(history) - 1);
		json_array_foreach(history, k, h)
			json_set_text(h, "word", words_state(
				json_get_str(h, "status", "")));
	}
	response_page(rq, rs, "flaky", v);
}

void page_benchmarks(struct request *rq, struct response *rs)
{
	json_t *v = NULL, *c, *m;
	size_t i, k;

	if (!load_benchmarks(rq, rs, &v))
		return;
	json_array_foreach(json_object_get(v, "items"), i, c) {
		chart_add(c);
		json_array_foreach(json_object_get(c, "moved"), k, m) {
			char *text __free(kfree) = words_percent(
				json_number_value(json_object_get(
					m, "percent")));

			json_set_text(m, "text", text);
		}
		json_set_bool(c, "has_moved", k > 0);
	}
	json_set_bool(v, "filtered", request_query(rq, "name") ||
				     request_query(rq, "arch"));
	response_page(rq, rs, "benchmarks", v);
}

void page_about(struct request *rq, struct response *rs)
{
	json_t *v = NULL, *row;
	char *rate __free(kfree) = NULL;
	int64_t sent;
	size_t i;

	if (!load_tally(rq, rs, &v))
		return;
	sent = json_get_int(v, "sent", 0);
	if (sent)
		rate = xasprintf("%.2f %%", 100.0 * (double)json_get_int(
					 v, "wrong", 0) / (double)sent);
	json_set_text(v, "false_blame", rate);
	json_set_bool(v, "has_median",
		      json_is_integer(json_object_get(v, "verdict_median_s")));
	json_array_foreach(json_object_get(v, "verdicts"), i, row)
		json_set_text(row, "word",
			      words_state(json_get_str(row, "state", "")));
	response_page(rq, rs, "about", v);
}

void page_manual(struct request *rq, struct response *rs)
{
	response_page(rq, rs, "manual", json_object());
}
