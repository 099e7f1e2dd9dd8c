// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/base-deps.h"

#include <string.h>

#include "lib/json.h"
#include "lib/strbuf.h"

#define MAX_DEPENDENCIES 100

enum colour { WHITE, GREY, BLACK, BROKEN };

/**
 * struct deps - the graph
 * @list: "dependencies" of the request
 * @nr: their number
 * @colour: of each
 * @next: how many of the needs of each have been looked at
 * @stack: path of the walk
 * @depth: its length
 * @patches: result
 * @answer: result
 */
struct deps {
	const json_t *list;
	size_t nr;
	enum colour colour[MAX_DEPENDENCIES];
	size_t next[MAX_DEPENDENCIES];
	size_t stack[MAX_DEPENDENCIES];
	size_t depth;
	json_t *patches, *answer;
};

static void say(struct deps *d, const char *key, const char *state,
		const char *why)
{
	json_t *o;
	size_t i;

	/* two may lack the same */
	json_array_foreach(d->answer, i, o) {
		if (!strcmp(json_get_str(o, "key", ""), key))
			return;
	}
	o = json_object();
	json_set_text(o, "key", key);
	json_set_text(o, "state", state);
	json_set_text(o, "why", why);
	json_array_append_new(d->answer, o);
}

static const char *key_of(const struct deps *d, size_t i)
{
	return json_get_str(json_array_get(d->list, i), "key", "");
}

static bool has_id(const json_t *dep, const char *id)
{
	const json_t *ids = json_object_get(dep, "ids");
	size_t i;

	if (!strcmp(json_get_str(dep, "key", ""), id))
		return true;
	for (i = 0; i < json_array_size(ids); i++) {
		const char *s = json_string_value(json_array_get(ids, i));

		if (s && !strcmp(s, id))
			return true;
	}
	return false;
}

/* Index of the dependency that a Message-ID belongs to, or @d->nr. */
static size_t find_id(const struct deps *d, const char *id)
{
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (has_id(json_array_get(d->list, i), id))
			break;
	return i;
}

static void finish(struct deps *d, size_t i)
{
	const json_t *dep = json_array_get(d->list, i);

	d->colour[i] = BLACK;
	json_array_extend(d->patches, json_object_get(dep, "patches"));
	say(d, key_of(d, i), "used", json_get_str(dep, "note", ""));
}

/* Everything on the stack from @i up is one cycle. */
static void break_cycle(struct deps *d, size_t i)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	size_t at = d->depth;

	while (at && d->stack[at - 1] != i)
		at--;
	if (at)
		at--;
	for (; at < d->depth; at++)
		strbuf_addf(&why, "%s needs ", key_of(d, d->stack[at]));
	strbuf_addstr(&why, key_of(d, i));
	say(d, key_of(d, i), "cycle", why.buf);
	/* who is above needs it, too: nothing of it can be applied */
	for (at = 0; at < d->depth; at++)
		d->colour[d->stack[at]] = BROKEN;
}

static void visit_need(struct deps *d, const char *id)
{
	size_t i = find_id(d, id);
	const char *broken;

	if (i == d->nr) {
		say(d, id, "missing", "no mail known here is or has it");
		return;
	}
	broken = json_get_str(json_array_get(d->list, i), "broken", NULL);
	if (broken) {
		say(d, key_of(d, i), "missing", broken);
		return;
	}
	if (d->colour[i] == WHITE) {
		d->colour[i] = GREY;
		d->stack[d->depth++] = i;
	} else if (d->colour[i] == GREY) {
		break_cycle(d, i);
	} else if (d->colour[i] == BROKEN && d->depth) {
		d->colour[d->stack[d->depth - 1]] = BROKEN;
	}
}

/* Depth first with a stack of our own: the depth is a stranger's. */
static void walk(struct deps *d, const char *id)
{
	visit_need(d, id);
	while (d->depth) {
		size_t i = d->stack[d->depth - 1];
		const json_t *needs = json_object_get(
			json_array_get(d->list, i), "needs");
		const char *next;

		if (d->colour[i] == GREY && d->next[i] < json_array_size(needs)) {
			next = json_string_value(
				json_array_get(needs, d->next[i]++));
			if (next)
				visit_need(d, next);
			continue;
		}
		d->depth--;
		if (d->colour[i] == GREY)
			finish(d, i);
		else if (d->depth)
			d->colour[d->stack[d->depth - 1]] = BROKEN;
	}
}

void base_deps_order(const json_t *request, json_t **patches,
		     json_t **answer)
{
	const json_t *needs = json_object_get(request, "needs");
	struct deps *d = xcalloc(1, sizeof(*d));
	size_t i;

	d->list = json_object_get(request, "dependencies");
	d->nr = min(json_array_size(d->list), (size_t)MAX_DEPENDENCIES);
	d->patches = json_array();
	d->answer = json_array();
	for (i = 0; i < json_array_size(needs); i++) {
		const char *id = json_string_value(json_array_get(needs, i));

		if (id)
			walk(d, id);
	}
	*patches = d->patches;
	*answer = d->answer;
	free(d);
}
