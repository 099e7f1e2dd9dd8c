/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_SANDBOX_H
#define MMCI_RUNNERS_SANDBOX_H

/*
 * Runs a stranger's code: make rules, host tools, an emulator with a kernel.
 *
 * The command gets user, mount, pid, network, ipc, uts and cgroup namespaces
 * of its own, no network but an unconnected loopback, a read-only /usr, a few
 * files of /etc, private /proc, /dev, /tmp and nothing else but what the
 * caller binds. It runs as an unprivileged uid without capabilities, under a
 * seccomp filter and limits. When it ends or breaks a limit, everything it
 * started dies.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/strbuf.h"

/** struct sandbox_bind - a file or directory of the host, seen at @to */
struct sandbox_bind {
	const char *from;
	const char *to;
	bool writable;
	bool device;
};

/**
 * struct sandbox_overlay - a writable view of a directory that stays as it is
 * @lower: the directory, only read
 * @layer: directory that receives "upper" and "work"; belongs to the uid
 * @to: where the command sees it
 */
struct sandbox_overlay {
	const char *lower;
	const char *layer;
	const char *to;
};

#define SANDBOX_MAX_BINDS 12
#define SANDBOX_MAX_OVERLAYS 2

/**
 * struct sandbox_limits - 0 means unlimited
 * @time_ms: wall-clock time
 * @memory_bytes: resident memory of all processes together
 * @processes: processes and threads at once
 * @output_bytes: what it prints
 * @disk_bytes: growth of the overlays' upper layers and the writable binds;
 *	also the size of any one file
 */
struct sandbox_limits {
	int64_t time_ms;
	int64_t memory_bytes;
	int64_t processes;
	int64_t output_bytes;
	int64_t disk_bytes;
};

/**
 * struct sandbox_spec - what to run and what it may see; all borrowed
 * @argv: program and arguments, NULL-terminated
 * @fn: instead of @argv: called inside, its value is the exit status. It runs
 *	in a fork of this process and must not rely on threads or the heap of
 *	others.
 * @arg: for @fn
 * @envp: the whole environment, NULL-terminated; NULL: empty
 * @cwd: working directory, NULL: "/"
 * @uid: uid to run as; only root can choose another than its own, and must
 * @gid: its gid
 * @binds: up to the first one without @from
 * @overlays: up to the first one without @lower
 * @limits: see there
 * @stdin_fd: what the command reads, -1: /dev/null
 * @pass_fds: further descriptors that stay open under their number, 0: none
 * @output: receives stdout and stderr as it comes; NULL: dropped
 * @output_arg: for @output
 */
struct sandbox_spec {
	const char *const *argv;
	int (*fn)(void *arg);
	void *arg;
	const char *const *envp;
	const char *cwd;
	uid_t uid;
	gid_t gid;
	struct sandbox_bind binds[SANDBOX_MAX_BINDS];
	struct sandbox_overlay overlays[SANDBOX_MAX_OVERLAYS];
	struct sandbox_limits limits;
	int stdin_fd;
	int pass_fds[4];
	void (*output)(const char *data, size_t len, void *arg);
	void *output_arg;
};

#define SANDBOX_SPEC_INIT { .stdin_fd = -1 }

/** enum sandbox_end - why the command is no longer running */
enum sandbox_end {
	SANDBOX_EXITED,
	SANDBOX_TIME,
	SANDBOX_MEMORY,
	SANDBOX_OUTPUT,
	SANDBOX_DISK,
};

/**
 * struct sandbox_result - what became of it
 * @end: which limit ended it, if one did
 * @status: as from waitpid(2); only valid for %SANDBOX_EXITED
 * @leftovers: processes it left behind, which were killed
 * @oom_kills: processes the kernel killed for memory (cgroups only)
 * @forks_refused: the limit of processes was hit (cgroups only)
 * @seconds: wall-clock time
 */
struct sandbox_result {
	enum sandbox_end end;
	int status;
	int leftovers;
	int64_t oom_kills;
	bool forks_refused;
	double seconds;
};

/**
 * sandbox_run() - run a command contained, to its end
 * @ret: filled when 0 is returned
 * @why: one line when the result is not 0, untouched otherwise
 *
 * Return: 0 when the command was started, however it ended; -EPERM when the
 * host forbids namespaces or we may not become @spec->uid; -errno.
 */
int sandbox_run(const struct sandbox_spec *spec, struct sandbox_result *ret,
		struct strbuf *why);
/**
 * sandbox_supported() - can this host contain commands?
 * @uid: as in struct sandbox_spec
 * @gid: as in struct sandbox_spec
 * @why: what is missing when it cannot
 */
bool sandbox_supported(uid_t uid, gid_t gid, struct strbuf *why);
/**
 * sandbox_describe() - one line about how a command ended that broke a rule
 *
 * Names the limit, left-over processes, refused forks. Return: false, and
 * nothing appended, when there is nothing to say.
 */
bool sandbox_describe(const struct sandbox_spec *spec,
		      const struct sandbox_result *res, struct strbuf *out);
/** sandbox_limits_text() - one line: what enforces which limit on this host */
void sandbox_limits_text(const struct sandbox_limits *l, struct strbuf *out);

#endif
