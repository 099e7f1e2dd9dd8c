// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/apply-mail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel-series/git-program.h"
#include "lib/fs.h"

#define MAX_MAIL_BYTES ((size_t)8 << 20)
#define MAILINFO_TIMEOUT_MS 30000

void apply_mail_release(struct apply_mail *m)
{
	strbuf_release(&m->raw);
	strbuf_release(&m->message);
	strbuf_release(&m->diff);
	free(m->author_name);
	free(m->author_email);
}

/* "Name: value" of what mailinfo prints; NULL if it is not there */
static char *info_value(const struct strbuf *info, const char *name)
{
	size_t len = strlen(name);
	const char *p = info->buf;

	while (*p) {
		const char *end = strchrnul(p, '\n');

		if (!strncmp(p, name, len) && p[len] == ':') {
			p += len + 1;
			p += *p == ' ';
			return xstrndup(p, (size_t)(end - p));
		}
		p = *end ? end + 1 : end;
	}
	return NULL;
}

static int parse_zone(const char *s)
{
	int v, sign = *s == '-' ? -1 : 1;

	s += strspn(s, " ");
	if ((*s != '+' && *s != '-') || strspn(s + 1, "0123456789") < 4)
		return 0;
	sign = *s == '-' ? -1 : 1;
	v = (s[1] - '0') * 600 + (s[2] - '0') * 60 + (s[3] - '0') * 10 +
	    (s[4] - '0');
	return v > 14 * 60 ? 0 : sign * v;
}

/*
 * RFC 5322 section 3.3, the form that mailers write. A date that is anything
 * else gives 0: a commit needs some date, and a guess would look like a fact.
 */
static void parse_date(const char *s, struct apply_mail *m)
{
	struct tm tm = { 0 };
	const char *end, *comma = strchr(s, ',');
	time_t t;

	if (comma)
		s = comma + 1;
	end = strptime(s, " %d %b %Y %H:%M:%S", &tm);
	if (!end)
		return;
	t = timegm(&tm);
	m->tz_min = parse_zone(end);
	m->date_s = (int64_t)t - m->tz_min * 60;
	if (m->date_s <= 0) {
		m->date_s = 0;
		m->tz_min = 0;
	}
}

/* strbuf_stripspace() of git: what git am does to the message */
static void strip_space(const struct strbuf *in, struct strbuf *out)
{
	size_t pos = 0, empties = 0;

	while (pos < in->len) {
		const char *p = in->buf + pos;
		const char *nl = memchr(p, '\n', in->len - pos);
		size_t len = nl ? (size_t)(nl - p) : in->len - pos;

		pos += len + 1;
		while (len && strchr(" \t\r\f\v", p[len - 1]))
			len--;
		if (!len) {
			empties++;
			continue;
		}
		if (empties && out->len)
			strbuf_addch(out, '\n');
		empties = 0;
		strbuf_add(out, p, len);
		strbuf_addch(out, '\n');
	}
}

/* What git mailsplit does before anybody looks at the mail. */
static void strip_cr(struct strbuf *sb)
{
	size_t i, n = 0;

	for (i = 0; i < sb->len; i++)
		if (sb->buf[i] != '\r' || i + 1 == sb->len ||
		    sb->buf[i + 1] != '\n')
			sb->buf[n++] = sb->buf[i];
	strbuf_setlen(sb, n);
}

static int mailinfo(const char *scratch, struct apply_mail *m,
		    struct strbuf *info, struct strbuf *why)
{
	char *msg __free(kfree) = xasprintf("%s/msg", scratch);
	char *patch __free(kfree) = xasprintf("%s/patch", scratch);
	struct strbuf body __free(strbuf) = STRBUF_INIT;
	struct strbuf full __free(strbuf) = STRBUF_INIT;
	const char *argv[] = { "mailinfo", "--encoding=UTF-8", msg, patch,
			       NULL };
	struct git_program g = { .argv = argv, .input = m->raw.buf,
				 .input_len = m->raw.len,
				 .timeout_ms = MAILINFO_TIMEOUT_MS };
	char *subject __free(kfree) = NULL;
	int r = git_program_ok(&g, info, why);

	if (!r)
		r = fs_read_file(msg, MAX_MAIL_BYTES, &body);
	if (!r)
		r = fs_read_file(patch, MAX_MAIL_BYTES, &m->diff);
	if (r)
		return r;
	subject = info_value(info, "Subject");
	strbuf_addf(&full, "%s\n\n", subject ? subject : "");
	strbuf_addbuf(&full, &body);
	strip_space(&full, &m->message);
	return 0;
}

int apply_mail_read(const char *path, const char *scratch,
		    struct apply_mail *ret, struct strbuf *why)
{
	struct strbuf info __free(strbuf) = STRBUF_INIT;
	char *date __free(kfree) = NULL;
	int r;

	memset(ret, 0, sizeof(*ret));
	strbuf_init(&ret->raw);
	strbuf_init(&ret->message);
	strbuf_init(&ret->diff);
	r = fs_read_file(path, MAX_MAIL_BYTES, &ret->raw);
	if (r) {
		strbuf_addf(why, "%s: %s", path, strerror(-r));
		return r;
	}
	strip_cr(&ret->raw);
	r = mailinfo(scratch, ret, &info, why);
	if (r)
		return r;
	ret->author_name = info_value(&info, "Author");
	ret->author_email = info_value(&info, "Email");
	date = info_value(&info, "Date");
	if (date)
		parse_date(date, ret);
	if (!ret->author_name)
		ret->author_name = xstrdup("");
	if (!ret->author_email)
		ret->author_email = xstrdup("");
	if (ret->diff.len)
		return 0;
	strbuf_addstr(why, "there is no patch in this mail");
	return APPLY_MAIL_EMPTY;
}
