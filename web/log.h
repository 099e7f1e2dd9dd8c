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
 * Reads the file once from the start in pieces, keeps only the window; what was
 * found in the rest is kept, so that the next look reads only what is new.
 *
 * Return: 0 and {size, n_lines, n_whole (lines that have their newline), end
 * (where they end, in bytes), first, last, before, after, first_error, marks:
 * [{line, kind: error|warning|stage, text}], more_marks, lines: [{n, kind, text,
 * parts}]}, parts as log_parts() where there are colours;
 * before and after are lines to ask for to see the neighbouring windows, absent
 * at the ends; -errno.
 */
int log_window(int fd, int64_t line, json_t **ret);
/** log_clean() - append one log line as valid UTF-8 without terminal codes */
void log_clean(struct strbuf *out, const char *s, size_t len);

/** log_kind() - what a reader may want to jump to: "error", "warning", "stage" */
const char *log_kind(const char *s, size_t len);
/**
 * log_parts() - the same line as log_clean() in parts of one look each
 *
 * Return: array of {c, text}, c of the classes a-b (bold) and a-1 to a-7 (the
 * colours of ECMA-48, red to white); NULL for a line without terminal codes.
 */
json_t *log_parts(const char *s, size_t len);

#endif
