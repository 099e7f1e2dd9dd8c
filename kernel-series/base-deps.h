/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_BASE_DEPS_H
#define MMCI_KERNEL_SERIES_BASE_DEPS_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * base_deps_order() - the earlier series that must be applied first, in order
 * @request: its "needs" (Message-IDs), its "dependencies" ([{key, ids, needs,
 *	patches}]) and the prerequisite-patch-id lines of its mails
 * @prerequisites: patch ids of such lines, separated by newlines, or ""
 * @patches: new array: the patches of all of them, in the order to apply them
 * @answer: new array of {key, state: "used"|"missing"|"cycle", why}
 *
 * What a dependency needs comes before it. A cycle uses nothing that is part of
 * it; the answer says so, the series is then tried without.
 *
 * Return: 0 or -errno.
 * Source: git-format-patch(1), --base, for prerequisite-patch-id.
 */
int base_deps_order(const json_t *request, const char *prerequisites,
		    json_t **patches, json_t **answer);

#endif
