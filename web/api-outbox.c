// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "db/view-service.h"
#include "lib/json.h"
#include "web/handlers.h"

#define MAX_REASON_BYTES 500

/* The reply must be there and visible to whoever asks. */
static bool find_reply(struct request *rq, struct response *rs,
		       struct outgoing_id *id)
{
	json_t *v = NULL;
	int r;

	id->v = args_id(rq->segments[request_is_api(rq) ? 3 : 1]);
	r = view_outgoing(rq->db, *id, request_sees_private(rq), &v);
	json_decref(v);
	if (!r)
		return true;
	response_errno(rq, rs, r, r == DB_NONE ?
		       "There is no reply with this number." :
		       db_error(rq->db));
	return false;
}

static void done(struct request *rq, struct response *rs, int r, json_t *v,
		 const char *why)
{
	if (r) {
		json_decref(v);
		response_errno(rq, rs, r, why);
		return;
	}
	response_json(rs, 202, v ? v : json_object());
}

void api_outbox_approve(struct request *rq, struct response *rs)
{
	const struct web_ops *ops = rq->site->ops;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct outgoing_id id;
	json_t *v = NULL;
	int r;

	if (!find_reply(rq, rs, &id))
		return;
	if (!ops->outbox_approve) {
		response_errno(rq, rs, -ENOSYS,
			       "This service does not do that.");
		return;
	}
	r = ops->outbox_approve(rq->site->arg, id, rq->who, &v, &why);
	done(rq, rs, r, v, why.buf);
}

void api_outbox_reject(struct request *rq, struct response *rs)
{
	const struct web_ops *ops = rq->site->ops;
	const char *reason = request_is_api(rq) ? request_query(rq, "why") :
						  request_field(rq, "why");
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct outgoing_id id;
	json_t *v = NULL;
	int r;

	if (!find_reply(rq, rs, &id))
		return;
	if (!ops->outbox_reject) {
		response_errno(rq, rs, -ENOSYS,
			       "This service does not do that.");
		return;
	}
	if (reason && strlen(reason) > MAX_REASON_BYTES) {
		response_problem(rq, rs, 400, "why is at most 500 bytes.");
		return;
	}
	r = ops->outbox_reject(rq->site->arg, id, reason ? reason : "",
			       rq->who, &v, &why);
	done(rq, rs, r, v, why.buf);
}
