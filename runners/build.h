/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_BUILD_H
#define MMCI_RUNNERS_BUILD_H

#include "runners/job.h"

/**
 * run_base() - build the warm base of a job, or find it built
 * @summary: one line, whatever the outcome
 *
 * A base that does not compile is a warm base like any other: its diagnostics
 * are what series are compared with.
 *
 * Return: %JOB_PASSED, %JOB_FAILED, %JOB_TIMED_OUT, or -errno.
 */
int run_base(struct job *job, struct strbuf *summary);
/**
 * run_build() - apply and build the patches of a job, one after another
 * @summary: one line, whatever the outcome
 *
 * Return: as run_base().
 */
int run_build(struct job *job, struct strbuf *summary);

#endif
