/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_PARSE_H
#define MMCI_RUNNERS_PARSE_H

#include <jansson.h>
#include <stddef.h>

#include "lib/strbuf.h"

/**
 * runner_parse_json() - what "mmci parse KIND FILE --json" prints
 * @kind: "build-log", "ktap" or "console"
 * @data: the file; any bytes
 * @len: bytes of @data
 * @options: NULL or an object; build-log: source_prefix, object_prefix,
 *	toolchain; console: all (bool, every report in "reports")
 * @ret: on success a new reference
 * @why: on failure one line
 *
 * Return: 0; -EINVAL when @kind is not one of these.
 */
int runner_parse_json(const char *kind, const void *data, size_t len,
		      const json_t *options, json_t **ret, struct strbuf *why);

#endif
