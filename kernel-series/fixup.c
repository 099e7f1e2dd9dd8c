// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel-series/mail.h"
#include "lib/strbuf.h"

/*
 * A diff in a reply has often gone through a mailer that wraps at about 72
 * columns. The header of a hunk says how many lines it has, so a line that
 * cannot be one of a hunk is the rest of the line before.
 */

/* Two wraps of one header are the most that happens. */
#define MAX_JOINS 8

struct fix_reader {
	const char *text;
	size_t size, at;
	const char *p; /* the current line */
	size_t len;
	struct strbuf *out;
};

static bool load(struct fix_reader *r)
{
	const char *nl;

	if (r->at >= r->size)
		return false;
	r->p = r->text + r->at;
	nl = memchr(r->p, '\n', r->size - r->at);
	r->len = nl ? (size_t)(nl - r->p) : r->size - r->at;
	return true;
}

static bool step(struct fix_reader *r)
{
	r->at = min(r->at + r->len + 1, r->size);
	return load(r);
}

static bool has(const struct fix_reader *r, const char *prefix)
{
	size_t n = strlen(prefix);

	return r->at < r->size && r->len >= n && !memcmp(r->p, prefix, n);
}

static void emit(struct fix_reader *r)
{
	strbuf_add(r->out, r->p, r->len);
	strbuf_addch(r->out, '\n');
}

/* Put the current line at the end of the one before, where it came from. */
static void emit_joined(struct fix_reader *r)
{
	strbuf_setlen(r->out, r->out->len - 1);
	if (r->out->buf[r->out->len - 1] != ' ')
		strbuf_addch(r->out, ' ');
	emit(r);
}

static bool read_counts(const struct fix_reader *r, unsigned long *old,
			unsigned long *new)
{
	char buf[96], *p, *end;
	size_t n = min(r->len, sizeof(buf) - 1);

	memcpy(buf, r->p, n);
	buf[n] = '\0';
	*old = *new = 1;
	p = buf + 4;
	strtoul(p, &end, 10);
	if (end == p)
		return false;
	if (*end == ',')
		*old = strtoul(end + 1, &end, 10);
	if (strncmp(end, " +", 2))
		return false;
	p = end + 2;
	strtoul(p, &end, 10);
	if (end == p)
		return false;
	if (*end == ',')
		*new = strtoul(end + 1, &end, 10);
	return !strncmp(end, " @@", 3);
}

static bool is_hunk_char(const struct fix_reader *r)
{
	return !r->len || strchr(" +-\\\t", *r->p);
}

/*
 * The rest of a wrapped hunk header stands before the first line of the hunk.
 * It never begins like one: "@@ -863,44 +863,6 @@ ... struct" / "mm_struct ...".
 */
static bool read_hunk_head(struct fix_reader *r)
{
	unsigned int joins = 0;

	emit(r);
	if (!step(r))
		return false;
	while (!is_hunk_char(r)) {
		if (++joins > MAX_JOINS)
			return false;
		emit_joined(r);
		if (!step(r))
			return false;
	}
	return true;
}

/*
 * Lines of a hunk until its counts are used up. A wrapped rest that happens to
 * begin with '+', '-' or a blank makes the counts come out wrong: then the
 * answer is that we cannot tell.
 */
static int read_hunk_body(struct fix_reader *r, unsigned long old,
			  unsigned long new)
{
	unsigned int joins = 0;

	while (r->at < r->size && (old || new)) {
		char first = r->len ? *r->p : ' ';

		if (!is_hunk_char(r)) {
			if (++joins > MAX_JOINS)
				return -EBADMSG;
			emit_joined(r);
			step(r);
			continue;
		}
		joins = 0;
		if (first == '\\') {
			emit(r);
			step(r);
			continue;
		}
		if (first == '\t')
			first = ' ';
		if ((first != '+' && !old) || (first != '-' && !new))
			return -EBADMSG;
		old -= first != '+';
		new -= first != '-';
		/* mailers cut the blank of an empty context line */
		if (!r->len)
			strbuf_addch(r->out, ' ');
		emit(r);
		step(r);
	}
	return old || new ? -EBADMSG : 0;
}

