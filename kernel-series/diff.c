// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/diff.h"

#include <ctype.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/json.h"

/* Lines between "Index:" or "diff -u" and the "---" line. */
#define MAX_PREAMBLE 8

/* The text line by line; @p is the current line, @len without its newline. */
struct cursor {
	const char *text;
	size_t size;
	size_t at, len, next;
};

static void cursor_load(struct cursor *c, size_t at)
{
	const char *nl;

	c->at = min(at, c->size);
	nl = memchr(c->text + c->at, '\n', c->size - c->at);
	c->len = nl ? (size_t)(nl - (c->text + c->at)) : c->size - c->at;
	c->next = nl ? c->at + c->len + 1 : c->size;
}

static bool cursor_end(const struct cursor *c)
{
	return c->at >= c->size;
}

static void cursor_step(struct cursor *c)
{
	cursor_load(c, c->next);
}

static const char *cursor_line(const struct cursor *c)
{
	return c->text + c->at;
}

static bool line_has(const struct cursor *c, const char *prefix)
{
	size_t n = strlen(prefix);

	return !cursor_end(c) && c->len >= n &&
	       !memcmp(cursor_line(c), prefix, n);
}

/* Copy the current line to @out, with a newline in any case, and go on. */
static void take(struct cursor *c, struct strbuf *out)
{
	strbuf_add(out, cursor_line(c), c->len);
	strbuf_addch(out, '\n');
	cursor_step(c);
}

/* A C-quoted name as git prints it: "a/\303\244.c". */
static char *unquote(const char *p, size_t len)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 1; i < len && p[i] != '"'; i++) {
		if (p[i] != '\\' || i + 1 >= len) {
			strbuf_addch(&out, p[i]);
		} else if (p[i + 1] >= '0' && p[i + 1] <= '3' && i + 3 < len) {
			strbuf_addch(&out, (p[i + 1] - '0') * 64 +
						   (p[i + 2] - '0') * 8 +
						   (p[i + 3] - '0'));
			i += 3;
		} else {
			i++;
			strbuf_addch(&out, p[i] == 'n'	 ? '\n' :
					   p[i] == 't' ? '\t' :
							 p[i]);
		}
	}
	return strbuf_detach(&out);
}

/* A file name up to the end of the line or a tab with a time stamp. */
static char *read_name(const char *p, size_t len)
{
	const char *tab;

	if (len && *p == '"')
		return unquote(p, len);
	tab = memchr(p, '\t', len);
	if (tab)
		len = (size_t)(tab - p);
	while (len && isspace((unsigned char)p[len - 1]))
		len--;
	return xstrndup(p, len);
}

static bool is_null_name(const char *name)
{
	return !strcmp(name, "/dev/null");
}

/* Drop a/, b/ or one of git's mnemonic prefixes. */
static const char *strip_ab(const char *name)
{
	if (name[0] && strchr("abciwo", name[0]) && name[1] == '/' && name[2])
		return name + 2;
	return name;
}

/* "diff --git a/X b/X": without other lines the two names are equal. */
static void names_of_git_line(struct diff_file *f, const char *p, size_t len)
{
	const char *second;
	size_t half;
	char *name;

	if (len && *p == '"') {
		name = unquote(p, len);
		f->old_path = xstrdup(strip_ab(name));
		f->path = xstrdup(f->old_path);
		free(name);
		return;
	}
	if (len % 2 && p[len / 2] == ' ') {
		half = len / 2;
		name = xstrndup(p + half + 1, len - half - 1);
		f->path = xstrdup(strip_ab(name));
		free(name);
		name = xstrndup(p, half);
		f->old_path = xstrdup(strip_ab(name));
		free(name);
		return;
	}
	second = memmem(p, len, " b/", 3);
	half = second ? (size_t)(second - p) : len;
	name = xstrndup(p, half);
	f->old_path = xstrdup(strip_ab(name));
	free(name);
	if (second)
		f->path = xstrndup(second + 3, len - half - 3);
	else
		f->path = xstrdup(f->old_path);
}

