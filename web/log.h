/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_LOG_H
#define MMCI_WEB_LOG_H

#include <jansson.h>
#include <stdint.h>

#include "lib/strbuf.h"

/**
 * log_open() - open the log of an attempt
 * @dir: as in the database, relative to @state_dir
 *
 * Return: a descriptor of a regular file, -ENOENT, or -errno.
 */
int log_open(const char *state_dir, const char *dir);
/**
 * log_window() - some lines of a log, and where to look in the rest
 * @line: the line asked for, counted from 1; 0: the first error, or the end
 *
 * Reads the file once from the start in pieces, keeps only the window.
 *
 * Return: 0 and {size, n_lines, first, last, before, after, marks: [{line,
 * kind: error|warning|stage, text}], more_marks, lines: [{n, kind, text}]};
 * before and after are lines to ask for to see the neighbouring windows, absent
 * at the ends; -errno.
 */
int log_window(int fd, int64_t line, json_t **ret);
/** log_clean() - append one log line as valid UTF-8 without terminal codes */
void log_clean(struct strbuf *out, const char *s, size_t len);

#endif
