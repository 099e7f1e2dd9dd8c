/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_GUEST_JOB_H
#define MMCI_RUNNERS_GUEST_JOB_H

/*
 * A boot, test or bench job in the making: shared by guest-run.c, which boots,
 * guest-selftests.c and guest-benchmarks.c, which fill the guest and read what
 * it says.
 */

#include "runners/boot.h"
#include "runners/guest-plan.h"
#include "runners/guest-profile.h"
#include "runners/initramfs.h"
#include "runners/job.h"
#include "runners/vmtests.h"

/* Kernels turn huge pages off by themselves in guests of this size. */
#define GUEST_THP_ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"

/**
 * struct guest_job - what is being put together and run
 * @job: the job, borrowed
 * @profile: what the guest has
 * @plan: what its init does
 * @fs: what its root holds
 * @tasks: names of the plan's steps, one each, as in "tests" or "benchmarks"
 * @tests: the tests to report, in this order; @step_of says where each runs
 * @step_of: per test the number of its step, -1: it does not run
 * @initrd: path of the written @fs, on the host
 * @disk: path of the swap disk on the host, NULL: none
 * @boots: guests started so far
 * @kvm: guests can use KVM
 * @summary: one line for the result, borrowed
 */
struct guest_job {
	struct job *job;
	struct guest_profile profile;
	struct guest_plan plan;
	struct initramfs *fs;
	char **tasks;
	struct vmtests tests;
	int *step_of;
	char *initrd;
	char *disk;
	unsigned int boots;
	bool kvm;
	struct strbuf *summary;
};

/**
 * guest_add_program() - put guest/ARCH/NAME of the libexec directory into @g
 *
 * Return: 0 or -errno, and @g->summary says why.
 */
int guest_add_program(struct guest_job *g, const char *to, const char *name);
/**
 * guest_add_task() - add a step to the plan
 * @name: what it is called in the result
 *
 * Return: 0; -EINVAL for bad arguments, and @g->summary says so.
 */
int guest_add_task(struct guest_job *g, const char *name,
		   unsigned int timeout_s, const char *const *argv);

/**
 * guest_selftests_prepare() - plan the mm selftests the job asks for
 *
 * Each is run as the tree's own run_vmtests.sh would, see vmtests.h.
 * Return: 0 or -errno, and @g->summary says why.
 */
int guest_selftests_prepare(struct guest_job *g);
/**
 * guest_selftests_report() - set "tests" of the result and the summary
 *
 * Return: %JOB_PASSED or %JOB_FAILED.
 */
int guest_selftests_report(struct guest_job *g, const struct boot_result *b);

/**
 * guest_benchmarks_prepare() - plan the benchmarks the job asks for
 *
 * Return: 0 or -errno, and @g->summary says why.
 */
int guest_benchmarks_prepare(struct guest_job *g);
/**
 * guest_benchmarks_report() - set "benchmarks" from two boots of one image
 */
void guest_benchmarks_report(struct guest_job *g, const struct boot_result *a,
			     const struct boot_result *b);

#endif
