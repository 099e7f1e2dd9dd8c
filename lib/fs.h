/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_FS_H
#define MMCI_LIB_FS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/strbuf.h"

/**
 * fs_read_file() - append a whole file to @sb
 * @max_bytes: larger files give -EFBIG, @sb then holds the first @max_bytes
 *
 * Return: 0 or -errno.
 */
int fs_read_file(const char *path, size_t max_bytes, struct strbuf *sb);
/**
 * fs_write_atomic() - replace @path by @data: temporary file, fsync(), rename()
 *
 * Return: 0 or -errno; after an error @path is what it was.
 */
int fs_write_atomic(const char *path, const void *data, size_t len);
/** fs_mkdir_p() - mkdir -p with mode 0755; return 0 or -errno */
int fs_mkdir_p(const char *path);
/** fs_mkdir_parent() - the same for the directory that holds @path */
int fs_mkdir_parent(const char *path);
/**
 * fs_rm_rf() - remove a tree without following symbolic links out of it
 *
 * Directories without write or search permission are opened up first. A path
 * that does not exist is success. Return: 0 or -errno of the first failure.
 */
int fs_rm_rf(const char *path);
/** fs_exists() - is there anything at @path? */
bool fs_exists(const char *path);
/** fs_copy_file() - copy bytes and mode, reflink where possible; 0 or -errno */
int fs_copy_file(const char *from, const char *to);
/** fs_du_bytes() - disk space used below @path (st_blocks), 0 if none */
int64_t fs_du_bytes(const char *path);
/** fs_chown_tree() - lchown() everything below and including @path */
int fs_chown_tree(const char *path, uid_t uid, gid_t gid);
/**
 * fs_path_is_safe() - may a stranger name this path relative to a tree?
 *
 * False for an empty or absolute path, "." or ".." components, empty
 * components, a component equal to ".git" in any case, control bytes, or more
 * than 4095 bytes.
 */
bool fs_path_is_safe(const char *path);

#endif
