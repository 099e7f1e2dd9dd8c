// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "db/token.h"
#include "db/webhook.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "web/handlers.h"

static void answer_rows(struct request *rq, struct response *rs, int r,
			json_t *rows)
{
	if (args_loaded(rq, rs, r, NULL))
		response_json(rs, 200, json_pack("{s:o, s:n}", "items", rows,
						 "next"));
}

/* Takes the reference of @spec. */
static void ask(struct request *rq, struct response *rs, enum web_act what,
		json_t *spec, unsigned int status)
{
	json_t *owned __free(json) = spec, *v = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r = -ENOSYS;

	if (rq->site->ops->act)
		r = rq->site->ops->act(rq->site->arg, what, owned, rq->who, &v,
				       &why);
	if (r) {
		json_decref(v);
		response_errno(rq, rs, r, r == -ENOSYS ?
			       "This service does not do that." : why.buf);
		return;
	}
	response_json(rs, status, v ? v : json_object());
}

static json_t *named(const struct request *rq)
{
	json_t *spec = json_object();

	json_set_text(spec, "name", rq->segments[3]);
	return spec;
}

void api_tokens(struct request *rq, struct response *rs)
{
	json_t *rows = NULL;
	int r = db_tokens(rq->db, clock_now_s(), &rows);

	answer_rows(rq, rs, r, rows);
}

void api_token_revoke(struct request *rq, struct response *rs)
{
	ask(rq, rs, WEB_TOKEN_REVOKE, named(rq), 200);
}

void api_webhooks(struct request *rq, struct response *rs)
{
	json_t *rows = NULL;
	int r = db_webhooks(rq->db, &rows);

	answer_rows(rq, rs, r, rows);
}

void api_webhook_add(struct request *rq, struct response *rs)
{
	json_t *spec = args_object(rq, rs);

	if (spec)
		ask(rq, rs, WEB_HOOK_ADD, spec, 201);
}

void api_webhook_remove(struct request *rq, struct response *rs)
{
	ask(rq, rs, WEB_HOOK_REMOVE, named(rq), 200);
}
