// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/pull.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "kernel-series/inbox.h"
#include "kernel-series/mail.h"
#include "kernel-series/parse-pool.h"
#include "lib/json.h"
#include "lib/list.h"

#define PARSE_TIMEOUT_MS 10000
#define MAX_PENDING_BYTES ((size_t)16 << 20)
#define MAX_PENDING_FRAMES 1024
#define WRITE_BYTES ((size_t)256 << 10)
/* room for "type", "size" and the like beside the fields */
#define MAX_FIELDS_BYTES (PULL_MAX_LINE_BYTES - 1024)
/* An older Date is a broken clock: it says nothing about the mail's age. */
#define NO_MAIL_BEFORE_S INT64_C(631152000)

/**
 * struct frame - something to be written in its turn
 * @list: in pull.frames, oldest first
 * @state: line of a state frame; NULL for a mail, which is in the pool
 * @received_s: of a mail
 * @full_len: of a mail
 */
struct frame {
	struct list_head list;
	char *state;
	int64_t received_s;
	size_t full_len;
};

/**
 * struct pull - one call of pull_worker()
 * @pool: parses the mails
 * @frames: what was received and not yet written
 * @nr_frames: how many
 * @raw: scratch
 * @answer: scratch
 * @out: bytes to be written
 * @out_fd: where to
 * @mails: written
 * @skipped: left out because of their Date
 * @state: the last state seen; NULL before
 * @broken: nothing can be written or parsed any more
 * @out_failed: nothing can be written any more
 * @why: from the caller
 */
struct pull {
	struct parse_pool *pool;
	struct list_head frames;
	unsigned int nr_frames;
	struct strbuf raw;
	struct strbuf answer;
	struct strbuf out;
	int out_fd;
	int64_t mails;
	int64_t skipped;
	json_t *state;
	bool broken;
	bool out_failed;
	struct strbuf *why;
};

static void add_json(struct strbuf *sb, const json_t *v)
{
	char *text __free(kfree) = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);

	strbuf_addstr(sb, text ? text : "null");
}

/* Append members of a mail frame: what the parser says, or why it does not. */
static void add_refused(struct strbuf *out, const char *why)
{
	json_t *text __free(json) = json_text(why);

	strbuf_addstr(out, "\"fields\":null,\"refused\":");
	add_json(out, text);
}

/*
 * Runs in a child of the pool. The answer is empty for a mail that is older
 * than the caller wants.
 */
static void parse_one(const void *in, size_t len, struct strbuf *out, void *arg)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	const int64_t *since_s = arg;
	struct mail *mail __free(mail) = NULL;
	json_t *fields __free(json) = NULL;
	int r;

	r = mail_parse(in, len, &mail, &why);
	if (r) {
		add_refused(out, why.len ? why.buf : strerror(r < 0 ? -r : 0));
		return;
	}
	if (mail->has_date && mail->date_s < *since_s &&
	    mail->date_s >= NO_MAIL_BEFORE_S)
		return;
	fields = mail_to_json(mail);
	strbuf_addstr(out, "\"fields\":");
	add_json(out, fields);
	if (out->len > MAX_FIELDS_BYTES) {
		strbuf_reset(out);
		add_refused(out, "its headers and file names are too large");
	}
}

static int flush(struct pull *p)
{
	size_t at = 0;

	while (at < p->out.len) {
		ssize_t n = write(p->out_fd, p->out.buf + at, p->out.len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			n = -errno;
			p->broken = true;
			p->out_failed = true;
			strbuf_addf(p->why, "cannot write frames: %s",
				    strerror((int)-n));
			return (int)n;
		}
		at += (size_t)n;
	}
	strbuf_reset(&p->out);
	return 0;
}

static void add_mail(struct pull *p, const struct frame *f, int result,
		     const char *died)
{
	if (!result && !p->answer.len) {
		p->skipped++;
		return;
	}
	p->mails++;
	strbuf_addf(&p->out, "{\"type\":\"mail\",\"size\":%zu,\"received_s\":%"
		    PRId64 ",", p->raw.len, f->received_s);
	if (result)
		add_refused(&p->out, died);
	else if (f->full_len > p->raw.len)
		add_refused(&p->out, "larger than 8 MiB, only its beginning "
			    "is kept");
	/* the parser read what a stranger wrote: its answer is no better */
	else if (p->answer.len > MAX_FIELDS_BYTES ||
		 memchr(p->answer.buf, '\n', p->answer.len))
		add_refused(&p->out, "its parser gave nonsense");
	else
		strbuf_addbuf(&p->out, &p->answer);
	strbuf_addstr(&p->out, "}\n");
	strbuf_addbuf(&p->out, &p->raw);
}

static int no_parser(struct pull *p, int r)
{
	p->broken = true;
	strbuf_addf(p->why, "cannot start a parser: %s", strerror(-r));
	return r;
}

