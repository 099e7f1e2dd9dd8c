// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/assemble.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "kernel-series/assemble-priv.h"
#include "lib/json.h"

/* Without threading headers, mails further apart are no series. */
#define WINDOW_S (24 * 3600)
/* Ids of a mail that are remembered while nobody knows them. */
#define MAX_WAITING_REFS 20

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

static bool same_author(const struct assembly *a, const struct aseries *s,
			const struct node *n)
{
	return !strcasecmp(a->nodes[s->first].email, n->email);
}

static unsigned int effective(unsigned int version)
{
	return version ? version : 1;
}

static bool slot_free(const struct aseries *s, const struct node *n)
{
	if (n->role == ROLE_COVER)
		return s->cover < 0;
	return n->number >= s->nr_patches || s->patches[n->number] < 0;
}

/*
 * A cover may carry the version that its patches lack, and the reverse, as
 * long as that makes one series out of what is threaded together.
 */
static bool version_fits(const struct aseries *s, const struct node *n,
			 bool threaded)
{
	if (effective(s->version) == effective(n->version))
		return true;
	if (!threaded)
		return false;
	if (!n->version)
		return s->cover >= 0;
	return !s->version && !s->nr_present;
}

static bool fits(const struct assembly *a, const struct aseries *s,
		 const struct node *n, bool threaded)
{
	if (!n->has_number || s->total != n->total || !slot_free(s, n) ||
	    !version_fits(s, n, threaded))
		return false;
	/* somebody may post the work of another, below that one's cover */
	return same_author(a, s, n) || (threaded && s->cover >= 0);
}

static void series_add(struct assembly *a, int si, int ni)
{
	struct aseries *s = &a->series[si];
	struct node *n = &a->nodes[ni];

	n->series = si;
	n->target = ni;
	if (n->version && !s->version)
		s->version = n->version;
	s->last_date_s = n->date_s;
	s->first = min(s->first, ni);
	if (n->role == ROLE_COVER) {
		s->cover = ni;
		return;
	}
	if (n->number >= s->nr_patches) {
		unsigned int nr = n->number + 1;

		s->patches = xrealloc_array(s->patches, nr,
					    sizeof(*s->patches));
		while (s->nr_patches < nr)
			s->patches[s->nr_patches++] = -1;
	}
	s->patches[n->number] = ni;
	s->nr_present++;
}

static int series_new(struct assembly *a, int ni)
{
	struct aseries *s;

	if (!(a->nr_series & (a->nr_series - 1)))
		a->series = xrealloc_array(
			a->series,
			a->nr_series ? (size_t)a->nr_series * 2 : 1,
			sizeof(*a->series));
	s = &a->series[a->nr_series];
	memset(s, 0, sizeof(*s));
	s->cover = -1;
	s->from = -1;
	s->first = ni;
	s->total = a->nodes[ni].total;
	s->topic = a->nr_series;
	return a->nr_series++;
}

static int lookup(const json_t *map, const char *id)
{
	return (int)json_get_int(map, id, -1);
}

/* By the ids it refers to, nearest first. */
static int find_threaded(const struct assembly *a, const struct node *n)
{
	const json_t *refs = json_object_get(n->json, "references");
	size_t i;
	json_t *ref;

	json_array_foreach(refs, i, ref) {
		const char *id = json_string_value(ref);
		int ni = id ? lookup(a->by_id, id) : -1;
		int si = ni >= 0 ? a->nodes[ni].series : -1;

		if (si < 0 || a->nodes[ni].role == ROLE_COMMENT)
			continue;
		if (fits(a, &a->series[si], n, true))
			return si;
	}
	return -1;
}

/* Siblings below a cover that is late or never comes; and that cover. */
static int find_waiting(const struct assembly *a, const struct node *n)
{
	const json_t *refs = json_object_get(n->json, "references");
	int si = lookup(a->waiting, n->id);
	size_t i;
	json_t *ref;

	if (si >= 0 && fits(a, &a->series[si], n, true))
		return si;
	json_array_foreach(refs, i, ref) {
		const char *id = json_string_value(ref);

		si = id ? lookup(a->waiting, id) : -1;
		if (si >= 0 && fits(a, &a->series[si], n, true))
			return si;
	}
	return -1;
}