static void set_str(char **s, char *v)
{
	free(*s);
	*s = v;
}

static bool is_hex_id(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)p[i]))
			return false;
	return len >= 4 && len <= 64;
}

static void read_index(struct diff_file *f, const char *p, size_t len)
{
	const char *dots = memmem(p, len, "..", 2);
	const char *end;
	size_t rest;

	if (!dots)
		return;
	rest = len - (size_t)(dots + 2 - p);
	end = memchr(dots + 2, ' ', rest);
	if (end)
		rest = (size_t)(end - dots - 2);
	if (!is_hex_id(p, (size_t)(dots - p)) || !is_hex_id(dots + 2, rest))
		return;
	set_str(&f->old_blob, xstrndup(p, (size_t)(dots - p)));
	set_str(&f->new_blob, xstrndup(dots + 2, rest));
}

/* One extended header line of git; false if it is none. */
static bool read_extended(const struct cursor *c, struct diff_file *f)
{
	const char *p = cursor_line(c);

	if (line_has(c, "index "))
		read_index(f, p + 6, c->len - 6);
	else if (line_has(c, "new file mode "))
		f->is_new = true;
	else if (line_has(c, "deleted file mode "))
		f->is_deleted = true;
	else if (line_has(c, "old mode ") || line_has(c, "new mode "))
		f->mode_change = true;
	else if (line_has(c, "rename from "))
		set_str(&f->old_path, read_name(p + 12, c->len - 12));
	else if (line_has(c, "copy from "))
		set_str(&f->old_path, read_name(p + 10, c->len - 10));
	else if (line_has(c, "rename to ")) {
		set_str(&f->path, read_name(p + 10, c->len - 10));
		f->is_rename = true;
	} else if (line_has(c, "copy to ")) {
		set_str(&f->path, read_name(p + 8, c->len - 8));
		f->is_copy = true;
	} else if (!line_has(c, "similarity index ") &&
		   !line_has(c, "dissimilarity index "))
		return false;
	return true;
}

/* The names of "---" and "+++"; of a plain diff the differing first folder
 * ("linux.orig/mm/x.c", "linux/mm/x.c") goes, as patch -p1 would do. */
static void names_of_plain(struct diff_file *f, char *from, char *to, bool git)
{
	const char *a = strip_ab(from), *b = strip_ab(to);
	const char *sa = strchr(from, '/'), *sb = strchr(to, '/');

	if (!git && a == from && b == to && sa && sb && !strcmp(sa, sb) &&
	    strcmp(from, to)) {
		a = sa + 1;
		b = sb + 1;
	}
	if (is_null_name(from))
		f->is_new = true;
	else if (!f->is_rename && !f->is_copy)
		set_str(&f->old_path, xstrdup(a));
	if (is_null_name(to)) {
		f->is_deleted = true;
		set_str(&f->path, xstrdup(f->old_path));
	} else if (!f->is_rename && !f->is_copy) {
		set_str(&f->path, xstrdup(b));
	}
	if (f->is_new)
		set_str(&f->old_path, xstrdup(f->path));
	free(from);
	free(to);
}

