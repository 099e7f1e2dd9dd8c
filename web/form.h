/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_FORM_H
#define MMCI_WEB_FORM_H

#include <jansson.h>
#include <stddef.h>

/**
 * form_urlencoded() - fields of a form as an object of strings
 * @body: application/x-www-form-urlencoded; the last field of a name counts
 * @ret: a new reference
 *
 * Source: the URL standard, section 5.1. Bytes that are no UTF-8 become U+FFFD.
 *
 * Return: 0; -EINVAL for a bad escape or a NUL; -E2BIG for over 100 fields.
 */
int form_urlencoded(const char *body, size_t len, json_t **ret);
/**
 * form_multipart() - find one part of multipart/form-data
 * @type: the whole Content-Type, with its boundary
 * @name: of the field
 * @part, @part_len: where its bytes stand in @body
 *
 * Source: RFC 7578 and RFC 2046 section 5.1.1.
 *
 * Return: 0; -ENOENT when no part has this name; -EINVAL when @type has no
 * boundary or the body is malformed.
 */
int form_multipart(const char *type, const char *body, size_t len,
		   const char *name, const char **part, size_t *part_len);
/** form_cookie() - value of a cookie of a Cookie header, "" if not there */
void form_cookie(const char *header, const char *name, char *value,
		 size_t size);

#endif
