// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/invisible.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/json.h"

#define MAX_FOUND 100

/* Category Cf; @always: reorders text, no writing system needs it in code. */
static const struct {
	uint32_t first, last;
	const char *name;
	bool always;
} format_chars[] = {
	{ 0x00ad, 0x00ad, "SOFT HYPHEN", false },
	{ 0x0600, 0x0605, "ARABIC NUMBER SIGN", false },
	{ 0x061c, 0x061c, "ARABIC LETTER MARK", false },
	{ 0x06dd, 0x06dd, "ARABIC END OF AYAH", false },
	{ 0x070f, 0x070f, "SYRIAC ABBREVIATION MARK", false },
	{ 0x180e, 0x180e, "MONGOLIAN VOWEL SEPARATOR", false },
	{ 0x200b, 0x200b, "ZERO WIDTH SPACE", false },
	{ 0x200c, 0x200c, "ZERO WIDTH NON-JOINER", false },
	{ 0x200d, 0x200d, "ZERO WIDTH JOINER", false },
	{ 0x200e, 0x200e, "LEFT-TO-RIGHT MARK", false },
	{ 0x200f, 0x200f, "RIGHT-TO-LEFT MARK", false },
	{ 0x202a, 0x202a, "LEFT-TO-RIGHT EMBEDDING", true },
	{ 0x202b, 0x202b, "RIGHT-TO-LEFT EMBEDDING", true },
	{ 0x202c, 0x202c, "POP DIRECTIONAL FORMATTING", true },
	{ 0x202d, 0x202d, "LEFT-TO-RIGHT OVERRIDE", true },
	{ 0x202e, 0x202e, "RIGHT-TO-LEFT OVERRIDE", true },
	{ 0x2060, 0x2060, "WORD JOINER", false },
	{ 0x2061, 0x2061, "FUNCTION APPLICATION", false },
	{ 0x2062, 0x2062, "INVISIBLE TIMES", false },
	{ 0x2063, 0x2063, "INVISIBLE SEPARATOR", false },
	{ 0x2064, 0x2064, "INVISIBLE PLUS", false },
	{ 0x2066, 0x2066, "LEFT-TO-RIGHT ISOLATE", true },
	{ 0x2067, 0x2067, "RIGHT-TO-LEFT ISOLATE", true },
	{ 0x2068, 0x2068, "FIRST STRONG ISOLATE", true },
	{ 0x2069, 0x2069, "POP DIRECTIONAL ISOLATE", true },
	{ 0x206a, 0x206f, "DEPRECATED FORMAT CHARACTER", true },
	{ 0xfeff, 0xfeff, "ZERO WIDTH NO-BREAK SPACE", false },
	{ 0xfff9, 0xfffb, "INTERLINEAR ANNOTATION", true },
	{ 0xe0001, 0xe0001, "LANGUAGE TAG", true },
	{ 0xe0020, 0xe007f, "TAG CHARACTER", true },
};

/* One character of valid UTF-8; a wrong byte counts as one character. */
static uint32_t decode(const unsigned char *p, size_t len, size_t *used)
{
	static const unsigned char need[] = { 1, 1, 1, 1, 1, 1, 1, 1,
					      1, 1, 1, 1, 2, 2, 3, 4 };
	size_t n = need[*p >> 4];
	uint32_t c;

	*used = 1;
	if (n == 1 || n > len)
		return *p;
	c = *p & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++)
		c = c << 6 | (p[i] & 0x3f);
	*used = n;
	return c;
}

/* Letters of scripts that join or change direction; roughly, by block. */
static bool is_other_script(uint32_t c)
{
	return (c >= 0x0370 && c < 0x1e00 && c != 0x061c && c != 0x180e) ||
	       (c >= 0x2c00 && c < 0x2e00) || (c >= 0x3040 && c < 0xe000) ||
	       (c >= 0xfb1d && c < 0xfe00) || (c >= 0xfe70 && c < 0xfeff) ||
	       (c >= 0x10000 && c < 0x1f000) || (c >= 0x20000 && c < 0x40000);
}

static int find_char(uint32_t c)
{
	if (c < 0xad)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(format_chars); i++)
		if (c >= format_chars[i].first && c <= format_chars[i].last)
			return (int)i;
	return -1;
}

static void scan_line(const unsigned char *p, size_t len, int line,
		      json_t *list)
{
	bool other = false;
	int column = 0, which;
	size_t used;
	json_t *o;

	for (size_t i = 0; i < len; i += used)
		other |= is_other_script(decode(p + i, len - i, &used));
	for (size_t i = 0; i < len; i += used, column++) {
		uint32_t c = decode(p + i, len - i, &used);

		which = find_char(c);
		if (which < 0 || (other && !format_chars[which].always) ||
		    json_array_size(list) >= MAX_FOUND)
			continue;
		o = json_object();
		json_set_int(o, "line", line);
		json_set_int(o, "column", column);
		json_object_set_new(o, "char",
				    json_textn((const char *)p + i, used));
		json_set_text(o, "char_name", format_chars[which].name);
		json_array_append_new(list, o);
	}
}

json_t *invisible_find(const char *text, size_t len)
{
	json_t *list = json_array();
	int line = 0;

	for (size_t at = 0; at < len;) {
		const char *nl = memchr(text + at, '\n', len - at);
		size_t n = nl ? (size_t)(nl - text) - at : len - at;

		line++;
		/* most lines are plain ASCII: one look is enough */
		for (size_t i = 0; i < n; i++) {
			if (text[at + i] & 0x80) {
				scan_line((const unsigned char *)text + at, n,
					  line, list);
				break;
			}
		}
		at += n + 1;
	}
	return list;
}
