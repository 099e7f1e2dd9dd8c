/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_JSON_H
#define MMCI_LIB_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"

DEFINE_FREE(json, json_t *, json_decref(_T))

/**
 * json_text() - a JSON string from text of unknown encoding
 *
 * json_string() returns NULL for invalid UTF-8, which silently loses a field;
 * this replaces the bad bytes by U+FFFD. NULL gives JSON null.
 *
 * Return: a new reference, never NULL.
 */
json_t *json_text(const char *s);
/** json_textn() - the same for @len bytes, which may contain NUL */
json_t *json_textn(const char *s, size_t len);
/** json_set_text() - set @key of @o to json_text(@s) */
void json_set_text(json_t *o, const char *key, const char *s);
/** json_set_int() - set @key of @o to an integer */
void json_set_int(json_t *o, const char *key, int64_t v);
/** json_set_bool() - set @key of @o to true or false */
void json_set_bool(json_t *o, const char *key, bool v);
/** json_get_str() - string member @key of @o, or @dflt if absent or no string */
const char *json_get_str(const json_t *o, const char *key, const char *dflt);
/** json_get_int() - integer member @key of @o, or @dflt */
int64_t json_get_int(const json_t *o, const char *key, int64_t dflt);
/** json_get_bool() - boolean member @key of @o, or @dflt */
bool json_get_bool(const json_t *o, const char *key, bool dflt);
/**
 * json_read_file() - parse a file of at most @max_bytes
 * @why: on failure, one line with the path and the position
 *
 * Return: 0 and a new reference in @ret; -EINVAL when it is not JSON; -errno.
 */
int json_read_file(const char *path, size_t max_bytes, json_t **ret,
		   struct strbuf *why);
/** json_write_file() - write @v indented, atomically; 0 or -errno */
int json_write_file(const char *path, const json_t *v);

#endif
