// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/place.h"

#include <stdint.h>
#include <string.h>

/* Line comparisons and moves for one file; kernel patches need thousands. */
#define MAX_WORK 200000000ULL

/**
 * struct line - one line of the image, bytes owned by image or patch
 * @p: first byte
 * @len: bytes with the newline, if it has one
 * @touched: written by an earlier hunk
 */
struct line {
	const char *p;
	size_t len;
	bool touched;
};

/** struct lines - a growing array of lines */
struct lines {
	struct line *v;
	size_t nr, alloc;
};

/**
 * struct placing - the work on one file
 * @img: the content so far
 * @pre: lines that a hunk expects
 * @post: lines that a hunk leaves
 * @work: comparisons so far
 */
struct placing {
	struct lines img, pre, post;
	uint64_t work;
};

static void lines_need(struct lines *l, size_t nr)
{
	if (nr <= l->alloc)
		return;
	l->alloc = max(nr, 2 * l->alloc);
	l->v = xrealloc_array(l->v, l->alloc, sizeof(*l->v));
}

static void lines_add(struct lines *l, const char *p, size_t len)
{
	lines_need(l, l->nr + 1);
	l->v[l->nr++] = (struct line){ .p = p, .len = len };
}

static size_t length(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? (size_t)(nl - p) + 1 : (size_t)(end - p);
}

static void split(const struct strbuf *image, struct lines *l)
{
	const char *p = image->buf, *end = p + image->len;

	while (p < end) {
		size_t n = length(p, end);

		lines_add(l, p, n);
		p += n;
	}
}

static void take_hunk(struct placing *w, const struct patch_hunk *h,
		      bool reverse)
{
	const char *p = h->text, *end = p + h->len;

	w->pre.nr = 0;
	w->post.nr = 0;
	while (p < end) {
		size_t n = length(p, end);
		/* the marker below a line takes its newline away */
		size_t cut = p + n < end && p[n] == '\\' ? 1 : 0;
		char c = *p;

		if (reverse && (c == '-' || c == '+'))
			c = c == '-' ? '+' : '-';
		if (c == '\n') {
			lines_add(&w->pre, p, 1);
			lines_add(&w->post, p, 1);
		} else if (c != '\\') {
			if (c != '+')
				lines_add(&w->pre, p + 1, n - 1 - cut);
			if (c != '-')
				lines_add(&w->post, p + 1, n - 1 - cut);
		}
		p += n;
	}
}

static bool fits(struct placing *w, size_t at, bool at_start, bool at_end)
{
	const struct line *img = w->img.v + at;
	size_t i;

	w->work++;
	if (w->pre.nr + at > w->img.nr || (at_start && at) ||
	    (at_end && w->pre.nr + at != w->img.nr))
		return false;
	for (i = 0; i < w->pre.nr; i++) {
		const struct line *pre = &w->pre.v[i];

		w->work++;
		if (img[i].touched || img[i].len != pre->len ||
		    memcmp(img[i].p, pre->p, pre->len))
			return false;
	}
	return true;
}

/* From the stated line outwards, one step down, one step up. */
static bool find(struct placing *w, size_t start, bool at_start, bool at_end,
		 size_t *ret)
{
	size_t down, up, at;
	bool go_down = true;

	if (at_start)
		start = 0;
	else if (at_end)
		start = w->img.nr - w->pre.nr; /* may wrap: cut below */
	if (start > w->img.nr)
		start = w->img.nr;
	down = start;
	up = start;
	at = start;
	while (!fits(w, at, at_start, at_end)) {
		if ((!up && down == w->img.nr) || w->work > MAX_WORK)
			return false;
		if (go_down ? down == w->img.nr : !up)
			go_down = !go_down;
		at = go_down ? ++down : --up;
		go_down = !go_down;
	}
	*ret = at;
	return true;
}

static void replace(struct placing *w, size_t at)
{
	struct lines *img = &w->img;
	size_t tail = img->nr - at - w->pre.nr, i;

	lines_need(img, img->nr + w->post.nr);
	if (w->pre.nr != w->post.nr) {
		memmove(img->v + at + w->post.nr, img->v + at + w->pre.nr,
			tail * sizeof(*img->v));
		w->work += tail / 64;
	}
	for (i = 0; i < w->post.nr; i++) {
		img->v[at + i] = w->post.v[i];
		img->v[at + i].touched = true;
	}
	img->nr = at + w->post.nr + tail;
}

static int place_one(struct placing *w, const struct patch_hunk *h,
		     bool reverse)
{
	unsigned long old = reverse ? h->new_start : h->old_start;
	unsigned long new = reverse ? h->old_start : h->new_start;
	size_t start = new ? new - 1 : 0, at = 0;

	take_hunk(w, h, reverse);
	if (!find(w, start, old <= 1, !h->trailing, &at))
		return w->work > MAX_WORK || h->old_no_newline ?
			       PLACE_UNSURE : PLACE_MISMATCH;
	/*
	 * git compares bytes, so that a last line without newline also fits a
	 * line with one: it may have found this hunk earlier than we did.
	 */
	if (h->old_no_newline && at + w->pre.nr != w->img.nr)
		return PLACE_UNSURE;
	if (h->old_no_newline && at != start)
		return PLACE_UNSURE;
	replace(w, at);
	return 0;
}

static bool ends_line(const struct line *l)
{
	return l->len && l->p[l->len - 1] == '\n';
}

int place_hunks(const struct strbuf *image, const struct patch_file *f,
		bool reverse, struct strbuf *out, size_t *rejected)
{
	struct placing w = { 0 };
	size_t i;
	int r = 0;

	split(image, &w.img);
	for (i = 0; i < f->nr_hunks && !r; i++) {
		*rejected = i;
		r = place_one(&w, &f->hunks[i], reverse);
	}
	for (i = 0; i < w.img.nr && !r; i++) {
		strbuf_add(out, w.img.v[i].p, w.img.v[i].len);
		/* a line without newline in the middle: git's affair */
		if (i + 1 < w.img.nr && !ends_line(&w.img.v[i]))
			r = PLACE_UNSURE;
	}
	free(w.img.v);
	free(w.pre.v);
	free(w.post.v);
	return r;
}
