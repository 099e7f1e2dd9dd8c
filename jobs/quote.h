/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_QUOTE_H
#define MMCI_JOBS_QUOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"

/**
 * quote_line() - quote the hunk of a mailed diff that gives one line
 * @mail_text: text of the patch mail
 * @file: path in the tree, without a/ or b/
 * @line: number in the file after the patch
 * @context: lines wanted before it
 * @out: appended: the file and hunk headers and the lines up to and including
 *	that one, each with "> " before it; untouched when there is none
 *
 * A reviewer writes below the line that is wrong, so it comes last.
 *
 * Return: is the line in one of the hunks?
 * Source: the unified format, diff(1).
 */
bool quote_line(const char *mail_text, const char *file, int64_t line,
		unsigned int context, struct strbuf *out);

#endif
