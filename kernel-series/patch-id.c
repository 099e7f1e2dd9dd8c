// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/patch-id.h"

#include <ctype.h>
#include <glib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"

#define SHA1_LEN 20

/* Where in a diff a line is. */
enum place {
	BEFORE,	 /* no "diff " line yet */
	HEADER,	 /* between "diff " and the first hunk */
	BINARY,	 /* behind a header that announced no text */
	HUNKS,	 /* in a hunk, or between two of them */
};

/**
 * struct state - one patch on its way through the hash
 * @sum: of the digests of the files so far; addition makes their order no
 *	matter
 * @old: lines of the old file that the hunk still has
 * @new: lines of the new file
 * @blobs: the two ids of the last index line, for a file without text
 */
struct state {
	GChecksum *file;
	unsigned char sum[SHA1_LEN];
	enum place place;
	long old, new;
	struct strbuf blobs;
	bool any;
};

static bool has_prefix(const char *p, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && !memcmp(p, prefix, n);
}

/* The digest is added as one number, its first byte the lowest. */
static void end_file(struct state *s)
{
	unsigned char digest[SHA1_LEN];
	gsize n = sizeof(digest);
	unsigned int carry = 0;

	g_checksum_get_digest(s->file, digest, &n);
	for (size_t i = 0; i < SHA1_LEN; i++) {
		carry += s->sum[i] + digest[i];
		s->sum[i] = carry & 0xff;
		carry >>= 8;
	}
	g_checksum_reset(s->file);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void hash_line(struct state *s, const char *p, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && !is_blank(p[i]))
			continue;
		if (i > from)
			g_checksum_update(s->file,
					  (const unsigned char *)p + from,
					  (gssize)(i - from));
		from = i + 1;
	}
	s->any = true;
}

/* "index OLD..NEW MODE": the ids count only where nothing else does. */
static void take_index(struct state *s, const char *p, size_t len)
{
	const char *dots = memmem(p, len, "..", 2), *end;

	if (!dots)
		return;
	end = memchr(dots, ' ', len - (size_t)(dots - p));
	if (!end)
		end = p + len;
	strbuf_reset(&s->blobs);
	p += strlen("index ");
	if (dots > p)
		strbuf_add(&s->blobs, p, (size_t)(dots - p));
	strbuf_add(&s->blobs, dots + 2, (size_t)(end - dots) - 2);
}

/* "-12,5" or "-12": how many lines, -1 for neither */
static const char *range(const char *p, char sign, long *count)
{
	char *end;

	if (*p != sign || !isdigit((unsigned char)p[1]))
		return NULL;
	strtol(p + 1, &end, 10);
	*count = 1;
	if (*end == ',') {
		if (!isdigit((unsigned char)end[1]))
			return NULL;
		*count = strtol(end + 1, &end, 10);
	}
	return *count < INT_MAX ? end : NULL;
}

static void hunk_header(struct state *s, const char *p, size_t len)
{
	char *line __free(kfree) = xstrndup(p, min(len, (size_t)100));
	const char *at = range(line + strlen("@@ "), '-', &s->old);

	if (at && *at == ' ')
		at = range(at + 1, '+', &s->new);
	if (!at)
		s->old = s->new = 0;
}

/* Returns false where the diff ends. */
static bool header_line(struct state *s, const char *p, size_t len)
{
	if (has_prefix(p, len, "GIT binary patch") ||
	    has_prefix(p, len, "Binary files")) {
		s->place = BINARY;
		g_checksum_update(s->file,
				  (const unsigned char *)s->blobs.buf,
				  (gssize)s->blobs.len);
		s->any = true;
		end_file(s);
		return true;
	}
	if (has_prefix(p, len, "index ")) {
		take_index(s, p, len);
		return true;
	}
	if (has_prefix(p, len, "--- ")) {
		/* this line and "+++ " go through the count of a hunk */
		s->place = HUNKS;
		s->old = s->new = 1;
	} else if (!len || !isalpha((unsigned char)*p)) {
		return false;
	}
	if (s->place == HUNKS)
		s->old--;
	hash_line(s, p, len);
	return true;
}

static bool hunk_line(struct state *s, const char *p, size_t len)
{
	if (!s->old && !s->new) {
		if (has_prefix(p, len, "@@ -")) {
			hunk_header(s, p, len);
			return true;
		}
		if (!has_prefix(p, len, "diff "))
			return false;
		end_file(s);
		s->place = HEADER;
		return header_line(s, p, len);
	}
	if (len && (*p == '-' || *p == ' '))
		s->old--;
	if (len && (*p == '+' || *p == ' '))
		s->new--;
	hash_line(s, p, len);
	return true;
}

static bool take_line(struct state *s, const char *p, size_t len)
{
	/* "\ No newline at end of file" */
	if (len >= 12 && has_prefix(p, len, "\\ "))
		return true;
	switch (s->place) {
	case BEFORE:
		if (!has_prefix(p, len, "diff "))
			return true;
		s->place = HEADER;
		return header_line(s, p, len);
	case BINARY:
		if (!has_prefix(p, len, "diff "))
			return true;
		s->place = HEADER;
		return header_line(s, p, len);
	case HEADER:
		return header_line(s, p, len);
	case HUNKS:
		return hunk_line(s, p, len);
	}
	return false;
}

bool patch_id(const char *text, size_t len,
	      char hex[static PATCH_ID_HEX_LEN + 1])
{
	struct state s = { .file = g_checksum_new(G_CHECKSUM_SHA1),
			   .blobs = STRBUF_INIT };
	const char *end = text + len;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl ? nl : end;

		if (!take_line(&s, text, (size_t)(stop - text)))
			break;
		text = stop + 1;
	}
	end_file(&s);
	for (size_t i = 0; s.any && i < SHA1_LEN; i++)
		snprintf(hex + 2 * i, 3, "%02x", s.sum[i]);
	g_checksum_free(s.file);
	strbuf_release(&s.blobs);
	return s.any;
}
