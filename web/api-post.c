// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "db/view-job.h"
#include "lib/json.h"
#include "web/form.h"
#include "web/handlers.h"

#define MAX_ARCH_BYTES 32

/* The daemon has answered: pass it on. Takes the reference of @v. */
static void done(struct request *rq, struct response *rs, unsigned int status,
		 int r, json_t *v, const char *why)
{
	if (r) {
		json_decref(v);
		response_errno(rq, rs, r, why);
		return;
	}
	response_json(rs, status, v ? v : json_object());
}

static void not_offered(struct request *rq, struct response *rs)
{
	response_errno(rq, rs, -ENOSYS, "This service does not do that.");
}

/* The mbox: the whole body, or the file of a form. */
static bool find_mbox(struct request *rq, struct response *rs,
		      const char **mbox, size_t *len)
{
	const char *type = rq->content_type ? rq->content_type : "";
	int r = 0;

	*mbox = rq->body;
	*len = rq->body_len;
	if (!strncasecmp(type, "multipart/form-data", 19))
		r = form_multipart(type, rq->body, rq->body_len, "mbox", mbox,
				   len);
	if (r) {
		response_problem(rq, rs, 400, r == -ENOENT ?
				 "The form has no field \"mbox\"." :
				 "This form cannot be read.");
		return false;
	}
	if (*len)
		return true;
	response_problem(rq, rs, 400, "Send the series as an mbox: as the "
				      "body, or as field \"mbox\" of "
				      "multipart/form-data.");
	return false;
}

void api_submit(struct request *rq, struct response *rs)
{
	const struct web_ops *ops = rq->site->ops;
	const char *flag = request_query(rq, "private");
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	const char *mbox;
	json_t *v = NULL;
	size_t len;
	int r;

	if (!ops->submit) {
		not_offered(rq, rs);
		return;
	}
	if (!find_mbox(rq, rs, &mbox, &len))
		return;
	if (flag && strcmp(flag, "1") && strcmp(flag, "0")) {
		response_problem(rq, rs, 400, "private is 0 or 1.");
		return;
	}
	r = ops->submit(rq->site->arg, mbox, len, flag && *flag == '1',
			rq->who, &v, &why);
	done(rq, rs, 202, r, v, why.buf);
}

/* What a request is about: the segment behind the noun. */
static const char *target(const struct request *rq)
{
	return rq->segments[request_is_api(rq) ? 3 : 1];
}

/* A parameter, from the address or from a form. */
static const char *parameter(const struct request *rq, const char *name)
{
	const char *v = request_query(rq, name);

	return v ? v : request_field(rq, name);
}

typedef int job_op(void *arg, struct job_id id, const char *who, json_t **ret,
		   struct strbuf *why);

void api_series_rerun(struct request *rq, struct response *rs)
{
	const struct web_ops *ops = rq->site->ops;
	const char *arch = parameter(rq, "arch");
	const char *failed = parameter(rq, "failed");
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct version_id id;
	json_t *v = NULL;
	int r;

	if (!args_series(rq, rs, target(rq), &id))
		return;
	if (!ops->rerun_version) {
		not_offered(rq, rs);
		return;
	}
	if (failed && strcmp(failed, "1") && strcmp(failed, "0")) {
		response_problem(rq, rs, 400, "failed is 0 or 1.");
		return;
	}
	if (arch && strlen(arch) > MAX_ARCH_BYTES) {
		response_problem(rq, rs, 400, "arch is the name of one.");
		return;
	}
	r = ops->rerun_version(rq->site->arg, id, arch,
			       failed && *failed == '1', rq->who, &v, &why);
	done(rq, rs, 202, r, v, why.buf);
}

void api_series_cancel(struct request *rq, struct response *rs)
{
	const struct web_ops *ops = rq->site->ops;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct version_id id;
	json_t *v = NULL;
	int r;

	if (!args_series(rq, rs, target(rq), &id))
		return;
	if (!ops->cancel_version) {
		not_offered(rq, rs);
		return;
	}
	r = ops->cancel_version(rq->site->arg, id, rq->who, &v, &why);
	done(rq, rs, 202, r, v, why.buf);
}

static void on_job(struct request *rq, struct response *rs, job_op *op)
{
	struct job_id id = { args_id(target(rq)) };
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *v = NULL;
	int r;

	r = view_job(rq->db, id, request_sees_private(rq), &v);
	json_decref(v);
	v = NULL;
	if (r) {
		response_errno(rq, rs, r, r == DB_NONE ?
			       "There is no job with this number." :
			       db_error(rq->db));
		return;
	}
	if (!op) {
		not_offered(rq, rs);
		return;
	}
	r = op(rq->site->arg, id, rq->who, &v, &why);
	done(rq, rs, 202, r, v, why.buf);
}

void api_job_rerun(struct request *rq, struct response *rs)
{
	on_job(rq, rs, rq->site->ops->rerun_job);
}

void api_job_cancel(struct request *rq, struct response *rs)
{
	on_job(rq, rs, rq->site->ops->cancel_job);
}

json_t *args_object(struct request *rq, struct response *rs)
{
	json_t *v = json_loadb(rq->body ? rq->body : "", rq->body_len,
			       JSON_REJECT_DUPLICATES, NULL);

	if (json_is_object(v))
		return v;
	json_decref(v);
	response_problem(rq, rs, 400, "The body must be one JSON object.");
	return NULL;
}

static void with_object(struct request *rq, struct response *rs,
			int (*op)(void *arg, const json_t *spec,
				  const char *who, json_t **ret,
				  struct strbuf *why))
{
	json_t *spec __free(json) = args_object(rq, rs);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *v = NULL;
	int r;

	if (!spec)
		return;
	if (!op) {
		not_offered(rq, rs);
		return;
	}
	r = op(rq->site->arg, spec, rq->who, &v, &why);
	done(rq, rs, 201, r, v, why.buf);
}

void api_tree_add(struct request *rq, struct response *rs)
{
	with_object(rq, rs, rq->site->ops->tree_add);
}

void api_token_add(struct request *rq, struct response *rs)
{
	with_object(rq, rs, rq->site->ops->token_add);
}

void api_tree_fetch(struct request *rq, struct response *rs)
{
	const struct web_ops *ops = rq->site->ops;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *v = NULL;
	int r;

	if (!ops->tree_fetch) {
		not_offered(rq, rs);
		return;
	}
	r = ops->tree_fetch(rq->site->arg, rq->segments[3], rq->who, &v, &why);
	done(rq, rs, 202, r, v, why.buf);
}
