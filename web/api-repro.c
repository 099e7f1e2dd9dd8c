// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "db/mail.h"
#include "db/view-job.h"
#include "jobs/repro.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "web/handlers.h"

#define MAX_JOB_BYTES (16u << 20)

static void add_mails_url(const struct request *rq, json_t *in)
{
	const struct site *site = rq->site;
	struct strbuf url __free(strbuf) = STRBUF_INIT;

	strbuf_addf(&url, "%s/api/v1/mails",
		    site->public_url ? site->public_url : "");
	if (site->archive_url)
		strbuf_setf(&url, "%s", site->archive_url);
	while (url.len && url.buf[url.len - 1] == '/')
		strbuf_setlen(&url, url.len - 1);
	json_set_text(in, "mails_url", url.buf);
}

/* What was really run stands in its directory. */
static int add_job(const struct request *rq, json_t *in)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	const char *dir = json_get_str(in, "dir", "");
	char *path __free(kfree) = xasprintf("%s/%s/job.json",
					     rq->site->state_dir, dir);
	json_t *job = NULL;
	int r;

	if (!*dir || !fs_path_is_safe(dir))
		return -ENOENT;
	r = json_read_file(path, MAX_JOB_BYTES, &job, &why);
	if (!r)
		json_object_set_new(in, "job", job);
	return r;
}

int repro_of_job(const struct request *rq, struct job_id id,
		 struct strbuf *out)
{
	json_t *in __free(json) = NULL;
	int r = view_repro(rq->db, id, request_sees_private(rq), &in);

	if (r)
		return r;
	r = add_job(rq, in);
	if (r)
		return r < 0 ? r : -ENOENT;
	add_mails_url(rq, in);
	return repro_script(in, out);
}

void api_job_repro(struct request *rq, struct response *rs)
{
	struct job_id id = { args_id(rq->segments[3]) };
	int r = repro_of_job(rq, id, &rs->body);

	if (r) {
		response_errno(rq, rs, r, r == DB_NONE ?
			       "There is no such job." : r == -ENOENT ?
			       "This job was not run yet, or what it was run "
			       "with is gone." : db_error(rq->db));
		return;
	}
	rs->status = 200;
	rs->type = "text/x-shellscript; charset=utf-8";
}

void api_mail_raw(struct request *rq, struct response *rs)
{
	struct mail_id id;
	int r = view_patch_mail(rq->db, rq->segments[3],
				request_sees_private(rq), &id);

	if (!r)
		r = db_mail_raw(rq->db, id, &rs->body);
	if (r) {
		response_errno(rq, rs, r, r == DB_NONE ?
			       "There is no such mail of a patch." :
			       db_error(rq->db));
		return;
	}
	rs->status = 200;
	rs->type = "message/rfc822";
}
