// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "db/event.h"
#include "db/view-job.h"
#include "db/view-mail.h"
#include "lib/json.h"
#include "web/handlers.h"
#include "web/log.h"

#define MAX_KINDS_BYTES 400

static bool wants_stream(const struct request *rq)
{
	return rq->accept && strstr(rq->accept, "text/event-stream");
}

/* Where to go on: what a browser says that comes again counts most. */
static bool start_at(const struct request *rq, struct response *rs,
		     const char *name, int64_t *ret)
{
	const char *from = rq->last_event_id && *rq->last_event_id ?
		rq->last_event_id : request_query(rq, name);

	if (!from || !strcmp(from, "0")) {
		*ret = from ? 0 : -1;
		return true;
	}
	*ret = args_id(from);
	if (*ret)
		return true;
	response_problem(rq, rs, 400, "Last-Event-ID, or what stands for it in "
				      "the address, is a number.");
	return false;
}

static bool event_args(const struct request *rq, struct response *rs,
		       struct stream *st)
{
	const char *series = request_query(rq, "series");
	const char *job = request_query(rq, "job");
	const char *kinds = request_query(rq, "kinds");
	json_t *v = NULL;
	int r;

	st->see_private = request_sees_private(rq);
	if (series && !args_series(rq, rs, series, &st->series))
		return false;
	if (job) {
		st->job.v = args_id(job);
		r = view_job(rq->db, st->job, st->see_private, &v);
		json_decref(v);
		if (!args_loaded(rq, rs, r, "There is no job with this number."))
			return false;
	}
	if (kinds && strlen(kinds) > MAX_KINDS_BYTES) {
		response_problem(rq, rs, 400, "kinds is at most 400 bytes.");
		return false;
	}
	st->kinds = xstrdup(kinds ? kinds : "");
	for (char *p = st->kinds; *p; p++) {
		if (*p == ',')
			*p = ' ';
	}
	return true;
}

/* One part of what happened, for who asks now and then. */
static void list_events(struct request *rq, struct response *rs,
			const struct stream *st, int limit)
{
	struct event_filter filter = {
		.after = st->after, .series = st->series, .job = st->job,
		.kinds = st->kinds, .see_private = st->see_private,
	};
	json_t *rows = NULL;
	int64_t last = 0;
	int r = db_events(rq->db, &filter, limit, &rows, &last);

	if (!args_loaded(rq, rs, r, NULL))
		return;
	response_json(rs, 200, json_pack("{s:o, s:I}", "items", rows, "last",
					 (json_int_t)last));
}

void api_events(struct request *rq, struct response *rs)
{
	struct stream st = { .kind = STREAM_EVENTS, .fd = -1 };
	bool live = wants_stream(rq);
	struct view_page page;
	int r = 0;

	if (!args_page(rq, rs, &page) || !start_at(rq, rs, "after", &st.after))
		return;
	if (!event_args(rq, rs, &st)) {
		stream_release(&st);
		return;
	}
	if (st.after < 0) {
		st.after = 0;
		if (live) /* from now on */
			r = db_event_last(rq->db, &st.after);
	}
	if (!args_loaded(rq, rs, r, NULL)) {
		stream_release(&st);
		return;
	}
	if (!live) {
		list_events(rq, rs, &st, page.limit);
		stream_release(&st);
		return;
	}
	rs->status = 200;
	rs->type = "text/event-stream";
	rs->stream = st;
}

/* Opens the log; the attempt's number in @st. */
static int open_log(struct request *rq, struct stream *st)
{
	struct strbuf dir __free(strbuf) = STRBUF_INIT;
	int number = st->number, r;

	if (!number) {
		r = db_attempt_last(rq->db, st->job, &number);
		if (r)
			return r;
	}
	r = view_attempt_dir(rq->db, st->job, number, request_sees_private(rq),
			     &dir);
	if (r)
		return r;
	st->number = number;
	r = log_open(rq->site->state_dir, dir.buf);
	st->fd = r;
	return min(r, 0);
}

void api_job_live(struct request *rq, struct response *rs)
{
	struct stream st = { .kind = STREAM_LOG, .fd = -1 };
	const char *attempt = request_query(rq, "attempt");
	int64_t offset, number = attempt ? args_id(attempt) : 0;
	struct stat sb;
	int r;

	if (attempt && (number < 1 || number > INT32_MAX)) {
		response_problem(rq, rs, 400, "attempt is a number from 1.");
		return;
	}
	if (!start_at(rq, rs, "offset", &offset))
		return;
	st.job.v = args_id(rq->segments[3]);
	st.number = (int)number;
	r = open_log(rq, &st);
	if (r) {
		response_errno(rq, rs, r, r == DB_NONE ?
			       "There is no such attempt of a job." :
			       r == -ENOENT ? "This attempt left no log, or "
			       "none yet." : "log");
		return;
	}
	st.offset = max(offset, (int64_t)0);
	if (!fstat(st.fd, &sb) && st.offset > sb.st_size) {
		stream_release(&st);
		response_problem(rq, rs, 416, "The log is not that long.");
		return;
	}
	rs->status = 200;
	rs->type = "text/event-stream";
	rs->stream = st;
}

void api_mails(struct request *rq, struct response *rs)
{
	const char *series = request_query(rq, "series");
	struct version_id id = { 0 };
	struct view_page page;
	json_t *v = NULL;

	if (!args_page(rq, rs, &page) ||
	    (series && !args_series(rq, rs, series, &id)))
		return;
	if (args_loaded(rq, rs,
			view_mails(rq->db, id, request_query(rq, "kind"), &page,
				   &v), NULL))
		response_json(rs, 200, v);
}

void api_runners(struct request *rq, struct response *rs)
{
	json_t *rows = NULL;
	int r = view_runners(rq->db, request_sees_private(rq), &rows);

	if (args_loaded(rq, rs, r, NULL))
		response_json(rs, 200, json_pack("{s:o, s:n}", "items", rows,
						 "next"));
}
