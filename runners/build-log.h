/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_BUILD_LOG_H
#define MMCI_RUNNERS_BUILD_LOG_H

#include <jansson.h>
#include <stddef.h>

/**
 * struct build_log_options - where the build ran
 * @src_prefix: directory of the sources as it appears in messages ("/src"), or
 *	NULL; cut off file names, as are leading "./" and "../"
 * @obj_prefix: the same for the object directory ("/build"), or NULL
 * @toolchain: "gcc" or "clang...": who wrote FILE:LINE:COL: lines; NULL means
 *	decided from the text
 */
struct build_log_options {
	const char *src_prefix;
	const char *obj_prefix;
	const char *toolchain;
};

/* What is kept of one log; the counts of what is left out are in the result. */
#define BUILD_LOG_MAX_UNITS 50000
#define BUILD_LOG_MAX_DIAGNOSTICS 20000
#define BUILD_LOG_MAX_UNIT_DIAGNOSTICS 500
#define BUILD_LOG_MAX_DETAIL_LINES 12
#define BUILD_LOG_MAX_NOTES 16
#define BUILD_LOG_MAX_LINE 4096
#define BUILD_LOG_MAX_CAUSES 20

/**
 * build_log_parse() - what a kernel build printed, as facts
 * @data: output of make, best with -Otarget so that targets do not mix
 * @len: bytes of @data
 * @o: where it ran; NULL for no prefixes
 *
 * Result, a new reference:
 *
 *	units		[{target, outcome: "built" | "failed", diagnostics: [D]}]
 *			in order of appearance; lines of no target belong to a unit
 *			with target ""
 *	has_error	true if anything in the log is an error
 *	error_lines	the lines that say why, at most %BUILD_LOG_MAX_CAUSES, no
 *			doubles; compiler and linker errors hide vague ones
 *	error_line_numbers  where each first stands, from 1
 *	guilty_file	source file the first located error names, or null
 *	infra_error	true when the compiler was killed, or memory or disk ran out:
 *			not the patch's fault
 *	infra_line	the line that says so, or null
 *	dropped		number of units and diagnostics beyond the limits above
 *
 *	D		{tool: "gcc" | "clang" | "ld" | "as" | "modpost" | "objtool" |
 *			 "kernel-doc" | "kconfig" | "sparse" | "make" | "dtc" | "rustc" |
 *			 "btf" | "other",
 *			 severity: "error" | "warning" | "note", option ("-Wfoo" or null),
 *			 file or null, line and col (0: not given), function or null,
 *			 message, detail (lines printed below it), notes: [D],
 *			 include_chain: ["FILE:LINE"] innermost first, follows: bool,
 *			 log_line: where it stands, from 1}
 *
 * Return: the result, never NULL; any bytes are acceptable input.
 * Source: gcc's and clang's text formats, binutils, the kernel's scripts/ and
 * GNU make's messages.
 */
json_t *build_log_parse(const void *data, size_t len,
			const struct build_log_options *o);

/**
 * diag_fingerprint() - identity of a diagnostic without line numbers
 * @d: one D of build_log_parse()
 *
 * Equal for the same tool, option (-Werror=x is -Wx), file, function and
 * message, in which standing numbers do not count. Two equal diagnostics have the same
 * fingerprint: compare as multisets.
 *
 * Return: 64 hex digits, the caller frees it.
 */
char *diag_fingerprint(const json_t *d);

#endif
