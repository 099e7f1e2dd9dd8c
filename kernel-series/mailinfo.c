// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/mailinfo.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What git calls a blank: neither \f nor \v */
#define BLANKS " \t\n\r"
/* A name outside of these limits makes git take the address instead. */
#define MIN_NAME 3
#define MAX_NAME 60

enum field { F_FROM, F_SUBJECT, F_DATE, F_TYPE, F_ENCODING, F_NR };
/* those that may stand above the message as well */
#define F_IN_BODY (F_DATE + 1)

static const char *const field_names[F_NR] = {
	"From", "Subject", "Date", "Content-Type", "Content-Transfer-Encoding",
};

/**
 * struct info - work on one mail
 * @at: what is not yet read
 * @end: behind the last byte
 * @head: fields of the header
 * @body: fields above the message, which count more
 */
struct info {
	const char *at, *end;
	char *head[F_NR];
	char *body[F_IN_BODY];
};

void mailinfo_init(struct mailinfo *m)
{
	memset(m, 0, sizeof(*m));
	strbuf_init(&m->body);
	strbuf_init(&m->diff);
}

void mailinfo_release(struct mailinfo *m)
{
	free(m->subject);
	free(m->author_name);
	free(m->author_email);
	free(m->date);
	strbuf_release(&m->body);
	strbuf_release(&m->diff);
	mailinfo_init(m);
}

static bool is_blank(char c)
{
	return c && strchr(BLANKS, c);
}

/* The next line with its LF, which the last one may lack. */
static bool next_line(struct info *w, const char **line, size_t *len)
{
	const char *nl;

	if (w->at == w->end)
		return false;
	nl = memchr(w->at, '\n', (size_t)(w->end - w->at));
	*line = w->at;
	w->at = nl ? nl + 1 : w->end;
	*len = (size_t)(w->at - *line);
	return true;
}

static size_t trimmed(const char *line, size_t len)
{
	while (len && is_blank(line[len - 1]))
		len--;
	return len;
}

/* Field @f if the line is one, F_NR otherwise. */
static enum field field_of(const char *line, size_t len)
{
	int f;

	for (f = 0; f < F_NR; f++) {
		size_t n = strlen(field_names[f]);

		if (len > n && line[n] == ':' &&
		    !strncasecmp(line, field_names[f], n))
			break;
	}
	return f;
}

/* Value of the field, without the blanks before it. */
static const char *value_of(const char *line, size_t *len, enum field f)
{
	size_t n = strlen(field_names[f]) + 1;

	while (n < *len && is_blank(line[n]))
		n++;
	*len -= n;
	return line + n;
}

static bool is_field(const char *line, size_t len)
{
	size_t i;

	if (!strncmp(line, "From ", min(len, (size_t)5)) ||
	    !strncmp(line, ">From ", min(len, (size_t)6)))
		return len >= 5;
	for (i = 0; i < len; i++) {
		if (line[i] == ':')
			return true;
		if (line[i] <= ' ' || line[i] == 127)
			return false;
	}
	return false;
}

/* A header field with the lines that continue it; @f may be none of ours. */
static int read_field(struct info *w, const char *line, size_t len)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	enum field f = field_of(line, len);

	strbuf_add(&sb, line, len);
	while (w->at < w->end && (*w->at == ' ' || *w->at == '\t')) {
		next_line(w, &line, &len);
		len = trimmed(line + 1, len - 1);
		strbuf_addch(&sb, ' ');
		strbuf_add(&sb, line + 1, len);
	}
	if (f == F_NR)
		return 0;
	/* the last of several would count, or none: who knows */
	if (w->head[f])
		return MAILINFO_ASK_GIT;
	len = sb.len;
	line = value_of(sb.buf, &len, f);
	w->head[f] = xstrndup(line, trimmed(line, len));
	return 0;
}

static int read_head(struct info *w)
{
	const char *line;
	size_t len;

	while (next_line(w, &line, &len)) {
		len = trimmed(line, len);
		if (!len)
			return 0;
		if (!is_field(line, len) || read_field(w, line, len))
			return MAILINFO_ASK_GIT;
	}
	return MAILINFO_ASK_GIT;
}

static bool is_ascii(const char *p, size_t len)
{
	unsigned char all = 0;
	size_t i;

	for (i = 0; i < len; i++)
		all |= (unsigned char)p[i];
	return all < 0x80;
}

