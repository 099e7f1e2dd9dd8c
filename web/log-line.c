// SPDX-License-Identifier: GPL-2.0-or-later
/* One line of a log: what it is, and how it is shown. */
#include <string.h>

#include "lib/json.h"
#include "web/log.h"

/* Length of the terminal control sequence at @s (ECMA-48), 0 if there is none */
static size_t escape_len(const char *s, size_t len)
{
	size_t i = 2;

	if (len < 2 || s[0] != '\033')
		return 0;
	if (s[1] == '[') {
		while (i < len && s[i] >= 0x20 && s[i] <= 0x3f)
			i++;
		return i < len && s[i] >= 0x40 && s[i] <= 0x7e ? i + 1 : 0;
	}
	if (s[1] == ']') {
		while (i < len && s[i] != '\a' && s[i] != '\033')
			i++;
		if (i < len && s[i] == '\a')
			return i + 1;
		return i + 1 < len && s[i + 1] == '\\' ? i + 2 : 0;
	}
	return 0;
}

void log_clean(struct strbuf *out, const char *s, size_t len)
{
	size_t from = 0, i = 0;

	if (len && s[len - 1] == '\r')
		len--;
	while (i < len) {
		size_t n = escape_len(s + i, len - i);

		if (!n) {
			i++;
			continue;
		}
		strbuf_add_utf8(out, s + from, i - from);
		i += n;
		from = i;
	}
	strbuf_add_utf8(out, s + from, len - from);
}

static bool has(const char *s, size_t len, const char *word)
{
	return memmem(s, len, word, strlen(word));
}

const char *log_kind(const char *s, size_t len)
{
	if (len > 4 && !memcmp(s, "==> ", 4))
		return "stage";
	if (len > 7 && !memcmp(s, "not ok ", 7))
		return "error";
	len = min(len, (size_t)400);
	/* all that follow have one; most lines of a build do not */
	if (!memchr(s, ':', len))
		return NULL;
	if (has(s, len, "error: ") || has(s, len, "*** [") ||
	    has(s, len, "BUG: ") || has(s, len, "Kernel panic") ||
	    has(s, len, "undefined reference to"))
		return "error";
	if (has(s, len, "warning: ") || has(s, len, "WARNING: "))
		return "warning";
	return NULL;
}

/* Colours of ECMA-48 "select graphic rendition" that stand for something */
struct look {
	bool bold;
	int colour; /* 1 to 7 as in 31 to 37, 0: none */
};

static void apply_code(struct look *l, int code)
{
	if (code == 0)
		*l = (struct look){ 0 };
	else if (code == 1)
		l->bold = true;
	else if (code == 22)
		l->bold = false;
	else if (code >= 31 && code <= 37)
		l->colour = code - 30;
	else if (code >= 91 && code <= 97)
		l->colour = code - 90;
	else if (code == 30 || code == 39 || code == 90)
		l->colour = 0;
}

/* @s is a whole control sequence of @len bytes; others than "m" say nothing. */
static void apply_escape(struct look *l, const char *s, size_t len)
{
	size_t i = 2;

	if (len < 3 || s[1] != '[' || s[len - 1] != 'm')
		return;
	for (;;) {
		int code = 0;

		for (; s[i] >= '0' && s[i] <= '9'; i++)
			code = min(code * 10 + (s[i] - '0'), 1000);
		apply_code(l, code);
		if (s[i] != ';')
			return;
		i++;
	}
}

static void add_part(json_t *parts, const struct look *l, const char *s,
		     size_t len)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct strbuf class __free(strbuf) = STRBUF_INIT;
	json_t *o;

	if (!len)
		return;
	strbuf_add_utf8(&text, s, len);
	if (l->bold)
		strbuf_addstr(&class, "a-b");
	if (l->colour)
		strbuf_addf(&class, "%sa-%d", class.len ? " " : "", l->colour);
	o = json_object();
	json_set_text(o, "c", class.buf ? class.buf : "");
	json_object_set_new(o, "text", json_textn(text.buf, text.len));
	json_array_append_new(parts, o);
}

json_t *log_parts(const char *s, size_t len)
{
	struct look look = { 0 };
	size_t from = 0, i = 0;
	json_t *parts;

	if (!memchr(s, '\033', len))
		return NULL;
	parts = json_array();
	if (len && s[len - 1] == '\r')
		len--;
	while (i < len) {
		size_t n = escape_len(s + i, len - i);

		if (!n) {
			i++;
			continue;
		}
		add_part(parts, &look, s + from, i - from);
		apply_escape(&look, s + i, n);
		i += n;
		from = i;
	}
	add_part(parts, &look, s + from, len - from);
	return parts;
}
