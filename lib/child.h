/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_CHILD_H
#define MMCI_LIB_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/strbuf.h"

/**
 * struct child_limits - what one child process may use; 0 means unlimited
 * @memory_bytes: address space (RLIMIT_AS); ignored in sanitizer builds, whose
 *	shadow memory alone exceeds any limit that is useful
 * @cpu_s: processor seconds (RLIMIT_CPU)
 * @file_bytes: size of any file written (RLIMIT_FSIZE)
 * @processes: processes of the uid (RLIMIT_NPROC); does not bind root
 * @stack_bytes: stack (RLIMIT_STACK)
 */
struct child_limits {
	uint64_t memory_bytes;
	uint64_t cpu_s;
	uint64_t file_bytes;
	uint64_t processes;
	uint64_t stack_bytes;
};

/**
 * struct child_spec - how to start a process
 * @argv: program (looked up in PATH) and arguments, NULL-terminated
 * @envp: whole environment, NULL-terminated; NULL: only PATH, HOME=/nonexistent
 *	and LANG=C.UTF-8
 * @cwd: working directory, NULL: unchanged
 * @stdin_fd: becomes fd 0, -1: /dev/null
 * @stdout_fd: becomes fd 1, -1: /dev/null
 * @stderr_fd: becomes fd 2, -1: inherited
 * @keep_fd: one more descriptor left open under the same number, 0 or less: none
 * @pass_fds: further ones, the same way, 0: none
 * @uid: switch to this uid and @gid, dropping all groups; 0: keep
 * @gid: see @uid
 * @detach: own session, outlives us; otherwise own process group and killed
 *	with us (PR_SET_PDEATHSIG)
 * @limits: resource limits
 *
 * All other descriptors are closed in the child.
 */
struct child_spec {
	const char *const *argv;
	const char *const *envp;
	const char *cwd;
	int stdin_fd;
	int stdout_fd;
	int stderr_fd;
	int keep_fd;
	int pass_fds[4];
	uid_t uid;
	gid_t gid;
	bool detach;
	struct child_limits limits;
};

#define CHILD_SPEC_INIT { .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1 }

/** struct child - a started process; @pidfd is readable once it has ended */
struct child {
	pid_t pid;
	int pidfd;
};

/**
 * child_spawn() - start a process in a process group of its own
 * @ret: filled on success; child_wait() releases it
 *
 * Return: 0, or -errno, also when the program cannot be executed.
 */
int child_spawn(const struct child_spec *spec, struct child *ret);
/**
 * child_wait() - wait for the end and release @c
 * @timeout_ms: negative: for ever. At the deadline the whole group is killed.
 * @status: as from waitpid(2)
 *
 * Return: 0, or -ETIMEDOUT when the child had to be killed.
 */
int child_wait(struct child *c, int64_t timeout_ms, int *status);
/** child_kill() - SIGKILL to the whole process group of @c */
void child_kill(const struct child *c);
/**
 * child_run() - run to the end, feed @input, collect stdout
 * @spec: stdin_fd and stdout_fd are ignored
 * @input: bytes for stdin, may be NULL
 * @out: stdout is appended
 * @max_bytes: more output than this kills the child
 * @timeout_ms: more time than this kills the child, negative: for ever
 * @status: as from waitpid(2)
 *
 * Return: 0; -EFBIG; -ETIMEDOUT; or -errno when it could not be started.
 */
int child_run(const struct child_spec *spec, const void *input,
	      size_t input_len, struct strbuf *out, size_t max_bytes,
	      int64_t timeout_ms, int *status);
/** child_describe() - "exit 2", "signal 9 (Killed)" for a wait status */
void child_describe(int status, struct strbuf *out);

#endif