/* "text/plain; charset=X", nothing more, X being what the text is anyway. */
static bool is_plain_text(const struct info *w)
{
	static const char *const ascii[] = { "us-ascii", "iso-8859-1",
					     "iso-8859-15", "windows-1252" };
	const char *encoding = w->head[F_ENCODING], *p = w->head[F_TYPE];
	size_t i, n;

	if (encoding && strcasecmp(encoding, "7bit") &&
	    strcasecmp(encoding, "8bit"))
		return false;
	if (!p)
		return true;
	if (strncasecmp(p, "text/plain", 10))
		return false;
	p += 10 + strspn(p + 10, " ");
	if (!*p)
		return true;
	if (*p++ != ';')
		return false;
	p += strspn(p, " ");
	if (strncasecmp(p, "charset=", 8))
		return false;
	p += 8;
	n = strlen(p);
	if (n > 2 && *p == '"' && p[n - 1] == '"') {
		p++;
		n -= 2;
	}
	if (n == 5 && !strncasecmp(p, "utf-8", n))
		return true;
	for (i = 0; i < ARRAY_SIZE(ascii); i++)
		if (n == strlen(ascii[i]) && !strncasecmp(p, ascii[i], n))
			return is_ascii(w->at, (size_t)(w->end - w->at));
	return false;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "=?utf-8?q?...?=" at *@p: decoded; or false. */
static bool decode_word(const char **p, struct strbuf *out)
{
	const char *q = *p;

	if (strncasecmp(q, "=?utf-8?q?", 10))
		return false;
	for (q += 10; *q && *q != '?'; q++) {
		int hi, lo;

		if (*q == '_') {
			strbuf_addch(out, ' ');
			continue;
		}
		if (*q != '=') {
			strbuf_addch(out, *q);
			continue;
		}
		hi = hex_value(q[1]);
		lo = hi < 0 ? -1 : hex_value(q[2]);
		if (lo < 0)
			return false;
		strbuf_addch(out, hi << 4 | lo);
		q += 2;
	}
	if (q[0] != '?' || q[1] != '=')
		return false;
	*p = q + 2;
	return true;
}

static bool is_clean(const struct strbuf *sb)
{
	struct strbuf utf8 __free(strbuf) = STRBUF_INIT;
	size_t i;

	for (i = 0; i < sb->len; i++)
		if ((unsigned char)sb->buf[i] < ' ' || sb->buf[i] == 127)
			return false;
	strbuf_add_utf8(&utf8, sb->buf, sb->len);
	return utf8.len == sb->len && !memcmp(utf8.buf, sb->buf, sb->len);
}

/* Runs of blanks are one, none at the end: what git does after decoding. */
static void squeeze(const char *in, struct strbuf *out)
{
	for (; *in; in++) {
		if (!is_blank(*in))
			strbuf_addch(out, *in);
		else if (!is_blank(in[1]))
			strbuf_addch(out, ' ');
	}
	strbuf_rtrim(out);
}

/* A value as it is meant, words decoded; or MAILINFO_ASK_GIT. */
static int decode(const char *value, struct strbuf *ret)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	const char *p = value;
	bool after_word = false;

	while (*p) {
		const char *word = strstr(p, "=?");
		size_t n = word ? (size_t)(word - p) : strlen(p);

		/* blanks between two words are not part of the text */
		if (!word || !after_word || strspn(p, BLANKS) < n)
			strbuf_add(&sb, p, n);
		if (!word)
			break;
		p = word;
		if (!decode_word(&p, &sb))
			return MAILINFO_ASK_GIT;
		after_word = true;
	}
	squeeze(sb.buf, ret);
	if (strlen(sb.buf) != sb.len || !is_clean(ret))
		return MAILINFO_ASK_GIT;
	return 0;
}

/* "Re:" and "[...]" at the beginning, as often as they come; NULL: ask git. */
static const char *skip_tags(const char *s)
{
	for (;;) {
		if (*s == ' ' || *s == '\t' || *s == ':')
			s++;
		else if (!strcasecmp(s, "re:"))
			return NULL;
		else if (!strncasecmp(s, "re:", 3))
			s += 3;
		else if (*s == '[' && strchr(s, ']'))
			s = strchr(s, ']') + 1;
		else
			return s;
	}
}

static int read_subject(const struct info *w, struct mailinfo *ret)
{
	const char *v = w->body[F_SUBJECT] ? w->body[F_SUBJECT] :
					     w->head[F_SUBJECT];
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	if (!v)
		return 0;
	if (decode(v, &sb) || !skip_tags(sb.buf))
		return MAILINFO_ASK_GIT;
	ret->subject = xstrdup(skip_tags(sb.buf));
	return 0;
}

/* An address of which git has nothing to guess. */
static bool is_address(const char *p, size_t len)
{
	const char *at = memchr(p, '@', len);

	return at && at > p && at < p + len - 1 &&
	       !memchr(at + 1, '@', (size_t)(p + len - at - 1)) &&
	       strcspn(p, " \"()<>\\,:;") >= len;
}

