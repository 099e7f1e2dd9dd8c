// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "kernel-series/pull.h"
#include "lib/json.h"

/**
 * struct pull_reader - frames as bytes arrive
 * @ops: from the caller
 * @arg: from the caller
 * @buf: what was fed and not yet used
 * @at: bytes at the beginning of @buf that are used
 * @searched: bytes from @at on that hold no line end
 * @frame: the line of a mail frame whose bytes are being awaited, or NULL
 * @want: how many bytes
 * @ended: the last frame was seen
 * @error: its words if that was an error frame
 */
struct pull_reader {
	const struct pull_ops *ops;
	void *arg;
	struct strbuf buf;
	size_t at;
	size_t searched;
	json_t *frame;
	size_t want;
	bool ended;
	char *error;
};

struct pull_reader *pull_reader_new(const struct pull_ops *ops, void *arg)
{
	struct pull_reader *r = xcalloc(1, sizeof(*r));

	r->ops = ops;
	r->arg = arg;
	strbuf_init(&r->buf);
	return r;
}

void pull_reader_free(struct pull_reader *r)
{
	if (!r)
		return;
	strbuf_release(&r->buf);
	json_decref(r->frame);
	free(r->error);
	free(r);
}

static int bad(struct strbuf *why, const char *what)
{
	strbuf_addf(why, "the worker's answer is no frame: %s", what);
	return -EPROTO;
}

static int give_mail(struct pull_reader *r)
{
	json_t *frame __free(json) = no_free_ptr(r->frame);
	struct pull_mail mail = {
		.raw = r->buf.buf + r->at, .len = r->want,
		.fields = json_object_get(frame, "fields"),
		.refused = json_get_str(frame, "refused", NULL),
		.received_s = json_get_int(frame, "received_s", 0),
	};

	if (!json_is_object(mail.fields)) {
		mail.fields = NULL;
		if (!mail.refused)
			mail.refused = "no parser has read it";
	}
	/* told refused, it is: half of the fields is worse than none */
	if (mail.refused)
		mail.fields = NULL;
	r->at += r->want;
	return r->ops->mail(&mail, r->arg);
}

static int begin_mail(struct pull_reader *r, json_t *frame, struct strbuf *why)
{
	int64_t size = json_get_int(frame, "size", -1);

	if (size < 0)
		return bad(why, "a mail without size");
	if (size > (int64_t)PULL_MAX_MAIL_BYTES)
		return bad(why, "a mail that is too large");
	r->frame = json_incref(frame);
	r->want = (size_t)size;
	return 0;
}

static int on_line(struct pull_reader *r, const char *line, size_t len,
		   struct strbuf *why)
{
	json_t *frame __free(json) = json_loadb(line, len, 0, NULL);
	const char *type = json_get_str(frame, "type", "");

	if (!json_is_object(frame))
		return bad(why, "a line that is no JSON object");
	if (!strcmp(type, "mail"))
		return begin_mail(r, frame, why);
	if (!strcmp(type, "state")) {
		json_t *state = json_object_get(frame, "state");

		if (!json_is_object(state))
			return bad(why, "a state that is no object");
		return r->ops->state(state, r->arg);
	}
	if (!strcmp(type, "error")) {
		r->ended = true;
		r->error = xstrdup(json_get_str(frame, "why", "no reason"));
		return 0;
	}
	if (!strcmp(type, "end")) {
		r->ended = true;
		return 0;
	}
	return bad(why, "unknown type");
}

/* @more is set when nothing can be done without more bytes. */
static int step(struct pull_reader *r, bool *more, struct strbuf *why)
{
	const char *start = r->buf.buf + r->at, *end;
	size_t left = r->buf.len - r->at;

	if (r->frame) {
		*more = left < r->want;
		return *more ? 0 : give_mail(r);
	}
	*more = !left;
	if (!left)
		return 0;
	if (r->ended)
		return bad(why, "something after the last one");
	end = memchr(start + r->searched, '\n', left - r->searched);
	if (!end) {
		*more = true;
		r->searched = left;
		return left > PULL_MAX_LINE_BYTES ?
		       bad(why, "a line that is too long") : 0;
	}
	r->searched = 0;
	r->at += (size_t)(end + 1 - start);
	if ((size_t)(end - start) > PULL_MAX_LINE_BYTES)
		return bad(why, "a line that is too long");
	return on_line(r, start, (size_t)(end - start), why);
}

/* Feed in slices, so that one large piece costs no more memory than a frame. */
static int feed_slice(struct pull_reader *r, const char *data, size_t len,
		      struct strbuf *why)
{
	bool more = false;
	int ret = 0;

	strbuf_add(&r->buf, data, len);
	while (!ret && !more)
		ret = step(r, &more, why);
	memmove(r->buf.buf, r->buf.buf + r->at, r->buf.len - r->at);
	strbuf_setlen(&r->buf, r->buf.len - r->at);
	r->at = 0;
	return ret;
}

int pull_reader_feed(struct pull_reader *r, const void *data, size_t len,
		     struct strbuf *why)
{
	const char *p = data;
	int ret = 0;

	while (len && !ret) {
		size_t n = min(len, (size_t)65536);

		ret = feed_slice(r, p, n, why);
		p += n;
		len -= n;
	}
	return ret;
}

int pull_reader_finish(struct pull_reader *r, struct strbuf *why)
{
	if (r->error) {
		strbuf_add_utf8(why, r->error, strcspn(r->error, "\n"));
		return PULL_FAILED;
	}
	if (r->ended)
		return 0;
	strbuf_addstr(why, "the worker stopped in the middle");
	return -EPROTO;
}
