// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/parse-pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/child.h"
#include "lib/clock.h"
#include "lib/list.h"

#define MAX_PROCESSES 4
#define MAX_ANSWER_BYTES ((uint64_t)64 << 20)
#define READ_BYTES 65536
#define MAX_TRIES 2
#define MEMORY_BYTES ((rlim_t)2 << 30)

#if defined(__SANITIZE_ADDRESS__)
#define LIMIT_MEMORY 0 /* its shadow alone is larger than any useful limit */
#else
#define LIMIT_MEMORY 1
#endif

/**
 * struct input - one input until it is taken
 * @in_order: in parse_pool.inputs, oldest first
 * @at_child: in pchild.inputs, while @done is false
 * @raw: the input
 * @out: the answer
 * @tries: parsers that it has cost
 * @died: the answer is why there is none
 * @done: @out is complete
 */
struct input {
	struct list_head in_order;
	struct list_head at_child;
	struct strbuf raw;
	struct strbuf out;
	unsigned int tries;
	bool died;
	bool done;
};

/**
 * struct pchild - one child process
 * @pid: 0 when not running
 * @to_fd: its stdin
 * @from_fd: its stdout
 * @to: bytes to be written, from @to_at on
 * @to_at: see @to
 * @from: bytes read, less than one answer
 * @inputs: what it was given and has not answered, oldest first
 * @bytes: of @inputs
 * @since_ms: when it last took or gave a byte
 */
struct pchild {
	pid_t pid;
	int to_fd;
	int from_fd;
	struct strbuf to;
	size_t to_at;
	struct strbuf from;
	struct list_head inputs;
	size_t bytes;
	int64_t since_ms;
};

struct parse_pool {
	void (*fn)(const void *in, size_t len, struct strbuf *out, void *arg);
	void *arg;
	unsigned int timeout_ms;
	unsigned int processes;
	struct pchild child[MAX_PROCESSES];
	struct list_head inputs;
	size_t pending;
};

