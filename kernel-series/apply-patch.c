// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/apply-patch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"

#define MAX_PATCH_FILES 20000
#define MAX_HUNKS 200000
#define MAX_LINE_NO 100000000UL

/**
 * struct reader - a position in the patch
 * @p: next byte
 * @end: end of the patch
 * @line: number of the line at @p
 * @hunks: hunks so far in all files
 * @plain: see struct patch
 */
struct reader {
	const char *p, *end;
	unsigned long line;
	size_t hunks;
	bool plain;
};

static size_t line_len(const struct reader *r)
{
	const char *nl = memchr(r->p, '\n', (size_t)(r->end - r->p));

	return nl ? (size_t)(nl - r->p) + 1 : (size_t)(r->end - r->p);
}

static void next_line(struct reader *r)
{
	r->p += line_len(r);
	r->line++;
}

static bool at(const struct reader *r, const char *prefix)
{
	size_t n = strlen(prefix);

	return (size_t)(r->end - r->p) >= n && !memcmp(r->p, prefix, n);
}

/* What follows @prefix on this line, without the line end. */
static char *rest_of_line(const struct reader *r, size_t prefix)
{
	size_t len = line_len(r);

	if (len && r->p[len - 1] == '\n')
		len--;
	if (len < prefix)
		return xstrdup("");
	return xstrndup(r->p + prefix, len - prefix);
}

/*
 * Names whose spelling git could read in more than one way, quotes, blanks or
 * forms that some file system takes for ".git", are left to git.
 */
