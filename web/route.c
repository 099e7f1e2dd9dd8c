// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "web/handlers.h"

static const struct route routes[] = {
	{ "GET", "", page_front },
	{ "GET", "series", page_front },
	{ "GET", "series/*", page_series },
	{ "GET", "job/*", page_job },
	{ "GET", "findings", page_findings },
	{ "GET", "outbox", page_outbox },
	{ "GET", "outbox/*", page_outgoing },
	{ "GET", "trees", page_trees },
	{ "GET", "queue", page_queue },
	{ "GET", "static/*", page_static },

	{ "GET", "api/v1/series", api_series_list },
	{ "POST", "api/v1/series", api_submit, SCOPE_SUBMIT, true },
	{ "GET", "api/v1/series/*", api_series },
	{ "POST", "api/v1/series/*/rerun", api_series_rerun, SCOPE_RERUN },
	{ "POST", "api/v1/series/*/cancel", api_series_cancel, SCOPE_RERUN },
	{ "GET", "api/v1/jobs", api_jobs },
	{ "GET", "api/v1/jobs/*", api_job },
	{ "GET", "api/v1/jobs/*/log", api_job_log },
	{ "GET", "api/v1/jobs/*/repro", api_job_repro },
	{ "GET", "api/v1/mails/*/raw", api_mail_raw },
	{ "POST", "api/v1/jobs/*/rerun", api_job_rerun, SCOPE_RERUN },
	{ "POST", "api/v1/jobs/*/cancel", api_job_cancel, SCOPE_RERUN },
	{ "GET", "api/v1/findings", api_findings },
	{ "GET", "api/v1/outbox", api_outbox },
	{ "GET", "api/v1/outbox/*", api_outgoing },
	{ "POST", "api/v1/outbox/*/approve", api_outbox_approve,
	  SCOPE_MODERATE },
	{ "POST", "api/v1/outbox/*/reject", api_outbox_reject, SCOPE_MODERATE },
	{ "GET", "api/v1/queue", api_queue },
	{ "GET", "api/v1/trees", api_trees },
	{ "POST", "api/v1/trees", api_tree_add, SCOPE_ADMIN },
	{ "POST", "api/v1/trees/*/fetch", api_tree_fetch, SCOPE_ADMIN },
	{ "GET", "api/v1/sources", api_sources },
	{ "GET", "api/v1/health", api_health },
	{ "POST", "api/v1/tokens", api_token_add, SCOPE_ADMIN },
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
