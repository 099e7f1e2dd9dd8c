/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_PARSE_H
#define MMCI_KERNEL_SERIES_PARSE_H

#include <jansson.h>
#include <stddef.h>

#include "lib/strbuf.h"

/** PARSE_REFUSED - parse_file_json(): the input is refused, see why */
#define PARSE_REFUSED 1

/**
 * parse_file_json() - what mmci makes of one input
 * @kind: "mail", "series", "diff" or "commands"
 * @data: the file, @len bytes: mbox, a single mail, or bare text
 * @options: settings of the caller, or NULL: "op" picks one answer only (like
 *	"parse-subject"), "format" is how to read the file ("mbox", "eml",
 *	"body", "trailer-line"; guessed if absent), "command_prefix",
 *	"own_addresses", "own_domains", "good_lists", "projects", ...
 * @ret: a new reference. Message ids in it have their angle brackets.
 * @why: one line when the result is not 0
 *
 * Return: 0; %PARSE_REFUSED; -EINVAL for an unknown kind.
 */
int parse_file_json(const char *kind, const void *data, size_t len,
		    const json_t *options, json_t **ret, struct strbuf *why);

#endif