/* "@@ -a,b +c,d @@": the two counts; false if it is no hunk header. */
static bool read_hunk(const struct cursor *c, unsigned long *old,
		      unsigned long *new)
{
	char buf[96];
	char *p = buf, *end;
	size_t n = min(c->len, sizeof(buf) - 1);

	if (!line_has(c, "@@ -"))
		return false;
	memcpy(buf, cursor_line(c), n);
	buf[n] = '\0';
	p += 4;
	*old = *new = 1;
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

static bool is_signature(const struct cursor *c)
{
	const char *p = cursor_line(c);

	return (c->len == 2 && !memcmp(p, "--", 2)) ||
	       (c->len == 3 && !memcmp(p, "-- ", 3));
}

/* Does another file begin here? Plain diffs have no more than the "---". */
static bool begins_file(const struct cursor *c)
{
	struct cursor n = *c;

	if (line_has(c, "diff --git ") || line_has(c, "Index: "))
		return true;
	if (!line_has(c, "--- "))
		return false;
	cursor_step(&n);
	if (!line_has(&n, "+++ "))
		return false;
	cursor_step(&n);
	return line_has(&n, "@@ -");
}

static void count_line(struct diff_file *f, char first)
{
	f->added += first == '+';
	f->removed += first == '-';
}

/* Lines beyond the header's count: git stops there, we show them. */
static void read_surplus(struct cursor *c, struct diff_file *f, struct diff *d)
{
	while (!cursor_end(c) && c->len && !is_signature(c) &&
	       !begins_file(c) && strchr(" +-\\", *cursor_line(c))) {
		count_line(f, *cursor_line(c));
		take(c, &d->text);
	}
}

/*
 * The lines of one hunk. Mailers cut the blank of empty context lines, so an
 * empty line counts as context while the header says there is more to come.
 */
static void read_hunk_lines(struct cursor *c, struct diff_file *f,
			    struct diff *d, unsigned long old,
			    unsigned long new)
{
	while (!cursor_end(c) && (old || new)) {
		char first = c->len ? *cursor_line(c) : ' ';

		if (first == '\\') {
			take(c, &d->text);
			continue;
		}
		if (first == '\t' || first == '\r')
			first = ' ';
		if (first == '-' ? !old :
		    first == '+' ? !new :
				   first != ' ' || !old || !new)
			break;
		count_line(f, first);
		old -= first != '+';
		new -= first != '-';
		take(c, &d->text);
	}
	if (!old && !new) {
		read_surplus(c, f, d);
		return;
	}
	d->damaged = true;
	/* blank lines behind a hunk that is too short are text */
	while (d->text.len > 1 && d->text.buf[d->text.len - 1] == '\n' &&
	       d->text.buf[d->text.len - 2] == '\n')
		strbuf_setlen(&d->text, d->text.len - 1);
}

/* "@@@" of a merge, or made up: lines as long as they look like it. */
static void read_combined_lines(struct cursor *c, struct diff_file *f,
				struct diff *d)
{
	take(c, &d->text);
	while (!cursor_end(c) && !is_signature(c) && !begins_file(c) &&
	       c->len && strchr(" +-\\@", *cursor_line(c))) {
		count_line(f, *cursor_line(c));
		take(c, &d->text);
	}
}

/* "literal N" or "delta N", its lines, and the blank line behind. */
static void read_binary(struct cursor *c, struct diff *d)
{
	take(c, &d->text);
	while (line_has(c, "literal ") || line_has(c, "delta ")) {
		take(c, &d->text);
		while (!cursor_end(c) && c->len)
			take(c, &d->text);
		if (!cursor_end(c))
			take(c, &d->text);
	}
}

static void file_release(struct diff_file *f)
{
	free(f->path);
	free(f->old_path);
	free(f->old_blob);
	free(f->new_blob);
	memset(f, 0, sizeof(*f));
}

/* Hunks behind the "+++" line. */
static void read_hunks(struct cursor *c, struct diff_file *f, struct diff *d)
{
	unsigned long old, new;

	for (;;) {
		if (read_hunk(c, &old, &new)) {
			take(c, &d->text);
			read_hunk_lines(c, f, d, old, new);
		} else if (line_has(c, "@@@ ")) {
			read_combined_lines(c, f, d);
		} else if (line_has(c, "\\ ")) {
			take(c, &d->text);
		} else {
			return;
		}
	}
}

/* What stands between the first line of a file and its "---". */
static bool read_file_head(struct cursor *c, struct diff_file *f,
			   struct strbuf *out, bool *git)
{
	bool extended = false;
	unsigned int lines = 0;

	if (line_has(c, "Index: ")) {
		f->path = read_name(cursor_line(c) + 7, c->len - 7);
		f->old_path = xstrdup(f->path);
		take(c, out);
		while (lines++ < MAX_PREAMBLE &&
		       (line_has(c, "====") || line_has(c, "RCS file: ") ||
			line_has(c, "retrieving revision ")))
			take(c, out);
	}
	if (line_has(c, "diff --git ")) {
		*git = true;
		free(f->path);
		free(f->old_path);
		names_of_git_line(f, cursor_line(c) + 11, c->len - 11);
		take(c, out);
		while (!cursor_end(c) && read_extended(c, f)) {
			extended = true;
			take(c, out);
		}
	} else if (line_has(c, "diff -") || line_has(c, "diff a/")) {
		take(c, out);
	}
	return extended;
}

/*
 * One file, beginning at the cursor. Nothing is looked at twice but a few
 * lines of a head that turns out to be text.
 */
static bool read_file(struct cursor *c, struct diff *d)
{
	struct diff_file f = { 0 };
	struct cursor from = *c, up;
	size_t mark = d->text.len;
	bool git = false, ok;

	ok = read_file_head(c, &f, &d->text, &git);
	up = *c;
	if (!cursor_end(&up))
		cursor_step(&up);
	if (line_has(c, "--- ") && line_has(&up, "+++ ")) {
		char *a = read_name(cursor_line(c) + 4, c->len - 4);
		char *b = read_name(cursor_line(&up) + 4, up.len - 4);

		cursor_step(&up);
		if (line_has(&up, "@@")) {
			names_of_plain(&f, a, b, git);
			take(c, &d->text);
			take(c, &d->text);
			read_hunks(c, &f, d);
			ok = true;
		} else {
			free(a);
			free(b);
		}
	} else if (line_has(c, "GIT binary patch")) {
		f.is_binary = true;
		read_binary(c, d);
		ok = true;
	} else if (line_has(c, "Binary files ") && (ok || f.path)) {
		f.is_binary = true;
		take(c, &d->text);
		ok = true;
	}
	if (!ok || !f.path || !*f.path) {
		strbuf_setlen(&d->text, mark);
		*c = from;
		cursor_step(c);
		file_release(&f);
		return false;
	}
	if (!f.old_path)
		f.old_path = xstrdup(f.path);
	d->files = xrealloc_array(d->files, d->nr_files + 1, sizeof(f));
	d->files[d->nr_files++] = f;
	return true;
}

bool diff_find(const char *text, size_t len, struct diff *ret, size_t *start)
{
	struct cursor c = { .text = text, .size = len };
	size_t at;

	memset(ret, 0, sizeof(*ret));
	strbuf_init(&ret->text);
	*start = len;
	cursor_load(&c, 0);
	while (!cursor_end(&c)) {
		at = c.at;
		if (!line_has(&c, "diff ") && !line_has(&c, "--- ") &&
		    !line_has(&c, "Index: ")) {
			cursor_step(&c);
			continue;
		}
		if (read_file(&c, ret) && *start == len)
			*start = at;
	}
	return ret->nr_files > 0;
}

void diff_release(struct diff *d)
{
	for (size_t i = 0; i < d->nr_files; i++)
		file_release(&d->files[i]);
	free(d->files);
	if (d->text.buf)
		strbuf_release(&d->text);
	memset(d, 0, sizeof(*d));
	strbuf_init(&d->text);
}

/* Which file are we in? Follows the heads of files as read_file() took them. */
struct file_counter {
	size_t nr; /* files begun */
	bool head, head_git;
};

static void count_file(struct file_counter *f, const struct cursor *c)
{
	bool git = line_has(c, "diff --git ");
	bool begins = f->head ? (git && f->head_git) || line_has(c, "Index: ") :
				begins_file(c) || line_has(c, "diff -") ||
					line_has(c, "diff a/");

	if (begins) {
		f->nr++;
		f->head = true;
		f->head_git = false;
	}
	if (f->head && git)
		f->head_git = true;
}

void diff_each_change(const struct diff *d,
		      void (*fn)(const struct diff_file *f, char sign,
				 const char *line, size_t len, void *data),
		      void *data)
{
	struct cursor c = { .text = d->text.buf, .size = d->text.len };
	struct file_counter f = { 0 };
	unsigned long old = 0, new = 0;

	for (cursor_load(&c, 0); !cursor_end(&c); cursor_step(&c)) {
		const char *p = cursor_line(&c);
		char first = c.len ? *p : ' ';

		if (!old && !new) {
			if (read_hunk(&c, &old, &new)) {
				f.head = false;
				continue;
			}
			count_file(&f, &c);
		}
		if (f.head || !f.nr || f.nr > d->nr_files)
			continue;
		if (first == '+' || first == '-')
			fn(&d->files[f.nr - 1], first, p + 1, c.len - 1, data);
		if (first != '+' && first != '\\' && old)
			old--;
		if (first != '-' && first != '\\' && new)
			new--;
	}
}

static void hash_line(const struct diff_file *f, char sign, const char *line,
		      size_t len, void *data)
{
	struct strbuf *sb = data;

	strbuf_addch(sb, sign);
	strbuf_add(sb, line, len);
	strbuf_addch(sb, '\n');
}

void diff_change_hash(const struct diff *d, char hex[static 65])
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	for (size_t i = 0; i < d->nr_files; i++)
		strbuf_addf(&sb, "%s\n%s\n%d %d\n", d->files[i].old_path,
			    d->files[i].path, d->files[i].is_binary,
			    d->files[i].mode_change);
	diff_each_change(d, hash_line, &sb);
	hash_hex(sb.buf, sb.len, hex);
}

