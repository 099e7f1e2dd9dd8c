/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_GIT_PROGRAM_H
#define MMCI_KERNEL_SERIES_GIT_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

/*
 * The git program, for what libgit2 does not do or must not decide: fetching
 * with a deadline, bulk import, and git am, whose verdict is the one that
 * counts. It sees no configuration but ours and never asks anybody anything.
 */

/**
 * struct git_program - one run of the git program
 * @repo: --git-dir, or NULL
 * @cwd: working directory, or NULL
 * @env: more NAME=VALUE strings, NULL-terminated, or NULL
 * @argv: what follows "git", NULL-terminated
 * @input: bytes for stdin, or NULL
 * @input_len: how many
 * @max_bytes: limit of the output, 0: 64 MiB
 * @timeout_ms: deadline, 0: ten minutes
 */
struct git_program {
	const char *repo;
	const char *cwd;
	const char *const *env;
	const char *const *argv;
	const void *input;
	size_t input_len;
	size_t max_bytes;
	int64_t timeout_ms;
};

/**
 * git_program_run() - run git to its end
 * @g: what to run
 * @out: stdout is appended; NULL drops it
 * @err: stderr is appended, cut at 64 KiB; NULL drops it
 * @exit_code: its exit status, 128 + N for signal N
 *
 * Return: 0 when it ran, whatever it answered; -ETIMEDOUT; -EFBIG; -errno.
 */
int git_program_run(const struct git_program *g, struct strbuf *out,
		    struct strbuf *err, int *exit_code);

/**
 * git_program_ok() - run git and insist on exit status 0
 * @why: on failure one line: the verb and the last line it printed
 *
 * Return: 0; -EIO when git said no; the errors of git_program_run().
 */
int git_program_ok(const struct git_program *g, struct strbuf *out,
		   struct strbuf *why);

/**
 * git_program_env() - the environment git runs in, for long-lived children
 *
 * Return: a NULL-terminated array, the caller frees the array only; @more must
 * outlive it.
 */
const char **git_program_env(const char *const *more);

#endif
