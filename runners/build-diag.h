/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_BUILD_DIAG_H
#define MMCI_RUNNERS_BUILD_DIAG_H

/* Inside the build log parser: what one line of it says. */

#include "runners/build-log.h"
#include "runners/span.h"

enum diag_severity {
	DIAG_ERROR,
	DIAG_WARNING,
	DIAG_NOTE,
};

/**
 * struct diag_head - the line that opens a diagnostic
 * @tool: as in build_log_parse(); NULL for the C compiler of the moment
 * @severity: as printed
 * @option: "-Wfoo", empty if none
 * @file: as printed, empty if none
 * @line: 0 if not given
 * @col: 0 if not given
 * @function: named by the line itself, empty if not
 * @message: without the option
 * @vague: says only that something before it went wrong
 *
 * The spans point into the line.
 */
struct diag_head {
	const char *tool;
	enum diag_severity severity;
	struct span option;
	struct span file;
	unsigned int line;
	unsigned int col;
	struct span function;
	struct span message;
	bool vague;
};

/** diag_read_head() - does @line open a diagnostic? if so, fill @ret */
bool diag_read_head(struct span line, struct diag_head *ret);
/** diag_read_place() - cut "FILE:LINE:COL:" or a part of it off @s */
bool diag_read_place(struct span *s, struct span *file, unsigned int *line,
		     unsigned int *col);
/**
 * diag_path() - a file name relative to the tree
 *
 * Return: a span within @file.
 */
struct span diag_path(struct span file, const struct build_log_options *o);
/**
 * diag_add_path() - append diag_path() of @file, with "DIR/../" taken out
 *
 * gcc prints an include with quotes relative to the file that includes it.
 */
void diag_add_path(struct strbuf *sb, struct span file,
		   const struct build_log_options *o);
/** diag_quoted() - the next 'word' of @s, of identifier characters only */
bool diag_quoted(struct span *s, struct span *word);
/** diag_add_normal() - append @message with standing numbers made "N" */
void diag_add_normal(struct strbuf *sb, struct span message);

/**
 * struct build_cause - the lines that say why a build failed
 * @lines: array of strings
 * @numbers: where each stands
 * @strength: of what @lines holds
 * @guilty: file of the first located one, malloc()ed, or NULL
 * @infra: the line that says the machine failed, malloc()ed, or NULL
 */
struct build_cause {
	json_t *lines;
	json_t *numbers;
	int strength;
	char *guilty;
	char *infra;
};

void build_cause_init(struct build_cause *c);
void build_cause_release(struct build_cause *c);
/** build_cause_line() - take one line into account */
void build_cause_line(struct build_cause *c, struct span line, int number,
		      const struct build_log_options *o);
/** build_cause_finish() - decide on @c->guilty */
void build_cause_finish(struct build_cause *c,
			const struct build_log_options *o);

#endif
