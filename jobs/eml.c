// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/eml.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/hash.h"
#include "lib/json.h"

static bool is_plain(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s >= 0x7f || (unsigned char)*s < 0x20)
			return false;
	}
	return true;
}

static void drop_controls(const char *s, struct strbuf *out)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= 0x20 && c != 0x7f)
			strbuf_addch(out, c);
		else if (c == '\t' || c == '\n')
			strbuf_addch(out, ' ');
	}
}

/* Words of at most 75 bytes that never cut a UTF-8 sequence. */
static void encode_words(struct strbuf *out, const char *s)
{
	size_t left = strlen(s);
	bool first = true;

	while (left) {
		char *word __free(kfree) = NULL;
		size_t n = min(left, (size_t)42);

		while (n < left && n > 1 && ((unsigned char)s[n] & 0xc0) == 0x80)
			n--;
		word = hash_base64(s, n);
		strbuf_addf(out, "%s=?UTF-8?B?%s?=", first ? "" : "\n ", word);
		first = false;
		s += n;
		left -= n;
	}
}

/* Break at spaces so that a line has at most 78 bytes where that is possible. */
static void fold(struct strbuf *out, size_t column, const char *value)
{
	while (*value) {
		const char *end = strchrnul(*value == ' ' ? value + 1 : value,
					    ' ');
		size_t n = (size_t)(end - value);

		if (*value == ' ' && column + n > 78 && column > 1) {
			strbuf_addstr(out, "\n");
			column = 0;
		}
		strbuf_add(out, value, n);
		column += n;
		value = end;
	}
}

void eml_header(struct strbuf *out, const char *name, const char *value)
{
	struct strbuf clean __free(strbuf) = STRBUF_INIT;

	drop_controls(value, &clean);
	strbuf_addf(out, "%s: ", name);
	if (is_plain(clean.buf))
		fold(out, strlen(name) + 2, clean.buf);
	else
		encode_words(out, clean.buf);
	strbuf_addch(out, '\n');
}

static bool is_atom_text(const char *s)
{
	for (; *s; s++) {
		if (!isalnum((unsigned char)*s) && !strchr(" -_'+/=!#$%&*", *s))
			return false;
	}
	return true;
}

void eml_address(struct strbuf *out, const char *name, const char *email)
{
	struct strbuf clean __free(strbuf) = STRBUF_INIT;

	drop_controls(name, &clean);
	strbuf_rtrim(&clean);
	if (!clean.len) {
		strbuf_addstr(out, email);
		return;
	}
	if (!is_plain(clean.buf)) {
		encode_words(out, clean.buf);
	} else if (is_atom_text(clean.buf)) {
		strbuf_addbuf(out, &clean);
	} else {
		strbuf_addch(out, '"');
		for (size_t i = 0; i < clean.len; i++) {
			if (strchr("\"\\", clean.buf[i]))
				strbuf_addch(out, '\\');
			strbuf_addch(out, clean.buf[i]);
		}
		strbuf_addch(out, '"');
	}
	strbuf_addf(out, " <%s>", email);
}

bool eml_email_is_safe(const char *email)
{
	const char *at = strchr(email, '@');

	if (!at || at == email || !at[1] || strchr(at + 1, '@') ||
	    strlen(email) > 254 || email[0] == '-')
		return false;
	for (; *email; email++) {
		unsigned char c = (unsigned char)*email;

		if (c <= 0x20 || c >= 0x7f || strchr("<>()[]\\,;:\"", c))
			return false;
	}
	return true;
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	while (*text) {
		size_t n = (size_t)(strchrnul(text, '\n') - text);

		longest = max(longest, n);
		text += n;
		text += *text == '\n';
	}
	return longest;
}

static void add_qp(struct strbuf *out, const char *text)
{
	size_t column = 0;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		bool at_end = text[1] == '\n' || !text[1];
		bool plain = (c > 0x20 && c < 0x7f && c != '=') ||
			     ((c == ' ' || c == '\t') && !at_end);

		if (c == '\n') {
			strbuf_addch(out, '\n');
			column = 0;
			continue;
		}
		if (column + (plain ? 1 : 3) > 75) {
			strbuf_addstr(out, "=\n");
			column = 0;
		}
		if (plain)
			strbuf_addch(out, c);
		else
			strbuf_addf(out, "=%02X", c);
		column += plain ? 1 : 3;
	}
}

void eml_body(struct strbuf *out, const char *text)
{
	bool qp = longest_line(text) > 990;

	strbuf_addstr(out, "MIME-Version: 1.0\n"
			   "Content-Type: text/plain; charset=UTF-8\n");
	strbuf_addf(out, "Content-Transfer-Encoding: %s\n\n",
		    qp ? "quoted-printable" : "8bit");
	if (qp)
		add_qp(out, text);
	else
		strbuf_addstr(out, text);
}

static void add_field(struct strbuf *out, const char *field,
		      const json_t *recipients)
{
	bool first = true;
	const json_t *r;
	size_t i;

	json_array_foreach(recipients, i, r) {
		if (strcasecmp(json_get_str(r, "field", ""), field) ||
		    !json_get_bool(r, "gets", false))
			continue;
		/* one to a line: no line gets long, and diffs of mails read */
		if (first)
			strbuf_addf(out, "%s: ", field);
		else
			strbuf_addstr(out, ",\n ");
		eml_address(out, json_get_str(r, "name", ""),
			    json_get_str(r, "email", ""));
		first = false;
	}
	if (!first)
		strbuf_addch(out, '\n');
}

void eml_set_recipients(const char *eml, const json_t *recipients,
			struct strbuf *out)
{
	bool dropping = false, done = false;

	while (*eml && *eml != '\n') {
		const char *end = strchrnul(eml, '\n');

		end += *end == '\n';
		if (*eml != ' ' && *eml != '\t')
			dropping = !strncasecmp(eml, "To:", 3) ||
				   !strncasecmp(eml, "Cc:", 3);
		if (dropping && !done) {
			add_field(out, "To", recipients);
			add_field(out, "Cc", recipients);
			done = true;
		}
		if (!dropping)
			strbuf_add(out, eml, (size_t)(end - eml));
		eml = end;
	}
	strbuf_addstr(out, eml);
}
