// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/blob-index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "lib/fs.h"
#include "lib/hash.h"

#define MAGIC 0x6d6d63692d626931ULL
#define DEFAULT_COMMITS 20000
#define MAX_COMMITS 2000000
#define MAX_EVENTS 100000000
#define OPEN_END UINT32_MAX

/** struct head - first bytes of the file; numbers as this machine has them */
struct head {
	uint64_t magic;
	uint64_t nr_commits;
	uint64_t nr_spans;
};

/**
 * struct span - one blob at one path from one commit until before another
 * @path: hash of the path
 * @blob: first 8 bytes of the blob's id, as a number
 * @from: position of the first commit that has it, 0 is the oldest
 * @to: position of the first one that has it no more, or %OPEN_END
 */
struct span {
	uint64_t path;
	uint64_t blob;
	uint32_t from;
	uint32_t to;
};

/** struct event - a blob comes (@gone false) or goes at a commit */
struct event {
	uint64_t path, blob;
	uint32_t pos;
	bool gone;
};

/**
 * struct build - an index in the making
 * @commits: oldest first
 * @nr_commits: their number
 * @events: unsorted
 * @nr: their number
 * @alloc: room for so many
 * @pos: position of the commit that is looked at
 */
struct build {
	struct git_id *commits;
	size_t nr_commits;
	struct event *events;
	size_t nr, alloc;
	uint32_t pos;
};

/** struct map - the file in memory; @head is NULL if there is none */
struct map {
	void *mem;
	size_t len;
	const struct head *head;
	const struct git_id *commits;
	const struct span *spans;
};

static char *index_path(const struct git_repo *repo, const char *name)
{
	char hex[HASH_HEX_LEN + 1];

	hash_hex(name, strlen(name), hex);
	return xasprintf("%s/mmci-blobs/%.32s", repo_path(repo), hex);
}

static uint64_t hash_path(const char *s)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h;
}

static uint64_t blob_number(const struct git_id *id)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < 8; i++)
		v = v << 8 | id->raw[i];
	return v;
}

static void unmap(struct map *m)
{
	if (m->mem)
		munmap(m->mem, m->len);
	memset(m, 0, sizeof(*m));
}

/* A file that is not ours or is cut counts as none: it is made anew. */
static void map_file(const char *path, struct map *m)
{
	int fd __free(fd) = open(path, O_RDONLY | O_CLOEXEC);
	const struct head *h;
	struct stat st;
	void *mem;

	memset(m, 0, sizeof(*m));
	if (fd < 0 || fstat(fd, &st) || (size_t)st.st_size < sizeof(*h))
		return;
	mem = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		return;
	m->mem = mem;
	m->len = (size_t)st.st_size;
	h = mem;
	if (h->magic != MAGIC || h->nr_commits > MAX_COMMITS ||
	    h->nr_spans > MAX_EVENTS || !h->nr_commits ||
	    m->len != sizeof(*h) + h->nr_spans * sizeof(struct span) +
			      h->nr_commits * sizeof(struct git_id)) {
		unmap(m);
		return;
	}
	m->head = h;
	m->spans = (const struct span *)(h + 1);
	m->commits = (const struct git_id *)(m->spans + h->nr_spans);
}

static int add_event(struct build *b, uint64_t path, uint64_t blob,
		     uint32_t pos, bool gone)
{
	if (b->nr >= MAX_EVENTS)
		return -EFBIG;
	if (b->nr == b->alloc) {
		b->alloc = b->alloc ? 2 * b->alloc : 4096;
		b->events = xrealloc_array(b->events, b->alloc,
					   sizeof(*b->events));
	}
	b->events[b->nr++] = (struct event){ path, blob, pos, gone };
	return 0;
}

static int on_change(void *arg, const char *path, const struct git_id *old,
		     const struct git_id *new)
{
	struct build *b = arg;
	uint64_t h = hash_path(path);
	int r = 0;

	if (old)
		r = add_event(b, h, blob_number(old), b->pos, true);
	if (new && !r)
		r = add_event(b, h, blob_number(new), b->pos, false);
	return r;
}