static int write_frame(struct pull *p, bool wait)
{
	struct frame *f = list_first_entry(&p->frames, struct frame, list);
	struct strbuf died __free(strbuf) = STRBUF_INIT;
	int r = 0;

	if (f->state) {
		strbuf_addstr(&p->out, f->state);
	} else {
		r = parse_pool_take(p->pool, &p->raw, &p->answer, wait, &died);
		if (r < 0) {
			return r == -EAGAIN ? r : no_parser(p, r);
		}
		add_mail(p, f, r, died.buf);
		r = 0;
	}
	/* a state is stored as soon as it is there, so send it at once */
	if (f->state || p->out.len > WRITE_BYTES)
		r = flush(p);
	list_del(&f->list);
	p->nr_frames--;
	free(f->state);
	free(f);
	return r;
}

/* Write what is ready; wait only as long as too much is waiting, or @all. */
static int write_frames(struct pull *p, bool all)
{
	int r = 0;

	while (!r && !list_empty(&p->frames)) {
		bool wait = all || p->nr_frames > MAX_PENDING_FRAMES ||
			    parse_pool_pending(p->pool) > MAX_PENDING_BYTES;

		r = write_frame(p, wait);
	}
	return r == -EAGAIN ? 0 : r;
}

static struct frame *frame_new(struct pull *p)
{
	struct frame *f = xcalloc(1, sizeof(*f));

	list_add_tail(&f->list, &p->frames);
	p->nr_frames++;
	return f;
}

static int on_mail(const struct inbox_mail *mail, void *arg)
{
	struct pull *p = arg;
	struct frame *f;
	int r;

	r = parse_pool_put(p->pool, mail->raw, mail->len);
	if (r)
		return no_parser(p, r);
	f = frame_new(p);
	f->received_s = mail->received_s;
	f->full_len = mail->full_len;
	return write_frames(p, false);
}

static int on_state(const json_t *state, void *arg)
{
	struct strbuf line __free(strbuf) = STRBUF_INIT;
	struct pull *p = arg;

	json_decref(p->state);
	p->state = json_deep_copy(state);
	strbuf_addstr(&line, "{\"type\":\"state\",\"state\":");
	add_json(&line, state);
	strbuf_addstr(&line, "}\n");
	frame_new(p)->state = strbuf_detach(&line);
	return write_frames(p, false);
}

static int finish(struct pull *p, int r)
{
	json_t *last __free(json) = json_object();
	int w;

	if (!p->broken) {
		w = write_frames(p, true);
		r = w ? w : r;
	}
	if (p->out_failed)
		return r;
	if (!r) {
		json_set_text(last, "type", "end");
		json_set_int(last, "mails", p->mails);
		json_set_int(last, "skipped", p->skipped);
	} else {
		json_set_text(last, "type", "error");
		json_set_text(last, "why", p->why->buf);
		if (r == INBOX_BACK_OFF)
			json_set_int(last, "not_before_s",
				     json_get_int(p->state, "not_before_s", 0));
	}
	add_json(&p->out, last);
	strbuf_addch(&p->out, '\n');
	w = flush(p);
	return r ? r : w;
}

static void pull_release(struct pull *p)
{
	struct frame *f, *next;

	list_for_each_entry_safe(f, next, &p->frames, list) {
		free(f->state);
		free(f);
	}
	parse_pool_free(p->pool);
	strbuf_release(&p->raw);
	strbuf_release(&p->answer);
	strbuf_release(&p->out);
	json_decref(p->state);
}

int pull_worker(const json_t *request, int out_fd, struct strbuf *why)
{
	static const struct inbox_ops ops = { on_mail, on_state };
	struct inbox_spec spec = {
		.kind = json_get_str(request, "kind", "public-inbox"),
		.location = json_get_str(request, "location", ""),
		.cache_dir = json_get_str(request, "cache_dir", NULL),
		.state = json_object_get(request, "state"),
		.since_s = json_get_int(request, "since_s", 0),
		.batch = (unsigned int)json_get_int(request, "batch", 0),
		.timeout_s = (unsigned int)json_get_int(request, "timeout_s", 0),
		.contact_url = json_get_str(request, "contact_url", NULL),
	};
	struct pull p = { .out_fd = out_fd, .why = why,
			  .raw = STRBUF_INIT, .answer = STRBUF_INIT,
			  .out = STRBUF_INIT };
	void (*old_pipe)(int) = signal(SIGPIPE, SIG_IGN);
	int r;

	INIT_LIST_HEAD(&p.frames);
	p.state = json_deep_copy(spec.state);
	p.pool = parse_pool_new(0, PARSE_TIMEOUT_MS, parse_one, &spec.since_s);
	r = inbox_pull(&spec, &ops, &p, why);
	r = finish(&p, r);
	pull_release(&p);
	signal(SIGPIPE, old_pipe);
	return r;
}
