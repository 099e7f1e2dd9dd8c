/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_GUEST_RUN_H
#define MMCI_RUNNERS_GUEST_RUN_H

#include "lib/strbuf.h"

struct job;

/**
 * guest_run() - execute a job of kind "boot", "test" or "bench"
 * @job: sets "boot", "tests" and "benchmarks" of the result, its stages and
 *	environment; the consoles go to the log and to artefacts/
 * @summary: one line, set on every return
 *
 * Return: %JOB_PASSED; %JOB_FAILED when the kernel did not boot, crashed, or a
 * test failed; %JOB_TIMED_OUT; or -errno when the host side failed, for
 * instance -ENOENT without an image or a guest program for the architecture.
 */
int guest_run(struct job *job, struct strbuf *summary);

#endif
