// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An mbox file that grows. It is read in pieces, so that neither a large file
 * nor one that is cut while it is read can hurt.
 */
#include "kernel-series/inbox-int.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define PIECE_BYTES 8192
#define SETTLE_MS 1000
#define SETTLE_TRIES 3

/**
 * struct mbox_in - the file and where we are in it
 * @f: the file
 * @piece: a line, or a piece of one that is longer than the buffer
 * @len: bytes in @piece, 0 at the end
 * @at: offset of @piece
 * @line_start: @piece begins a line
 * @after_blank: the line before is empty, or @piece is the first one
 */
struct mbox_in {
	FILE *f;
	char piece[PIECE_BYTES + 1];
	size_t len;
	int64_t at;
	bool line_start;
	bool after_blank;
};

static bool ends_line(const struct mbox_in *in)
{
	return in->len && in->piece[in->len - 1] == '\n';
}

static bool is_blank(const struct mbox_in *in)
{
	return in->line_start && (!strcmp(in->piece, "\n") ||
				  !strcmp(in->piece, "\r\n"));
}

static void next_piece(struct mbox_in *in)
{
	int c = EOF;

	in->after_blank = is_blank(in);
	in->line_start = !in->len || ends_line(in);
	in->at += (int64_t)in->len;
	in->len = 0;
	while (in->len < PIECE_BYTES && (c = getc_unlocked(in->f)) != EOF) {
		in->piece[in->len++] = (char)c;
		if (c == '\n')
			break;
	}
	in->piece[in->len] = '\0';
}

static int mbox_seek(struct mbox_in *in, int64_t at)
{
	if (fseeko(in->f, at, SEEK_SET))
		return -errno;
	in->at = at;
	in->len = 0;
	next_piece(in);
	in->after_blank = true;
	return 0;
}

/*
 * "From SENDER Mon Nov 30 23:05:23 2026": text may begin with "From " after an
 * empty line too, but hardly holds a time and a year after it.
 */
static bool is_from_line(const struct mbox_in *in)
{
	const unsigned char *p;

	if (!in->line_start || !in->after_blank ||
	    !starts_with(in->piece, "From ") || !ends_line(in))
		return false;
	p = (const unsigned char *)strrchr(in->piece, ':');
	if (!p || p - (const unsigned char *)in->piece < 7)
		return false;
	return isdigit(p[-1]) && isdigit(p[-2]) && isdigit(p[1]) &&
	       isdigit(p[2]) && strtol((const char *)p + 3, NULL, 10) > 90;
}

/* mboxrd: ">From " was "From ", ">>From " was ">From ", and so on. */
static size_t quote_len(const struct mbox_in *in)
{
	size_t n = in->line_start ? strspn(in->piece, ">") : 0;

	return n && starts_with(in->piece + n, "From ") ? 1 : 0;
}

/* Take one mail; its bytes beyond the limit are counted only. */
static void take_mail(struct mbox_in *in, struct strbuf *raw, size_t *full_len)
{
	size_t blank = 0;

	strbuf_reset(raw);
	*full_len = 0;
	if (is_from_line(in))
		next_piece(in);
	for (; in->len && !is_from_line(in); next_piece(in)) {
		size_t skip = quote_len(in), n = in->len - skip;
		size_t room = INBOX_MAX_MAIL_BYTES - raw->len;

		strbuf_add(raw, in->piece + skip, min(n, room));
		*full_len += n;
		blank = is_blank(in) ? in->len : 0;
	}
	/* the empty line before the next "From " belongs to the format */
	*full_len -= blank;
	strbuf_setlen(raw, min(raw->len, *full_len));
}

/* Has nobody written for a moment? Else the last mail may be half a mail. */
static bool wait_until_settled(FILE *f, struct stat *st)
{
	for (int i = 0; i < SETTLE_TRIES; i++) {
		struct timespec now, nap;
		int64_t age_ms;

		if (fstat(fileno(f), st))
			return false;
		clock_gettime(CLOCK_REALTIME, &now);
		age_ms = (now.tv_sec - st->st_mtim.tv_sec) * 1000 +
			 (now.tv_nsec - st->st_mtim.tv_nsec) / 1000000;
		if (age_ms < 0 || age_ms >= SETTLE_MS)
			return true;
		nap.tv_sec = 0;
		nap.tv_nsec = max(SETTLE_MS - age_ms, INT64_C(1)) * 999999;
		nanosleep(&nap, NULL);
	}
	return false;
}

/* Where the last call stopped, or 0 when this is not the same file any more. */
static int find_start(struct inbox_run *run, struct mbox_in *in,
		      const struct stat *st)
{
	int64_t at = json_get_int(run->state, "offset", 0);
	int r;

	if (at > 0 && at <= st->st_size &&
	    json_get_int(run->state, "inode", 0) == (int64_t)st->st_ino) {
		r = mbox_seek(in, at);
		while (!r && is_blank(in))
			next_piece(in);
		in->after_blank = true;
		if (r || !in->len || is_from_line(in))
			return r;
	}
	return mbox_seek(in, 0);
}

static int read_mails(struct inbox_run *run, struct mbox_in *in, bool settled)
{
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	int r = 0;

	while (!r && in->len) {
		size_t full_len;

		take_mail(in, &raw, &full_len);
		if (!in->len && !settled)
			break;
		if (full_len)
			r = inbox_give(run, raw.buf, raw.len, full_len, 0);
		json_set_int(run->state, "offset", in->at);
		if (!r && inbox_batch_full(run))
			r = inbox_give_state(run);
	}
	return r;
}

int inbox_read_mbox(struct inbox_run *run)
{
	const char *path = run->spec->location;
	FILE *f __free(file) = fopen(path, "re");
	struct mbox_in in = { .f = f };
	struct stat st;
	bool settled;
	int r;

	if (!f || fstat(fileno(f), &st)) {
		r = -errno;
		strbuf_addf(run->why, "%s: %s", path, strerror(-r));
		return r;
	}
	if (!S_ISREG(st.st_mode)) {
		strbuf_addf(run->why, "%s: not a file", path);
		return -EINVAL;
	}
	settled = wait_until_settled(f, &st);
	r = find_start(run, &in, &st);
	json_set_int(run->state, "inode", (int64_t)st.st_ino);
	if (!r)
		r = read_mails(run, &in, settled);
	if (!r && ferror(f)) {
		r = -EIO;
		strbuf_addf(run->why, "%s: %s", path, strerror(EIO));
	}
	return r ? r : inbox_give_state(run);
}
