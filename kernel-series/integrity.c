// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/integrity.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "kernel-series/invisible.h"
#include "lib/json.h"

#define MAX_FINDINGS 200
/* A line with fewer letters and digits than this is no line of one's own. */
#define MIN_WORDS 8
#define MAX_LINES_SHOWN 5

__attribute__((format(printf, 5, 6)))
static void find(json_t *list, const char *kind, unsigned int number,
		 const char *title, const char *fmt, ...)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *o;
	va_list ap;

	if (json_array_size(list) >= MAX_FINDINGS)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	o = json_object();
	json_set_text(o, "kind", kind);
	json_set_int(o, "number", number);
	json_set_text(o, "title", title);
	json_set_text(o, "detail", sb.buf);
	json_array_append_new(list, o);
}

/* --- the cover's diffstat --- */

struct stat_sum {
	long files, added, removed;
	bool found;
};

/* " 2 files changed, 56 insertions(+), 10 deletions(-)", the last line. */
static struct stat_sum read_summary(const char *diffstat)
{
	struct stat_sum s = { 0 };
	const char *line = strrchr(diffstat, '\n'), *p;

	line = line ? line + 1 : diffstat;
	if (!strstr(line, " changed"))
		return s;
	s.found = true;
	s.files = strtol(line, NULL, 10);
	p = strstr(line, " changed");
	while ((p = strchr(p, ','))) {
		char *end;
		long n = strtol(++p, &end, 10);

		if (starts_with(end, " insertion"))
			s.added = n;
		else if (starts_with(end, " deletion"))
			s.removed = n;
	}
	return s;
}

/* The name in one line of a diffstat: "…/mm/mprotect.c | 28 ++--". */
static char *stat_name(const char *line, size_t len)
{
	const char *bar = memchr(line, '|', len);
	size_t n = bar ? (size_t)(bar - line) : 0;

	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	/* git cuts long names at the left, and writes renames its own way */
	if (n > 4 && !memcmp(line, ".../", 4)) {
		line += 4;
		n -= 4;
	}
	if (!n || memchr(line, '{', n) || memmem(line, n, "=>", 2))
		return NULL;
	return xstrndup(line, n);
}

static bool name_matches(const char *path, const char *name)
{
	size_t p = strlen(path), n = strlen(name);

	return p >= n && !strcmp(path + p - n, name) &&
	       (p == n || path[p - n - 1] == '/');
}

static bool is_touched(const struct integrity_patch *patches, size_t nr,
		       const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		const struct diff *d = &patches[i].mail->diff;

		for (size_t k = 0; k < d->nr_files; k++)
			if (name_matches(d->files[k].path, name) ||
			    name_matches(d->files[k].old_path, name))
				return true;
	}
	return false;
}

/*
 * The cover counts from the base to the last patch, so lines that come and go
 * again are in the patches and not in the cover; the difference of added and
 * removed is the same in both, whatever the patches do in between.
 */
static void check_diffstat(const struct mail *cover,
			   const struct integrity_patch *patches, size_t nr,
			   json_t *list)
{
	struct stat_sum s = read_summary(cover->diffstat);
	long added = 0, removed = 0;
	const char *nl;

	if (!s.found)
		return;
	for (const char *p = cover->diffstat; (nl = strchr(p, '\n'));
	     p = nl + 1) {
		char *name __free(kfree) = stat_name(p, (size_t)(nl - p));

		if (name && !is_touched(patches, nr, name))
			find(list, "diffstat", 0, cover->subj.title,
			     "the cover lists %s, no patch touches it", name);
	}
	for (size_t i = 0; i < nr; i++) {
		const struct diff *d = &patches[i].mail->diff;

		/* a hunk that was cut cannot be counted */
		if (d->damaged)
			return;
		for (size_t k = 0; k < d->nr_files; k++) {
			added += d->files[k].added;
			removed += d->files[k].removed;
		}
	}
	if (s.added - s.removed != added - removed || s.added > added ||
	    s.removed > removed)
		find(list, "diffstat", 0, cover->subj.title,
		     "the cover says %ld lines added and %ld removed, "
		     "the patches add %ld and remove %ld",
		     s.added, s.removed, added, removed);
}

/* --- what the changelog says --- */

/* Text below "---" and above the diffstat or diff: notes of this version. */
static void notes_of(const struct mail *m, struct strbuf *out)
{
	size_t from = m->message_len;

	strbuf_add(out, m->text.buf + from, m->diff_start - from);
}

static bool says_nothing(const char *line, size_t len)
{
	static const char *const words[] = { "no change",  "unchanged",
					     "none",	   "rebase",
					     "no functional" };
	char *s __free(kfree) = xstrndup(line, len);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcasestr(s, words[i]))
			return true;
	return false;
}

