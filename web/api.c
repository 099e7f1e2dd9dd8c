// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "db/list-jobs.h"
#include "db/list-series.h"
#include "db/view-history.h"
#include "db/view-job.h"
#include "db/view-mail.h"
#include "db/view-result.h"
#include "db/view-service.h"
#include "lib/json.h"
#include "web/grid.h"
#include "web/handlers.h"

int64_t args_id(const char *s)
{
	size_t len = strlen(s);

	if (!len || len > 18 || strspn(s, "0123456789") != len)
		return 0;
	return strtoll(s, NULL, 10);
}

bool args_page(const struct request *rq, struct response *rs,
	       struct view_page *page)
{
	const char *limit = request_query(rq, "limit");
	int64_t n = limit ? args_id(limit) : 50;

	if (n < 1 || n > 500) {
		response_problem(rq, rs, 400, "limit is a number from 1 to "
					      "500.");
		return false;
	}
	page->limit = (int)n;
	page->cursor = request_query(rq, "cursor");
	page->see_private = request_sees_private(rq);
	return true;
}

bool args_series(const struct request *rq, struct response *rs,
		 const char *name, struct version_id *ret)
{
	int r = view_series_find(rq->db, name, request_sees_private(rq), ret);

	if (!r)
		return true;
	response_errno(rq, rs, r, r == DB_NONE ?
		       "No series here has this number or Message-ID." :
		       db_error(rq->db));
	return false;
}

bool args_loaded(const struct request *rq, struct response *rs, int r,
		 const char *none)
{
	if (!r)
		return true;
	if (r == -EINVAL && request_query(rq, "cursor"))
		response_problem(rq, rs, 400, "cursor is the \"next\" of an "
					      "earlier answer.");
	else if (r == -ETIMEDOUT)
		response_errno(rq, rs, r, "This question takes too long; ask "
					  "for less.");
	else /* -EINVAL: a mistake of ours or of the data, not the client's */
		response_errno(rq, rs, r == -EINVAL ? -EIO : r,
			       r == DB_NONE ? none : db_error(rq->db));
	return false;
}

/* "findings=1": with some, "findings=0": without; 0: not asked for */
static int query_findings(const struct request *rq)
{
	const char *v = request_query(rq, "findings");

	return !v ? 0 : strcmp(v, "0") ? 1 : -1;
}

bool load_series_list(const struct request *rq, struct response *rs,
		      json_t **ret)
{
	struct view_series_filter filter = {
		.state = request_query(rq, "state"),
		.author = request_query(rq, "author"),
		.text = request_query(rq, "text"),
		.list = request_query(rq, "list"),
		.tree = request_query(rq, "tree"),
		.arch = request_query(rq, "arch"),
		.mine = request_query(rq, "mine"),
		.findings = query_findings(rq),
	};
	struct view_page page;

	return args_page(rq, rs, &page) &&
	       args_loaded(rq, rs, view_series_list(rq->db, &filter, &page, ret),
		      NULL);
}

bool load_series(const struct request *rq, struct response *rs, json_t **ret)
{
	struct version_id id;

	if (!args_series(rq, rs, rq->segments[rq->n_segments - 1], &id) ||
	    !args_loaded(rq, rs, view_series(rq->db, id, ret), "No such series."))
		return false;
	grid_add(*ret);
	return true;
}

bool load_job(const struct request *rq, struct response *rs, json_t **ret)
{
	struct job_id id = { args_id(rq->segments[rq->n_segments - 1]) };

	return args_loaded(rq, rs,
		      view_job(rq->db, id, request_sees_private(rq), ret),
		      "There is no job with this number.");
}

/* "series", when given, as an id; 0: not given */
static bool query_series(const struct request *rq, struct response *rs,
			 struct version_id *id)
{
	const char *name = request_query(rq, "series");

	id->v = 0;
	return !name || args_series(rq, rs, name, id);
}

bool load_findings(const struct request *rq, struct response *rs, json_t **ret)
{
	struct view_finding_filter filter = {
		.blame = request_query(rq, "blame"),
		.severity = request_query(rq, "severity"),
		.stage = request_query(rq, "stage"),
		.arch = request_query(rq, "arch"),
		.tool = request_query(rq, "tool"),
		.file = request_query(rq, "file"),
		.text = request_query(rq, "text"),
	};
	struct view_page page;

	return args_page(rq, rs, &page) &&
	       query_series(rq, rs, &filter.series) &&
	       args_loaded(rq, rs, view_findings(rq->db, &filter, &page, ret),
			   NULL);
}

bool load_outbox(const struct request *rq, struct response *rs, json_t **ret)
{
	struct view_page page;

	return args_page(rq, rs, &page) &&
	       args_loaded(rq, rs,
		      view_outbox(rq->db, request_query(rq, "state"), &page,
				  ret),
		      NULL);
}

