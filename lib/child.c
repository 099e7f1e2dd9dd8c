// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/clock.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif
#ifndef HAVE_ASAN
#define HAVE_ASAN 0
#endif

static void limit(int resource, uint64_t value)
{
	struct rlimit rl = { value, value };

	if (value)
		setrlimit((__rlimit_resource_t)resource, &rl);
}

static void apply_limits(const struct child_limits *l)
{
	if (!HAVE_ASAN)
		limit(RLIMIT_AS, l->memory_bytes);
	limit(RLIMIT_CPU, l->cpu_s);
	limit(RLIMIT_FSIZE, l->file_bytes);
	limit(RLIMIT_NPROC, l->processes);
	limit(RLIMIT_STACK, l->stack_bytes);
}

/* Async-signal-safe: the daemon has threads, so only raw calls after fork. */
static int move_fd(int from, int to)
{
	if (from == to)
		return fcntl(to, F_SETFD, 0);
	return dup2(from, to) < 0 ? -1 : 0;
}

static int setup_fds(const struct child_spec *spec, int null_fd, int err_fd)
{
	int in = spec->stdin_fd >= 0 ? spec->stdin_fd : null_fd;
	int out = spec->stdout_fd >= 0 ? spec->stdout_fd : null_fd;
	int err = spec->stderr_fd >= 0 ? spec->stderr_fd : STDERR_FILENO;

	/* lift the sources above the targets so that none overwrites another */
	in = fcntl(in, F_DUPFD_CLOEXEC, 10);
	out = fcntl(out, F_DUPFD_CLOEXEC, 10);
	err = fcntl(err, F_DUPFD_CLOEXEC, 10);
	if (in < 0 || out < 0 || err < 0)
		return -1;
	if (move_fd(in, 0) || move_fd(out, 1) || move_fd(err, 2))
		return -1;
	if (syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */))
		return -1;
	if (spec->keep_fd > 2 && fcntl(spec->keep_fd, F_SETFD, 0))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(spec->pass_fds); i++)
		if (spec->pass_fds[i] > 2 &&
		    fcntl(spec->pass_fds[i], F_SETFD, 0))
			return -1;
	return fcntl(err_fd, F_SETFD, FD_CLOEXEC);
}

static int drop_ids(const struct child_spec *spec)
{
	if (!spec->uid)
		return 0;
	if (setgroups(0, NULL) && errno != EPERM)
		return -1;
	if (setresgid(spec->gid, spec->gid, spec->gid))
		return -1;
	return setresuid(spec->uid, spec->uid, spec->uid);
}

__attribute__((noreturn))
static void child_main(const struct child_spec *spec, int null_fd, int err_fd,
		       pid_t parent)
{
	static const char *const bare_env[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
		"/sbin:/bin",
		"HOME=/nonexistent", "LANG=C.UTF-8", NULL
	};
	const char *const *env = spec->envp ? spec->envp : bare_env;
	sigset_t none;
	int e;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);

	if (spec->detach)
		setsid();
	else
		setpgid(0, 0);
	if (setup_fds(spec, null_fd, err_fd))
		goto fail;
	apply_limits(&spec->limits);
	if (drop_ids(spec))
		goto fail;
	/* after the change of uid, which clears it: prctl(2) */
	if (!spec->detach) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(127);
	}
	if (spec->cwd && chdir(spec->cwd))
		goto fail;
	execvpe(spec->argv[0], (char *const *)spec->argv, (char *const *)env);
fail:
	e = errno;
	(void)!write(err_fd, &e, sizeof(e));
	_exit(127);
}

int child_spawn(const struct child_spec *spec, struct child *ret)
{
	int null_fd __free(fd) = open("/dev/null", O_RDWR | O_CLOEXEC);
	int err_r __free(fd) = -1, err_w __free(fd) = -1;
	pid_t parent = getpid(), pid;
	int fds[2], e = 0;
	ssize_t n;

	if (null_fd < 0 || pipe2(fds, O_CLOEXEC))
		return -errno;
	err_r = fds[0];
	/* the child closes everything from 3 up but what it execs with */
	err_w = fcntl(fds[1], F_DUPFD_CLOEXEC, 20);
	close(fds[1]);
	if (err_w < 0)
		return -errno;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		child_main(spec, null_fd, err_w, parent);

	if (!spec->detach)
		setpgid(pid, pid);
	close(no_free_fd(err_w));
	do {
		n = read(err_r, &e, sizeof(e));
	} while (n < 0 && errno == EINTR);
	if (n == sizeof(e)) {
		waitpid(pid, NULL, 0);
		return -e;
	}

	ret->pid = pid;
	ret->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (ret->pidfd < 0) {
		e = errno;
		child_kill(ret);
		waitpid(pid, NULL, 0);
		return -e;
	}
	return 0;
}

