// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "kernel-series/mail.h"
#include "lib/strbuf.h"

/* What stands in the text of a mail: tags, diffstat, pull request, kind. */

struct line {
	const char *p;
	size_t len;
};

static bool next_line(const char *text, size_t size, size_t *at,
		      struct line *l)
{
	const char *nl;

	if (*at >= size)
		return false;
	l->p = text + *at;
	nl = memchr(l->p, '\n', size - *at);
	l->len = nl ? (size_t)(nl - l->p) : size - *at;
	*at += l->len + 1;
	return true;
}

/* Value behind "@tag:" at the beginning of the line, any case; or NULL. */
static char *tag_value(const struct line *l, const char *tag)
{
	size_t n = strlen(tag), len;
	const char *p;

	if (l->len <= n || l->p[n] != ':' || strncasecmp(l->p, tag, n))
		return NULL;
	p = l->p + n + 1;
	len = l->len - n - 1;
	while (len && isspace((unsigned char)*p)) {
		p++;
		len--;
	}
	while (len && isspace((unsigned char)p[len - 1]))
		len--;
	return len ? xstrndup(p, len) : NULL;
}

static bool is_hex(const char *s, size_t want)
{
	return strspn(s, "0123456789abcdef") == want && !s[want];
}

char *mail_ref_id(const char *value)
{
	const char *p = strchr(value, '<'), *end, *at;
	bool bracketed = p && strchr(p, '>');
	size_t len;

	if (bracketed) {
		p++;
		len = strcspn(p, ">");
	} else {
		p = value + strspn(value, " \t\"");
		len = strcspn(p, " \t\"");
	}
	at = memchr(p, '@', len);
	if (!at)
		return bracketed && len ? xstrndup(p, len) : NULL;
	if (memmem(p, len, "://", 3)) {
		/* the part of the path that holds the @ */
		while (at > p && at[-1] != '/')
			at--;
		end = memchr(at, '/', len - (size_t)(at - p));
		if (end)
			len = (size_t)(end - p);
		len -= (size_t)(at - p);
		p = at;
	}
	return len ? xstrndup(p, len) : NULL;
}

static void take_str(char **to, char *value)
{
	if (*to) {
		free(value);
		return;
	}
	*to = value;
}

static void take_tag(struct trailers *to, const char *name, char *value)
{
	if (value)
		trailers_add(to, name, value);
	free(value);
}

static void add_prerequisite(struct mail *m, char *value)
{
	char *old = m->prerequisites;

	if (is_hex(value, 40) && (!old || strlen(old) < 41 * 1000))
		m->prerequisites = old ? xasprintf("%s\n%s", old, value) :
					 xstrdup(value);
	if (m->prerequisites != old)
		free(old);
	free(value);
}

/* The tags that say what a series stands on. They may come in a reply too. */
static void scan_tags(struct mail *m)
{
	size_t at = 0;
	struct line l;
	char *v;

	while (next_line(m->text.buf, m->text.len, &at, &l)) {
		switch (l.len > 10 ? l.p[0] | 0x20 : 0) {
		case 'b':
			v = tag_value(&l, "base-commit");
			if (v && is_hex(v, 40))
				take_str(&m->base_commit, v);
			else
				free(v);
			take_tag(&m->based_on, "Based-on",
				 tag_value(&l, "based-on"));
			break;
		case 'c':
			v = tag_value(&l, "change-id");
			if (v)
				take_str(&m->change_id, v);
			break;
		case 'd':
			take_tag(&m->depends_on, "Depends-on",
				 tag_value(&l, "depends-on"));
			break;
		case 'p':
			v = tag_value(&l, "prerequisite-patch-id");
			if (v)
				add_prerequisite(m, v);
			v = tag_value(&l, "prerequisite-message-id");
			take_tag(&m->depends_on, "Depends-on", v);
			break;
		case 's':
			take_tag(&m->supersedes, "Supersedes",
				 tag_value(&l, "supersedes"));
			break;
		default:
			break;
		}
	}
}

static bool is_stat_summary(const struct line *l)
{
	const char *p = l->p, *end = l->p + l->len;

	while (p < end && *p == ' ')
		p++;
	if (p == end || !isdigit((unsigned char)*p))
		return false;
	while (p < end && isdigit((unsigned char)*p))
		p++;
	return end - p >= 13 && (!memcmp(p, " file changed", 13) ||
				 (end - p >= 14 &&
				  !memcmp(p, " files changed", 14)));
}

/* " path | 12 ++--" or " path | Bin 0 -> 12 bytes" */
static bool is_stat_line(const struct line *l)
{
	const char *bar;

	if (l->len < 5 || *l->p != ' ')
		return false;
	bar = memmem(l->p, l->len, "| ", 2);
	if (!bar)
		return false;
	while (bar < l->p + l->len && (*bar == '|' || *bar == ' '))
		bar++;
	return bar < l->p + l->len &&
	       (isdigit((unsigned char)*bar) ||
		(l->p + l->len - bar >= 3 && !memcmp(bar, "Bin", 3)));
}

static void add_trimmed(struct strbuf *sb, const struct line *l)
{
	const char *p = l->p;
	size_t len = l->len;

	while (len && isspace((unsigned char)*p)) {
		p++;
		len--;
	}
	while (len && isspace((unsigned char)p[len - 1]))
		len--;
	if (sb->len)
		strbuf_addch(sb, '\n');
	strbuf_add(sb, p, len);
}

