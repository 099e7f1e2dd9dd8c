/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_LINES_H
#define MMCI_WEB_LINES_H

#include <jansson.h>

/**
 * lines_of() - lines of a diff, for a template that colours them
 * @skip: bytes before the mark of a line: 2 for one that is quoted with "> "
 *
 * Return: array of {text, c}; c is "add", "del", "at" (a hunk's header) or "".
 */
json_t *lines_of(const char *text, size_t skip);

#endif
