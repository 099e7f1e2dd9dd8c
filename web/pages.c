// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/json.h"
#include "web/handlers.h"
#include "web/links.h"
#include "web/static.h"
#include "web/words.h"

/* Every "state" or "status" of the rows of a list gets its word. */
static void add_words(json_t *rows, const char *key)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		json_set_text(row, "word",
			      words_state(json_get_str(row, key, "")));
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
	links_next(rq, v);
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

/* "builds", "does not boot": what a control says of a base */
static void add_health_words(json_t *base)
{
	bool boots = !strcmp(json_get_str(base, "kind", ""), "boot");
	const char *state = json_get_str(base, "state", "");
	bool good = !strcmp(state, "passed");

	json_set_text(base, "mark", state);
	if (good)
		json_set_text(base, "health", boots ? "boots" : "builds");
	else
		json_set_text(base, "health", boots ? "does not boot" :
						      "does not build");
}

void page_trees(struct request *rq, struct response *rs)
{
	json_t *v = NULL, *tree, *base;
	size_t i, k;

	if (!load_trees(rq, rs, &v))
		return;
	add_words(json_object_get(v, "items"), "state");
	json_array_foreach(json_object_get(v, "items"), i, tree) {
		json_array_foreach(json_object_get(tree, "bases"), k, base)
			add_health_words(base);
	}
	response_page(rq, rs, "trees", v);
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

/* Asked for by its hash: what comes under that address never changes. */
static bool is_pinned(const struct request *rq, const struct static_file *f)
{
	const char *v = request_query(rq, "v");
	size_t len = v ? strlen(v) : 0;

	return len && len + 2 == strlen(f->etag) &&
	       !strncmp(f->etag + 1, v, len);
}

void page_static(struct request *rq, struct response *rs)
{
	for (size_t i = 0; i < n_static_files; i++) {
		const struct static_file *f = &static_files[i];

		if (strcmp(f->name, rq->segments[1]))
			continue;
		response_header(rs, "ETag", f->etag);
		if (is_pinned(rq, f))
			response_header(rs, "Cache-Control",
					"public, max-age=31536000, immutable");
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
