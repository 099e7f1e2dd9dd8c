/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_DERIVED_H
#define MMCI_RUNNERS_DERIVED_H

#include "runners/check.h"

/**
 * run_derived() - check a configuration that has no warm base of its own
 * @summary: one line, whatever the outcome
 *
 * In layers over the warm base of another configuration: the answers in
 * "derived_text" of job.json are appended to its .config, what every object
 * needs is made again, then the affected units go through preprocessor and
 * front end, on the base itself (number 0, the control) and patch by patch. A
 * unit whose tokens a patch leaves as they were is not compiled again. With an
 * empty text the configuration stays as it is.
 *
 * "lines" of job.json, see derive_configs(), become "lines" of result.json:
 * those that the last patch's units have compiled.
 *
 * Return: %JOB_PASSED, %JOB_FAILED, %JOB_TIMED_OUT, or -errno.
 */
int run_derived(struct job *job, struct strbuf *summary);
/** is_derived() - is @job one for run_derived()? */
bool is_derived(const struct job *job);

/**
 * derived_tokens() - look at a preprocessed unit
 * @text: what gcc -E -dD or clang -E -dD wrote, @len bytes
 * @lines: object FILE -> [[line, anchor]], paths relative to /src; NULL: none
 * @seen: object FILE -> object of the lines that are there; NULL with @lines
 * @hex: receives a hash of the tokens that does not depend on where they stand
 *
 * Source: "Preprocessor Output" of cpp's manual on line markers.
 */
void derived_tokens(const char *text, size_t len, const json_t *lines,
		    json_t *seen, char hex[static 65]);
/**
 * derived_command() - the front-end command of a unit
 * @cmd: content of its .NAME.i.cmd file
 * @object: name of the object, without suffix
 *
 * Return: a malloc()ed command in make's quoting; NULL if it has none.
 */
char *derived_command(const char *cmd, const char *object);

#endif
