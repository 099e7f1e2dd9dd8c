/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_INITRAMFS_H
#define MMCI_RUNNERS_INITRAMFS_H

#include <stdint.h>

#include "lib/strbuf.h"

/* Archives larger than this do not fit beside a test in a small guest. */
#define INITRAMFS_MAX_BYTES (256u << 20)

struct initramfs;

/**
 * initramfs_new() - an empty root file system
 *
 * It has / and /dev/console, without which process 1 has no output.
 */
struct initramfs *initramfs_new(void);
/** initramfs_free() - free @fs; takes NULL */
void initramfs_free(struct initramfs *fs);
DEFINE_FREE(initramfs, struct initramfs *, initramfs_free(_T))

/**
 * initramfs_add() - add a regular file and the directories above it
 * @path: absolute, in the guest; a second file of the same path replaces the
 *	first
 * @mode: permission bits
 * @data: copied
 *
 * Return: 0; -EINVAL for a path that is not absolute or has "." or ".."
 * components; -EFBIG when all files exceed %INITRAMFS_MAX_BYTES.
 */
int initramfs_add(struct initramfs *fs, const char *path, uint32_t mode,
		  const void *data, size_t len);
/**
 * initramfs_add_file() - the same with the content of the host's file @from
 *
 * Return: as initramfs_add(), or -errno of reading @from.
 */
int initramfs_add_file(struct initramfs *fs, const char *path, uint32_t mode,
		       const char *from);
/** initramfs_add_dir() - add a directory with mode 0755 and those above it */
int initramfs_add_dir(struct initramfs *fs, const char *path);
/**
 * initramfs_write() - the archive as file @path
 *
 * The same content gives the same bytes, whatever the order of the calls and
 * the time: entries are sorted, numbered and dated alike.
 *
 * Return: 0 or -errno.
 * Source: Documentation/driver-api/early-userspace/buffer-format.rst, "newc".
 */
int initramfs_write(struct initramfs *fs, const char *path);

#endif
