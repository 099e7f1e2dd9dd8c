/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_COMPARE_H
#define MMCI_KERNEL_SERIES_COMPARE_H

#include <jansson.h>

/**
 * compare_versions() - hold an applied series against the version before it
 * @request: docs/design.md section 10.3, worker "apply"
 * @answer: what base_and_apply() gave for it; gets "range_diff", see
 *	range_diff(), and "compare_why": "" or why that says less than it could
 *
 * The older version is taken from its own commits where there are some; else
 * it is applied to the base of the new one. Where neither works the patches
 * are held against each other by patch id and title, without a diff. Numbers
 * are those of the patches. A diff is cut at a limit, which it then says.
 *
 * Nothing is added where there is no older version. It cannot fail: a
 * comparison that does not work is no reason to lose the rest.
 */
void compare_versions(const json_t *request, json_t *answer);

#endif
