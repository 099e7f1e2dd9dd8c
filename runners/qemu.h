/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_QEMU_H
#define MMCI_RUNNERS_QEMU_H

#include <stdbool.h>

#include "lib/strbuf.h"

#define QEMU_MAX_ARGS 64
/* Name of the virtio port, also in runners/guest/init.c. */
#define QEMU_RESULTS_PORT "mmci.results"

/**
 * struct qemu_spec - one guest
 * @arch: "x86_64", "arm64" or "s390"
 * @image: kernel image; borrowed, like all strings
 * @initrd: initramfs
 * @disk: raw image of a virtio disk, or NULL
 * @append: appended to the kernel command line, may be NULL
 * @memory_mib: guest memory
 * @cpus: virtual CPUs, 1 with @icount
 * @nodes: NUMA nodes that share memory and CPUs evenly, no more than @cpus;
 *	s390, whose machine has none, ignores it
 * @kvm: hardware virtualization, otherwise emulation
 * @icount: the guest's clock counts instructions; excludes @kvm
 * @console_fd: connected socket that becomes the first serial line
 * @results_fd: connected socket that becomes the results port
 * @monitor_fd: connected socket for the QEMU machine protocol
 */
struct qemu_spec {
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
	int console_fd;
	int results_fd;
	int monitor_fd;
};

/** struct qemu_args - argument vector, NULL-terminated; owns its strings */
struct qemu_args {
	char *argv[QEMU_MAX_ARGS + 1];
	size_t argc;
};

/** qemu_args_release() - free the strings */
void qemu_args_release(struct qemu_args *a);
DEFINE_FREE(qemu_args, struct qemu_args, qemu_args_release(&_T))

/** qemu_arch_known() - can guests of this architecture be run? */
bool qemu_arch_known(const char *arch);
/**
 * qemu_program() - name of the emulator, looked up in PATH
 *
 * Return: a static string, NULL for an unknown architecture.
 */
const char *qemu_program(const char *arch);
/**
 * qemu_args_build() - the command line for @spec
 *
 * A reset or power-off of the guest ends QEMU.
 *
 * Return: 0, or -EINVAL for an unknown architecture.
 * Source: qemu-system(1).
 */
int qemu_args_build(const struct qemu_spec *spec, struct qemu_args *ret);
/**
 * qemu_recipe() - the same guest as a person would type it, under emulation
 * @arch: a known architecture, or nothing is appended
 * @image: kernel image, as it is to be named
 * @fold: put where a long line may be broken
 * @out: appended to; the initramfs is called ROOTFS
 */
void qemu_recipe(const char *arch, const char *image, const char *fold,
		 struct strbuf *out);
/** qemu_args_text() - the same as a line for a shell, for logs */
void qemu_args_text(const struct qemu_args *a, struct strbuf *out);

#endif
