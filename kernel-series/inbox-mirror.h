/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_INBOX_MIRROR_H
#define MMCI_KERNEL_SERIES_INBOX_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"

/** MIRROR_HTTP_STATUS - mirror_fetch(): the server answered with an error */
#define MIRROR_HTTP_STATUS 1

/**
 * struct mirror_spec - one repository to mirror
 * @git_dir: ours, made if missing
 * @url: http(s) URL of the repository
 * @contact_url: goes into the User-Agent, may be NULL
 * @since_s: what was committed before is not needed, 0: all is
 * @from_start: nothing was read from the mirror yet
 * @timeout_s: limit for each exchange with the server
 */
struct mirror_spec {
	const char *git_dir;
	const char *url;
	const char *contact_url;
	int64_t since_s;
	bool from_start;
	unsigned int timeout_s;
};

/**
 * mirror_fetch() - bring refs/heads/master of a mirror up to date
 * @cut: whether the mirror lacks older history that the server has
 * @status: for %MIRROR_HTTP_STATUS, the code
 * @why: one line when the result is negative
 *
 * A mirror that was made with &mirror_spec.since_s is shallow. Because a server
 * cuts at the first commit with an older time, and a single wrong clock would
 * cut off everything before it, the mirror is deepened until most of its oldest
 * commits are older.
 *
 * A mirror that git cannot read any more is removed, the next call makes it anew.
 *
 * Return: 0; %MIRROR_HTTP_STATUS; -ETIMEDOUT; -EPROTO when git failed; -errno.
 * Source: git-fetch(1).
 */
int mirror_fetch(const struct mirror_spec *spec, bool *cut, int *status,
		 struct strbuf *why);

#endif
