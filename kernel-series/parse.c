// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/parse.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "kernel-series/mbox.h"
#include "kernel-series/parse-priv.h"
#include "lib/json.h"

/* Header names of which every mail has one, and no bare text begins with. */
static bool is_mail_header(const char *p, size_t len)
{
	static const char *const names[] = {
		"From:",     "Subject:",      "Message-ID:", "Date:",
		"Received:", "Return-Path:",  "To:",	     "Sender:",
		"List-Id:",  "MIME-Version:", "X-",	     "Delivered-To:",
		"Content-Type:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (len >= strlen(names[i]) &&
		    !strncasecmp(p, names[i], strlen(names[i])))
			return true;
	return false;
}

/* A mail, or a text without headers? The caller may say so. */
static bool is_bare_text(const char *p, size_t len, const json_t *options)
{
	const char *format = json_get_str(options, "format", NULL);

	if (format)
		return strcmp(format, "mbox") && strcmp(format, "eml");
	if (len >= 5 && !memcmp(p, "From ", 5))
		return false;
	return !is_mail_header(p, len);
}

/* Bare text with CRLF is read as if it had LF, as mails are. */
static void to_lf(const char *p, size_t len, struct strbuf *out)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != '\r' || i + 1 >= len || p[i + 1] != '\n')
			strbuf_addch(out, p[i]);
}

static int parse_one_mail(const void *data, size_t len, const json_t *options,
			  json_t **ret, struct strbuf *why)
{
	struct mail *m __free(mail) = NULL;
	int r = mail_parse_lenient(data, len, &m, why);

	if (r == MAIL_REFUSED)
		return PARSE_REFUSED;
	if (r)
		return r;
	*ret = parse_mail_view(m, options);
	return 0;
}

int parse_file_json(const char *kind, const void *data, size_t len,
		    const json_t *options, json_t **ret, struct strbuf *why)
{
	bool is_mail = !strcmp(kind, "mail"), is_diff = !strcmp(kind, "diff");
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	*ret = NULL;
	if (!strcmp(kind, "series")) {
		*ret = parse_series_view(data, len, options);
		return 0;
	}
	if (!is_mail && !is_diff && strcmp(kind, "commands")) {
		strbuf_setf(why, "unknown kind %s", kind);
		return -EINVAL;
	}
	if (len > MAIL_MAX_BYTES) {
		strbuf_setf(why, "%zu bytes, more than %d MiB", len,
			    MAIL_MAX_BYTES >> 20);
		return PARSE_REFUSED;
	}
	/* a diff is looked for in all of the file, headers and all */
	if (!is_diff && !is_bare_text(data, len, options))
		return parse_one_mail(data, len, options, ret, why);
	to_lf(data, len, &text);
	*ret = parse_text_view(text.buf, text.len, options);
	return 0;
}
