/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_KTAP_H
#define MMCI_RUNNERS_KTAP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Deepest nesting followed; deeper lines are treated as if on this level. */
#define KTAP_MAX_DEPTH 32
#define KTAP_MAX_TESTS 100000
/* A plan may promise more tests than ever come; so many are listed as crashed. */
#define KTAP_MAX_MISSING 1000
#define KTAP_MAX_OUTPUT_LINES 64

struct ktap_parser;

/**
 * ktap_new() - a parser for one run of tests
 *
 * Return: the parser, to be freed with ktap_free().
 */
struct ktap_parser *ktap_new(void);
/** ktap_free() - free @k; takes NULL */
void ktap_free(struct ktap_parser *k);
/**
 * ktap_feed() - more of the console or results channel
 *
 * May be cut anywhere, also inside a line.
 */
void ktap_feed(struct ktap_parser *k, const void *data, size_t len);
/** ktap_ended() - has a line come after which no more results can follow? */
bool ktap_ended(const struct ktap_parser *k);
/**
 * ktap_finish() - the end of the text: everything found so far
 *
 * Result, a new reference:
 *
 *	status		"passed" | "failed" | "skipped" | "crashed" | "no_tests" |
 *			"no_ktap_output"
 *	counts		{total, passed, failed, crashed, skipped}: leaf tests only
 *	errors		number of violations of the format
 *	error_list	[text], the first 100 of them
 *	top_level	[name]
 *	tests		[T], parents before their children
 *	ktap_lines	the lines that were taken as KTAP, without their prefix, the first
 *			10000
 *	cut		text of the line that ended the output early, or null
 *	truncated	true if more tests came than %KTAP_MAX_TESTS
 *
 *	T		{path: [name], status, leaf: bool, number, directive: "SKIP" |
 *			 "TODO" | "XFAIL" | "TIMEOUT" | "ERROR" | null, why: text after
 *			 the directive or the "#", or null, output: [line] printed
 *			 before the result, line: where the result stands, from 1; 0 if
 *			 it never came}
 *
 * The parser can only be freed afterwards.
 *
 * Return: the result, never NULL.
 * Source: Documentation/dev-tools/ktap.rst and TAP version 14.
 */
json_t *ktap_finish(struct ktap_parser *k);
/** ktap_parse() - the same for a text in memory */
json_t *ktap_parse(const void *data, size_t len);

/**
 * ktap_parse_selftest() - output of one mm selftest run on its own
 * @data: what it printed; KTAP, TAP without a header, or the older styles of
 *	the mm selftests ("[PASS]", "ok 1 name", "# SKIP reason", "not ok")
 * @len: bytes of @data
 * @exit_code: its exit status; 0 pass, 1 fail, 4 skip as in
 *	tools/testing/selftests/kselftest.h; 128 + N after signal N, up to 64;
 *	-1 unknown
 * @timed_out: it was ended because it took too long
 *
 * Result, a new reference:
 *
 *	status		"passed" | "failed" | "skipped" | "crashed" | "timed-out"
 *	why		one line, or null when it passed
 *	tests		[{name, status, why}], what it named itself, may be empty
 *	style		"ktap" | "tap" | "plain"
 *
 * Return: the result, never NULL.
 */
json_t *ktap_parse_selftest(const void *data, size_t len, int exit_code,
			    bool timed_out);

#endif