/* Without threading: author, version, total, and the nearest in time. */
static int find_by_author(const struct assembly *a, const struct node *n)
{
	int64_t best = WINDOW_S;
	int found = -1;

	if (n->total < 2 && n->role != ROLE_COVER && !n->has_number)
		return -1;
	for (int si = 0; si < a->nr_series; si++) {
		const struct aseries *s = &a->series[si];
		int64_t d = distance(s->last_date_s, n->date_s);

		if (d <= best && fits(a, s, n, false)) {
			best = d;
			found = si;
		}
	}
	return found;
}

static void remember_refs(struct assembly *a, const struct node *n, int si)
{
	const json_t *refs = json_object_get(n->json, "references");
	size_t i;
	json_t *ref;

	json_array_foreach(refs, i, ref) {
		const char *id = json_string_value(ref);

		if (i >= MAX_WAITING_REFS)
			break;
		if (id && lookup(a->by_id, id) < 0)
			json_object_set_new(a->waiting, id, json_integer(si));
	}
}

/* Does it refer to a cover or patch that we have? */
static bool is_threaded(const struct assembly *a, const struct node *n)
{
	return n->parent >= 0 && (a->nodes[n->parent].role == ROLE_COVER ||
				  a->nodes[n->parent].role == ROLE_PATCH);
}

static void place(struct assembly *a, int ni)
{
	struct node *n = &a->nodes[ni];
	int si = -1;

	if (n->has_number) {
		si = find_threaded(a, n);
		if (si < 0)
			si = find_waiting(a, n);
		if (si < 0 && !is_threaded(a, n))
			si = find_by_author(a, n);
	}
	if (si < 0)
		si = series_new(a, ni);
	series_add(a, si, ni);
	remember_refs(a, n, si);
}

/*
 * A patch that answers one which arrived later is placed after it: what comes
 * together must not depend on the order of arrival. @path has room for all.
 */
static void place_after_parents(struct assembly *a, int ni, int *path)
{
	int n = 0;

	while (ni >= 0 && a->nodes[ni].role == ROLE_PATCH &&
	       a->nodes[ni].series < 0 && !a->nodes[ni].queued) {
		a->nodes[ni].queued = true;
		path[n++] = ni;
		ni = a->nodes[ni].parent;
	}
	while (n)
		place(a, path[--n]);
}

static enum role role_of(const char *kind)
{
	if (!strcmp(kind, "cover"))
		return ROLE_COVER;
	if (!strcmp(kind, "patch"))
		return ROLE_PATCH;
	if (!strcmp(kind, "pull-request"))
		return ROLE_PULL;
	return ROLE_OTHER;
}

static void node_init(struct assembly *a, int ni, const json_t *o)
{
	struct node *n = &a->nodes[ni];
	int64_t number = json_get_int(o, "number", 1);
	int64_t total = json_get_int(o, "total", 0);

	n->json = o;
	n->id = json_get_str(o, "message_id", "");
	n->email = json_get_str(o, "from_email", "");
	n->role = role_of(json_get_str(o, "kind", "other"));
	n->version = (unsigned int)json_get_int(o, "version", 0);
	n->date_s = json_get_int(o, "date_s", 0);
	n->parent = n->series = n->target = -1;
	n->has_number = total > 0;
	n->total = n->has_number ? (unsigned int)total : 1;
	n->number = number < 0 ? 1 : (unsigned int)number;
	if (number > MAX_PATCHES || total > MAX_PATCHES)
		n->role = ROLE_OTHER;
	/* "0/n" with the role of a patch does not exist, "0" as one does */
	if (n->role == ROLE_PATCH && !n->number)
		n->role = ROLE_COVER;
	if (!*n->id)
		return;
	if (lookup(a->by_id, n->id) >= 0)
		n->role = ROLE_DUPLICATE;
	else
		json_object_set_new(a->by_id, n->id, json_integer(ni));
}

