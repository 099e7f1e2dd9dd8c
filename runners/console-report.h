/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_CONSOLE_REPORT_H
#define MMCI_RUNNERS_CONSOLE_REPORT_H

/* Inside the console parser: one report. */

#include "runners/console-rule.h"

/**
 * struct con_report - a crash and what it is called
 * @lines: the lines from the one that starts it on, @nr_lines of them
 * @nr_lines: see @lines
 * @cut: more lines followed than %CON_MAX_LINES
 * @rule: how it was recognized
 * @start: the line that starts it from the word on
 * @near: line that the second pattern matched, -1 without
 * @frames: the stack as far as it is this report's, @nr_frames
 * @nr_frames: see @frames
 * @traces: headings of call traces seen
 * @calls: frames of the first of them
 * @dump_at: frame at which the dump of the stack began, 0 if it did not show
 * @dropped: printk said that lines were lost
 * @mixed: the same kind of report began again inside it
 * @mixed_stack: another stack was printed into this one
 * @cap: captures of both patterns, the second's from index 4 on
 * @function: the one in the title, empty if none was found
 * @full_function: the same before a family name replaced it
 */
struct con_report {
	struct con_line *lines;
	size_t nr_lines;
	bool cut;
	const struct con_rule *rule;
	struct span start;
	ssize_t near;
	struct con_frame *frames;
	size_t nr_frames;
	unsigned int traces;
	unsigned int calls;
	size_t dump_at;
	bool dropped;
	bool mixed;
	bool mixed_stack;
	struct span cap[2 * CON_MAX_CAPTURES];
	struct span function;
	struct span full_function;
};

/** con_frames_of() - fill the frames of @r from its lines */
void con_frames_of(struct con_report *r);
/** con_choose_function() - fill @r->function as @r->rule wants */
void con_choose_function(struct con_report *r);
/**
 * con_origin() - who made what leaked
 *
 * Return: empty unless the report has a stack for it.
 */
struct span con_origin(const struct con_report *r);
/** con_is_headed() - is lockdep's header undamaged? */
bool con_is_headed(const struct con_report *r);
/** con_title() - append the title with @function for "{F}" */
void con_title(struct strbuf *sb, const struct con_report *r,
	       struct span function);
/** con_type() - append the class of the title */
void con_type(struct strbuf *sb, const struct con_report *r);
/**
 * con_family_name() - the name several functions of one purpose share
 *
 * Return: a span of @name or of a constant; @name itself if it has no family.
 */
struct span con_family_name(struct span name);
/** con_system_call() - "mremap" of "__se_sys_mremap"; empty if it is none */
struct span con_system_call(struct span name);

#endif
