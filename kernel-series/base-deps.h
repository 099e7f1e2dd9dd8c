/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_BASE_DEPS_H
#define MMCI_KERNEL_SERIES_BASE_DEPS_H

#include <jansson.h>

/**
 * base_deps_order() - the earlier series that must be applied first, in order
 * @request: its "needs" (keys, ids, or names that nothing is known of) and
 *	its "dependencies" ([{key, ids, needs, patches, broken, note}])
 * @patches: new array: the patches of all of them, in the order to apply them
 * @answer: new array of {key, state: "used"|"missing"|"cycle", why}
 *
 * What a dependency needs comes before it. A cycle uses nothing that is part of
 * it, and one with "broken" is not used, for that reason; the answer says so,
 * and the series is then tried without.
 */
void base_deps_order(const json_t *request, json_t **patches,
		     json_t **answer);

#endif