/*
 * A last line of a hunk that was wrapped: its rest stands where a header, a
 * blank line or a signature would. Only a line that is none of those counts.
 */
static void read_last_rest(struct fix_reader *r)
{
	size_t begin = r->out->len - 1;

	while (begin && r->out->buf[begin - 1] != '\n')
		begin--;
	if (r->at >= r->size || !r->len || is_hunk_char(r) || has(r, "@@ ") ||
	    has(r, "diff ") || has(r, "index ") || has(r, "Index: ") ||
	    has(r, ">"))
		return;
	/* a line that was not near the margin was not wrapped */
	if (r->out->len - begin < 50 || r->out->len - begin > 80)
		return;
	emit_joined(r);
	step(r);
}

static int read_hunks(struct fix_reader *r)
{
	unsigned long old, new;
	int ret;

	while (has(r, "@@ -")) {
		if (!read_counts(r, &old, &new))
			return -EBADMSG;
		if (!read_hunk_head(r))
			return -EBADMSG;
		ret = read_hunk_body(r, old, new);
		if (ret)
			return ret;
		while (has(r, "\\ ")) {
			emit(r);
			step(r);
		}
		read_last_rest(r);
	}
	return 0;
}

static bool next_is(const struct fix_reader *r, const char *prefix)
{
	struct fix_reader n = *r;

	return step(&n) && has(&n, prefix);
}

/* Lines of git between "diff --git" and the hunks, wrapped names joined. */
static int read_file(struct fix_reader *r)
{
	unsigned int lines = 0;

	if (has(r, "diff ")) {
		emit(r);
		while (step(r) && !has(r, "--- ") && ++lines < 16) {
			if (has(r, "index ") || has(r, "new ") ||
			    has(r, "old ") || has(r, "deleted ") ||
			    has(r, "similarity ") || has(r, "rename ") ||
			    has(r, "copy "))
				emit(r);
			else if (has(r, "b/"))
				emit_joined(r);
			else
				return lines > 1 ? 0 : -ENODATA;
		}
	}
	if (!has(r, "--- ") || !next_is(r, "+++ "))
		return -ENODATA;
	emit(r);
	step(r);
	emit(r);
	if (!step(r) || !has(r, "@@ -"))
		return -ENODATA;
	return read_hunks(r);
}

/* What was put together must read as a diff, and add up. */
static int check_result(const char *text, size_t len)
{
	struct diff d;
	size_t start;
	int ret = 0;

	if (!diff_find(text, len, &d, &start))
		ret = -ENODATA;
	else if (d.damaged)
		ret = -EBADMSG;
	diff_release(&d);
	return ret;
}

static int find_all(struct fix_reader *r, size_t start)
{
	size_t mark;
	int ret;

	while (r->at < r->size) {
		if (!has(r, "diff --git ") && !has(r, "diff -") &&
		    !(has(r, "--- ") && next_is(r, "+++ "))) {
			step(r);
			continue;
		}
		mark = r->out->len;
		ret = read_file(r);
		if (ret == -ENODATA) {
			strbuf_setlen(r->out, mark);
			/* a "diff" line that led nowhere is passed already */
			if (r->at < r->size && has(r, "--- "))
				step(r);
			continue;
		}
		if (ret)
			return ret;
	}
	return check_result(r->out->buf + start, r->out->len - start);
}

int fixup_diff(const char *text, size_t len, struct strbuf *out)
{
	struct fix_reader r = { .text = text, .size = len, .out = out };
	size_t start = out->len;
	int ret = -ENODATA;

	if (load(&r))
		ret = find_all(&r, start);
	if (ret)
		strbuf_setlen(out, start);
	return ret;
}

int mail_fixup_diff(const struct mail *m, struct strbuf *out)
{
	struct strbuf joined __free(strbuf) = STRBUF_INIT;
	const struct strbuf *text = &m->text;
	int ret;

	if (m->flowed) {
		mail_unflow(&m->text, m->delsp, &joined);
		text = &joined;
	}
	ret = fixup_diff(text->buf, text->len, out);
	if (ret == -ENODATA && m->attached.len)
		ret = fixup_diff(m->attached.buf, m->attached.len, out);
	return ret;
}
