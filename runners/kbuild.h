/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_KBUILD_H
#define MMCI_RUNNERS_KBUILD_H

/* The kernel's own build, called with the same variables every time. */

#include "runners/workspace.h"

/**
 * struct kbuild_arch - what differs between architectures
 * @name: as in job.json
 * @cross: prefix of the GNU tools, "" for the host's own
 * @goal: make target of the bootable image
 * @image: where that lies in the object directory
 */
struct kbuild_arch {
	const char *name;
	const char *cross;
	const char *goal;
	const char *image;
};

/** kbuild_arch() - look an architecture up by name, NULL if unknown */
const struct kbuild_arch *kbuild_arch(const char *name);
/**
 * kbuild_check_tools() - can jobs of this architecture and toolchain run here?
 *
 * Return: 0; -EINVAL for an unknown architecture, -ENOENT when the compiler is
 * not installed, with @why.
 */
int kbuild_check_tools(const struct job *job, struct strbuf *why);

/**
 * struct kbuild_result - what one call of make came to
 * @out: everything it printed
 * @log_line: line of the job's log where that begins
 * @seconds: wall-clock time
 * @r: %JOB_PASSED; %JOB_FAILED when make says so and nothing else did;
 *	%JOB_TIMED_OUT; or -errno: a limit, not the kernel, ended it
 * @note: one line about limits and left-over processes, may be empty
 */
struct kbuild_result {
	struct strbuf out;
	int64_t log_line;
	double seconds;
	int r;
	struct strbuf note;
};

#define KBUILD_RESULT_INIT { .out = STRBUF_INIT, .note = STRBUF_INIT }

/** kbuild_result_release() - free what a result holds */
void kbuild_result_release(struct kbuild_result *res);

/**
 * kbuild_make() - run make on the kernel with W=1 -k
 * @words: goals and further variables, NULL-terminated
 * @res: KBUILD_RESULT_INIT or a result to be overwritten
 *
 * Return: 0 when make ran, see @res->r; -errno.
 */
int kbuild_make(struct workspace *ws, const char *const *words,
		struct kbuild_result *res, struct strbuf *why);
/**
 * kbuild_make_file() - the same for one goal of another makefile, in /build
 * @file: the makefile
 * @goal: what to make of it
 */
int kbuild_make_file(struct workspace *ws, const char *file, const char *goal,
		     struct kbuild_result *res, struct strbuf *why);
/**
 * kbuild_configure() - tinyconfig plus the job's fragment
 * @dropped: JSON array of one line for each symbol that came out differently
 *
 * Return: as kbuild_make().
 * Source: Documentation/kbuild/kconfig.rst on KCONFIG_ALLCONFIG.
 */
int kbuild_configure(struct workspace *ws, struct kbuild_result *res,
		     json_t **dropped, struct strbuf *why);
/**
 * kbuild_dropped() - compare a fragment with the configuration it led to
 * @fragment: lines CONFIG_X=V or "# CONFIG_X is not set"
 * @config: text of .config
 *
 * Return: a new JSON array of lines "CONFIG_X: asked V, got W".
 */
json_t *kbuild_dropped(const char *fragment, const char *config);
/**
 * kbuild_selftests() - build the mm selftests into /out/selftests
 * @names: JSON array of the programs that came out, a new reference
 *
 * What does not build is in the log and missing from @names.
 * Return: 0 or -errno.
 */
int kbuild_selftests(struct workspace *ws, json_t **names, struct strbuf *why);
/**
 * kbuild_take() - copy a file of the object directory to /out
 * @from: relative to /build
 * @to: name in /out
 *
 * Return: 0; -ENOENT when it does not exist; -errno.
 */
int kbuild_take(struct workspace *ws, const char *from, const char *to,
		struct strbuf *why);
/** kbuild_environment() - state compiler and make in the result */
void kbuild_environment(struct workspace *ws);

#endif
