/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_KTAP_LINE_H
#define MMCI_RUNNERS_KTAP_LINE_H

/* Inside the KTAP parser: what one line says. */

#include "runners/span.h"

enum ktap_kind {
	KTAP_VERSION,	/* "KTAP version 1", "TAP version 14" */
	KTAP_SUBTEST,	/* "# Subtest: NAME" */
	KTAP_PLAN,	/* "1..N" */
	KTAP_RESULT,	/* "ok N - NAME # SKIP WHY" */
};

/**
 * struct ktap_line - a line that means something
 * @kind: see above
 * @indent: blanks before it, a tab being up to eight
 * @number: of the test, or of tests planned
 * @ok: the result was not "not ok"
 * @name: of the test
 * @directive: "SKIP", "TODO", "XFAIL", "TIMEOUT", "ERROR" or NULL
 * @why: what stands after the directive, or after "# "
 */
struct ktap_line {
	enum ktap_kind kind;
	unsigned int indent;
	unsigned int number;
	bool ok;
	struct span name;
	const char *directive;
	struct span why;
};

/** ktap_read_line() - false when @s is nobody's but the test's own output */
bool ktap_read_line(struct span s, struct ktap_line *ret);
/** ktap_find_version() - does a version line begin at @at, maybe after a prefix? */
bool ktap_find_version(struct span s, size_t *at);
/** ktap_printk_prefix() - length of "<6>[    1.234567][    T1] ", or 0 */
size_t ktap_printk_prefix(struct span s);
/** ktap_read_comment() - fill directive and why from what follows a "#" */
void ktap_read_comment(struct span s, struct ktap_line *ret);

#endif
