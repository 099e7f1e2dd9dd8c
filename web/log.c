// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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
#define TAIL_BYTES 64
#define N_CACHED 8

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

/**
 * struct scan - what one pass over a log found, up to its last whole line
 * @dev, @ino: the file
 * @tail: the last bytes of what was read, to see that it is still the same
 * @end: where the next line begins
 * @index: offset of every INDEX_LINES'th line
 */
struct scan {
	dev_t dev;
	ino_t ino;
	char tail[TAIL_BYTES];
	size_t n_tail;
	int64_t end;
	int64_t n_lines;
	int64_t first_error;
	int64_t *index;
	size_t n_index;
	size_t alloc;
	size_t n_kind[3];
	bool more;
	json_t *marks;
	uint64_t used;
};

/*
 * A log only grows, and whoever reads one looks at it more than once: the next
 * look goes on where the last one ended.
 */
static struct {
	pthread_mutex_t lock;
	struct scan scans[N_CACHED];
	uint64_t clock;
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

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

/**
 * typedef line_fn - is called once for every line, when its end was seen
 * @s: its start, at most SHOWN_BYTES + 1 bytes of a very long one
 * @next: where the next one begins, 0: it has no newline yet
 *
 * Return: false to stop.
 */
typedef bool line_fn(void *arg, int64_t offset, const char *s, size_t len,
		     int64_t next);

/**
 * struct reader - state of each_line()
 * @offset: of @buf in the file
 * @head: start of a line longer than the buffer, @n_head: 0: not in one
 */
struct reader {
	char *buf;
	size_t have;
	int64_t offset;
	char head[SHOWN_BYTES + 1];
	size_t n_head;
	int64_t head_at;
};

/* A line from @from in the buffer, or the end of a long one. */
static bool give(struct reader *rd, size_t from, size_t len, bool whole,
		 line_fn *fn, void *arg)
{
	int64_t next = whole ? rd->offset + (int64_t)(from + len) + 1 : 0;
	size_t n = rd->n_head;

	rd->n_head = 0;
	if (n)
		return fn(arg, rd->head_at, rd->head, n, next);
	return fn(arg, rd->offset + (int64_t)from, rd->buf + from, len, next);
}

static int each_line(int fd, int64_t offset, line_fn *fn, void *arg)
{
	char *buf __free(kfree) = xmalloc(CHUNK_BYTES);
	struct reader rd = { .buf = buf, .offset = offset };

	for (;;) {
		ssize_t n = pread(fd, buf + rd.have, CHUNK_BYTES - rd.have,
				  rd.offset + (int64_t)rd.have);
		size_t from = 0;
		char *nl;

		if (n < 0)
			return -errno;
		rd.have += (size_t)n;
		while ((nl = memchr(buf + from, '\n', rd.have - from))) {
			size_t len = (size_t)(nl - buf) - from;

			if (!give(&rd, from, len, true, fn, arg))
				return 0;
			from += len + 1;
		}
		if (!n) {
			if (from < rd.have || rd.n_head)
				give(&rd, from, rd.have - from, false, fn, arg);
			return 0;
		}
		if (!from && rd.have == CHUNK_BYTES) {
			if (!rd.n_head) {
				rd.n_head = sizeof(rd.head);
				memcpy(rd.head, buf, sizeof(rd.head));
				rd.head_at = rd.offset;
			}
			from = rd.have;
		}
		memmove(buf, buf + from, rd.have - from);
		rd.have -= from;
		rd.offset += (int64_t)from;
	}
}

static bool on_scan(void *arg, int64_t offset, const char *s, size_t len,
		    int64_t next)
{
	struct scan *sc = arg;
	const char *kind;

	if (!next)
		return false; /* it may go on */
	if (sc->n_lines % INDEX_LINES == 0) {
		if (sc->n_index == sc->alloc) {
			sc->alloc = sc->alloc ? sc->alloc * 2 : 64;
			sc->index = xrealloc_array(sc->index, sc->alloc,
						   sizeof(*sc->index));
		}
		sc->index[sc->n_index++] = offset;
	}
	sc->n_lines++;
	sc->end = next;
	kind = log_kind(s, len);
	if (kind)
		add_mark(sc, kind, s, len);
	return true;
}

static void scan_release(struct scan *sc)
{
	json_decref(sc->marks);
	free(sc->index);
	*sc = (struct scan){ 0 };
}

/* Does the file still have what was read of it? */
static bool is_same(int fd, const struct scan *sc, const struct stat *sb)
{
	char tail[TAIL_BYTES];

	return sc->marks && sb->st_size >= sc->end &&
	       pread(fd, tail, sc->n_tail,
		     sc->end - (int64_t)sc->n_tail) == (ssize_t)sc->n_tail &&
	       !memcmp(tail, sc->tail, sc->n_tail);
}

/* Under the lock: the place of this file, or the one not used longest */
static struct scan *place_of(const struct stat *sb)
{
	struct scan *oldest = &cache.scans[0];