static int read_author(const struct info *w, struct mailinfo *ret)
{
	const char *v = w->body[F_FROM] ? w->body[F_FROM] : w->head[F_FROM];
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	const char *name, *open;
	size_t len, tail;

	if (!v)
		return MAILINFO_ASK_GIT;
	if (decode(v, &sb))
		return MAILINFO_ASK_GIT;
	name = sb.buf;
	open = strchr(name, '<');
	tail = open ? strlen(open) : 0;
	if (tail < 3 || open[tail - 1] != '>' || !is_address(open + 1, tail - 2))
		return MAILINFO_ASK_GIT;
	len = trimmed(name, (size_t)(open - name));
	if (len > 2 && *name == '"' && name[len - 1] == '"') {
		name++;
		len -= 2;
		if (*name == ' ' || name[len - 1] == ' ')
			return MAILINFO_ASK_GIT;
	}
	if (len < MIN_NAME || len > MAX_NAME ||
	    strcspn(name, "\"()<>@\\") < len)
		return MAILINFO_ASK_GIT;
	ret->author_name = xstrndup(name, len);
	ret->author_email = xstrndup(open + 1, tail - 2);
	return 0;
}

static int read_date(const struct info *w, struct mailinfo *ret)
{
	const char *v = w->body[F_DATE] ? w->body[F_DATE] : w->head[F_DATE];
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	if (!v)
		return 0;
	if (decode(v, &sb))
		return MAILINFO_ASK_GIT;
	ret->date = strbuf_detach(&sb);
	return 0;
}

/* A line that can only belong to the patch, or stand above it. */
static bool ends_message(const char *line, size_t len)
{
	if (len >= 6 && !memcmp(line, "diff -", 6))
		return true;
	if (len >= 7 && !memcmp(line, "Index: ", 7))
		return true;
	if (len < 4 || memcmp(line, "---", 3))
		return false;
	if (line[3] == ' ' && (len == 4 || !is_blank(line[4])))
		return true;
	/* the line end must be there */
	return line[len - 1] == '\n' && trimmed(line, len) == 3;
}

/*
 * Fields above the message. A line that belongs to none is given back, blank
 * lines before it are gone.
 */
static int read_body_fields(struct info *w)
{
	bool any = false;
	const char *line;
	size_t len;

	while (next_line(w, &line, &len)) {
		enum field f = field_of(line, len);

		if (*line == '\n') {
			if (any)
				return 0;
			continue;
		}
		/* folded, quoted or the old form of a subject */
		if ((any && (*line == ' ' || *line == '\t')) ||
		    !strncmp(line, ">From", min(len, (size_t)5)) ||
		    !strncmp(line, "[PATCH]", min(len, (size_t)7)))
			return MAILINFO_ASK_GIT;
		if (f >= F_IN_BODY || w->body[f]) {
			w->at = line;
			return 0;
		}
		any = true;
		line = value_of(line, &len, f);
		w->body[f] = xstrndup(line, trimmed(line, len));
	}
	return 0;
}

static void read_message(struct info *w, struct mailinfo *ret)
{
	const char *start = w->at, *line;
	size_t len;

	while (next_line(w, &line, &len)) {
		if (!ends_message(line, len))
			continue;
		strbuf_add(&ret->body, start, (size_t)(line - start));
		strbuf_add(&ret->diff, line, (size_t)(w->end - line));
		return;
	}
	strbuf_add(&ret->body, start, (size_t)(w->end - start));
}

/* Without a patch, fields above the message are gone but do not count. */
static void drop_body_fields(struct info *w)
{
	int i;

	for (i = 0; i < F_IN_BODY; i++) {
		free(w->body[i]);
		w->body[i] = NULL;
	}
}

/* What git cannot decode it refuses, also where another field counts. */
static bool all_decode(const struct info *w)
{
	struct strbuf drop __free(strbuf) = STRBUF_INIT;
	int i;

	for (i = 0; i < F_IN_BODY; i++)
		if ((w->head[i] && decode(w->head[i], &drop)) ||
		    (w->body[i] && decode(w->body[i], &drop)))
			return false;
	return true;
}

static int read_mail(struct info *w, struct mailinfo *ret)
{
	int r = read_head(w);

	if (!r && !is_plain_text(w))
		r = MAILINFO_ASK_GIT;
	if (!r)
		r = read_body_fields(w);
	if (r)
		return r;
	read_message(w, ret);
	if (!all_decode(w))
		return MAILINFO_ASK_GIT;
	if (!ret->diff.len)
		drop_body_fields(w);
	r = read_subject(w, ret);
	if (!r)
		r = read_author(w, ret);
	if (!r)
		r = read_date(w, ret);
	return r;
}

int mailinfo_plain(const char *raw, size_t len, struct mailinfo *ret)
{
	struct info w = { .at = raw, .end = raw + len };
	int r, i;

	if (!len || is_blank(*raw) || memchr(raw, '\0', len) ||
	    memchr(raw, '\r', len))
		return MAILINFO_ASK_GIT;
	r = read_mail(&w, ret);
	for (i = 0; i < F_NR; i++)
		free(w.head[i]);
	drop_body_fields(&w);
	if (r)
		mailinfo_release(ret);
	return r;
}
