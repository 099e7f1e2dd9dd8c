/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_CONSOLE_LINE_H
#define MMCI_RUNNERS_CONSOLE_LINE_H

/* Inside the console parser: lines, patterns and stack frames. */

#include <stdint.h>

#include "runners/span.h"

#define CON_MAX_LINE 2048
#define CON_MAX_LINES 4000
#define CON_MAX_FRAMES 600
#define CON_MAX_CAPTURES 4

/**
 * struct con_line - one line of a console
 * @raw: as it stands there, without the newline
 * @text: without level, timestamp and caller
 * @ctx: hash of the caller ("T123", "C1"), 0 if printk does not name it
 */
struct con_line {
	struct span raw;
	struct span text;
	uint32_t ctx;
};

/** con_read_line() - split what printk added from what the kernel said */
struct con_line con_read_line(struct span raw);

/**
 * con_match() - match a pattern against the start of @s
 * @pattern: literal text with
 *	%f	a function, with or without offset, size, brackets and address
 *	%d	a decimal number		%x	a hex number
 *	%w	non-blank characters		%*	anything up to what follows
 * @cap: what %f, %w and %* matched, in order; unused ones are empty
 *
 * No choice is ever taken back, so the time is linear in @s.
 */
bool con_match(struct span s, const char *pattern,
	       struct span cap[CON_MAX_CAPTURES]);

enum frame_kind {
	FRAME_CALL,	/* a line of a call trace */
	FRAME_PC,	/* where the processor was: RIP, pc, PC is at, epc, PSW */
};

/**
 * struct con_frame - one function of a stack
 * @name: without offset and compiler suffixes
 * @kind: see above
 * @line: index of the line it stands in
 * @certain: not marked "?"
 */
struct con_frame {
	struct span name;
	enum frame_kind kind;
	size_t line;
	bool certain;
};

/** con_read_frame() - is @text a line of a stack? */
bool con_read_frame(struct span text, struct con_frame *ret);
/** con_read_caller() - the second function of "FUNCTION from CALLER" */
bool con_read_caller(struct span text, struct con_frame *ret);
/** con_function() - cut one function name off @s, as "%f" does */
bool con_function(struct span *s, struct span *name);

#endif
