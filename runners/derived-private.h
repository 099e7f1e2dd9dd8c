/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_DERIVED_PRIVATE_H
#define MMCI_RUNNERS_DERIVED_PRIVATE_H

#include <jansson.h>

#include "runners/build-output.h"
#include "runners/source.h"
#include "runners/workspace.h"

/** struct derived - a job on its way through base and patches */
struct derived {
	struct workspace *ws;
	json_t *patches;   /* of result.json */
	json_t *units;	   /* names of objects, the most telling first */
	json_t *enabled;   /* those of them that this configuration has */
	json_t *hashes;	   /* object -> hash of its tokens */
	json_t *lines;	   /* as asked for, or NULL */
	json_t *compiled;  /* FILE -> {line: true} */
	struct source_change all; /* paths that any patch touches */
	struct build_tally tally;
	size_t left, unchanged;
};

/**
 * derived_in_sandbox() - run @fn where the sources and the objects are
 * @out: receives what it prints
 * @why: on failure one line
 *
 * Return: 0, -ETIMEDOUT, -EIO when @fn does not return 0, or -errno.
 */
int derived_in_sandbox(struct workspace *ws, int (*fn)(void *arg), void *arg,
		       struct strbuf *out, struct strbuf *why);
/**
 * derived_text() - read what was made of @object, under another suffix
 *
 * Inside the sandbox. Return: is it there?
 */
bool derived_text(const char *object, const char *suffix, struct strbuf *text);
/** derived_unit_command() - derived_command() of @object; inside the sandbox */
char *derived_unit_command(const char *object);
/** derived_add_rule() - a rule for make: @goal needs @target, made by @command */
void derived_add_rule(struct strbuf *mk, const char *goal, const char *target,
		      const char *word, const char *command);
/**
 * derived_measure() - which of the lines asked for are compiled as it stands?
 * @why: on failure one line
 *
 * Return: 0, %JOB_TIMED_OUT, or -errno.
 */
int derived_measure(struct derived *d, struct strbuf *why);

#endif
