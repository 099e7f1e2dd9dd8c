// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fs.h"
#include "lib/json.h"

#define WINDOW_LINES 500
#define LINES_BEFORE 20
#define CHUNK_BYTES (256 * 1024)
#define SHOWN_BYTES 2000
#define MAX_MARKS 200
#define INDEX_LINES 256

int log_open(const char *state_dir, const char *dir)
{
	char *path __free(kfree) = xasprintf("%s/%s/log", state_dir, dir);
	int fd __free(fd) = -1;
	struct stat sb;

	if (!fs_path_is_safe(dir))
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno == ELOOP ? -ENOENT : -errno;
	if (fstat(fd, &sb))
		return -errno;
	if (!S_ISREG(sb.st_mode))
		return -ENOENT;
	return no_free_fd(fd);
}

/* Length of the terminal control sequence at @s (ECMA-48), 0 if there is none */
static size_t escape_len(const char *s, size_t len)
{
	size_t i = 2;

	if (len < 2 || s[0] != '\033')
		return 0;
	if (s[1] == '[') {
		while (i < len && s[i] >= 0x20 && s[i] <= 0x3f)
			i++;
		return i < len && s[i] >= 0x40 && s[i] <= 0x7e ? i + 1 : 0;
	}
	if (s[1] == ']') {
		while (i < len && s[i] != '\a' && s[i] != '\033')
			i++;
		if (i < len && s[i] == '\a')
			return i + 1;
		return i + 1 < len && s[i + 1] == '\\' ? i + 2 : 0;
	}
	return 0;
}

void log_clean(struct strbuf *out, const char *s, size_t len)
{
	size_t from = 0, i = 0;

	if (len && s[len - 1] == '\r')
		len--;
	while (i < len) {
		size_t n = escape_len(s + i, len - i);

		if (!n) {
			i++;
			continue;
		}
		strbuf_add_utf8(out, s + from, i - from);
		i += n;
		from = i;
	}
	strbuf_add_utf8(out, s + from, len - from);
}

static bool has(const char *s, size_t len, const char *word)
{
	return memmem(s, len, word, strlen(word));
}

/* What a reader may want to jump to; NULL: nothing. */
static const char *kind_of(const char *s, size_t len)
{
	if (len > 4 && !memcmp(s, "==> ", 4))
		return "stage";
	if (len > 7 && !memcmp(s, "not ok ", 7))
		return "error";
	len = min(len, (size_t)400);
	/* all that follow have one; most lines of a build do not */
	if (!memchr(s, ':', len))
		return NULL;
	if (has(s, len, "error: ") || has(s, len, "*** [") ||
	    has(s, len, "BUG: ") || has(s, len, "Kernel panic") ||
	    has(s, len, "undefined reference to"))
		return "error";
	if (has(s, len, "warning: ") || has(s, len, "WARNING: "))
		return "warning";
	return NULL;
}

/**
 * struct scan - one pass over a log
 * @index: offset of every INDEX_LINES'th line
 */
struct scan {
	int64_t n_lines;
	int64_t size;
	int64_t first_error;
	int64_t *index;
	size_t n_index;
	size_t alloc;
	size_t n_kind[3];
	bool more;
	json_t *marks;
};

static void add_mark(struct scan *sc, const char *kind, const char *s,
		     size_t len)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	size_t *n = &sc->n_kind[*kind == 'e' ? 0 : *kind == 'w' ? 1 : 2];
	json_t *m;

	if (*kind == 'e' && !sc->first_error)
		sc->first_error = sc->n_lines;
	if (++*n > MAX_MARKS) {
		sc->more = true;
		return;
	}
	log_clean(&text, s, min(len, (size_t)160));
	m = json_object();
	json_set_int(m, "line", sc->n_lines);
	json_set_text(m, "kind", kind);
	json_object_set_new(m, "text", json_textn(text.buf, text.len));
	json_array_append_new(sc->marks, m);
}

static void scan_line(struct scan *sc, int64_t offset, const char *s,
		      size_t len)
{
	const char *kind;

	if (sc->n_lines % INDEX_LINES == 0) {
		if (sc->n_index == sc->alloc) {
			sc->alloc = sc->alloc ? sc->alloc * 2 : 64;
			sc->index = xrealloc_array(sc->index, sc->alloc,
						   sizeof(*sc->index));
		}
		sc->index[sc->n_index++] = offset;
	}
	sc->n_lines++;
	kind = kind_of(s, len);
	if (kind)
		add_mark(sc, kind, s, len);
}

