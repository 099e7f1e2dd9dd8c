// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * Forms of pages: what the API does, and then back to the page that shows it.
 * The session, its rights and the form's token have been looked at before.
 */
#include <string.h>

#include "lib/strbuf.h"
#include "web/handlers.h"

static void back(struct request *rq, struct response *rs)
{
	struct strbuf where __free(strbuf) = STRBUF_INIT;

	if (rs->status != 202)
		return; /* a page says why */
	strbuf_addf(&where, "/%s/", rq->segments[0]);
	template_escape_url(&where, rq->segments[1], strlen(rq->segments[1]));
	response_redirect(rs, where.buf);
}

void page_series_rerun(struct request *rq, struct response *rs)
{
	api_series_rerun(rq, rs);
	back(rq, rs);
}

void page_series_cancel(struct request *rq, struct response *rs)
{
	api_series_cancel(rq, rs);
	back(rq, rs);
}

void page_job_rerun(struct request *rq, struct response *rs)
{
	api_job_rerun(rq, rs);
	back(rq, rs);
}

void page_job_cancel(struct request *rq, struct response *rs)
{
	api_job_cancel(rq, rs);
	back(rq, rs);
}

void page_outbox_approve(struct request *rq, struct response *rs)
{
	api_outbox_approve(rq, rs);
	back(rq, rs);
}

void page_outbox_reject(struct request *rq, struct response *rs)
{
	api_outbox_reject(rq, rs);
	back(rq, rs);
}
