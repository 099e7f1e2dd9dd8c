// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/mbox.h"

#include <string.h>

#include "lib/strbuf.h"

static bool is_from_line(const char *p, size_t len)
{
	return len >= 5 && !memcmp(p, "From ", 5);
}

void mbox_init(struct mbox *mb, const void *data, size_t len)
{
	mb->data = data;
	mb->len = len;
	mb->at = 0;
	mb->is_mbox = is_from_line(data, len);
}

/* A line of one or more '>' before "From ". */
static bool is_escaped(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && p[n] == '>')
		n++;
	return n && is_from_line(p + n, len - n);
}

/*
 * A "From " line begins a mail only when a blank line stands before it: bodies
 * in which nobody escaped "From here on ..." are common enough. What follows
 * must look like a header, for the same reason.
 */
static bool begins_mail(const struct mbox *mb, size_t at)
{
	const char *p = mb->data + at, *nl;
	size_t left = mb->len - at;

	if (!is_from_line(p, left))
		return false;
	if (at && !(at >= 2 && mb->data[at - 1] == '\n' &&
		    (mb->data[at - 2] == '\n' || mb->data[at - 2] == '\r')))
		return false;
	nl = memchr(p, '\n', left);
	if (!nl)
		return !at;
	left -= (size_t)(nl + 1 - p);
	p = nl + 1;
	for (size_t i = 0; i < left && i < 80; i++) {
		if (p[i] == ':')
			return i > 0;
		if (p[i] <= ' ' || p[i] == 127)
			break;
	}
	/* the "From " line at the very beginning needs no header below */
	return !at || is_escaped(p, left);
}

bool mbox_next(struct mbox *mb, struct strbuf *mail)
{
	const char *nl;
	size_t next;

	strbuf_reset(mail);
	if (mb->at >= mb->len)
		return false;
	if (!mb->is_mbox) {
		strbuf_add(mail, mb->data, mb->len);
		mb->at = mb->len;
		return true;
	}
	nl = memchr(mb->data + mb->at, '\n', mb->len - mb->at);
	mb->at = nl ? (size_t)(nl + 1 - mb->data) : mb->len;
	while (mb->at < mb->len && !begins_mail(mb, mb->at)) {
		const char *line = mb->data + mb->at;
		size_t left = mb->len - mb->at;

		nl = memchr(line, '\n', left);
		next = nl ? (size_t)(nl + 1 - line) : left;
		if (is_escaped(line, next))
			strbuf_add(mail, line + 1, next - 1);
		else
			strbuf_add(mail, line, next);
		mb->at += next;
	}
	/* the blank line before the next "From " belongs to the mbox */
	if (mb->at < mb->len && mail->len && mail->buf[mail->len - 1] == '\n')
		strbuf_setlen(mail, mail->len - 1);
	if (mb->at < mb->len && mail->len && mail->buf[mail->len - 1] == '\r')
		strbuf_setlen(mail, mail->len - 1);
	return true;
}