static json_t *index_json(const struct diff_file *f)
{
	json_t *o = json_object();

	json_set_text(o, "path", f->old_path);
	json_set_text(o, "old", f->old_blob);
	json_set_text(o, "new", f->new_blob);
	return o;
}

json_t *diff_to_json(const struct diff *d)
{
	json_t *o = json_object(), *files = json_array();
	json_t *renames = json_array(), *new = json_array();
	json_t *deleted = json_array(), *index = json_array();
	bool rename_only = d->nr_files, mode_only = d->nr_files, binary = false;
	int64_t added = 0, removed = 0;

	for (size_t i = 0; i < d->nr_files; i++) {
		const struct diff_file *f = &d->files[i];
		bool same = !f->added && !f->removed && !f->is_binary;

		json_array_append_new(files, json_text(f->path));
		if (f->is_rename)
			json_array_append_new(
				renames, json_pack("[o,o]",
						   json_text(f->old_path),
						   json_text(f->path)));
		if (f->is_new)
			json_array_append_new(new, json_text(f->path));
		if (f->is_deleted)
			json_array_append_new(deleted, json_text(f->path));
		if (f->old_blob)
			json_array_append_new(index, index_json(f));
		rename_only &= f->is_rename && same;
		mode_only &= f->mode_change && same && !f->is_rename;
		binary |= f->is_binary;
		added += f->added;
		removed += f->removed;
	}
	json_object_set_new(o, "files", files);
	json_object_set_new(o, "renames", renames);
	json_object_set_new(o, "new_files", new);
	json_object_set_new(o, "deleted_files", deleted);
	json_object_set_new(o, "index", index);
	json_set_bool(o, "rename_only", rename_only);
	json_set_bool(o, "mode_change_only", mode_only);
	json_set_bool(o, "binary", binary);
	json_set_bool(o, "damaged", d->damaged);
	json_set_int(o, "added", added);
	json_set_int(o, "removed", removed);
	return o;
}
