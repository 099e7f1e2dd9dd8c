/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_INVISIBLE_H
#define MMCI_KERNEL_SERIES_INVISIBLE_H

#include <jansson.h>
#include <stddef.h>

/**
 * invisible_find() - characters that change a text and do not show
 * @text: @len bytes of UTF-8, like a mail's @display
 *
 * Format characters (Unicode general category Cf) and the other characters
 * that steer the direction of text. On a line that has letters of a non-Latin
 * script they belong to the writing and are left alone, but for those that
 * override its direction.
 *
 * Return: new array of {"line" (from 1), "column" (characters, from 0),
 * "char", "char_name"}, at most 100.
 * Source: The Unicode Standard, section 23.2 and 4.5.
 */
json_t *invisible_find(const char *text, size_t len);

#endif
