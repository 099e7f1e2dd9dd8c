/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_TREE_DIR_H
#define MMCI_KERNEL_SERIES_TREE_DIR_H

#include "lib/strbuf.h"

/**
 * tree_dir_import() - write the files below a directory as one commit
 * @repo: bare repository
 * @dir: directory with kernel sources
 * @ref: ref to set, complete name
 * @commit_hex: receives 40 hex digits and a NUL
 * @describe: appended: the version the Makefile states
 * @why: one line on failure
 *
 * What "git add -A -f" would take: every regular file and symbolic link,
 * ignore files ignored, ".git" left out, the executable bit kept, no
 * conversion of line ends. Other kinds of files are refused.
 *
 * Return: 0; -ENOENT when @dir has no kernel Makefile; -EIO; -errno.
 */
int tree_dir_import(const char *repo, const char *dir, const char *ref,
		    char commit_hex[static 41], struct strbuf *describe,
		    struct strbuf *why);

#endif
