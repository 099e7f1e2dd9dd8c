// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/json.h"
#include "web/handlers.h"
#include "web/static.h"
#include "web/words.h"

/* The address of the next part of a list: this query with another cursor. */
static void add_next(const struct request *rq, json_t *v)
{
	const char *next = json_get_str(v, "next", NULL), *key;
	struct strbuf q __free(strbuf) = STRBUF_INIT;
	json_t *value;

	if (!next)
		return;
	strbuf_addf(&q, "?cursor=%s", next);
	json_object_foreach(rq->query, key, value) {
		if (!strcmp(key, "cursor") || !json_string_length(value))
			continue;
		strbuf_addch(&q, '&');
		template_escape_url(&q, key, strlen(key));
		strbuf_addch(&q, '=');
		template_escape_url(&q, json_string_value(value),
				    json_string_length(value));
	}
	json_set_text(v, "next_href", q.buf);
}

/* Every "state" or "status" of the rows of a list gets its word. */
static void add_words(json_t *rows, const char *key)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		json_set_text(row, "word",
			      words_state(json_get_str(row, key, "")));
}

static void add_tabs(const struct request *rq, json_t *v)
{
	static const char *const states[] = { "broken", "warns", "clean",
					      "running", "waiting" };
	const char *have = json_get_str(rq->query, "state", "");
	json_t *tabs = json_array(), *tab;

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		tab = json_object();
		json_set_text(tab, "state", states[i]);
		json_set_text(tab, "label", words_state(states[i]));
		json_set_bool(tab, "on", !strcmp(have, states[i]));
		json_array_append_new(tabs, tab);
	}
	json_object_set_new(v, "tabs", tabs);
	json_set_bool(v, "all", !*have);
	json_object_set(v, "query", rq->query);
}

/* All architectures of the rows, in the order of their first use. */
static json_t *archs_of(const json_t *items)
{
	static const char *const usual[] = { "x86_64", "arm64", "s390" };
	json_t *seen __free(json) = json_object();
	json_t *out = json_array(), *item, *a, *b;
	const char *name;
	size_t i, k;

	json_array_foreach((json_t *)items, i, item) {
		json_array_foreach(json_object_get(item, "archs"), k, a)
			json_object_set(seen, json_get_str(a, "arch", ""), a);
	}
	for (i = 0; i < ARRAY_SIZE(usual); i++) {
		if (!json_object_get(seen, usual[i]))
			continue;
		json_array_append_new(out, json_string(usual[i]));
		json_object_del(seen, usual[i]);
	}
	json_object_foreach(seen, name, b)
		json_array_append_new(out, json_string(name));
	return out;
}

static json_t *find_arch(const json_t *item, const char *name)
{
	json_t *a;
	size_t i;

	json_array_foreach(json_object_get(item, "archs"), i, a) {
		if (!strcmp(json_get_str(a, "arch", ""), name))
			return a;
	}
	return NULL;
}

static json_t *front_cell(const json_t *item, const char *arch)
{
	json_t *a = find_arch(item, arch);
	json_t *cell = a ? json_copy(a) : json_object();
	int64_t patch = json_get_int(a, "patch", 0);
	char *at __free(kfree) = NULL;

	if (!a) {
		json_set_text(cell, "arch", arch);
		json_set_text(cell, "state", "na");
	}
	words_cell(cell);
	if (patch) {
		at = xasprintf("%" PRId64 "/%" PRId64, patch,
			       json_get_int(item, "total", 0));
		json_set_text(cell, "at", at);
	}
	return cell;
}

static void front_row(json_t *item, const json_t *archs)
{
	json_t *cells = json_array(), *name;
	json_t *bench = json_object_get(item, "bench");
	char *percent __free(kfree) = NULL;
	size_t i;

	json_array_foreach((json_t *)archs, i, name)
		json_array_append_new(cells,
				      front_cell(item, json_string_value(name)));
	json_object_set_new(item, "cells", cells);
	json_set_text(item, "word",
		      words_state(json_get_str(item, "status", "")));
	if (!json_is_object(bench))
		return;
	percent = words_percent(
		json_number_value(json_object_get(bench, "percent")));
	json_set_text(item, "bench_text", percent);
}

void page_front(struct request *rq, struct response *rs)
{
	json_t *v = NULL, *archs, *item;
	size_t i;

	if (!load_series_list(rq, rs, &v))
		return;
	archs = archs_of(json_object_get(v, "items"));
	json_array_foreach(json_object_get(v, "items"), i, item)
		front_row(item, archs);
	json_object_set_new(v, "columns", archs);
	add_tabs(rq, v);
	add_next(rq, v);
	json_set_text(v, "text", request_query(rq, "text"));
	response_page(rq, rs, "front", v);
}

static void list_page(struct request *rq, struct response *rs,
		      bool (*load)(const struct request *rq,
				   struct response *rs, json_t **ret),
		      const char *word_of, const char *name)
{
	json_t *v = NULL;

	if (!load(rq, rs, &v))
		return;
	add_words(json_object_get(v, "items"), word_of);
	add_next(rq, v);
	response_page(rq, rs, name, v);
}

void page_findings(struct request *rq, struct response *rs)
{
	list_page(rq, rs, load_findings, "severity", "findings");
}

void page_outbox(struct request *rq, struct response *rs)
{
	list_page(rq, rs, load_outbox, "state", "outbox");
}

void page_trees(struct request *rq, struct response *rs)
{
	list_page(rq, rs, load_trees, "state", "trees");
}

void page_outgoing(struct request *rq, struct response *rs)
{
	json_t *v = NULL;

	if (!load_outgoing(rq, rs, &v))
		return;
	json_set_text(v, "word", words_state(json_get_str(v, "state", "")));
	json_set_text(v, "goes", words_goes(json_get_str(v, "state", "")));
	json_set_bool(v, "moderate",
		      !strcmp(json_get_str(v, "state", ""), "held") &&
		      (json_get_bool(json_object_get(v, "decision"),
				     "approvable", false) ||
		       json_get_int(v, "doubtful", 0)));
	response_page(rq, rs, "outgoing", v);
}

void page_queue(struct request *rq, struct response *rs)
{
	json_t *v = NULL;

	if (!load_queue(rq, rs, &v))
		return;
	json_set_bool(v, "busy",
		      json_array_size(json_object_get(v, "running")) +
			      json_array_size(json_object_get(v, "queued")) +
			      json_array_size(json_object_get(v, "waiting")) > 0);
	response_page(rq, rs, "queue", v);
}

void page_static(struct request *rq, struct response *rs)
{
	for (size_t i = 0; i < n_static_files; i++) {
		const struct static_file *f = &static_files[i];

		if (strcmp(f->name, rq->segments[1]))
			continue;
		response_header(rs, "ETag", f->etag);
		rs->type = f->type;
		rs->status = 200;
		if (rq->if_none_match && strstr(rq->if_none_match, f->etag))
			rs->status = 304;
		else
			strbuf_add(&rs->body, f->data, f->len);
		return;
	}
	response_problem(rq, rs, 404, "There is no such file.");
}