	for (size_t i = 0; i < N_CACHED; i++) {
		struct scan *sc = &cache.scans[i];

		if (sc->marks && sc->dev == sb->st_dev &&
		    sc->ino == sb->st_ino)
			return sc;
		if (sc->used < oldest->used)
			oldest = sc;
	}
	return oldest;
}

/* Taken out while it is used: nobody waits for a long log of another. */
static void scan_take(int fd, const struct stat *sb, struct scan *ret)
{
	struct scan *sc;

	*ret = (struct scan){ 0 };
	pthread_mutex_lock(&cache.lock);
	sc = place_of(sb);
	if (sc->marks && sc->dev == sb->st_dev && sc->ino == sb->st_ino) {
		*ret = *sc;
		*sc = (struct scan){ 0 };
	}
	pthread_mutex_unlock(&cache.lock);
	if (!is_same(fd, ret, sb)) {
		scan_release(ret);
		ret->dev = sb->st_dev;
		ret->ino = sb->st_ino;
		ret->marks = json_array();
	}
}

static void scan_put(struct scan *sc, const struct stat *sb)
{
	struct scan *place;

	pthread_mutex_lock(&cache.lock);
	place = place_of(sb);
	scan_release(place);
	*place = *sc;
	place->used = ++cache.clock;
	pthread_mutex_unlock(&cache.lock);
}

static int scan_more(int fd, struct scan *sc)
{
	int r = each_line(fd, sc->end, on_scan, sc);
	ssize_t n;

	if (r)
		return r;
	sc->n_tail = (size_t)min(sc->end, (int64_t)TAIL_BYTES);
	n = pread(fd, sc->tail, sc->n_tail, sc->end - (int64_t)sc->n_tail);
	return n == (ssize_t)sc->n_tail ? 0 : -EIO;
}

struct window {
	int64_t n;	/* of the next line */
	int64_t first;
	int64_t last;
	json_t *lines;
};

static bool on_window(void *arg, int64_t offset, const char *s, size_t len,
		      int64_t next)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct window *w = arg;
	json_t *line, *parts;
	const char *kind;
	int64_t n = w->n++;

	if (n < w->first)
		return true;
	if (n > w->last)
		return false;
	log_clean(&text, s, min(len, (size_t)SHOWN_BYTES));
	if (len > SHOWN_BYTES)
		strbuf_addf(&text, " [line cut at %d bytes]", SHOWN_BYTES);
	kind = log_kind(s, len);
	line = json_object();
	json_set_int(line, "n", n);
	json_set_text(line, "kind", kind);
	json_object_set_new(line, "text", json_textn(text.buf, text.len));
	parts = log_parts(s, min(len, (size_t)SHOWN_BYTES));
	if (parts)
		json_object_set_new(line, "parts", parts);
	json_array_append_new(w->lines, line);
	return true;
}

/* The first line to show when @line is the one that matters. */
static int64_t window_start(const struct scan *sc, int64_t n_lines, int64_t line)
{
	int64_t last_start = max(n_lines - WINDOW_LINES + 1, (int64_t)1);

	if (!line)
		line = sc->first_error;
	if (!line)
		return last_start;
	return max(min(line - LINES_BEFORE, last_start), (int64_t)1);
}

static int read_window(int fd, const struct scan *sc, struct window *w)
{
	size_t k = (size_t)(w->first - 1) / INDEX_LINES;
	int64_t from = sc->end; /* what follows the last that was scanned */

	w->n = sc->n_lines + 1;
	if (k < sc->n_index) {
		from = sc->index[k];
		w->n = (int64_t)k * INDEX_LINES + 1;
	}
	return each_line(fd, from, on_window, w);
}

/* A line that has no end yet stands behind those that were scanned. */
static int64_t lines_with_rest(const struct scan *sc, const struct stat *sb)
{
	return sc->n_lines + (sb->st_size > sc->end);
}

static void add_bounds(const struct scan *sc, const struct stat *sb,
		       const struct window *w, json_t *o)
{
	int64_t n = lines_with_rest(sc, sb);

	json_set_int(o, "size", sb->st_size);
	json_set_int(o, "n_lines", n);
	json_set_int(o, "n_whole", sc->n_lines);
	json_set_int(o, "end", sc->end);
	json_set_int(o, "first", w->first);
	json_set_int(o, "last", w->last);
	json_set_int(o, "first_error", sc->first_error);
	json_set_bool(o, "more_marks", sc->more);
	if (w->first > 1)
		json_set_int(o, "before",
			     max(w->first - WINDOW_LINES + LINES_BEFORE,
				 (int64_t)1));
	if (w->last < n)
		json_set_int(o, "after", w->last + 1 + LINES_BEFORE);
}

int log_window(int fd, int64_t line, json_t **ret)
{
	struct window w = { .lines = json_array() };
	json_t *o __free(json) = json_object();
	struct scan sc;
	struct stat sb;
	int r;

	json_object_set_new(o, "lines", w.lines);
	if (fstat(fd, &sb))
		return -errno;
	scan_take(fd, &sb, &sc);
	r = scan_more(fd, &sc);
	if (!r && fstat(fd, &sb))
		r = -errno;
	if (r) {
		scan_release(&sc);
		return r;
	}
	w.first = window_start(&sc, lines_with_rest(&sc, &sb), line);
	w.last = min(w.first + WINDOW_LINES - 1, lines_with_rest(&sc, &sb));
	r = read_window(fd, &sc, &w);
	json_object_set_new(o, "marks", json_deep_copy(sc.marks));
	add_bounds(&sc, &sb, &w, o);
	scan_put(&sc, &sb);
	if (!r)
		*ret = no_free_ptr(o);
	return r;
}
