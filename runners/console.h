/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_CONSOLE_H
#define MMCI_RUNNERS_CONSOLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Longest report text kept; a longer one says "report_cut": true. */
#define CONSOLE_MAX_REPORT_BYTES (256 * 1024)
#define CONSOLE_MAX_REPORTS 64
#define CONSOLE_MAX_FRAMES 64

/**
 * console_has_report() - does a kernel console hold any crash report?
 *
 * Cheap enough for the whole console of every boot.
 */
bool console_has_report(const void *data, size_t len);

/**
 * console_parse() - the first report of a kernel console
 * @data: the console, timestamps and prefixes as they come
 * @len: bytes of @data
 *
 * Result, a new reference:
 *
 *	has_report	false: nothing here is a crash; the rest is null or false then
 *	title		one line that is the same for the same crash, whatever the
 *			addresses, offsets, CPUs, processes; null without report
 *	alt_titles	other names the same crash may get, sorted
 *	type		class of the title: "KASAN-READ", "WARNING", "HANG", ...
 *	frame		function the title was made from, or null
 *	frames		functions of the first stack, innermost first
 *	corrupted	cut off, mixed with another report or without usable stack
 *	corrupted_why	the reason, or null
 *	suppressed	noise: the test program or init was killed, and the like
 *	panicked	the kernel panicked in or after the report
 *	executor	"proc=N, id=N" of a fuzzer's log, or null
 *	arch		"x86_64" | "arm64" | "s390" | ..., or null if it does not show
 *	start_line, end_line	line numbers of the report, from 1
 *	report		its text without prefixes and timestamps
 *	report_cut	true if it was longer than %CONSOLE_MAX_REPORT_BYTES
 *
 * Return: the result, never NULL; any bytes are acceptable input.
 */
json_t *console_parse(const void *data, size_t len);

/**
 * console_parse_all() - all reports of a kernel console, in order
 *
 * Return: a new array of at most %CONSOLE_MAX_REPORTS objects as
 * console_parse() makes them; empty when there is none.
 */
json_t *console_parse_all(const void *data, size_t len);

#endif