/* The last diffstat before the diff; gives the offset where it begins. */
static size_t scan_diffstat(struct mail *m)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	size_t at = 0, begin = 0, found = m->diff_start;
	struct line l;

	while (next_line(m->text.buf, m->diff_start, &at, &l)) {
		if (is_stat_summary(&l)) {
			if (!sb.len)
				begin = (size_t)(l.p - m->text.buf);
			add_trimmed(&sb, &l);
			free(m->diffstat);
			m->diffstat = strbuf_detach(&sb);
			found = begin;
		} else if (is_stat_line(&l)) {
			if (!sb.len)
				begin = (size_t)(l.p - m->text.buf);
			add_trimmed(&sb, &l);
		} else {
			strbuf_reset(&sb);
		}
	}
	return found;
}

/* "are available in the git repository at:" and the place below or beside. */
static void scan_pull(struct mail *m)
{
	/* git wrote "Git" for some years */
	static const char mark[] = "it repository at:";
	const char *p = memmem(m->text.buf, m->text.len, mark,
			       sizeof(mark) - 1);
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	size_t at, line;
	struct line l;

	if (!p)
		return;
	line = (size_t)(p - m->text.buf);
	while (line && m->text.buf[line - 1] != '\n')
		line--;
	if (m->text.buf[line] == '>')
		return;
	at = (size_t)(p - m->text.buf) + sizeof(mark) - 1;
	while (next_line(m->text.buf, m->text.len, &at, &l)) {
		strbuf_reset(&sb);
		add_trimmed(&sb, &l);
		if (sb.len)
			break;
	}
	if (!strstr(sb.buf, "://") && !strchr(sb.buf, '@') &&
	    sb.buf[0] != '/')
		return;
	free(m->pull_url);
	m->pull_url = strbuf_detach(&sb);
	/* runs of blanks between repository and ref */
	for (char *in = m->pull_url, *out = in;; in++) {
		if (isspace((unsigned char)*in) &&
		    isspace((unsigned char)in[1]))
			continue;
		*out++ = *in;
		if (!*in)
			break;
	}
}

/* Where the commit message ends: "---", the signature, or the diff. */
static size_t message_end(const struct mail *m)
{
	size_t at = 0;
	struct line l;

	while (next_line(m->text.buf, m->diff_start, &at, &l)) {
		size_t n = l.len;

		if (n < 2 || l.p[0] != '-' || l.p[1] != '-')
			continue;
		if (n == 3 && l.p[2] == ' ')
			return (size_t)(l.p - m->text.buf);
		while (n > 3 && isspace((unsigned char)l.p[n - 1]))
			n--;
		if (n == 3 && l.p[2] == '-')
			return (size_t)(l.p - m->text.buf);
	}
	return m->diff_start;
}

/* "Name (2):" above indented titles: the shortlog of a cover. */
static size_t shortlog_begin(const struct mail *m, size_t end)
{
	size_t at = 0, begin;
	struct line l;

	while (next_line(m->text.buf, end, &at, &l)) {
		const char *open;

		if (l.len < 5 || memcmp(l.p + l.len - 2, "):", 2) ||
		    isspace((unsigned char)*l.p))
			continue;
		begin = (size_t)(l.p - m->text.buf);
		open = memrchr(l.p, '(', l.len);
		if (!open || !isdigit((unsigned char)open[1]) ||
		    at + 2 >= end || memcmp(m->text.buf + at, "  ", 2))
			continue;
		return begin;
	}
	return end;
}

static enum mail_kind kind_of(const struct mail *m)
{
	bool has_diff = m->diff.nr_files;

	if (m->subj.is_reply)
		return MAIL_COMMENT;
	if (m->pull_url)
		return MAIL_PULL_REQUEST;
	if (m->subj.has_number && !m->subj.number)
		return MAIL_COVER;
	if (has_diff)
		return MAIL_PATCH;
	return m->in_reply_to ? MAIL_COMMENT : MAIL_OTHER;
}

void mail_scan_text(struct mail *m)
{
	size_t stat;

	diff_release(&m->diff);
	if (!diff_find(m->text.buf, m->text.len, &m->diff, &m->diff_start) &&
	    m->attached.len) {
		size_t ignored;

		diff_release(&m->diff);
		diff_find(m->attached.buf, m->attached.len, &m->diff,
			  &ignored);
	}
	scan_tags(m);
	stat = scan_diffstat(m);
	scan_pull(m);
	m->kind = kind_of(m);
	if (m->kind == MAIL_PATCH || m->kind == MAIL_COVER)
		mail_scan_links(m);
	m->message_len = message_end(m);
	if (m->kind == MAIL_COVER)
		m->message_len =
			shortlog_begin(m, min(m->message_len, stat));
	if (m->kind == MAIL_COMMENT)
		trailers_of_reply(m->text.buf, m->diff_start, &m->trailers);
	else
		trailers_of_message(m->text.buf, m->message_len, &m->trailers);
}

const char *mail_kind_name(enum mail_kind kind)
{
	switch (kind) {
	case MAIL_PATCH:
		return "patch";
	case MAIL_COVER:
		return "cover";
	case MAIL_COMMENT:
		return "comment";
	case MAIL_PULL_REQUEST:
		return "pull-request";
	case MAIL_OTHER:
		break;
	}
	return "other";
}
