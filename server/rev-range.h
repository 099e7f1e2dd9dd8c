/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_SERVER_REV_RANGE_H
#define MMCI_SERVER_REV_RANGE_H

#include <stdbool.h>

#include "lib/strbuf.h"

/** rev_range_is() - does this name commits (A.., A..B) rather than a file? */
bool rev_range_is(const char *arg);
/**
 * rev_range_mbox() - the commits of a range as an mbox of patch mails
 * @range: of the git repository one stands in, "HEAD~3.." for three
 * @mbox: appended: git format-patch with Message-IDs, one thread, and the
 *	base-commit
 * @why: on failure, one line
 *
 * Return: 0; -EINVAL when git refuses; -errno.
 */
int rev_range_mbox(const char *range, struct strbuf *mbox, struct strbuf *why);

#endif
