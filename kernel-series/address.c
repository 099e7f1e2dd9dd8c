// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "kernel-series/mail.h"
#include "lib/strbuf.h"

/*
 * Address headers, RFC 5322 section 3.4, by a loop over the characters: a
 * library that follows the grammar follows nested groups and comments too, down
 * to the end of the stack.
 */

/* A header of 64 KiB holds fewer sane ones. */
#define MAX_ADDRS 4000

struct addr_reader {
	struct strbuf phrase, angle, comment;
	bool has_angle;
	struct mail_addrs *out;
};

static bool is_addr_spec(const char *s)
{
	const char *at = strrchr(s, '@');

	if (!at || at == s || !at[1])
		return false;
	for (; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == 127 || *s == '<' ||
		    *s == '>')
			return false;
	return true;
}

static void squeeze(struct strbuf *sb)
{
	size_t n = 0;

	for (size_t i = 0; i < sb->len; i++) {
		bool blank = isspace((unsigned char)sb->buf[i]);

		if (blank && (!n || sb->buf[n - 1] == ' '))
			continue;
		sb->buf[n++] = blank ? ' ' : sb->buf[i];
	}
	strbuf_setlen(sb, n);
	strbuf_rtrim(sb);
}

static void flush(struct addr_reader *r)
{
	struct mail_addrs *out = r->out;
	struct mail_addr a = { 0 };

	squeeze(&r->phrase);
	squeeze(&r->angle);
	squeeze(&r->comment);
	if (r->has_angle && is_addr_spec(r->angle.buf)) {
		a.email = xstrdup(r->angle.buf);
		a.name = mail_decode_words(r->phrase.len ? r->phrase.buf :
							   r->comment.buf);
	} else if (is_addr_spec(r->phrase.buf)) {
		a.email = xstrdup(r->phrase.buf);
		a.name = mail_decode_words(r->comment.buf);
	} else if (r->phrase.len || r->angle.len) {
		a.email = xstrdup("");
		a.name = mail_decode_words(r->phrase.buf);
	}
	strbuf_reset(&r->phrase);
	strbuf_reset(&r->angle);
	strbuf_reset(&r->comment);
	r->has_angle = false;
	if (!a.email || out->nr >= MAX_ADDRS) {
		free(a.email);
		free(a.name);
		return;
	}
	if (!(out->nr & (out->nr - 1)))
		out->v = xrealloc_array(out->v, out->nr ? out->nr * 2 : 1,
					sizeof(*out->v));
	out->v[out->nr++] = a;
}

/* Quoted string or comment from @p on; returns the character behind it. */
static const char *read_nested(const char *p, struct strbuf *out)
{
	bool quoted = *p == '"';
	unsigned int depth = 1;

	for (p++; *p; p++) {
		if (*p == '\\' && p[1]) {
			strbuf_addch(out, *++p);
			continue;
		}
		if (quoted ? *p == '"' : *p == ')' && !--depth)
			return p + 1;
		if (!quoted && *p == '(')
			depth++;
		strbuf_addch(out, *p);
	}
	return p;
}

static const char *read_angle(const char *p, struct addr_reader *r)
{
	r->has_angle = true;
	strbuf_reset(&r->angle);
	for (p++; *p && *p != '>'; p++)
		if (!isspace((unsigned char)*p))
			strbuf_addch(&r->angle, *p);
	return *p ? p + 1 : p;
}

void mail_addrs_parse(const char *value, struct mail_addrs *ret)
{
	struct addr_reader r = {
		.phrase = STRBUF_INIT,
		.angle = STRBUF_INIT,
		.comment = STRBUF_INIT,
		.out = ret,
	};
	const char *p = value;

	while (*p) {
		switch (*p) {
		case '"':
			p = read_nested(p, &r.phrase);
			break;
		case '(':
			p = read_nested(p, &r.comment);
			break;
		case '<':
			p = read_angle(p, &r);
			break;
		case ',':
		case ';':
			flush(&r);
			p++;
			break;
		case ':': /* the name of a group */
			strbuf_reset(&r.phrase);
			p++;
			break;
		default:
			strbuf_addch(&r.phrase, *p++);
		}
	}
	flush(&r);
	strbuf_release(&r.phrase);
	strbuf_release(&r.angle);
	strbuf_release(&r.comment);
}

void mail_addrs_release(struct mail_addrs *a)
{
	for (size_t i = 0; i < a->nr; i++) {
		free(a->v[i].name);
		free(a->v[i].email);
	}
	free(a->v);
	memset(a, 0, sizeof(*a));
}