/* "v3:", "Changes in v3", "v2 -> v3", "Changes since v2" at a line's end. */
static bool is_heading(const char *line, size_t len, unsigned int version)
{
	char this[16], before[16];
	char *s __free(kfree) = xstrndup(line, min(len, (size_t)200));
	const char *at;

	snprintf(this, sizeof(this), "v%u", version);
	snprintf(before, sizeof(before), "v%u", version - 1);
	at = strcasestr(s, this);
	if (at && !isdigit((unsigned char)at[strlen(this)]))
		return true;
	at = strcasestr(s, before);
	return at && strcasestr(s, "since");
}

static bool is_any_heading(const char *line, size_t len)
{
	char *s __free(kfree) = xstrndup(line, min(len, (size_t)200));
	const char *p = s + strspn(s, " \t*-");

	if (!strncasecmp(p, "change", 6) && (strcasestr(p, " v") ||
					     strcasestr(p, "since")))
		return true;
	return (*p == 'v' || *p == 'V') && isdigit((unsigned char)p[1]);
}

struct log_reader {
	unsigned int version;
	/* the cover's lines count for a patch only if they name it */
	unsigned int number, total;
};

/* "patch 3", "patches 3", "3/7", "[3/7]" or "#3" in a line of a cover. */
static bool names_patch(const char *line, size_t len, unsigned int number,
			unsigned int total)
{
	char *s __free(kfree) = xstrndup(line, min(len, (size_t)500));
	char a[40], b[40], c[40], d[40];
	const char *const forms[] = { a, b, c, d };

	snprintf(a, sizeof(a), "patch %u", number);
	snprintf(b, sizeof(b), "%u/%u", number, total);
	snprintf(c, sizeof(c), "patch #%u", number);
	snprintf(d, sizeof(d), "patch%u", number);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *p = strcasestr(s, forms[i]);

		if (p && !isdigit((unsigned char)p[strlen(forms[i])]) &&
		    (p == s || !isdigit((unsigned char)p[-1])))
			return true;
	}
	return false;
}

/* Does @text say, below the heading of this version, that it changed? */
static bool says_changed(const char *text, size_t size,
			 const struct log_reader *r)
{
	bool inside = false;

	for (size_t at = 0; at < size;) {
		const char *p = text + at, *nl = memchr(p, '\n', size - at);
		size_t len = nl ? (size_t)(nl - p) : size - at;

		at += len + 1;
		if (is_any_heading(p, len)) {
			const char *colon = memchr(p, ':', len);

			inside = is_heading(p, len, r->version);
			/* "v3: fixed the locking" in one line */
			if (!inside || !colon)
				continue;
			len -= (size_t)(colon + 1 - p);
			p = colon + 1;
		}
		while (len && isspace((unsigned char)*p)) {
			p++;
			len--;
		}
		if (!inside || len < 4 || says_nothing(p, len))
			continue;
		if (memmem(p, len, " | ", 3) || memmem(p, len, " changed,", 9))
			continue;
		if (!r->number || names_patch(p, len, r->number, r->total))
			return true;
	}
	return false;
}

static bool same_work(const struct mail *a, const struct mail *b)
{
	char ha[65], hb[65];

	if (strcasecmp(a->subj.title, b->subj.title))
		return false;
	/* a new text above the same change is a change too */
	if (a->message_len != b->message_len ||
	    memcmp(a->text.buf, b->text.buf, a->message_len))
		return false;
	diff_change_hash(&a->diff, ha);
	diff_change_hash(&b->diff, hb);
	return !strcmp(ha, hb);
}

static void check_changelog(const struct mail *cover,
			    const struct integrity_patch *p, size_t nr,
			    const struct integrity_patch *older,
			    size_t nr_older, unsigned int version,
			    json_t *list)
{
	struct strbuf notes __free(strbuf) = STRBUF_INIT;
	struct log_reader r = { .version = version };
	bool same = false;

	for (size_t i = 0; i < nr_older && !same; i++)
		same = same_work(p->mail, older[i].mail);
	if (!same)
		return;
	notes_of(p->mail, &notes);
	if (says_changed(notes.buf, notes.len, &r)) {
		find(list, "unchanged", p->number, p->mail->subj.title,
		     "its notes for v%u say it changed; change and text are "
		     "those of the version before",
		     version);
		return;
	}
	r.number = p->number;
	r.total = (unsigned int)nr;
	if (cover && says_changed(cover->text.buf, cover->text.len, &r))
		find(list, "unchanged", p->number, p->mail->subj.title,
		     "the cover's changelog for v%u says it changed; change "
		     "and text are those of the version before",
		     version);
}

/* --- one patch --- */

static void check_sign_off(const struct integrity_patch *p, json_t *list)
{
	const struct trailers *t = &p->mail->trailers;

	for (size_t i = 0; i < t->nr; i++)
		if (!strcasecmp(t->v[i].name, "signed-off-by"))
			return;
	find(list, "signed-off-by", p->number, p->mail->subj.title,
	     "no Signed-off-by");
}