static int read_all(int fd, void *buf, size_t len)
{
	char *p = buf;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EPIPE;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_all(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EPIPE;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Runs in the child until its stdin ends. */
static void answer_all(const struct parse_pool *pool)
{
	struct strbuf in = STRBUF_INIT, out = STRBUF_INIT;
	uint64_t len;

	while (!read_all(0, &len, sizeof(len))) {
		strbuf_reset(&in);
		strbuf_grow(&in, len);
		if (read_all(0, in.buf, len))
			break;
		in.len = len;
		in.buf[len] = '\0';
		strbuf_reset(&out);
		pool->fn(in.buf, in.len, &out, pool->arg);
		len = out.len;
		if (write_all(1, &len, sizeof(len)) ||
		    write_all(1, out.buf, out.len))
			break;
	}
}

__attribute__((noreturn))
static void child_main(const struct parse_pool *pool, int in, int out,
		       pid_t parent)
{
	struct rlimit memory = { MEMORY_BYTES, MEMORY_BYTES };
	struct rlimit core = { 0, 0 };

	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	in = fcntl(in, F_DUPFD, 10);
	out = fcntl(out, F_DUPFD, 10);
	if (getppid() != parent || dup2(in, 0) < 0 || dup2(out, 1) < 0 ||
	    syscall(SYS_close_range, 3u, ~0u, 0u))
		_exit(127);
	if (LIMIT_MEMORY)
		setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_CORE, &core);
	answer_all(pool);
	_exit(0);
}

static int start_child(struct parse_pool *pool, struct pchild *c)
{
	int to_r __free(fd) = -1, to_w __free(fd) = -1;
	int from_r __free(fd) = -1, from_w __free(fd) = -1;
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	to_r = fds[0];
	to_w = fds[1];
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	from_r = fds[0];
	from_w = fds[1];
	if (fcntl(to_w, F_SETFL, O_NONBLOCK) ||
	    fcntl(from_r, F_SETFL, O_NONBLOCK))
		return -errno;
	c->pid = fork();
	if (c->pid < 0) {
		c->pid = 0;
		return -errno;
	}
	if (!c->pid)
		child_main(pool, to_r, from_w, parent);
	c->to_fd = no_free_fd(to_w);
	c->from_fd = no_free_fd(from_r);
	c->since_ms = clock_mono_ms();
	return 0;
}

static void stop_child(struct pchild *c, int *status)
{
	if (!c->pid)
		return;
	kill(c->pid, SIGKILL);
	close(c->to_fd);
	close(c->from_fd);
	while (waitpid(c->pid, status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	strbuf_reset(&c->to);
	strbuf_reset(&c->from);
	c->to_at = 0;
}

static void give_input(struct pchild *c, const struct input *in)
{
	uint64_t len = in->raw.len;

	strbuf_add(&c->to, &len, sizeof(len));
	strbuf_add(&c->to, in->raw.buf, in->raw.len);
}

static void finish_input(struct pchild *c, struct input *in)
{
	list_del(&in->at_child);
	in->done = true;
	c->bytes -= in->raw.len;
	c->since_ms = clock_mono_ms();
}

static void blame(struct parse_pool *pool, struct pchild *c, bool too_slow,
		  int status)
{
	struct input *in = list_first_entry(&c->inputs, struct input, at_child);

	/* once may be the host's fault, short of memory or restarting */
	if (++in->tries < MAX_TRIES)
		return;
	strbuf_reset(&in->out);
	if (too_slow)
		strbuf_addf(&in->out, "its parser took more than %u ms",
			    pool->timeout_ms);
	else {
		strbuf_addstr(&in->out, "its parser died: ");
		child_describe(status, &in->out);
	}
	in->died = true;
	finish_input(c, in);
}

/* The oldest input is to blame; the others get a new child. */
static int replace_child(struct parse_pool *pool, struct pchild *c,
			 bool too_slow)
{
	struct input *in;
	int status = 0, r;

	stop_child(c, &status);
	if (!list_empty(&c->inputs))
		blame(pool, c, too_slow, status);
	if (list_empty(&c->inputs))
		return 0;
	r = start_child(pool, c);
	if (r)
		return r;
	list_for_each_entry(in, &c->inputs, at_child)
		give_input(c, in);
	return 0;
}

/* Return: 0, or -EPIPE when the child is gone. */
static int send_inputs(struct pchild *c)
{
	ssize_t n = write(c->to_fd, c->to.buf + c->to_at, c->to.len - c->to_at);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	c->to_at += (size_t)n;
	c->since_ms = clock_mono_ms();
	if (c->to_at == c->to.len) {
		strbuf_reset(&c->to);
		c->to_at = 0;
	}
	return 0;
}

/* Return: 0, or -EPIPE when the child is gone or talks nonsense. */
static int receive_answers(struct pchild *c)
{
	size_t at = 0;
	ssize_t n;

	strbuf_grow(&c->from, READ_BYTES);
	n = read(c->from_fd, c->from.buf + c->from.len, READ_BYTES);
	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 :
								      -EPIPE;
	c->from.len += (size_t)n;
	c->since_ms = clock_mono_ms();
	for (;;) {
		struct input *in;
		uint64_t len;

		if (c->from.len - at < sizeof(len))
			break;
		memcpy(&len, c->from.buf + at, sizeof(len));
		if (len > MAX_ANSWER_BYTES || list_empty(&c->inputs))
			return -EPIPE;
		if (c->from.len - at - sizeof(len) < len)
			break;
		in = list_first_entry(&c->inputs, struct input, at_child);
		strbuf_add(&in->out, c->from.buf + at + sizeof(len), len);
		finish_input(c, in);
		at += sizeof(len) + len;
	}
	memmove(c->from.buf, c->from.buf + at, c->from.len - at);
	strbuf_setlen(&c->from, c->from.len - at);
	return 0;
}

static int serve_child(struct parse_pool *pool, struct pchild *c,
		       const struct pollfd *to, const struct pollfd *from)
{
	int r = 0;

	if (from->revents)
		r = receive_answers(c);
	if (!r && to->revents)
		r = send_inputs(c);
	if (r)
		return replace_child(pool, c, false);
	if (!list_empty(&c->inputs) &&
	    clock_mono_ms() - c->since_ms > pool->timeout_ms)
		return replace_child(pool, c, true);
	return 0;
}

static int pump(struct parse_pool *pool, int wait_ms)
{
	struct pollfd p[2 * MAX_PROCESSES];

	for (unsigned int i = 0; i < pool->processes; i++) {
		struct pchild *c = &pool->child[i];
		bool sending = c->pid && c->to.len;

		p[2 * i] = (struct pollfd){ .fd = sending ? c->to_fd : -1,
					    .events = POLLOUT };
		p[2 * i + 1] = (struct pollfd){ .fd = c->pid ? c->from_fd : -1,
						.events = POLLIN };
	}
	if (poll(p, 2 * pool->processes, wait_ms) < 0)
		return errno == EINTR ? 0 : -errno;
	for (unsigned int i = 0; i < pool->processes; i++) {
		int r = 0;

		if (pool->child[i].pid)
			r = serve_child(pool, &pool->child[i], &p[2 * i],
					&p[2 * i + 1]);
		if (r)
			return r;
	}
	return 0;
}

struct parse_pool *parse_pool_new(unsigned int processes,
				  unsigned int timeout_ms,
				  void (*fn)(const void *in, size_t len,
					     struct strbuf *out, void *arg),
				  void *arg)
{
	struct parse_pool *pool = xcalloc(1, sizeof(*pool));
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!processes)
		processes = (unsigned int)max(cpus, 1L);
	pool->processes = min(processes, (unsigned int)MAX_PROCESSES);
	pool->timeout_ms = timeout_ms;
	pool->fn = fn;
	pool->arg = arg;
	INIT_LIST_HEAD(&pool->inputs);
	for (unsigned int i = 0; i < pool->processes; i++) {
		strbuf_init(&pool->child[i].to);
		strbuf_init(&pool->child[i].from);
		INIT_LIST_HEAD(&pool->child[i].inputs);
	}
	return pool;
}

static void free_input(struct parse_pool *pool, struct input *in)
{
	pool->pending -= in->raw.len;
	list_del(&in->in_order);
	strbuf_release(&in->raw);
	strbuf_release(&in->out);
	free(in);
}

void parse_pool_free(struct parse_pool *pool)
{
	int status;

	if (!pool)
		return;
	for (unsigned int i = 0; i < pool->processes; i++) {
		stop_child(&pool->child[i], &status);
		strbuf_release(&pool->child[i].to);
		strbuf_release(&pool->child[i].from);
	}
	while (!list_empty(&pool->inputs))
		free_input(pool, list_first_entry(&pool->inputs, struct input,
						  in_order));
	free(pool);
}

int parse_pool_put(struct parse_pool *pool, const void *data, size_t len)
{
	struct pchild *c = &pool->child[0];
	struct input *in;
	int r;

	/* whoever has the least to do */
	for (unsigned int i = 1; i < pool->processes; i++) {
		if (pool->child[i].bytes < c->bytes)
			c = &pool->child[i];
	}
	if (!c->pid) {
		r = start_child(pool, c);
		if (r)
			return r;
	}
	if (list_empty(&c->inputs))
		c->since_ms = clock_mono_ms();
	in = xcalloc(1, sizeof(*in));
	strbuf_init(&in->raw);
	strbuf_init(&in->out);
	strbuf_add(&in->raw, data, len);
	list_add_tail(&in->in_order, &pool->inputs);
	list_add_tail(&in->at_child, &c->inputs);
	pool->pending += len;
	c->bytes += len;
	give_input(c, in);
	return 0;
}

int parse_pool_take(struct parse_pool *pool, struct strbuf *in,
		    struct strbuf *out, bool wait, struct strbuf *why)
{
	struct input *first;
	int r;

	if (list_empty(&pool->inputs))
		return -EAGAIN;
	first = list_first_entry(&pool->inputs, struct input, in_order);
	/* short naps: a child that stalls wakes nobody up */
	for (int nap_ms = 0; !first->done; nap_ms = 100) {
		r = pump(pool, nap_ms);
		if (r)
			return r;
		if (!wait && !first->done)
			return -EAGAIN;
	}
	strbuf_reset(in);
	strbuf_addbuf(in, &first->raw);
	strbuf_reset(out);
	if (first->died)
		strbuf_addbuf(why, &first->out);
	else
		strbuf_addbuf(out, &first->out);
	r = first->died ? PARSE_POOL_DIED : 0;
	free_input(pool, first);
	return r;
}

size_t parse_pool_pending(const struct parse_pool *pool)
{
	return pool->pending;
}