static bool name_is_plain(const char *s)
{
	const char *p;

	for (p = s; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_./+-,=@%:", *p))
			return false;
	return fs_path_is_safe(s);
}

static void set_path(struct reader *r, char **path, char *name)
{
	if (!name_is_plain(name))
		r->plain = false;
	if (*path && strcmp(*path, name))
		r->plain = false;
	free(*path);
	*path = name;
}

static struct patch_file *add_file(struct patch *p)
{
	struct patch_file *f;

	if (!(p->nr & (p->nr - 1)))
		p->files = xrealloc_array(p->files, p->nr ? 2 * p->nr : 1,
					  sizeof(*p->files));
	f = &p->files[p->nr++];
	memset(f, 0, sizeof(*f));
	return f;
}

/* "diff --git a/X b/X": both names must be the same to be known from here */
static void header_names(struct reader *r, struct patch_file *f)
{
	char *s = rest_of_line(r, strlen("diff --git "));
	size_t len = strlen(s);
	char *mid = s + len / 2;

	if (len > 4 && len % 2 && *mid == ' ' && starts_with(s, "a/") &&
	    starts_with(mid, " b/") && !strncmp(s + 2, mid + 3, len / 2 - 2)) {
		*mid = '\0';
		f->old_path = xstrdup(s + 2);
		f->new_path = xstrdup(mid + 3);
		if (!name_is_plain(f->new_path))
			r->plain = false;
	}
	free(s);
}

static void file_name_line(struct reader *r, char **path, const char *prefix,
			   bool absent)
{
	char *s = rest_of_line(r, 4);
	size_t len = strlen(s);

	if (len && s[len - 1] == '\r')
		r->plain = false;
	s[strcspn(s, "\t\r")] = '\0';
	if (!strcmp(s, "/dev/null")) {
		if (!absent)
			r->plain = false;
		free(s);
		return;
	}
	if (absent || !starts_with(s, prefix))
		r->plain = false;
	if (strchr(s, '/')) {
		char *name = xstrdup(strchr(s, '/') + 1);

		set_path(r, path, name);
	}
	free(s);
}

static unsigned int mode_value(struct reader *r, size_t prefix)
{
	char *s = rest_of_line(r, prefix);
	char *end;
	unsigned long v = strtoul(s, &end, 8);

	if (end != s + 6 || *end || (v != 0100644 && v != 0100755))
		r->plain = false;
	free(s);
	return (unsigned int)v;
}

static void index_line(struct reader *r, struct patch_file *f)
{
	char *s = rest_of_line(r, strlen("index "));
	size_t n = strspn(s, "0123456789abcdefABCDEF");
	size_t m = 0;
	const char *q;

	if (n > 40 || strncmp(s + n, "..", 2)) {
		r->plain = false;
		free(s);
		return;
	}
	q = s + n + 2;
	m = strspn(q, "0123456789abcdefABCDEF");
	if (m > 40 || n < 4 || m < 4 || (q[m] && q[m] != ' ')) {
		r->plain = false;
		free(s);
		return;
	}
	memcpy(f->old_blob, s, n);
	memcpy(f->new_blob, q, m);
	if (q[m] == ' ') {
		unsigned long v = strtoul(q + m + 1, NULL, 8);

		if (v != 0100644 && v != 0100755)
			r->plain = false;
		f->old_mode = (unsigned int)v;
	}
	free(s);
}

/* One line of the extended header; false: the header is over. */
static bool header_line(struct reader *r, struct patch_file *f)
{
	if (at(r, "old mode ")) {
		f->old_mode = mode_value(r, 9);
	} else if (at(r, "new mode ")) {
		f->new_mode = mode_value(r, 9);
	} else if (at(r, "deleted file mode ")) {
		f->is_delete = true;
		f->old_mode = mode_value(r, 18);
		free(f->new_path);
		f->new_path = NULL;
	} else if (at(r, "new file mode ")) {
		f->is_new = true;
		f->new_mode = mode_value(r, 14);
		free(f->old_path);
		f->old_path = NULL;
	} else if (at(r, "rename from ") || at(r, "copy from ")) {
		set_path(r, &f->old_path,
			 rest_of_line(r, *r->p == 'r' ? 12 : 10));
	} else if (at(r, "rename to ") || at(r, "copy to ")) {
		f->is_rename |= *r->p == 'r';
		f->is_copy |= *r->p == 'c';
		set_path(r, &f->new_path,
			 rest_of_line(r, *r->p == 'r' ? 10 : 8));
	} else if (at(r, "index ")) {
		index_line(r, f);
	} else if (at(r, "GIT binary patch") || at(r, "Binary files ")) {
		r->plain = false;
	} else if (!at(r, "similarity index ") &&
		   !at(r, "dissimilarity index ")) {
		return false;
	}
	next_line(r);
	return true;
}

static bool number(const char **p, const char *end, unsigned long *ret)
{
	unsigned long v = 0;
	const char *s = *p;

	while (s < end && isdigit((unsigned char)*s) && v < MAX_LINE_NO)
		v = v * 10 + (unsigned long)(*s++ - '0');
	if (s == *p)
		return false;
	*p = s;
	*ret = v;
	return true;
}

static bool range(const char **p, const char *end, unsigned long *start,
		  unsigned long *count)
{
	if (!number(p, end, start))
		return false;
	*count = 1;
	if (*p == end || **p != ',')
		return true;
	++*p;
	return number(p, end, count);
}

static bool hunk_header(const struct reader *r, struct patch_hunk *h,
			unsigned long *old, unsigned long *new)
{
	const char *p = r->p + 4, *end = r->p + line_len(r);

	if (!range(&p, end, &h->old_start, old) || end - p < 5 ||
	    memcmp(p, " +", 2))
		return false;
	p += 2;
	return range(&p, end, &h->new_start, new) && end - p >= 3 &&
	       !memcmp(p, " @@", 3);
}

/* One line of a hunk; false if it does not belong there. */
static bool hunk_line(struct patch_file *f, struct patch_hunk *h, char c,
		      unsigned long *old, unsigned long *new)
{
	if ((c == ' ' || c == '\n') && *old && *new) {
		--*old;
		--*new;
		h->leading += !h->changed;
		h->trailing++;
		return true;
	}
	if (c == '-' && *old) {
		--*old;
		f->removed++;
	} else if (c == '+' && *new) {
		--*new;
		f->added++;
	} else {
		return false;
	}
	h->changed = true;
	h->trailing = 0;
	return true;
}

/*
 * "\ No newline at end of file" belongs to the line before it, which must be
 * the last one of its side. What else git would accept, git may judge.
 */
static bool no_newline(struct patch_hunk *h, char last, unsigned long old,
		       unsigned long new)
{
	if (last == ' ' && !old && !new)
		h->old_no_newline = true;
	else if (last == '-' && !old)
		h->old_no_newline = true;
	else if (last != '+' || new)
		return false;
	return true;
}

/* Lines of one hunk until the counts of its header are used up. */
static bool hunk_lines(struct reader *r, struct patch_file *f,
		       struct patch_hunk *h, unsigned long old,
		       unsigned long new)
{
	char last = '\0';

	for (;;) {
		char c = r->p < r->end ? *r->p : '\0';

		/* 12: how git tells this line in any language */
		if (c == '\\' && last && at(r, "\\ ") && line_len(r) >= 12) {
			if (!no_newline(h, last, old, new))
				return false;
			last = '\0';
		} else if (!old && !new) {
			break;
		} else if (hunk_line(f, h, c, &old, &new)) {
			last = c;
		} else {
			return false;
		}
		next_line(r);
	}
	/* a patch cut in the middle of its last line */
	return h->changed && r->p[-1] == '\n';
}

static bool parse_hunk(struct reader *r, struct patch_file *f)
{
	struct patch_hunk h = { .line = r->line };
	unsigned long old, new;

	if (!hunk_header(r, &h, &old, &new) || ++r->hunks > MAX_HUNKS)
		return false;
	next_line(r);
	h.text = r->p;
	if (!hunk_lines(r, f, &h, old, new))
		return false;
	h.len = (size_t)(r->p - h.text);
	/* without context git's own rules are the only ones that hold */
	if (!h.leading && !h.trailing && !f->is_new && !f->is_delete)
		r->plain = false;
	if (!(f->nr_hunks & (f->nr_hunks - 1)))
		f->hunks = xrealloc_array(f->hunks,
					  f->nr_hunks ? 2 * f->nr_hunks : 1,
					  sizeof(*f->hunks));
	f->hunks[f->nr_hunks++] = h;
	return true;
}

static void check_file(struct reader *r, const struct patch_file *f)
{
	bool moved = f->is_rename || f->is_copy;

	if (!f->old_path && !f->new_path)
		r->plain = false;
	if ((f->is_new && (f->is_delete || moved || f->removed)) ||
	    (f->is_delete && (moved || f->added)) ||
	    (f->is_rename && f->is_copy) || (moved && !f->old_path))
		r->plain = false;
	if (!moved && f->old_path && f->new_path &&
	    strcmp(f->old_path, f->new_path))
		r->plain = false;
	/* "patch with only garbage" for git */
	if (!f->nr_hunks && !f->is_new && !f->is_delete && !moved &&
	    f->old_mode == f->new_mode)
		r->plain = false;
}

static void parse_body(struct reader *r, struct patch_file *f)
{
	if (at(r, "--- ")) {
		file_name_line(r, &f->old_path, "a/", f->is_new);
		next_line(r);
		if (!at(r, "+++ ")) {
			r->plain = false;
			return;
		}
		file_name_line(r, &f->new_path, "b/", f->is_delete);
		next_line(r);
		if (!at(r, "@@ -"))
			r->plain = false;
	}
	while (at(r, "@@ -"))
		if (!parse_hunk(r, f)) {
			r->plain = false;
			return;
		}
	check_file(r, f);
}

static void parse_git_file(struct reader *r, struct patch *p)
{
	struct patch_file *f = add_file(p);

	header_names(r, f);
	next_line(r);
	while (r->p < r->end && header_line(r, f))
		;
	parse_body(r, f);
}

/* "--- X", "+++ Y", "@@" without "diff --git": readable, but git's affair */
static void parse_bare_file(struct reader *r, struct patch *p)
{
	struct patch_file *f;
	struct reader ahead = *r;

	next_line(&ahead);
	if (!at(&ahead, "+++ ")) {
		next_line(r);
		return;
	}
	f = add_file(p);
	parse_body(r, f);
	r->plain = false;
}

void patch_parse(const char *text, size_t len, struct patch *ret)
{
	struct reader r = { .p = text, .end = text + len, .line = 1,
			    .plain = true };

	memset(ret, 0, sizeof(*ret));
	while (r.p < r.end) {
		if (ret->nr >= MAX_PATCH_FILES) {
			r.plain = false;
			break;
		}
		if (at(&r, "diff --git ")) {
			parse_git_file(&r, ret);
		} else if (at(&r, "--- ")) {
			parse_bare_file(&r, ret);
		} else {
			if (at(&r, "@@ -"))
				r.plain = false;
			next_line(&r);
		}
	}
	ret->plain = r.plain && ret->nr;
}

void patch_release(struct patch *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++) {
		free(p->files[i].old_path);
		free(p->files[i].new_path);
		free(p->files[i].hunks);
	}
	free(p->files);
	memset(p, 0, sizeof(*p));
}

const char **patch_paths(const struct patch *p)
{
	const char **v = xcalloc(2 * p->nr + 1, sizeof(*v));
	size_t i, n = 0;

	for (i = 0; i < p->nr; i++) {
		const struct patch_file *f = &p->files[i];

		if (f->old_path)
			v[n++] = f->old_path;
		if (f->new_path &&
		    (!f->old_path || strcmp(f->old_path, f->new_path)))
			v[n++] = f->new_path;
	}
	return v;
}