/* Commits from the tip back to what the old index knows, then turned round. */
static int collect(struct git_repo *repo, const struct git_id *tip,
		   size_t max_commits, const struct map *old, struct build *b,
		   bool *extends)
{
	const struct git_id *known = old->head ?
		&old->commits[old->head->nr_commits - 1] : NULL;
	struct git_id id = *tip;
	size_t i, alloc = 0;
	int r = 0;

	*extends = false;
	while (!r && b->nr_commits < max_commits) {
		if (known && git_id_equal(&id, known)) {
			*extends = true;
			break;
		}
		if (b->nr_commits == alloc) {
			alloc = alloc ? 2 * alloc : 256;
			b->commits = xrealloc_array(b->commits, alloc,
						    sizeof(*b->commits));
		}
		b->commits[b->nr_commits++] = id;
		r = repo_first_parent(repo, &id, &id);
	}
	if (r < 0)
		return r;
	for (i = 0; i < b->nr_commits / 2; i++) {
		id = b->commits[i];
		b->commits[i] = b->commits[b->nr_commits - 1 - i];
		b->commits[b->nr_commits - 1 - i] = id;
	}
	return 0;
}

static int old_events(const struct map *old, struct build *b)
{
	size_t n = old->head->nr_commits, i;
	int r = 0;

	b->commits = xrealloc_array(b->commits, b->nr_commits + n + 1,
				    sizeof(*b->commits));
	memmove(b->commits + n, b->commits,
		b->nr_commits * sizeof(*b->commits));
	memcpy(b->commits, old->commits, n * sizeof(*b->commits));
	b->nr_commits += n;
	for (i = 0; i < old->head->nr_spans && !r; i++) {
		const struct span *s = &old->spans[i];

		r = add_event(b, s->path, s->blob, s->from, false);
		if (!r && s->to != OPEN_END)
			r = add_event(b, s->path, s->blob, s->to, true);
	}
	return r;
}

static int diff_commits(struct git_repo *repo, struct build *b, size_t first)
{
	struct git_id before, after;
	size_t i;
	int r = 0;

	for (i = first; i < b->nr_commits && !r; i++) {
		b->pos = (uint32_t)i;
		r = repo_commit_tree(repo, &b->commits[i], &after);
		if (!r && i)
			r = repo_commit_tree(repo, &b->commits[i - 1], &before);
		if (!r)
			r = repo_tree_diff(repo, i ? &before : NULL, &after,
					   on_change, b);
	}
	return r > 0 ? -EIO : r;
}

static int by_event(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	if (x->blob != y->blob)
		return x->blob < y->blob ? -1 : 1;
	if (x->pos != y->pos)
		return x->pos < y->pos ? -1 : 1;
	return (int)y->gone - (int)x->gone;
}

static void make_spans(struct build *b, struct strbuf *out)
{
	struct head h = { .magic = MAGIC, .nr_commits = b->nr_commits };
	size_t i;

	qsort(b->events, b->nr, sizeof(*b->events), by_event);
	strbuf_add(out, &h, sizeof(h));
	for (i = 0; i < b->nr; i++) {
		const struct event *e = &b->events[i], *next = e + 1;
		struct span s = { e->path, e->blob, e->pos, OPEN_END };

		if (e->gone)
			continue;
		if (i + 1 < b->nr && next->gone && next->path == e->path &&
		    next->blob == e->blob)
			s.to = next->pos;
		strbuf_add(out, &s, sizeof(s));
		h.nr_spans++;
	}
	memcpy(out->buf, &h, sizeof(h));
	strbuf_add(out, b->commits, b->nr_commits * sizeof(*b->commits));
}

static int build_and_write(struct git_repo *repo, const char *path,
			   struct build *b, const struct map *old, bool extends)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	size_t first = extends ? old->head->nr_commits : 0;
	int r = extends ? old_events(old, b) : 0;

	if (!r)
		r = diff_commits(repo, b, first);
	if (!r)
		r = fs_mkdir_parent(path);
	if (r)
		return r;
	make_spans(b, &out);
	return fs_write_atomic(path, out.buf, out.len);
}

