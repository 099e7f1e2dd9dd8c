/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_COMMANDS_H
#define MMCI_KERNEL_SERIES_COMMANDS_H

#include <jansson.h>
#include <stddef.h>

#include "lib/strbuf.h"

/**
 * commands_find() - the commands in the text of a mail
 * @subject: looked at too, or NULL
 * @text: @len bytes; lines that begin with '>' are quoted and do not count
 * @prefix: what a command line begins with, like "#mmci"
 *
 * Return: new array of {"command", "word", "args", "line" (from 0; -1: in the
 * subject)}; a word that is not known gives command "unknown".
 */
json_t *commands_find(const char *subject, const char *text, size_t len,
		      const char *prefix);
/**
 * commands_reply() - quote a mail and answer below its first command
 * @out: appended
 */
void commands_reply(const char *text, size_t len, const char *prefix,
		    const char *reply, struct strbuf *out);

#endif
