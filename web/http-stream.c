// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "web: " fmt

/*
 * Answers that go on: server-sent events (WHATWG HTML, section 9.2). No thread
 * waits for a viewer: one that has nothing to read is suspended, and a single
 * thread looks for news and wakes those whom they concern.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "db/event.h"
#include "db/view-mail.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "lib/list.h"
#include "lib/log.h"
#include "web/http-private.h"

#define LOOK_MS 200
#define BEAT_MS 15000
#define BLOCK_BYTES 16384
#define MAX_EVENTS 100
#define MAX_LINE_BYTES 65536

/**
 * struct viewer - one stream that is being sent
 * @out: bytes that are ready, of which @taken have been sent
 * @seen: events that were there when it last looked
 * @suspended: waits to be woken; under the lock of struct streams
 * @gone: the other end has hung up, which the library does not see while the
 *	connection is suspended
 */
struct viewer {
	struct list_head node;
	struct streams *s;
	struct MHD_Connection *c;
	struct stream spec;
	struct strbuf out;
	size_t taken;
	int64_t beat_ms;
	int64_t seen;
	int fd;
	bool suspended;
	bool gone;
	bool over;
};

struct streams {
	struct web *web;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool started;
	bool stopping;
	struct list_head viewers;
	unsigned int n;
};

/* Text as the data of one event: a line of its own for each. */
static void add_data(struct strbuf *out, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((eol ? eol : end) - text);

		strbuf_addstr(out, "data: ");
		for (size_t from = 0; from < n;) {
			size_t part = 0;

			/* a carriage return would end the line as well */
			while (from + part < n && text[from + part] != '\r')
				part++;
			strbuf_add_utf8(out, text + from, part);
			from += part + 1;
		}
		strbuf_addch(out, '\n');
		text += n + 1;
	}
}

static int fill_events(struct viewer *v, struct db *db)
{
	struct event_filter filter = {
		.after = v->spec.after, .series = v->spec.series,
		.job = v->spec.job, .kinds = v->spec.kinds,
		.see_private = v->spec.see_private,
	};
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r = db_events(db, &filter, MAX_EVENTS, &rows, &v->spec.after);

	json_array_foreach(rows, i, row) {
		char *text __free(kfree) = json_dumps(row, JSON_COMPACT);

		strbuf_addf(&v->out, "id: %" PRId64 "\n",
			    json_get_int(row, "id", 0));
		add_data(&v->out, text, strlen(text));
		strbuf_addch(&v->out, '\n');
	}
	return r;
}

/* Whole lines; the rest of a line that is under way waits for its end. */
static void fill_log(struct viewer *v, bool ended)
{
	char *buf __free(kfree) = xmalloc(MAX_LINE_BYTES);
	ssize_t n = pread(v->spec.fd, buf, MAX_LINE_BYTES, v->spec.offset);
	const char *eol;

	if (n <= 0)
		return;
	eol = memrchr(buf, '\n', (size_t)n);
	if (eol)
		n = eol + 1 - buf;
	else if (!ended && n < MAX_LINE_BYTES)
		return;
	v->spec.offset += n;
	strbuf_addf(&v->out, "id: %lld\n", (long long)v->spec.offset);
	add_data(&v->out, buf, (size_t)n);
	strbuf_addch(&v->out, '\n');
}

static int fill_from_log(struct viewer *v, struct db *db)
{
	char state[24] = "";
	int r = db_attempt_state(db, v->spec.job, v->spec.number, state,
				 sizeof(state));
	/* first the state, then the file: so the end of it is not missed */
	bool ended = r == DB_NONE || (!r && strcmp(state, "running"));

	if (r < 0)
		return r;
	fill_log(v, ended);
	if (!v->out.len && ended) {
		strbuf_addf(&v->out, "event: end\ndata: {\"state\":\"%s\"}\n\n",
			    state);
		v->over = true;
	}
	return 0;
}

static int fill(struct viewer *v)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct db_pool *pool = v->s->web->pool;
	struct db *db = NULL;
	int r;

	strbuf_reset(&v->out);
	v->taken = 0;
	r = db_pool_get(pool, &db, &why);
	if (r)
		return r;
	r = db_event_last(db, &v->seen);
	if (!r)
		r = v->spec.kind == STREAM_LOG ? fill_from_log(v, db) :
						 fill_events(v, db);
	db_pool_put(pool, db);
	if (!r && !v->out.len && clock_mono_ms() >= v->beat_ms)
		strbuf_addstr(&v->out, ": still here\n\n");
	if (v->out.len)
		v->beat_ms = clock_mono_ms() + BEAT_MS;
	return r;
}

/* Nothing to say now; false: do not wait, there is more, or it is the end. */
static bool wait_for_news(struct viewer *v)
{
	struct streams *s = v->s;
	bool wait;

	pthread_mutex_lock(&s->lock);
	wait = !s->stopping && (v->spec.kind == STREAM_LOG ||
				v->spec.after >= v->seen);
	if (wait) {
		v->suspended = true;
		MHD_suspend_connection(v->c);
	}
	pthread_mutex_unlock(&s->lock);
	return wait;
}

static bool is_stopping(struct streams *s)
{
	bool stopping;

	pthread_mutex_lock(&s->lock);
	stopping = s->stopping;
	pthread_mutex_unlock(&s->lock);
	return stopping;
}

