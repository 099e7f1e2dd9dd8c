/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_GUEST_SANDBOX_H
#define MMCI_RUNNERS_GUEST_SANDBOX_H

#include <stdbool.h>

#include "lib/child.h"
#include "runners/sandbox.h"

/* Where QEMU sees its files. */
#define GUEST_SANDBOX_IMAGE "/guest/image"
#define GUEST_SANDBOX_INITRD "/guest/initramfs.cpio"
#define GUEST_SANDBOX_DISK "/guest/disk"

/**
 * struct guest_sandbox - what surrounds a guest's QEMU; all borrowed
 * @image: kernel image on the host
 * @initrd: initramfs on the host
 * @disk: image of a disk on the host, which the guest may write, or NULL
 * @uid: uid to run as, see struct sandbox_spec
 * @gid: its gid
 * @kvm: /dev/kvm is there too
 * @limits: see struct sandbox_limits
 */
struct guest_sandbox {
	const char *image;
	const char *initrd;
	const char *disk;
	uid_t uid;
	gid_t gid;
	bool kvm;
	struct sandbox_limits limits;
};

/**
 * guest_sandbox_spawn() - start QEMU in the sandbox, for struct boot_spec
 * @spec: argv, stdout_fd and pass_fds are used
 * @ret: the process that watches over the sandbox; QEMU dies with it
 * @arg: a struct guest_sandbox
 *
 * When the sandbox itself fails, that process says why on stdout_fd and exits
 * with status 125.
 *
 * Return: 0 or -errno.
 */
int guest_sandbox_spawn(const struct child_spec *spec, struct child *ret,
			void *arg);

#endif
