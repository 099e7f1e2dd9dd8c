/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_GIT_LOOSE_H
#define MMCI_KERNEL_SERIES_GIT_LOOSE_H

struct git_odb_backend;

/**
 * loose_backend() - a backend of libgit2 that writes loose objects, as they are
 * @dir: the repository's directory "objects"; copied
 *
 * What applying writes is packed within hours (see repack.h), and to deflate it
 * is a third of what applying costs: the zlib streams hold stored blocks. It
 * only writes; the repository's own backends read what it wrote.
 *
 * Return: owned by the object database it is added to.
 * Source: gitformat-loose in git's documentation, RFC 1950, RFC 1951 3.2.4.
 */
struct git_odb_backend *loose_backend(const char *dir);

#endif