void child_kill(const struct child *c)
{
	if (c->pid > 1) {
		kill(-c->pid, SIGKILL);
		kill(c->pid, SIGKILL);
	}
}

static int poll_until(struct pollfd *p, nfds_t n, int64_t deadline_ms)
{
	for (;;) {
		int64_t left = -1;
		int r;

		if (deadline_ms >= 0)
			left = max(deadline_ms - clock_mono_ms(), (int64_t)0);
		r = poll(p, n, (int)min(left, (int64_t)INT_MAX));
		if (r >= 0 || errno != EINTR)
			return r;
	}
}

int child_wait(struct child *c, int64_t timeout_ms, int *status)
{
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };
	int64_t end = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
	int r = 0;

	if (!poll_until(&p, 1, end)) {
		child_kill(c);
		r = -ETIMEDOUT;
	}
	while (waitpid(c->pid, status, 0) < 0 && errno == EINTR)
		;
	kill(-c->pid, SIGKILL); /* what it left behind in its group */
	close(c->pidfd);
	c->pidfd = -1;
	c->pid = -1;
	return r;
}

static int feed(int *fd, const char **p, size_t *left)
{
	ssize_t n = write(*fd, *p, *left);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n > 0) {
		*p += n;
		*left -= (size_t)n;
	}
	if (n < 0 || !*left) {
		/* EPIPE: the child does not want the rest, its status tells */
		close(*fd);
		*fd = -1;
	}
	return 0;
}

static int pump(int in_fd, const char *input, size_t left, int out_fd,
		struct strbuf *out, size_t max_bytes, int64_t deadline_ms)
{
	size_t start = out->len;
	int r = 0;

	if (!left) {
		close(in_fd);
		in_fd = -1;
	}
	while (!r) {
		struct pollfd p[2] = { { .fd = out_fd, .events = POLLIN },
				       { .fd = in_fd, .events = POLLOUT } };
		ssize_t n;

		if (!poll_until(p, 2, deadline_ms)) {
			r = -ETIMEDOUT;
			break;
		}
		if (p[1].revents)
			feed(&in_fd, &input, &left);
		if (!p[0].revents)
			continue;
		strbuf_grow(out, 65536);
		n = read(out_fd, out->buf + out->len, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		out->len += (size_t)n;
		out->buf[out->len] = '\0';
		if (out->len - start > max_bytes) {
			strbuf_setlen(out, start + max_bytes);
			r = -EFBIG;
		}
	}
	if (in_fd >= 0)
		close(in_fd);
	return r;
}

int child_run(const struct child_spec *spec, const void *input,
	      size_t input_len, struct strbuf *out, size_t max_bytes,
	      int64_t timeout_ms, int *status)
{
	int64_t end = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
	int out_r __free(fd) = -1, out_w __free(fd) = -1;
	int in_r __free(fd) = -1, in_w __free(fd) = -1;
	struct child_spec s = *spec;
	void (*old_pipe)(int);
	struct child c;
	int fds[2], r, w;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	out_r = fds[0];
	out_w = fds[1];
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	in_r = fds[0];
	in_w = fds[1];
	if (fcntl(in_w, F_SETFL, O_NONBLOCK))
		return -errno;

	s.stdin_fd = in_r;
	s.stdout_fd = out_w;
	r = child_spawn(&s, &c);
	if (r)
		return r;
	close(no_free_fd(in_r));
	close(no_free_fd(out_w));

	old_pipe = signal(SIGPIPE, SIG_IGN);
	r = pump(no_free_fd(in_w), input, input_len, out_r, out, max_bytes,
		 end);
	signal(SIGPIPE, old_pipe);
	if (r)
		child_kill(&c);
	w = child_wait(&c, end < 0 ? -1 : max(end - clock_mono_ms(), (int64_t)0),
		       status);
	return r ? r : w;
}

void child_describe(int status, struct strbuf *out)
{
	if (WIFEXITED(status))
		strbuf_addf(out, "exit %d", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		strbuf_addf(out, "signal %d (%s)", WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	else
		strbuf_addf(out, "wait status 0x%x", (unsigned int)status);
}
