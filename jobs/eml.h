/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_EML_H
#define MMCI_JOBS_EML_H

#include <stdbool.h>

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * eml_header() - append one header field, encoded and folded as needed
 * @name: field name
 * @value: UTF-8 text; control bytes are dropped, so no second field can be
 *	smuggled in
 *
 * Source: RFC 5322 section 2.2, RFC 2047 sections 2 and 5.
 */
void eml_header(struct strbuf *out, const char *name, const char *value);
/**
 * eml_address() - append `name <email>` as a header wants it
 * @name: display name in UTF-8, may be ""
 * @email: checked by eml_email_is_safe() before
 *
 * Source: RFC 5322 section 3.4.
 */
void eml_address(struct strbuf *out, const char *name, const char *email);
/**
 * eml_email_is_safe() - may this address be written to?
 *
 * False for anything but one plain mailbox: control bytes, spaces, brackets,
 * quotes, commas, no or two @, more than 254 bytes.
 */
bool eml_email_is_safe(const char *email);
/**
 * eml_body() - append the MIME headers, an empty line and the body
 * @text: UTF-8 with LF line ends
 *
 * 8bit as it is, quoted-printable when a line is too long for SMTP, so that
 * no line of a diff is ever wrapped.
 *
 * Source: RFC 2045 sections 2.8 and 6.7, RFC 5322 section 2.1.1.
 */
void eml_body(struct strbuf *out, const char *text);
/**
 * eml_set_recipients() - the same mail with other To and Cc
 * @eml: a mail that was written by eml_header() and eml_body()
 * @recipients: [{name, email, field: "to"|"cc", gets}]; those who do not get it
 *	are not named in it either, so that answers to all do not reach them
 */
void eml_set_recipients(const char *eml, const json_t *recipients,
			struct strbuf *out);

#endif
