/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_CONSOLE_SCAN_H
#define MMCI_RUNNERS_CONSOLE_SCAN_H

/* Inside the console parser: finding the few lines that matter, fast. */

#include "runners/console-rule.h"

/**
 * con_scan() - the next place that holds the word of a family
 * @text: the whole console
 * @from: start looking at this offset
 * @family: set to the family found
 *
 * Skips ahead by as much as the shortest word allows, so that a quiet console
 * is hardly looked at.
 *
 * Return: offset of the word, -1 if there is none.
 * Source: S. Wu, U. Manber, "A fast algorithm for multi-pattern searching", 1994.
 */
ssize_t con_scan(struct span text, size_t from,
		 const struct con_family **family);

#endif
