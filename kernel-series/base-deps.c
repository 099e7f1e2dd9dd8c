// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/base-deps.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/git-program.h"
#include "lib/fs.h"
#include "lib/json.h"

#define MAX_DEPENDENCIES 100
#define MAX_MAIL_BYTES ((size_t)8 << 20)

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
	json_t *o = json_object();

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
	say(d, key_of(d, i), "used", "");
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

	if (i == d->nr) {
		say(d, id, "missing", "not among the series that are known");
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

/* git patch-id --stable of one mail, "" if it has none */
static int patch_id(const char *path, char id[41])
{
	const char *argv[] = { "patch-id", "--stable", NULL };
	struct strbuf mail __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct git_program g = { .argv = argv, .timeout_ms = 30000 };
	int code, r = fs_read_file(path, MAX_MAIL_BYTES, &mail);

	*id = '\0';
	if (r)
		return r;
	g.input = mail.buf;
	g.input_len = mail.len;
	r = git_program_run(&g, &out, NULL, &code);
	if (!r && !code && out.len > 40)
		snprintf(id, 41, "%.40s", out.buf);
	return r;
}

static int walk_prerequisites(struct deps *d, const char *wanted)
{
	size_t i, j;

	for (i = 0; i < d->nr; i++) {
		const json_t *dep = json_array_get(d->list, i);
		const json_t *patches = json_object_get(dep, "patches");

		for (j = 0; j < json_array_size(patches); j++) {
			const char *path = json_get_str(
				json_array_get(patches, j), "path", "");
			char id[41];
			int r = patch_id(path, id);

			if (r)
				return r;
			if (*id && strstr(wanted, id)) {
				walk(d, key_of(d, i));
				break;
			}
		}
	}
	return 0;
}

int base_deps_order(const json_t *request, const char *prerequisites,
		    json_t **patches, json_t **answer)
{
	const json_t *needs = json_object_get(request, "needs");
	struct deps *d = xcalloc(1, sizeof(*d));
	size_t i;
	int r = 0;

	d->list = json_object_get(request, "dependencies");
	d->nr = min(json_array_size(d->list), (size_t)MAX_DEPENDENCIES);
	d->patches = json_array();
	d->answer = json_array();
	if (*prerequisites && d->nr)
		r = walk_prerequisites(d, prerequisites);
	for (i = 0; i < json_array_size(needs) && !r; i++) {
		const char *id = json_string_value(json_array_get(needs, i));

		if (id)
			walk(d, id);
	}
	*patches = d->patches;
	*answer = d->answer;
	free(d);
	return r;
}
