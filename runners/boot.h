/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_BOOT_H
#define MMCI_RUNNERS_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/child.h"
#include "lib/strbuf.h"
#include "runners/guest-results.h"

/**
 * enum boot_outcome - how a guest ended, a fact about the kernel
 * @BOOT_OK: the plan was worked off to its end
 * @BOOT_PANIC: the kernel said so, on the console or to QEMU
 * @BOOT_HANG: no sign of life for too long, no end in time, or no end of output
 * @BOOT_EARLY_EXIT: it powered itself off before the plan was done
 * @BOOT_RESET: it was reset, by itself or by a triple fault, without a panic
 * @BOOT_NO_START: nothing ever came out of it
 */
enum boot_outcome {
	BOOT_OK,
	BOOT_PANIC,
	BOOT_HANG,
	BOOT_EARLY_EXIT,
	BOOT_RESET,
	BOOT_NO_START,
};

/**
 * struct boot_spec - a guest to run
 * @arch: "x86_64", "arm64" or "s390"; all strings are borrowed
 * @image: kernel image, where QEMU sees it
 * @initrd: initramfs with the plan
 * @disk: raw image of a virtio disk, where QEMU sees it, may be NULL
 * @append: more for the kernel command line, may be NULL
 * @memory_mib: guest memory
 * @cpus: virtual CPUs
 * @nodes: NUMA nodes, 0 or 1: memory is all alike
 * @kvm: use hardware virtualization
 * @icount: count instructions
 * @timeout_s: wall-clock seconds in all
 * @idle_s: wall-clock seconds without a byte on the console or a record
 * @console_max_bytes: more console than this ends the guest
 * @step_timeouts_s: limit of each step of the plan, which may be silent so long
 * @n_steps: steps in the plan
 * @output: called with what the console prints, as it comes, up to
 *	@console_max_bytes; may be NULL
 * @output_arg: passed to @output
 * @spawn: starts QEMU, NULL: child_spawn(); @spawn_arg is passed on
 * @spawn_arg: see @spawn
 */
struct boot_spec {
	const char *arch;
	const char *image;
	const char *initrd;
	const char *disk;
	const char *append;
	unsigned int memory_mib;
	unsigned int cpus;
	unsigned int nodes;
	bool kvm;
	bool icount;
	unsigned int timeout_s;
	unsigned int idle_s;
	size_t console_max_bytes;
	const unsigned int *step_timeouts_s;
	size_t n_steps;
	void (*output)(const char *data, size_t len, void *arg);
	void *output_arg;
	int (*spawn)(const struct child_spec *spec, struct child *ret,
		     void *arg);
	void *spawn_arg;
};

/**
 * struct boot_result - what came of it
 * @outcome: see there
 * @why: one line; empty for %BOOT_OK
 * @seconds: wall-clock seconds until the guest's init ran, or until the end if
 *	it never did
 * @total_seconds: until QEMU had ended
 * @console: everything the kernel printed, at most @console_max_bytes
 * @diagnosis: registers, as the monitor shows them, after a hang
 * @command: QEMU's command line
 * @guest: what init reported
 */
struct boot_result {
	enum boot_outcome outcome;
	struct strbuf why;
	double seconds;
	double total_seconds;
	struct strbuf console;
	struct strbuf diagnosis;
	struct strbuf command;
	struct guest_results guest;
};

/** boot_result_init() - make @r ready for boot_run() */
void boot_result_init(struct boot_result *r, size_t n_steps);
/** boot_result_release() - free what @r holds */
void boot_result_release(struct boot_result *r);
DEFINE_FREE(boot_result, struct boot_result, boot_result_release(&_T))

/** boot_outcome_name() - as in result.json: "ok", "panic", "early-exit" ... */
const char *boot_outcome_name(enum boot_outcome outcome);
/**
 * boot_run() - run one guest to its end
 * @spec: what to run
 * @ret: from boot_result_init() with the same number of steps; console and why
 *	are also set on failure
 *
 * Blocks for at most @spec->timeout_s and a few seconds. Return: 0, the outcome
 * is in @ret; -EIO when QEMU itself failed; -errno when it could not be started.
 * Source: exit reasons from the SHUTDOWN event, QEMU QMP Reference Manual.
 */
int boot_run(const struct boot_spec *spec, struct boot_result *ret);

#endif
