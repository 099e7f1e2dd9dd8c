/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_BASE_MAINTAINERS_H
#define MMCI_KERNEL_SERIES_BASE_MAINTAINERS_H

#include "lib/strbuf.h"

/**
 * base_maintainers_trees() - the trees MAINTAINERS names for a file
 * @text: content of the kernel's MAINTAINERS
 * @path: a file of the kernel
 * @ret: the T: lines of the section whose F: pattern fits best are appended,
 *	one a line, "git URL BRANCH"
 *
 * Best is the pattern with the most characters: a file before its directory.
 * Source: the text at the top of MAINTAINERS itself.
 */
void base_maintainers_trees(const struct strbuf *text, const char *path,
			    struct strbuf *ret);

/**
 * base_maintainers_match() - is a configured tree one of these?
 * @trees: what base_maintainers_trees() gave
 * @name: as configured: the branch, or the last part of the URL
 */
bool base_maintainers_match(const struct strbuf *trees, const char *name);

#endif
