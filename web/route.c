// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "lib/json.h"
#include "web/handlers.h"

static const struct route routes[] = {
	{ "GET", "", page_front, .cached = true },
	{ "GET", "series", page_front, .cached = true },
	{ "GET", "series/*", page_series, .cached = true },
	{ "GET", "series/*/mbox", page_mbox },
	{ "GET", "job/*", page_job, .cached = true },
	{ "GET", "findings", page_findings, .cached = true },
	{ "GET", "outbox", page_outbox, .cached = true },
	{ "GET", "outbox/*", page_outgoing, .cached = true },
	{ "GET", "trees", page_trees, .cached = true },
	{ "GET", "queue", page_queue, .cached = true },
	{ "GET", "ledger", page_ledger, .cached = true },
	{ "GET", "flaky", page_flaky, .cached = true },
	{ "GET", "benchmarks", page_benchmarks, .cached = true },
	{ "GET", "about", page_about, .cached = true },
	{ "GET", "manual", page_manual, .cached = true },
	{ "GET", "static/*", page_static },
	{ "GET", "feed.atom", page_feed, .cached = true },
	{ "GET", "series/*/badge.svg", page_badge, .cached = true },
	{ "GET", "healthz", page_healthz },
	{ "GET", "readyz", page_readyz },
	{ "GET", "metrics", page_metrics },

	{ "GET", "login", page_login },
	{ "POST", "login", page_login_post, .cost = 20 },
	{ "POST", "logout", page_logout },
	{ "POST", "series/*/rerun", page_series_rerun, SCOPE_RERUN, .cost = 5 },
	{ "POST", "series/*/cancel", page_series_cancel, SCOPE_RERUN },
	{ "POST", "job/*/rerun", page_job_rerun, SCOPE_RERUN, .cost = 5 },
	{ "POST", "job/*/cancel", page_job_cancel, SCOPE_RERUN },
	{ "POST", "outbox/*/approve", page_outbox_approve, SCOPE_MODERATE },
	{ "POST", "outbox/*/reject", page_outbox_reject, SCOPE_MODERATE },

	{ "GET", "api/v1", api_index },

	{ "GET", "api/v1/series", api_series_list, .cached = true },
	{ "POST", "api/v1/series", api_submit, SCOPE_SUBMIT, true, 20 },
	{ "GET", "api/v1/series/*", api_series, .cached = true },
	{ "POST", "api/v1/series/*/rerun", api_series_rerun, SCOPE_RERUN,
	  .cost = 5 },
	{ "POST", "api/v1/series/*/cancel", api_series_cancel, SCOPE_RERUN },
	{ "GET", "api/v1/jobs", api_jobs, .cached = true },
	{ "GET", "api/v1/jobs/*", api_job, .cached = true },
	{ "GET", "api/v1/jobs/*/log", api_job_log },
	{ "GET", "api/v1/jobs/*/repro", api_job_repro },
	{ "GET", "api/v1/jobs/*/log/live", api_job_live },
	{ "GET", "api/v1/mails", api_mails, .cached = true },
	{ "GET", "api/v1/mails/*/raw", api_mail_raw },
	{ "POST", "api/v1/jobs/*/rerun", api_job_rerun, SCOPE_RERUN,
	  .cost = 5 },
	{ "POST", "api/v1/jobs/*/cancel", api_job_cancel, SCOPE_RERUN },
	{ "GET", "api/v1/findings", api_findings, .cached = true },
	{ "GET", "api/v1/outbox", api_outbox, .cached = true },
	{ "GET", "api/v1/outbox/*", api_outgoing, .cached = true },
	{ "POST", "api/v1/outbox/*/approve", api_outbox_approve,
	  SCOPE_MODERATE },
	{ "POST", "api/v1/outbox/*/reject", api_outbox_reject, SCOPE_MODERATE },
	{ "GET", "api/v1/queue", api_queue, .cached = true },
	{ "GET", "api/v1/runners", api_runners },
	{ "GET", "api/v1/ledger", api_ledger, .cached = true },
	{ "GET", "api/v1/flaky", api_flaky, .cached = true },
	{ "GET", "api/v1/benchmarks", api_benchmarks, .cached = true },
	{ "GET", "api/v1/tally", api_tally, .cached = true },
	{ "GET", "api/v1/events", api_events },
	{ "GET", "api/v1/trees", api_trees, .cached = true },
	{ "POST", "api/v1/trees", api_tree_add, SCOPE_ADMIN },
	{ "POST", "api/v1/trees/*/fetch", api_tree_fetch, SCOPE_ADMIN },
	{ "GET", "api/v1/sources", api_sources, .cached = true },
	{ "GET", "api/v1/health", api_health },
	{ "GET", "api/v1/tokens", api_tokens, SCOPE_ADMIN },
	{ "POST", "api/v1/tokens", api_token_add, SCOPE_ADMIN },
	{ "POST", "api/v1/tokens/*/revoke", api_token_revoke, SCOPE_ADMIN },
	{ "GET", "api/v1/webhooks", api_webhooks, SCOPE_ADMIN },
	{ "POST", "api/v1/webhooks", api_webhook_add, SCOPE_ADMIN },
	{ "POST", "api/v1/webhooks/*/remove", api_webhook_remove, SCOPE_ADMIN },
};

static bool matches(const char *pattern, const struct request *rq)
{
	for (size_t i = 0; i < rq->n_segments; i++) {
		size_t len = strcspn(pattern, "/");
		bool any = len == 1 && *pattern == '*';

		if (!len)
			return false;
		if (!any && (strlen(rq->segments[i]) != len ||
			     strncmp(rq->segments[i], pattern, len)))
			return false;
		pattern += len + (pattern[len] == '/');
	}
	return !*pattern;
}

const struct route *route_find(const struct request *rq, struct response *rs)
{
	struct strbuf allow __free(strbuf) = STRBUF_INIT;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	const char *method = rq->method;

	if (!strcmp(method, "HEAD"))
		method = "GET";
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		if (!matches(routes[i].pattern, rq))
			continue;
		if (!strcmp(routes[i].method, method))
			return &routes[i];
		strbuf_addf(&allow, "%s%s", allow.len ? ", " : "",
			    strcmp(routes[i].method, "GET") ?
				    routes[i].method :
				    "GET, HEAD");
	}
	if (!allow.len) {
		response_problem(rq, rs, 404, "There is nothing at this "
					      "address.");
		return NULL;
	}
	strbuf_setf(&text, "This address knows only %s.", allow.buf);
	response_problem(rq, rs, 405, text.buf);
	response_header(rs, "Allow", allow.buf);
	return NULL;
}

void api_index(struct request *rq, struct response *rs)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		const struct route *rt = &routes[i];
		char *path __free(kfree) = xasprintf("/%s", rt->pattern);
		json_t *o = json_object();

		json_set_text(o, "method", rt->method);
		json_set_text(o, "path", path);
		json_set_text(o, "scope", auth_scope_word(rt->scope));
		json_array_append_new(list, o);
	}
	response_json(rs, 200, json_pack("{s:s, s:s, s:o}", "version",
					 MMCI_VERSION, "manual",
					 "docs/openapi.yaml", "operations",
					 list));
}