static void find_parents(struct assembly *a)
{
	for (int ni = 0; ni < a->nr_nodes; ni++) {
		struct node *n = &a->nodes[ni];
		const json_t *refs = json_object_get(n->json, "references");
		size_t i;
		json_t *ref;

		json_array_foreach(refs, i, ref) {
			const char *id = json_string_value(ref);
			int p = id ? lookup(a->by_id, id) : -1;

			if (p >= 0 && p != ni) {
				n->parent = p;
				break;
			}
		}
	}
}

/*
 * Everything else answers what its nearest known ancestor answers. Ids can
 * form circles, so the way up is limited; what is learnt is kept on the way.
 */
static void place_comment(struct assembly *a, int ni)
{
	int at = ni, steps = 0, target;

	while (a->nodes[at].target < 0 && a->nodes[at].parent >= 0 &&
	       steps++ < a->nr_nodes)
		at = a->nodes[at].parent;
	target = a->nodes[at].target;
	if (target < 0)
		return;
	for (at = ni; at >= 0 && a->nodes[at].target < 0 && steps-- >= 0;
	     at = a->nodes[at].parent) {
		struct node *n = &a->nodes[at];

		n->target = target;
		n->series = a->nodes[target].series;
		if (n->role == ROLE_OTHER)
			n->role = ROLE_COMMENT;
	}
}

int assemble_patch(const struct assembly *a, const struct aseries *s,
		   unsigned int number)
{
	const struct aseries *old = s->from >= 0 ? &a->series[s->from] : NULL;

	if (number < s->nr_patches && s->patches[number] >= 0)
		return s->patches[number];
	if (old && number < old->nr_patches)
		return old->patches[number];
	return -1;
}

bool assemble_missing(const struct assembly *a, const struct aseries *s)
{
	for (unsigned int n = 1; n <= s->total; n++)
		if (assemble_patch(a, s, n) < 0)
			return true;
	return false;
}

int assemble_first_mail(const struct assembly *a, const struct aseries *s)
{
	if (s->cover >= 0)
		return s->cover;
	for (unsigned int n = 1; n < s->nr_patches; n++)
		if (s->patches[n] >= 0)
			return s->patches[n];
	return s->first;
}

/*
 * Some patches of a series sent again, as v3, in answer to v2: they complete
 * themselves from v2. This is what b4 does; what is threaded elsewhere, or
 * whose forerunner has gaps itself, stays incomplete.
 */
static void complete_from_older(struct assembly *a, int si)
{
	struct aseries *s = &a->series[si];
	int parent, pi;

	if (s->cover >= 0 || !assemble_missing(a, s))
		return;
	for (unsigned int n = 1; n < s->nr_patches; n++) {
		if (s->patches[n] < 0)
			continue;
		parent = a->nodes[s->patches[n]].parent;
		pi = parent >= 0 ? a->nodes[parent].series : -1;
		if (pi < 0 || pi == si)
			continue;
		if (a->series[pi].total != s->total || a->series[pi].from >= 0 ||
		    effective(a->series[pi].version) >= effective(s->version) ||
		    !same_author(a, &a->series[pi], &a->nodes[s->first]) ||
		    assemble_missing(a, &a->series[pi]))
			continue;
		s->from = pi;
		return;
	}
}

static int topic_root(struct assembly *a, int si)
{
	while (a->series[si].topic != si) {
		a->series[si].topic = a->series[a->series[si].topic].topic;
		si = a->series[si].topic;
	}
	return si;
}

/* The lower index is the root: series are in order of their first mail. */
static void join_topics(struct assembly *a, int x, int y)
{
	x = topic_root(a, x);
	y = topic_root(a, y);
	if (x < y)
		a->series[y].topic = x;
	else
		a->series[x].topic = y;
}

static void join_by_key(struct assembly *a, json_t *keys, int si,
			const char *kind, const char *author, const char *key)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	int other;

	if (!key || strlen(key) < 4)
		return;
	strbuf_addf(&sb, "%s %s ", kind, author);
	for (; *key; key++)
		if (isalnum((unsigned char)*key) || (*key & 0x80))
			strbuf_addch(&sb, tolower((unsigned char)*key));
	other = lookup(keys, sb.buf);
	if (other >= 0)
		join_topics(a, other, si);
	else
		json_object_set_new(keys, sb.buf, json_integer(si));
}