static void check_invisible(unsigned int number, const struct mail *m,
			    json_t *list)
{
	json_t *found __free(json) =
		invisible_find(m->display.buf, m->display.len);
	json_t *first = json_array_get(found, 0);

	if (first)
		find(list, "invisible", number, m->subj.title,
		     "%s at line %d, column %d of the mail, and %zu more",
		     json_get_str(first, "char_name", ""),
		     (int)json_get_int(first, "line", 0),
		     (int)json_get_int(first, "column", 0),
		     json_array_size(found) - 1);
}

/* --- lines that come and go --- */

struct undone {
	json_t *added; /* "path\nline" -> number of the patch that added it */
	json_t *moved; /* lines this patch adds itself: moved, not removed */
	json_t *hits;  /* number of the earlier patch -> [lines] */
	unsigned int number;
};

/* NULL for lines like "}" and "return 0;" that everybody adds and removes. */
static char *line_key(const struct diff_file *f, const char *line, size_t len)
{
	struct strbuf sb = STRBUF_INIT;
	size_t words = 0;

	for (size_t i = 0; i < len; i++)
		words += isalnum((unsigned char)line[i]) != 0;
	if (words < MIN_WORDS || len > 1000)
		return NULL;
	while (len && isspace((unsigned char)*line)) {
		line++;
		len--;
	}
	strbuf_add_utf8(&sb, f->path, strlen(f->path));
	strbuf_addch(&sb, '\n');
	strbuf_add_utf8(&sb, line, len);
	strbuf_rtrim(&sb);
	return strbuf_detach(&sb);
}

static void note_moved(const struct diff_file *f, char sign, const char *line,
		       size_t len, void *data)
{
	struct undone *u = data;
	char *key __free(kfree) = sign == '+' ? line_key(f, line, len) : NULL;

	if (key)
		json_object_set_new(u->moved, key, json_true());
}

static void note_removed(const struct diff_file *f, char sign,
			 const char *line, size_t len, void *data)
{
	struct undone *u = data;
	char *key __free(kfree) = sign == '-' ? line_key(f, line, len) : NULL;
	json_t *by, *lines;
	char name[16];

	if (!key || json_object_get(u->moved, key))
		return;
	by = json_object_get(u->added, key);
	if (!by)
		return;
	snprintf(name, sizeof(name), "%d", (int)json_integer_value(by));
	lines = json_object_get(u->hits, name);
	if (!lines) {
		lines = json_array();
		json_object_set_new(u->hits, name, lines);
	}
	json_array_append_new(lines, json_text(strchr(key, '\n') + 1));
	json_object_del(u->added, key);
}

static void note_added(const struct diff_file *f, char sign, const char *line,
		       size_t len, void *data)
{
	struct undone *u = data;
	char *key __free(kfree) = sign == '+' ? line_key(f, line, len) : NULL;

	if (key)
		json_object_set_new(u->added, key, json_integer(u->number));
}

static void report_undone(const struct undone *u,
			  const struct integrity_patch *p, json_t *list)
{
	const char *by;
	json_t *lines, *line;
	size_t i;

	json_object_foreach(u->hits, by, lines) {
		struct strbuf sb __free(strbuf) = STRBUF_INIT;

		json_array_foreach(lines, i, line)
			if (i < MAX_LINES_SHOWN)
				strbuf_addf(&sb, "\n%s",
					    json_string_value(line));
		find(list, "undone", p->number, p->mail->subj.title,
		     "removes %zu line%s that patch %s added:%s",
		     json_array_size(lines),
		     json_array_size(lines) == 1 ? "" : "s", by, sb.buf);
	}
}

static void check_undone(const struct integrity_patch *patches, size_t nr,
			 json_t *list)
{
	struct undone u = { .added = json_object() };

	for (size_t i = 0; i < nr; i++) {
		const struct diff *d = &patches[i].mail->diff;

		u.moved = json_object();
		u.hits = json_object();
		u.number = patches[i].number;
		diff_each_change(d, note_moved, &u);
		diff_each_change(d, note_removed, &u);
		diff_each_change(d, note_added, &u);
		report_undone(&u, &patches[i], list);
		json_decref(u.moved);
		json_decref(u.hits);
	}
	json_decref(u.added);
}

static unsigned int version_of(const struct mail *cover,
			       const struct integrity_patch *patches,
			       size_t nr)
{
	if (cover && cover->subj.version)
		return cover->subj.version;
	return nr && patches[0].mail->subj.version ?
		       patches[0].mail->subj.version :
		       1;
}

json_t *integrity_check(const struct mail *cover,
			const struct integrity_patch *patches, size_t nr,
			bool complete, const struct integrity_patch *older,
			size_t nr_older)
{
	unsigned int version = version_of(cover, patches, nr);
	json_t *list = json_array();

	if (cover && cover->diffstat && complete)
		check_diffstat(cover, patches, nr, list);
	if (cover)
		check_invisible(0, cover, list);
	for (size_t i = 0; i < nr; i++) {
		check_sign_off(&patches[i], list);
		check_invisible(patches[i].number, patches[i].mail, list);
		if (version > 1)
			check_changelog(cover, &patches[i], nr, older,
					nr_older, version, list);
	}
	check_undone(patches, nr, list);
	return list;
}
