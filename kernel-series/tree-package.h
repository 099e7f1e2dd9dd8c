/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_TREE_PACKAGE_H
#define MMCI_KERNEL_SERIES_TREE_PACKAGE_H

#include "lib/strbuf.h"

/**
 * tree_package_unpack() - fetch a Debian source package of the kernel
 * @package: "linux-source-6.12", or "linux-source-7.3/SUITE" to name a suite
 * @dir: empty scratch directory; the sources are unpacked below it
 * @sources: appended: the directory with the sources
 * @describe: appended: package name and exact version
 * @why: one line on failure
 *
 * The mirror is the one in apt's own configuration. Without a suite these are
 * searched: the release that runs here, its backports, stable, its backports.
 * Nothing is installed and apt's own lists are not touched.
 *
 * Return: 0; -EINVAL for a strange name; -ENOENT if no suite has the package;
 * -EIO when a program failed; -ETIMEDOUT; -errno.
 * Source: apt-get(8), dpkg-deb(1), sources.list(5).
 */
int tree_package_unpack(const char *package, const char *dir,
			struct strbuf *sources, struct strbuf *describe,
			struct strbuf *why);

#endif