/**
 * each_line() - call @fn for every line from @offset on
 * @fn: gets the start of the line, at most a chunk of it; false stops
 */
static int each_line(int fd, int64_t offset,
		     bool (*fn)(void *arg, int64_t offset, const char *s,
				size_t len),
		     void *arg)
{
	char *buf __free(kfree) = xmalloc(CHUNK_BYTES);
	size_t have = 0;
	bool cut = false; /* the rest of a line longer than the buffer */

	for (;;) {
		ssize_t n = pread(fd, buf + have, CHUNK_BYTES - have,
				  offset + (int64_t)have);
		size_t from = 0;
		char *nl;

		if (n < 0)
			return -errno;
		have += (size_t)n;
		while ((nl = memchr(buf + from, '\n', have - from))) {
			size_t len = (size_t)(nl - buf) - from;

			if (!cut && !fn(arg, offset + (int64_t)from,
					buf + from, len))
				return 0;
			cut = false;
			from += len + 1;
		}
		if (from < have && (!n || (!from && have == CHUNK_BYTES))) {
			if (!cut && !fn(arg, offset + (int64_t)from,
					buf + from, have - from))
				return 0;
			cut = true;
			from = have;
		}
		if (!n)
			return 0;
		memmove(buf, buf + from, have - from);
		have -= from;
		offset += (int64_t)from;
	}
}

static bool on_scan(void *arg, int64_t offset, const char *s, size_t len)
{
	scan_line(arg, offset, s, len);
	return true;
}

struct window {
	int64_t n;	/* of the next line */
	int64_t first;
	int64_t last;
	json_t *lines;
};

static bool on_window(void *arg, int64_t offset, const char *s, size_t len)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct window *w = arg;
	const char *kind;
	json_t *line;
	int64_t n = w->n++;

	if (n < w->first)
		return true;
	if (n > w->last)
		return false;
	log_clean(&text, s, min(len, (size_t)SHOWN_BYTES));
	if (len > SHOWN_BYTES)
		strbuf_addf(&text, " [line cut at %d bytes]", SHOWN_BYTES);
	kind = kind_of(s, len);
	line = json_object();
	json_set_int(line, "n", n);
	json_set_text(line, "kind", kind);
	json_object_set_new(line, "text", json_textn(text.buf, text.len));
	json_array_append_new(w->lines, line);
	return true;
}

/* The first line to show when @line is the one that matters. */
static int64_t window_start(const struct scan *sc, int64_t line)
{
	int64_t last_start = max(sc->n_lines - WINDOW_LINES + 1, (int64_t)1);

	if (!line)
		line = sc->first_error;
	if (!line)
		return last_start;
	return max(min(line - LINES_BEFORE, last_start), (int64_t)1);
}

static int read_window(int fd, const struct scan *sc, struct window *w)
{
	size_t k = (size_t)(w->first - 1) / INDEX_LINES;

	if (k >= sc->n_index)
		return 0;
	w->n = (int64_t)k * INDEX_LINES + 1;
	return each_line(fd, sc->index[k], on_window, w);
}

int log_window(int fd, int64_t line, json_t **ret)
{
	struct scan sc = { .marks = json_array() };
	struct window w = { .lines = json_array() };
	json_t *o __free(json) = json_object();
	struct stat sb;
	int r;

	json_object_set_new(o, "marks", sc.marks);
	json_object_set_new(o, "lines", w.lines);
	r = fstat(fd, &sb) ? -errno : each_line(fd, 0, on_scan, &sc);
	if (!r) {
		w.first = window_start(&sc, line);
		w.last = min(w.first + WINDOW_LINES - 1, sc.n_lines);
		r = read_window(fd, &sc, &w);
	}
	free(sc.index);
	if (r)
		return r;
	json_set_int(o, "size", sb.st_size);
	json_set_int(o, "n_lines", sc.n_lines);
	json_set_int(o, "first", w.first);
	json_set_int(o, "last", w.last);
	json_set_int(o, "first_error", sc.first_error);
	json_set_bool(o, "more_marks", sc.more);
	if (w.first > 1)
		json_set_int(o, "before",
			     max(w.first - WINDOW_LINES + LINES_BEFORE,
				 (int64_t)1));
	if (w.last < sc.n_lines)
		json_set_int(o, "after", w.last + 1 + LINES_BEFORE);
	*ret = no_free_ptr(o);
	return 0;
}
