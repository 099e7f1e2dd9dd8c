/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_SANDBOX_INSIDE_H
#define MMCI_RUNNERS_SANDBOX_INSIDE_H

/* The half of the sandbox that runs inside it; for sandbox.c alone. */

#include "runners/sandbox.h"

/**
 * struct sandbox_report - what the warden says over its pipe
 * @error: errno of a set-up step that failed, 0 otherwise
 * @step: that step, a string constant of this program
 * @ended: the command has ended, @status and @leftovers hold
 * @memory: the warden's own watch found more resident memory than allowed
 */
struct sandbox_report {
	int error;
	char step[60];
	bool ended;
	bool memory;
	int status;
	int leftovers;
};

/* No control group does it: the warden measures memory, RLIMIT_NPROC binds. */
#define SANDBOX_GO_WATCH_MEMORY 1
#define SANDBOX_GO_LIMIT_PROCESSES 2

/**
 * sandbox_launch() - become the sandbox; runs in a fresh fork, never returns
 * @go_fd: waits here for one byte, SANDBOX_GO_*: the control groups are ready
 * @report_fd: struct sandbox_report is written here
 * @out_fd: stdout and stderr of the command
 * @parent: die when this process does
 */
__attribute__((noreturn))
void sandbox_launch(const struct sandbox_spec *spec, int go_fd, int report_fd,
		    int out_fd, pid_t parent);

/** sandbox_filter() - load the seccomp filter; 0 or -errno */
int sandbox_filter(void);

#endif