static void join_superseded(struct assembly *a, const struct node *n)
{
	const json_t *ids = json_object_get(n->json, "supersedes");
	size_t i;
	json_t *id;

	if (n->series < 0)
		return;
	json_array_foreach(ids, i, id) {
		int other = lookup(a->by_id, json_string_value(id));

		if (other >= 0 && a->nodes[other].series >= 0)
			join_topics(a, a->nodes[other].series, n->series);
	}
}

/* Which series are versions of the same work? */
static void find_topics(struct assembly *a)
{
	json_t *keys __free(json) = json_object();

	for (int si = 0; si < a->nr_series; si++) {
		const struct aseries *s = &a->series[si];
		const struct node *n = &a->nodes[assemble_first_mail(a, s)];
		int parent = a->nodes[s->first].parent;
		int pi = parent >= 0 ? a->nodes[parent].series : -1;

		join_by_key(a, keys, si, "title", n->email,
			    json_get_str(n->json, "title", NULL));
		/* a cover that comes, or goes, with a version */
		if (assemble_patch(a, s, 1) >= 0 && s->total > 1)
			join_by_key(a, keys, si, "first", n->email,
				    json_get_str(
					    a->nodes[assemble_patch(a, s, 1)]
						    .json,
					    "title", NULL));
		join_by_key(a, keys, si, "change", n->email,
			    json_get_str(n->json, "change_id", NULL));
		if (pi >= 0 && pi != si &&
		    same_author(a, &a->series[pi], &a->nodes[s->first]) &&
		    effective(s->version) != effective(a->series[pi].version))
			join_topics(a, pi, si);
		if (s->from >= 0)
			join_topics(a, s->from, si);
	}
	for (int ni = 0; ni < a->nr_nodes; ni++)
		join_superseded(a, &a->nodes[ni]);
	for (int si = 0; si < a->nr_series; si++)
		a->series[si].topic = topic_root(a, si);
}

static int by_first(const void *x, const void *y)
{
	const struct aseries *a = x, *b = y;

	return a->first - b->first;
}

/* Covers were placed first; bring the series in order of their first mail. */
static void sort_series(struct assembly *a)
{
	if (a->nr_series)
		qsort(a->series, (size_t)a->nr_series, sizeof(*a->series),
		      by_first);
	for (int si = 0; si < a->nr_series; si++) {
		struct aseries *s = &a->series[si];

		s->topic = si;
		if (s->cover >= 0)
			a->nodes[s->cover].series = si;
		for (unsigned int n = 0; n < s->nr_patches; n++)
			if (s->patches[n] >= 0)
				a->nodes[s->patches[n]].series = si;
	}
}

static void assemble(struct assembly *a)
{
	int *path = xcalloc((size_t)a->nr_nodes + 1, sizeof(*path));

	find_parents(a);
	for (int ni = 0; ni < a->nr_nodes; ni++)
		if (a->nodes[ni].role == ROLE_COVER)
			place(a, ni);
	for (int ni = 0; ni < a->nr_nodes; ni++)
		place_after_parents(a, ni, path);
	free(path);
	sort_series(a);
	for (int ni = 0; ni < a->nr_nodes; ni++)
		if (a->nodes[ni].role == ROLE_OTHER)
			place_comment(a, ni);
	for (int si = 0; si < a->nr_series; si++)
		complete_from_older(a, si);
	find_topics(a);
}

int assemble_json(const json_t *mails, json_t **ret)
{
	struct assembly a = { 0 };
	size_t i;
	json_t *o;

	if (!json_is_array(mails) || json_array_size(mails) > INT32_MAX)
		return -EINVAL;
	a.nr_nodes = (int)json_array_size(mails);
	a.nodes = xcalloc((size_t)a.nr_nodes + 1, sizeof(*a.nodes));
	a.by_id = json_object();
	a.waiting = json_object();
	json_array_foreach(mails, i, o)
		node_init(&a, (int)i, o);
	assemble(&a);
	*ret = assemble_output(&a);
	for (int si = 0; si < a.nr_series; si++)
		free(a.series[si].patches);
	free(a.series);
	free(a.nodes);
	json_decref(a.by_id);
	json_decref(a.waiting);
	return 0;
}