static ssize_t read_more(void *arg, uint64_t pos, char *buf, size_t most)
{
	struct viewer *v = arg;
	struct web *web = v->s->web;
	size_t n;

	/* whoever asks for more has taken what there was */
	deadlines_set(web->deadlines, v->c, web->cfg.send_timeout_ms);
	if (v->gone)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (is_stopping(v->s))
		return MHD_CONTENT_READER_END_OF_STREAM;
	while (v->taken == v->out.len) {
		if (v->over)
			return MHD_CONTENT_READER_END_OF_STREAM;
		if (fill(v))
			return MHD_CONTENT_READER_END_WITH_ERROR;
		if (!v->out.len && wait_for_news(v))
			return 0;
		if (!v->out.len && is_stopping(v->s))
			return MHD_CONTENT_READER_END_OF_STREAM;
	}
	n = min(most, v->out.len - v->taken);
	memcpy(buf, v->out.buf + v->taken, n);
	v->taken += n;
	return (ssize_t)n;
}

static void end_viewer(void *arg)
{
	struct viewer *v = arg;
	struct streams *s = v->s;

	pthread_mutex_lock(&s->lock);
	list_del(&v->node);
	s->n--;
	atomic_store(&s->web->stats.viewers, s->n);
	pthread_mutex_unlock(&s->lock);
	if (v->spec.fd >= 0)
		close(v->spec.fd);
	free(v->spec.kinds);
	strbuf_release(&v->out);
	free(v);
}

struct MHD_Response *streams_response(struct streams *s,
				      struct MHD_Connection *c,
				      const struct stream *spec)
{
	struct viewer *v = xcalloc(1, sizeof(*v));
	struct MHD_Response *r;

	v->s = s;
	v->c = c;
	v->fd = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)
			->connect_fd;
	v->spec = *spec;
	strbuf_init(&v->out);
	/* a browser that lost the connection comes again after two seconds */
	strbuf_addstr(&v->out, "retry: 2000\n\n");
	v->beat_ms = clock_mono_ms() + BEAT_MS;
	pthread_mutex_lock(&s->lock);
	list_add_tail(&v->node, &s->viewers);
	s->n++;
	atomic_store(&s->web->stats.viewers, s->n);
	pthread_mutex_unlock(&s->lock);
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES,
					      read_more, v, end_viewer);
	if (!r)
		end_viewer(v);
	return r;
}

unsigned int streams_count(struct streams *s)
{
	unsigned int n;

	pthread_mutex_lock(&s->lock);
	n = s->n;
	pthread_mutex_unlock(&s->lock);
	return n;
}

/* Under the lock. */
static bool has_news(struct viewer *v, int64_t last)
{
	struct pollfd p = { .fd = v->fd, .events = POLLRDHUP };
	struct stat sb;

	v->gone = poll(&p, 1, 0) > 0;
	if (v->gone)
		return true;
	if (clock_mono_ms() >= v->beat_ms || last != v->seen)
		return true;
	return v->spec.kind == STREAM_LOG && !fstat(v->spec.fd, &sb) &&
	       sb.st_size > v->spec.offset;
}

static void look(struct streams *s)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int64_t last = -1;
	struct db *db = NULL;
	struct viewer *v;
	int r = db_pool_get(s->web->pool, &db, &why);

	if (!r)
		r = db_event_last(db, &last);
	db_pool_put(s->web->pool, db);
	if (r) {
		pr_warn("looking for events: %s\n", why.len ? why.buf :
						    strerror(-r));
		return;
	}
	pthread_mutex_lock(&s->lock);
	list_for_each_entry(v, &s->viewers, node) {
		if (v->suspended && has_news(v, last)) {
			v->suspended = false;
			MHD_resume_connection(v->c);
		}
	}
	pthread_mutex_unlock(&s->lock);
}

static void *watch(void *arg)
{
	struct streams *s = arg;
	struct timespec ts;
	int64_t next;
	bool any;

	pthread_mutex_lock(&s->lock);
	while (!s->stopping) {
		any = s->n > 0;
		pthread_mutex_unlock(&s->lock);
		if (any)
			look(s);
		pthread_mutex_lock(&s->lock);
		next = clock_mono_ms() + LOOK_MS;
		ts = (struct timespec){ .tv_sec = next / 1000,
					.tv_nsec = next % 1000 * 1000000 };
		if (!s->stopping)
			pthread_cond_timedwait(&s->wake, &s->lock, &ts);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int streams_start(struct web *web, struct streams **ret)
{
	struct streams *s = xcalloc(1, sizeof(*s));
	pthread_condattr_t attr;
	sigset_t all, old;
	int r;

	s->web = web;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_condattr_destroy(&attr);
	INIT_LIST_HEAD(&s->viewers);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&s->thread, NULL, watch, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	s->started = !r;
	if (r) {
		streams_free(s);
		return -r;
	}
	*ret = s;
	return 0;
}

void streams_stop(struct streams *s)
{
	struct viewer *v;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stopping = true;
	list_for_each_entry(v, &s->viewers, node) {
		if (v->suspended) {
			v->suspended = false;
			MHD_resume_connection(v->c);
		}
	}
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	if (s->started)
		pthread_join(s->thread, NULL);
	s->started = false;
}

void streams_free(struct streams *s)
{
	if (!s)
		return;
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
