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
	enum patch_id_kind kind;
	struct strbuf old_name, new_name; /* %PATCH_ID_COMMIT, in the header */
	bool is_new, is_deleted;
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

/* "diff --git a/X b/X": the name, where both are the same */
static void take_names(struct state *s, const char *p, size_t len)
{
	size_t n = strlen("diff --git ");

	strbuf_reset(&s->old_name);
	strbuf_reset(&s->new_name);
	s->is_new = s->is_deleted = false;
	if (len <= n + 6)
		return;
	p += n;
	n = (len - n - 1) / 2;
	strbuf_add(&s->old_name, p + 2, n - 2);
	strbuf_add(&s->new_name, p + n + 3, n - 2);
}

static bool take_name(struct strbuf *to, const char *p, size_t len,
		      const char *prefix)
{
	size_t n = strlen(prefix);

	if (!has_prefix(p, len, prefix))
		return false;
	strbuf_reset(to);
	strbuf_add(to, p + n, len - n);
	return true;
}

/* Lines that say how git shows the change, not what it is. */
static bool is_mail_only(struct state *s, const char *p, size_t len)
{
	s->is_new |= has_prefix(p, len, "new file mode ");
	s->is_deleted |= has_prefix(p, len, "deleted file mode ");
	return take_name(&s->old_name, p, len, "rename from ") ||
	       take_name(&s->new_name, p, len, "rename to ") ||
	       take_name(&s->old_name, p, len, "copy from ") ||
	       take_name(&s->new_name, p, len, "copy to ") ||
	       has_prefix(p, len, "similarity index ") ||
	       has_prefix(p, len, "dissimilarity index ");
}

static void hash_name(struct state *s, const char *sign, const char *side,
		      bool none, const struct strbuf *name)
{
	struct strbuf line __free(strbuf) = STRBUF_INIT;

	strbuf_addf(&line, "%s %s%s", sign, none ? "/dev/null" : side,
		    none ? "" : name->buf);
	hash_line(s, line.buf, line.len);
}

/* A file that has no text has its two names all the same. */
static void end_header(struct state *s)
{
	if (s->kind != PATCH_ID_COMMIT || s->place != HEADER)
		return;
	hash_name(s, "---", "a/", s->is_new, &s->old_name);
	hash_name(s, "+++", "b/", s->is_deleted, &s->new_name);
	end_file(s);
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
	if (s->kind == PATCH_ID_COMMIT && has_prefix(p, len, "diff ")) {
		take_names(s, p, len);
	} else if (s->kind == PATCH_ID_COMMIT && is_mail_only(s, p, len)) {
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
		/* git patch-id leaves this line out, git format-patch not */
		return s->kind == PATCH_ID_MAIL || header_line(s, p, len);
	case HEADER:
		if (has_prefix(p, len, "diff "))
			end_header(s);
		return header_line(s, p, len);
	case HUNKS:
		return hunk_line(s, p, len);
	}
	return false;
}

bool patch_id(const char *text, size_t len, enum patch_id_kind kind,
	      char hex[static PATCH_ID_HEX_LEN + 1])
{
	struct state s = { .file = g_checksum_new(G_CHECKSUM_SHA1),
			   .blobs = STRBUF_INIT, .kind = kind,
			   .old_name = STRBUF_INIT, .new_name = STRBUF_INIT };
	const char *end = text + len;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl ? nl : end;

		if (!take_line(&s, text, (size_t)(stop - text)))
			break;
		text = stop + 1;
	}
	end_header(&s);
	/* git patch-id also adds the digest of nothing, behind a binary file */
	if (kind == PATCH_ID_MAIL || s.place == HUNKS)
		end_file(&s);
	for (size_t i = 0; s.any && i < SHA1_LEN; i++)
		snprintf(hex + 2 * i, 3, "%02x", s.sum[i]);
	g_checksum_free(s.file);
	strbuf_release(&s.blobs);
	strbuf_release(&s.old_name);
	strbuf_release(&s.new_name);
	return s.any;
}
