/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_CONSOLE_RULE_H
#define MMCI_RUNNERS_CONSOLE_RULE_H

/* Inside the console parser: the tables that name a crash. */

#include "runners/console-line.h"

/* Where the function in the title comes from. */
enum con_source {
	SRC_NONE,	/* the title needs none */
	SRC_LINE,	/* first capture of the first line */
	SRC_NEAR,	/* last capture of the second line */
	SRC_STACK,	/* first frame that is not noise */
	SRC_AFTER,	/* first such frame below the second line */
	SRC_ALLOC,	/* who allocated the page */
	SRC_WORK,	/* what was being done: frame that an entry point called */
};

enum con_flags {
	CON_STACK = 1,		/* without a call trace the report is cut */
	CON_CORRUPTED = 2,	/* if no better rule fits, it is cut */
	CON_SUPPRESSED = 4,	/* noise */
	CON_PANIC = 8,		/* this line is itself the panic */
	CON_NO_REPORT = 16,	/* looks like a crash and is none */
	CON_ALT_LINE = 64,	/* the other title is the line itself */
	CON_DUMPED = 128,	/* its stack begins with dump_stack() */
	CON_FROM_LINE = 256,	/* without a stack, what the line names */
	CON_BARE = 512,		/* without a function, a title without one */
	CON_HEADED = 1024,	/* only with an undamaged header of lockdep */
	CON_TIMER = 2048,	/* the stack must have been cut by a timer */
	CON_NO_FRAME = 4096,	/* its stack cannot be trusted */
};

/**
 * struct con_rule - one kind of crash
 * @first: pattern for the line that starts it, from the word that was found
 * @second: pattern that a later line must match anywhere, or NULL
 * @title: "{F}" is the function, "{1}" the first capture of @first, "{5}" the
 *	first capture of @second
 * @type: class of the title
 * @alt: word for the title it shares with other kinds: "ALT in FUNCTION"
 * @source: where {F} comes from
 * @skip: names of further noise functions, NULL or ending in NULL
 * @flags: enum con_flags
 */
struct con_rule {
	const char *first;
	const char *second;
	const char *title;
	const char *type;
	const char *alt;
	enum con_source source;
	const char *const *skip;
	unsigned int flags;
};

/**
 * struct con_family - rules that share the word that gives them away
 * @word: what the fast scan looks for; at least %CON_MIN_WORD bytes
 * @rules: the first that matches decides; ends with an empty rule
 * @anywhere: the rules begin elsewhere in the line, the word is only the rarest
 *	part of it
 */
struct con_family {
	const char *word;
	const struct con_rule *rules;
	bool anywhere;
};

#define CON_MIN_WORD 4

extern const struct con_family con_families[];
extern const size_t con_nr_families;

/** con_is_noise() - does @name never say what went wrong? */
bool con_is_noise(struct span name, const char *const *more);
/** con_is_helper() - is the caller of @name the better name? */
bool con_is_helper(struct span name);
/** con_is_timer_irq() - is @name how a timer interrupt comes in? */
bool con_is_timer_irq(struct span name);
/** con_is_entry() - does what @name calls say what was being done? */
bool con_is_entry(struct span name);

#endif
