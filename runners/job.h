/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_JOB_H
#define MMCI_RUNNERS_JOB_H

/*
 * One job as mmci-run sees it: what job.json asks for, the log that is written
 * meanwhile and the result.json that is left behind (docs/design.md, 10.2).
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/strbuf.h"

enum job_kind {
	JOB_KIND_BASE,
	JOB_KIND_CHECK,
	JOB_KIND_BUILD,
	JOB_KIND_BOOT,
	JOB_KIND_TEST,
	JOB_KIND_BENCH,
};

/**
 * enum job_outcome - how a job or one stage of it ended
 * @JOB_PASSED: it did what it should
 * @JOB_FAILED: a fact about the kernel under test
 * @JOB_TIMED_OUT: the time of the job was used up
 *
 * What is our own fault is a negative errno instead, and "errored" in the
 * result.
 */
enum job_outcome {
	JOB_PASSED = 0,
	JOB_FAILED = 1,
	JOB_TIMED_OUT = 2,
};

/** struct job_patch - one commit to build; @number counts from 1 */
struct job_patch {
	int64_t number;
	char *commit;
	char *title;
};

/**
 * struct job_limits - what a job may use; every value is set after job_load()
 * @timeout_s: wall-clock seconds for the whole job
 * @memory_mib: resident memory of everything in the sandbox
 * @disk_mib: growth of what the sandbox may write
 * @output_mib: size of the log
 * @processes: processes and threads at once
 */
struct job_limits {
	int64_t timeout_s;
	int64_t memory_mib;
	int64_t disk_mib;
	int64_t output_mib;
	int64_t processes;
};

/**
 * struct job - a job directory that is being executed
 * @dir: absolute path of the job directory
 * @kind: what to do
 * @arch: "x86_64", "arm64" or "s390"
 * @kconfig: name of the configuration
 * @kconfig_text: the fragment for KCONFIG_ALLCONFIG
 * @toolchain: "gcc" or "clang-N"
 * @git_dir: bare repository, absent unless the kind needs it, like the next
 * @base_commit: 40 hex digits
 * @src_dir: exported sources of the base
 * @warm_dir: the warm base
 * @patches: commits to build one after another, @n_patches of them
 * @selftests: names of selftest programs, @n_selftests of them
 * @image: kernel image to boot
 * @selftests_dir: directory with built selftests
 * @libexec_dir: directory that holds guest/ARCH/
 * @benchmarks: JSON array, may be empty
 * @build_uid: uid of the sandbox when we are root, 0 otherwise
 * @build_gid: its gid
 * @make_jobs: argument of make -j
 * @keep_work: leave work/ behind
 * @limits: see there
 * @request: job.json as it was read, for members that belong to one kind only
 * @result: result.json in the making; use the functions below
 * @log_fd: the log
 * @log_bytes: bytes written to the log
 * @log_lines: complete lines written to the log
 * @log_mid_line: the last byte written was no line feed
 * @log_cut: the limit was reached and said so in the log
 * @stage: the running stage, borrowed from @result, or NULL
 * @stage_ms: when it began, clock_mono_ms()
 * @started_s: seconds since the epoch
 * @deadline_ms: clock_mono_ms() at which the time is used up
 */
struct job {
	char *dir;
	enum job_kind kind;
	char *arch;
	char *kconfig;
	char *kconfig_text;
	char *toolchain;
	char *git_dir;
	char *base_commit;
	char *src_dir;
	char *warm_dir;
	struct job_patch *patches;
	size_t n_patches;
	char **selftests;
	size_t n_selftests;
	char *image;
	char *selftests_dir;
	char *libexec_dir;
	json_t *benchmarks;
	uid_t build_uid;
	gid_t build_gid;
	int64_t make_jobs;
	bool keep_work;
	struct job_limits limits;
	json_t *request;

	json_t *result;
	int log_fd;
	int64_t log_bytes;
	int64_t log_lines;
	bool log_mid_line;
	bool log_cut;
	json_t *stage;
	int64_t stage_ms;
	int64_t started_s;
	int64_t deadline_ms;
};

/**
 * job_load() - read and check DIR/job.json, open DIR/log, start the clock
 * @dir: the job directory
 * @ret: on success the job, job_free() releases it
 * @why: on failure one line that names the file and the member
 *
 * Return: 0; -EINVAL for a mistake in job.json; -errno.
 */
int job_load(const char *dir, struct job **ret, struct strbuf *why);
/** job_free() - release a job; NULL is fine */
void job_free(struct job *job);
DEFINE_FREE(job, struct job *, job_free(_T))

/** job_path() - malloc()ed "DIR/NAME" */
char *job_path(const struct job *job, const char *name);
/** job_time_left_ms() - milliseconds until the time is used up, 0 if it is */
int64_t job_time_left_ms(const struct job *job);

/**
 * job_log() - append raw bytes to the log
 *
 * Past @limits.output_mib nothing is written but one line that says so.
 */
void job_log(struct job *job, const void *data, size_t len);
/** job_logf() - append printf()-style text */
__attribute__((format(printf, 2, 3)))
void job_logf(struct job *job, const char *fmt, ...);
/** job_log_line() - number, from 1, of the line that is written next */
int64_t job_log_line(const struct job *job);

/**
 * job_stage() - begin a stage: a line "==> NAME" in the log, a row in "stages"
 *
 * A stage that is still running is ended as passed.
 */
__attribute__((format(printf, 2, 3)))
void job_stage(struct job *job, const char *fmt, ...);
/**
 * job_stage_end() - end the running stage
 * @r: %JOB_PASSED, %JOB_FAILED, %JOB_TIMED_OUT, or negative for "errored"
 */
void job_stage_end(struct job *job, int r);

/** job_environment() - state one fact about how the job ran, one line */
void job_environment(struct job *job, const char *key, const char *text);
/** job_set() - set a member of result.json; takes over the reference @value */
void job_set(struct job *job, const char *key, json_t *value);
/** job_outcome_name() - "passed", "failed", "timed-out", or "errored" for < 0 */
const char *job_outcome_name(int r);
/**
 * job_finish() - write DIR/result.json atomically
 * @r: as for job_stage_end(); also ends the running stage
 * @summary: one line
 *
 * Return: 0 or -errno.
 */
int job_finish(struct job *job, int r, const char *summary);

#endif