bool load_outgoing(const struct request *rq, struct response *rs, json_t **ret)
{
	char *name __free(kfree) = xstrdup(rq->segments[rq->n_segments - 1]);
	struct outgoing_id id;

	if (ends_with(name, ".eml"))
		name[strlen(name) - 4] = '\0';
	id.v = args_id(name);
	return args_loaded(rq, rs,
		      view_outgoing(rq->db, id, request_sees_private(rq), ret),
		      "There is no reply with this number.");
}

bool load_queue(const struct request *rq, struct response *rs, json_t **ret)
{
	json_t *sources = NULL, *runners = NULL;

	if (!args_loaded(rq, rs, view_queue(rq->db, request_sees_private(rq), ret),
		    NULL))
		return false;
	if (!args_loaded(rq, rs, view_sources(rq->db, &sources), NULL)) {
		json_decref(*ret);
		return false;
	}
	json_object_set_new(*ret, "sources", sources);
	if (!args_loaded(rq, rs, view_runners(rq->db, request_sees_private(rq),
					      &runners), NULL)) {
		json_decref(*ret);
		return false;
	}
	json_object_set_new(*ret, "runners", runners);
	return true;
}

static bool load_array(const struct request *rq, struct response *rs,
		       int (*view)(struct db *db, json_t **ret), json_t **ret)
{
	json_t *rows = NULL;

	if (!args_loaded(rq, rs, view(rq->db, &rows), NULL))
		return false;
	*ret = json_pack("{s:o, s:n}", "items", rows, "next");
	return true;
}

/* Under each tree whether its bases build and boot. */
static void add_health(const json_t *health, json_t *trees)
{
	json_t *tree, *h;
	size_t i, k;

	json_array_foreach(trees, i, tree) {
		json_t *list = json_array();

		json_array_foreach((json_t *)health, k, h) {
			if (json_equal(json_object_get(h, "tree_id"),
				       json_object_get(tree, "id")))
				json_array_append(list, h);
		}
		json_object_set_new(tree, "bases", list);
	}
}

bool load_trees(const struct request *rq, struct response *rs, json_t **ret)
{
	json_t *health __free(json) = NULL;

	if (!args_loaded(rq, rs, view_health_of_bases(rq->db, &health), NULL) ||
	    !load_array(rq, rs, view_trees, ret))
		return false;
	add_health(health, json_object_get(*ret, "items"));
	return true;
}

static void answer(struct request *rq, struct response *rs,
		   bool (*load)(const struct request *rq, struct response *rs,
				json_t **ret))
{
	json_t *v = NULL;

	if (load(rq, rs, &v))
		response_json(rs, 200, v);
}

void api_series_list(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_series_list);
}

void api_series(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_series);
}

void api_jobs(struct request *rq, struct response *rs)
{
	struct view_job_filter filter = {
		.state = request_query(rq, "state"),
		.kind = request_query(rq, "kind"),
		.arch = request_query(rq, "arch"),
		.kconfig = request_query(rq, "kconfig"),
		.toolchain = request_query(rq, "toolchain"),
		.controls = request_query(rq, "controls"),
	};
	struct view_page page;
	json_t *v = NULL;

	if (args_page(rq, rs, &page) &&
	    query_series(rq, rs, &filter.series) &&
	    args_loaded(rq, rs, view_jobs(rq->db, &filter, &page, &v), NULL))
		response_json(rs, 200, v);
}

void api_job(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_job);
}

void api_findings(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_findings);
}

void api_outbox(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_outbox);
}

void api_outgoing(struct request *rq, struct response *rs)
{
	json_t *v = NULL;

	if (!load_outgoing(rq, rs, &v))
		return;
	if (!ends_with(rq->segments[rq->n_segments - 1], ".eml")) {
		response_json(rs, 200, v);
		return;
	}
	rs->status = 200;
	rs->type = "message/rfc822";
	strbuf_addstr(&rs->body, json_get_str(v, "eml", ""));
	json_decref(v);
}

void api_queue(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_queue);
}

void api_trees(struct request *rq, struct response *rs)
{
	answer(rq, rs, load_trees);
}

void api_sources(struct request *rq, struct response *rs)
{
	json_t *v = NULL;

	if (load_array(rq, rs, view_sources, &v))
		response_json(rs, 200, v);
}

void api_health(struct request *rq, struct response *rs)
{
	json_t *v = NULL;

	if (!args_loaded(rq, rs, view_health(rq->db, &v), NULL))
		return;
	json_set_text(v, "status", "ok");
	response_json(rs, 200, v);
}
