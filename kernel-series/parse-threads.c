// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "kernel-series/parse-priv.h"
#include "lib/json.h"

/* Beyond this the file is an archive, and this view of no use. */
#define MAX_THREAD_MAILS 2000

/* Mails grouped by whom they answer, as a robot that takes part sees them. */

struct thread_node {
	const struct mail *m;
	int parent, root, order;
};

static int by_date(const void *x, const void *y)
{
	const struct thread_node *a = x, *b = y;

	if (a->m->date_s != b->m->date_s)
		return a->m->date_s < b->m->date_s ? -1 : 1;
	return a->order - b->order;
}

static int find_root(struct thread_node *n, int nr, int i)
{
	int steps = 0, at = i;

	while (n[at].parent >= 0 && steps++ < nr)
		at = n[at].parent;
	return at;
}

static json_t *detail(const struct mail *m, const json_t *options)
{
	json_t *o = json_object();

	json_object_set_new(o, "message_id", parse_bracketed(m->message_id));
	json_set_text(o, "from_email", m->from.email);
	json_set_text(o, "from_name", m->from.name);
	json_object_set_new(o, "in_reply_to", parse_bracketed(m->in_reply_to));
	json_set_text(o, "subject", m->subject);
	parse_people(m, options, o);
	return o;
}

static json_t *one_thread(const struct thread_node *n, int nr, int root,
			  const json_t *options)
{
	json_t *o = json_object(), *ids = json_array(), *bugs = json_array();
	json_t *details = json_array(), *v, *have;
	size_t k, j;

	for (int i = 0; i < nr; i++) {
		json_t *d;

		if (n[i].root != root)
			continue;
		d = detail(n[i].m, options);
		json_array_append_new(ids, parse_bracketed(n[i].m->message_id));
		json_array_foreach(json_object_get(d, "bug_ids"), k, v) {
			bool known = false;

			json_array_foreach(bugs, j, have)
				known |= json_equal(have, v);
			if (!known)
				json_array_append(bugs, v);
		}
		json_array_append_new(details, d);
	}
	json_object_set_new(o, "root", parse_bracketed(n[root].m->message_id));
	json_set_text(o, "subject", n[root].m->subject);
	json_set_text(o, "type",
		      parse_thread_type(n[root].m,
					parse_is_own(n[root].m, options)));
	json_object_set_new(o, "bug_ids", bugs);
	json_object_set_new(o, "messages", ids);
	json_object_set_new(o, "details", details);
	return o;
}

void parse_threads(struct mail *const *mails, size_t nr,
		   const json_t *options, json_t *o)
{
	struct thread_node *n = xcalloc(nr + 1, sizeof(*n));
	int *in_file = xcalloc(nr + 1, sizeof(*in_file));
	json_t *by_id = json_object(), *list = json_array();
	json_t *ignored = json_array();

	nr = min(nr, (size_t)MAX_THREAD_MAILS);
	for (size_t i = 0; i < nr; i++) {
		n[i].m = mails[i];
		n[i].order = (int)i;
	}
	qsort(n, nr, sizeof(*n), by_date);
	for (size_t i = 0; i < nr; i++)
		in_file[n[i].order] = (int)i;
	for (size_t i = 0; i < nr; i++)
		json_object_set_new(by_id, n[i].m->message_id,
				    json_integer((json_int_t)i));
	for (size_t i = 0; i < nr; i++) {
		const char *to = n[i].m->in_reply_to;
		int parent = to ? (int)json_get_int(by_id, to, -1) : -1;

		n[i].parent = parent == (int)i ? -1 : parent;
	}
	for (size_t i = 0; i < nr; i++)
		n[i].root = find_root(n, (int)nr, (int)i);
	for (size_t k = 0; k < nr; k++) {
		int i = in_file[k];

		if (n[i].root != i)
			continue;
		/* an answer of ours to something unknown opens nothing */
		if (n[i].m->in_reply_to && parse_is_own(n[i].m, options))
			json_array_append_new(
				ignored, parse_bracketed(n[i].m->message_id));
		else
			json_array_append_new(
				list, one_thread(n, (int)nr, i, options));
	}
	json_object_set_new(o, "threads", list);
	json_object_set_new(o, "ignored", ignored);
	json_decref(by_id);
	free(in_file);
	free(n);
}