int blob_index_update(struct git_repo *repo, const char *name,
		      const struct git_id *tip, size_t max_commits,
		      struct strbuf *why)
{
	char *path __free(kfree) = index_path(repo, name);
	struct build b = { 0 };
	bool extends = false;
	struct map old;
	int r;

	if (!max_commits || max_commits > MAX_COMMITS)
		max_commits = DEFAULT_COMMITS;
	map_file(path, &old);
	/* much more than asked for: start anew, or it would grow for ever */
	if (old.head && old.head->nr_commits > 2 * max_commits)
		unmap(&old);
	r = collect(repo, tip, max_commits, &old, &b, &extends);
	if (!r && (b.nr_commits || !extends))
		r = build_and_write(repo, path, &b, &old, extends);
	if (r)
		strbuf_addf(why, "index of the blobs of %s: %s", name,
			    strerror(-r));
	unmap(&old);
	free(b.commits);
	free(b.events);
	return r;
}

/** struct edge - a vote begins (+1) or ends (-1) at a commit */
struct edge {
	uint32_t pos;
	int step;
};

static int by_edge(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->pos != y->pos)
		return x->pos < y->pos ? -1 : 1;
	return x->step - y->step; /* ends before begins */
}

/* Lowest and highest number of a blob whose id begins with @hex. */
static void blob_range(const char *hex, uint64_t *low, uint64_t *high)
{
	char digits[17];
	size_t n = min(strlen(hex), (size_t)16);

	memcpy(digits, hex, n);
	memset(digits + n, '0', 16 - n);
	digits[16] = '\0';
	*low = strtoull(digits, NULL, 16);
	memset(digits + n, 'f', 16 - n);
	*high = strtoull(digits, NULL, 16);
}

static size_t lower_bound(const struct map *m, uint64_t path, uint64_t blob)
{
	size_t lo = 0, hi = m->head->nr_spans;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct span *s = &m->spans[mid];

		if (s->path < path || (s->path == path && s->blob < blob))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct edge *collect_edges(const struct map *m,
				  const struct base_ballot *b, size_t *ret)
{
	struct edge *v = NULL;
	size_t i, n = 0, alloc = 0;

	for (i = 0; i < b->nr; i++) {
		uint64_t path = hash_path(b->v[i].path), low, high;
		size_t at;

		blob_range(b->v[i].blob, &low, &high);
		for (at = lower_bound(m, path, low);
		     at < m->head->nr_spans && m->spans[at].path == path &&
		     m->spans[at].blob <= high; at++) {
			if (n + 2 > alloc) {
				alloc = alloc ? 2 * alloc : 64;
				v = xrealloc_array(v, alloc, sizeof(*v));
			}
			v[n++] = (struct edge){ m->spans[at].from, 1 };
			v[n++] = (struct edge){ m->spans[at].to, -1 };
		}
	}
	*ret = n;
	return v;
}

int blob_index_best(struct git_repo *repo, const char *name,
		    const struct base_ballot *b, struct git_id *commit,
		    size_t *votes, size_t *behind)
{
	char *path __free(kfree) = index_path(repo, name);
	struct edge *v __free(kfree) = NULL;
	size_t n, i;
	uint32_t last = 0;
	int now = 0, best = 0;
	struct map m;

	map_file(path, &m);
	if (!m.head)
		return REPO_NONE;
	v = collect_edges(&m, b, &n);
	if (n)
		qsort(v, n, sizeof(*v), by_edge);
	for (i = 0; i < n; i++) {
		now += v[i].step;
		/* the level holds until the next edge; take its newest end */
		if (v[i].step < 0 || now < best)
			continue;
		if (i + 1 < n && v[i + 1].pos == v[i].pos)
			continue;
		best = now;
		last = i + 1 < n && v[i + 1].pos != OPEN_END ?
			       v[i + 1].pos - 1 :
			       (uint32_t)m.head->nr_commits - 1;
	}
	if (best > 0 && last < m.head->nr_commits) {
		*commit = m.commits[last];
		*votes = (size_t)best;
		*behind = m.head->nr_commits - 1 - last;
	}
	unmap(&m);
	return best > 0 ? 0 : REPO_NONE;
}
