// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/apply-mail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel-series/git-program.h"
#include "kernel-series/mailinfo.h"
#include "lib/fs.h"

#define MAX_MAIL_BYTES ((size_t)8 << 20)
#define MAILINFO_TIMEOUT_MS 30000
/* what git exits with when it gives up; above it is a signal */
#define GIT_DIED 128

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
	end = strptime(s, " %d %b %Y %H:%M", &tm);
	if (!end)
		return;
	if (*end == ':') {
		end = strptime(end, ":%S", &tm);
		if (!end)
			return;
	}
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
		while (len && strchr(" \t\r", p[len - 1]))
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

/* git itself, for mails that are not plain */
static int mailinfo_by_git(const char *scratch, const struct strbuf *raw,
			   struct mailinfo *ret, struct strbuf *why)
{
	char *msg __free(kfree) = xasprintf("%s/msg", scratch);
	char *patch __free(kfree) = xasprintf("%s/patch", scratch);
	struct strbuf info __free(strbuf) = STRBUF_INIT;
	/* UTF-8 is what it gives; asked for it, git 2.39 converts nothing */
	const char *argv[] = { "mailinfo", msg, patch, NULL };
	struct git_program g = { .argv = argv, .input = raw->buf,
				 .input_len = raw->len,
				 .timeout_ms = MAILINFO_TIMEOUT_MS };
	int code = 0, r = git_program_run(&g, &info, NULL, &code);

	if (r) {
		strbuf_addf(why, "git mailinfo: %s", strerror(-r));
		return r;
	}
	if (code > GIT_DIED) {
		strbuf_addf(why, "git mailinfo: exit %d", code);
		return -EIO;
	}
	if (code) {
		strbuf_addstr(why, "git mailinfo cannot read this mail");
		return APPLY_MAIL_EMPTY;
	}
	r = fs_read_file(msg, MAX_MAIL_BYTES, &ret->body);
	if (!r)
		r = fs_read_file(patch, MAX_MAIL_BYTES, &ret->diff);
	if (r)
		return r;
	ret->subject = info_value(&info, "Subject");
	ret->author_name = info_value(&info, "Author");
	ret->author_email = info_value(&info, "Email");
	ret->date = info_value(&info, "Date");
	return 0;
}

/* Move what @info holds, as git am puts it into the commit. */
static void take_info(struct mailinfo *info, struct apply_mail *m)
{
	struct strbuf full __free(strbuf) = STRBUF_INIT;

	strbuf_addf(&full, "%s\n\n", info->subject ? info->subject : "");
	strbuf_addbuf(&full, &info->body);
	strip_space(&full, &m->message);
	if (info->date)
		parse_date(info->date, m);
	m->author_name = xstrdup(info->author_name ? info->author_name : "");
	m->author_email = xstrdup(info->author_email ? info->author_email : "");
	strbuf_addbuf(&m->diff, &info->diff);
}

/* A name of nothing but marks is none: git am refuses to make such a commit. */
static bool has_author(const struct apply_mail *m)
{
	const char *p;

	for (p = m->author_name; *p; p++)
		if ((unsigned char)*p > ' ' && !strchr(".,:;<>\"\\'", *p))
			return true;
	return false;
}

int apply_mail_read(const char *path, const char *scratch,
		    struct apply_mail *ret, struct strbuf *why)
{
	struct mailinfo info;
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
	mailinfo_init(&info);
	r = mailinfo_plain(ret->raw.buf, ret->raw.len, &info);
	if (r == MAILINFO_ASK_GIT) {
		ret->by_git = true;
		r = mailinfo_by_git(scratch, &ret->raw, &info, why);
	}
	if (!r)
		take_info(&info, ret);
	mailinfo_release(&info);
	if (r)
		return r;
	if (!ret->diff.len)
		strbuf_addstr(why, "there is no patch in this mail");
	else if (!has_author(ret))
		strbuf_addstr(why, "this mail does not say who has written it");
	else
		return 0;
	return APPLY_MAIL_EMPTY;
}
