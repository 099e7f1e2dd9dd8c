// SPDX-License-Identifier: GPL-2.0-or-later
/* The patches of a series as one mbox, for git am. */
#include <errno.h>
#include <string.h>

#include "db/mail.h"
#include "db/view-job.h"
#include "lib/json.h"
#include "web/handlers.h"

/* As many of the largest mails as anybody wants to have at once. */
#define MAX_MBOX_BYTES (64u << 20)

/* mboxrd: a line that is "From " behind any number of ">" gets one more */
static void add_mail(struct strbuf *mbox, const char *raw, size_t len)
{
	const char *end = raw + len;

	strbuf_addstr(mbox, "From mboxrd@z Thu Jan  1 00:00:00 1970\n");
	while (raw < end) {
		const char *eol = memchr(raw, '\n', (size_t)(end - raw));
		size_t n = (size_t)((eol ? eol : end) - raw);
		size_t quotes = strspn(raw, ">");

		if (quotes + 5 <= n && !memcmp(raw + quotes, "From ", 5))
			strbuf_addch(mbox, '>');
		if (n && raw[n - 1] == '\r')
			n--;
		strbuf_add(mbox, raw, n);
		strbuf_addch(mbox, '\n');
		raw = eol ? eol + 1 : end;
	}
	strbuf_addch(mbox, '\n');
}

static int add_patch(const struct request *rq, const char *message_id,
		     struct strbuf *mbox)
{
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	struct mail_id id;
	int r = view_patch_mail(rq->db, message_id, request_sees_private(rq),
				&id);

	if (!r)
		r = db_mail_raw(rq->db, id, &raw);
	if (r)
		return r;
	if (mbox->len + raw.len > MAX_MBOX_BYTES)
		return -EFBIG;
	add_mail(mbox, raw.buf, raw.len);
	return 0;
}

void page_mbox(struct request *rq, struct response *rs)
{
	json_t *v __free(json) = NULL;
	struct version_id id;
	json_t *p;
	size_t i;
	int r;

	if (!args_series(rq, rs, rq->segments[1], &id))
		return;
	r = view_series(rq->db, id, &v);
	json_array_foreach(json_object_get(v, "patches"), i, p) {
		if (!r)
			r = add_patch(rq, json_get_str(p, "message_id", ""),
				      &rs->body);
	}
	if (r) {
		response_errno(rq, rs, r, r == DB_NONE ?
			       "Not all mails of this series are there." :
			       r == -EFBIG ? "The series is too long for one "
			       "file." : db_error(rq->db));
		return;
	}
	response_header(rs, "Content-Disposition",
			"attachment; filename=\"series.mbox\"");
	rs->status = 200;
	rs->type = "application/mbox";
}
