// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/guest-sandbox.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runners/qemu.h"

#define EXIT_SANDBOX 125
#define EXIT_LIMIT 124

static void say(const char *data, size_t len, void *arg)
{
	const int *fd = arg;

	while (len) {
		ssize_t n = write(*fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* nobody listens any more */
		data += n;
		len -= (size_t)n;
	}
}

/* Exit like the command did, so that the caller sees QEMU's own status. */
__attribute__((noreturn))
static void exit_like(const struct sandbox_spec *s,
		      const struct sandbox_result *res, int fd)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	if (res->end == SANDBOX_EXITED && WIFEXITED(res->status))
		_exit(WEXITSTATUS(res->status));
	sandbox_describe(s, res, &why);
	say(why.buf, why.len, &fd);
	_exit(res->end == SANDBOX_EXITED ? 128 + WTERMSIG(res->status) :
					   EXIT_LIMIT);
}

__attribute__((noreturn))
static void watch_over(const struct child_spec *spec,
		       const struct guest_sandbox *g)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "HOME=/tmp",
					   "LANG=C.UTF-8", NULL };
	/* env looks the program up in PATH, as seen in the sandbox */
	const char *argv[QEMU_MAX_ARGS + 2] = { "/usr/bin/env" };
	struct sandbox_spec s = SANDBOX_SPEC_INIT;
	struct strbuf why = STRBUF_INIT;
	struct sandbox_result res;
	int fd = spec->stdout_fd;
	size_t n = 0;

	for (size_t i = 0; i < QEMU_MAX_ARGS && spec->argv[i]; i++)
		argv[1 + i] = spec->argv[i];
	s.argv = argv;
	s.envp = env;
	s.uid = g->uid;
	s.gid = g->gid;
	s.limits = g->limits;
	s.binds[n++] = (struct sandbox_bind){ .from = g->image,
					      .to = GUEST_SANDBOX_IMAGE };
	s.binds[n++] = (struct sandbox_bind){ .from = g->initrd,
					      .to = GUEST_SANDBOX_INITRD };
	if (g->disk)
		s.binds[n++] = (struct sandbox_bind){ .from = g->disk,
						      .to = GUEST_SANDBOX_DISK,
						      .writable = true };
	if (g->kvm)
		s.binds[n++] = (struct sandbox_bind){ .from = "/dev/kvm",
						      .to = "/dev/kvm",
						      .writable = true,
						      .device = true };
	memcpy(s.pass_fds, spec->pass_fds, sizeof(s.pass_fds));
	s.output = say;
	s.output_arg = &fd;
	if (!sandbox_run(&s, &res, &why))
		exit_like(&s, &res, fd);
	say(why.buf, why.len, &fd);
	_exit(EXIT_SANDBOX);
}

int guest_sandbox_spawn(const struct child_spec *spec, struct child *ret,
			void *arg)
{
	pid_t parent = getpid();
	int e;

	ret->pid = fork();
	if (ret->pid < 0)
		return -errno;
	if (!ret->pid) {
		setpgid(0, 0);
		signal(SIGPIPE, SIG_IGN);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_SANDBOX);
		watch_over(spec, arg);
	}
	setpgid(ret->pid, ret->pid);
	ret->pidfd = (int)syscall(SYS_pidfd_open, ret->pid, 0);
	if (ret->pidfd >= 0)
		return 0;
	e = errno;
	child_kill(ret);
	waitpid(ret->pid, NULL, 0);
	return -e;
}
