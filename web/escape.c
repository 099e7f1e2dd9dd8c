// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <string.h>

#include "web/template.h"

/* Length of the UTF-8 sequence at @s and its code point; input is valid. */
static size_t decode(const unsigned char *s, size_t left, uint32_t *cp)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (n == 1 || n > left) {
		*cp = s[0];
		return 1;
	}
	*cp = s[0] & (0x7fU >> n);
	for (size_t i = 1; i < n; i++)
		*cp = *cp << 6 | (s[i] & 0x3f);
	return n;
}

/*
 * Marks that reorder or hide text on the screen: bidirectional controls and
 * zero-width characters, as in CVE-2021-42574.
 */
static bool is_invisible(uint32_t cp)
{
	return (cp >= 0x200b && cp <= 0x200f) ||
	       (cp >= 0x202a && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x206f) || cp == 0x061c || cp == 0xfeff ||
	       (cp >= 0x80 && cp < 0xa0);
}

static void escape_one(struct strbuf *out, const char *s, size_t n,
		       uint32_t cp)
{
	switch (cp) {
	case '&':
		strbuf_addstr(out, "&amp;");
		return;
	case '<':
		strbuf_addstr(out, "&lt;");
		return;
	case '>':
		strbuf_addstr(out, "&gt;");
		return;
	case '"':
		strbuf_addstr(out, "&quot;");
		return;
	case '\'':
		strbuf_addstr(out, "&#39;");
		return;
	case '\t':
	case '\n':
		strbuf_add(out, s, n);
		return;
	case 0x7f:
		strbuf_addstr(out, "\xe2\x90\xa1");
		return;
	default:
		break;
	}
	if (cp < 0x20) {
		strbuf_add(out, "\xe2\x90", 2);
		strbuf_addch(out, (int)(0x80 + cp));
	} else if (is_invisible(cp)) {
		strbuf_addf(out, "[U+%04X]", cp);
	} else {
		strbuf_add(out, s, n);
	}
}

void template_escape(struct strbuf *out, const char *s, size_t len)
{
	size_t i = 0;

	strbuf_grow(out, len);
	while (i < len) {
		uint32_t cp;
		size_t n = decode((const unsigned char *)s + i, len - i, &cp);

		escape_one(out, s + i, n, cp);
		i += n;
	}
}

void template_escape_url(struct strbuf *out, const char *s, size_t len)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		/* "@" may stand in a path segment and a query (pchar) */
		if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
		    (c && strchr("-._~@", c))) {
			strbuf_addch(out, c);
		} else {
			strbuf_addch(out, '%');
			strbuf_addch(out, hex[c >> 4]);
			strbuf_addch(out, hex[c & 15]);
		}
	}
}

void template_age(struct strbuf *out, int64_t seconds)
{
	if (seconds < 0)
		seconds = 0;
	if (seconds < 100)
		strbuf_addf(out, "%d s", (int)seconds);
	else if (seconds < 100 * 60)
		strbuf_addf(out, "%d min", (int)(seconds / 60));
	else if (seconds < 48 * 3600)
		strbuf_addf(out, "%d h", (int)(seconds / 3600));
	else
		strbuf_addf(out, "%lld d", (long long)(seconds / 86400));
}
