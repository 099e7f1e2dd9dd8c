// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "db/view-service.h"
#include "lib/json.h"
#include "web/handlers.h"
#include "web/links.h"
#include "web/words.h"

static const char *const usual_archs[] = { "x86_64", "arm64", "s390", NULL };

static void add_tabs(const struct request *rq, json_t *v)
{
	static const char *const states[] = { "broken", "warns", "clean",
					      "running", "waiting", "no-base" };
	const char *have = json_get_str(rq->query, "state", "");
	char *all __free(kfree) = links_with(rq, "state", NULL);
	json_t *tabs = json_array(), *tab;

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		char *href __free(kfree) = links_with(rq, "state", states[i]);

		tab = json_object();
		json_set_text(tab, "href", href);
		json_set_text(tab, "label", words_state(states[i]));
		json_set_bool(tab, "on", !strcmp(have, states[i]));
		json_array_append_new(tabs, tab);
	}
	json_object_set_new(v, "tabs", tabs);
	json_set_text(v, "all_href", all);
	json_set_bool(v, "all", !*have);
	json_object_set(v, "query", rq->query);
}

static const char *with_word(const char *value)
{
	return *value == '1' ? "with" : "without";
}

/* What the form offers; the lists of trees and sources are short. */
static void add_form(const struct request *rq, json_t *v)
{
	static const char *const with[] = { "1", "0", NULL };
	static const char *const keys[] = { "tree", "list", "arch", "findings",
					    "author", "mine" };
	json_t *trees __free(json) = NULL, *sources __free(json) = NULL;
	bool any = false;

	if (view_trees(rq->db, &trees) || view_sources(rq->db, &sources))
		return; /* a page without its form is better than none */
	json_object_set_new(v, "trees", links_names(rq, "tree", trees));
	json_object_set_new(v, "lists", links_names(rq, "list", sources));
	json_object_set_new(v, "arch_choices",
			    links_choices(rq, "arch", usual_archs, NULL));
	json_object_set_new(v, "finding_choices",
			    links_choices(rq, "findings", with, with_word));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		any |= request_query(rq, keys[i]) != NULL;
	json_set_bool(v, "filtered", any || request_query(rq, "text"));
}

/* All architectures of the rows, in the order of their first use. */
static json_t *archs_of(const json_t *items)
{
	json_t *seen __free(json) = json_object();
	json_t *out = json_array(), *item, *a, *b;
	const char *name;
	size_t i, k;

	json_array_foreach((json_t *)items, i, item) {
		json_array_foreach(json_object_get(item, "archs"), k, a)
			json_object_set(seen, json_get_str(a, "arch", ""), a);
	}
	for (i = 0; usual_archs[i]; i++) {
		if (!json_object_get(seen, usual_archs[i]))
			continue;
		json_array_append_new(out, json_string(usual_archs[i]));
		json_object_del(seen, usual_archs[i]);
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
	add_form(rq, v);
	links_next(rq, v);
	json_set_text(v, "text", request_query(rq, "text"));
	/* an older part of the list does not change */
	json_set_bool(v, "live", !request_query(rq, "cursor"));
	response_page(rq, rs, "front", v);
}
