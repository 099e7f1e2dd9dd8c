// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "worker: " fmt
#include "jobs/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "lib/child.h"
#include "lib/json.h"
#include "lib/log.h"

#define MAX_ANSWER_BYTES (64u << 20)

struct worker {
	struct loop *loop;
	struct child child;
	struct loop_timer *timer;
	int out_fd;
	char *name;
	struct strbuf out;
	struct strbuf why;
	int (*feed)(const void *data, size_t len, struct strbuf *why,
		    void *arg);
	void (*done)(json_t *answer, const char *why, void *arg);
	void *arg;
};

static void worker_release(struct worker *w)
{
	int status;

	loop_cancel_timer(w->loop, w->timer);
	loop_del_fd(w->loop, w->out_fd);
	close(w->out_fd);
	if (w->child.pid > 0) {
		child_kill(&w->child);
		child_wait(&w->child, -1, &status);
	}
	strbuf_release(&w->out);
	strbuf_release(&w->why);
	free(w->name);
	free(w);
}

void worker_stop(struct worker *w)
{
	if (w)
		worker_release(w);
}

static json_t *parse_answer(struct worker *w)
{
	json_error_t err;
	json_t *v = json_loadb(w->out.buf, w->out.len,
			       JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &err);

	if (!v)
		strbuf_setf(&w->why, "worker %s answered no JSON: %s (line %d)",
			    w->name, err.text, err.line);
	return v;
}

static void worker_end(struct worker *w)
{
	void (*done)(json_t *answer, const char *why, void *arg) = w->done;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answer __free(json) = NULL;
	void *arg = w->arg;
	int status = 0;

	if (w->why.len)
		child_kill(&w->child);
	child_wait(&w->child, 5000, &status);
	if (!w->why.len && status) {
		strbuf_addf(&w->why, "worker %s ended with ", w->name);
		child_describe(status, &w->why);
	}
	if (!w->why.len && !w->feed)
		answer = parse_answer(w);
	strbuf_addbuf(&why, &w->why);
	worker_release(w);
	done(answer, why.len ? why.buf : NULL, arg);
}

static void on_output(int fd, uint32_t events, void *arg)
{
	struct worker *w = arg;
	char buf[65536];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		worker_end(w);
		return;
	}
	if (w->feed) {
		if (w->feed(buf, (size_t)n, &w->why, w->arg)) {
			if (!w->why.len)
				strbuf_setf(&w->why, "worker %s: bad output",
					    w->name);
			worker_end(w);
		}
		return;
	}
	strbuf_add(&w->out, buf, (size_t)n);
	if (w->out.len > MAX_ANSWER_BYTES) {
		strbuf_setf(&w->why, "worker %s answered more than %u bytes",
			    w->name, MAX_ANSWER_BYTES);
		worker_end(w);
	}
}

static void on_deadline(void *arg)
{
	struct worker *w = arg;

	w->timer = NULL;
	strbuf_setf(&w->why, "worker %s took too long and was stopped",
		    w->name);
	worker_end(w);
}

/* A request may be larger than a pipe holds: a file in memory is not. */
static int request_fd(const json_t *request)
{
	char *text __free(kfree) = json_dumps(request, JSON_COMPACT);
	int fd __free(fd) = memfd_create("request", MFD_CLOEXEC);
	size_t len, at = 0;

	if (!text)
		return -EINVAL;
	if (fd < 0)
		return -errno;
	len = strlen(text);
	while (at < len) {
		ssize_t n = write(fd, text + at, len - at);

		if (n < 0)
			return -errno;
		at += (size_t)n;
	}
	if (lseek(fd, 0, SEEK_SET))
		return -errno;
	return no_free_fd(fd);
}

static int spawn(const struct worker_spec *spec, int *out_fd,
		 struct child *child)
{
	const char *argv[] = { spec->program, "--worker", spec->name, NULL };
	struct child_spec cs = CHILD_SPEC_INIT;
	int in __free(fd) = request_fd(spec->request);
	int r __free(fd) = -1, w __free(fd) = -1;
	int fds[2], err;

	if (in < 0)
		return in;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	r = fds[0];
	w = fds[1];
	cs.argv = argv;
	cs.stdin_fd = in;
	cs.stdout_fd = w;
	err = child_spawn(&cs, child);
	if (err)
		return err;
	*out_fd = no_free_fd(r);
	return 0;
}

int worker_start(struct loop *loop, const struct worker_spec *spec,
		 struct worker **ret)
{
	struct worker *w = xcalloc(1, sizeof(*w));
	int r;

	strbuf_init(&w->out);
	strbuf_init(&w->why);
	r = spawn(spec, &w->out_fd, &w->child);
	if (r) {
		free(w);
		return r;
	}
	w->loop = loop;
	w->name = xstrdup(spec->name);
	w->feed = spec->feed;
	w->done = spec->done;
	w->arg = spec->arg;
	w->timer = loop_add_timer(loop, spec->timeout_s * 1000, on_deadline, w);
	r = loop_add_fd(loop, w->out_fd, EPOLLIN, on_output, w);
	if (r) {
		worker_release(w);
		return r;
	}
	*ret = w;
	return 0;
}
