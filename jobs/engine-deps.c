// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "dependencies: " fmt
#include <errno.h>
#include <string.h>

#include "db/depend.h"
#include "db/version.h"
#include "jobs/engine-private.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "lib/log.h"

/* The mails of one dependency, as far as they are wanted, for the worker. */
static int put_dependency(struct engine *e, const json_t *d, const char *dir,
			  json_t *out)
{
	struct version_id id = { json_get_int(d, "version_id", 0) };
	json_t *rows __free(json) = NULL, *list = json_array(), *p;
	int64_t upto = json_get_int(d, "upto", 0);
	size_t i;
	int r = db_version_patches(e->db, id, &rows);

	json_object_set_new(out, "patches", list);
	json_array_foreach(rows, i, p) {
		struct mail_id mail = { json_get_int(p, "mail_id", 0) };
		int64_t n = json_get_int(p, "number", 0);
		char *path __free(kfree) = NULL;
		json_t *o;

		if (r || n > upto)
			break;
		path = xasprintf("%s/dep-%lld-%lld.eml", dir, (long long)id.v,
				 (long long)n);
		r = engine_put_mail(e, mail, path);
		o = json_object();
		json_set_int(o, "number", n);
		json_set_text(o, "path", path);
		json_array_append_new(list, o);
	}
	return r;
}

int engine_deps_put(struct engine *e, struct version_id id, const char *dir,
		    json_t *q)
{
	static const char *const keys[] = { "key", "needs", "broken", "note" };
	json_t *graph __free(json) = NULL, *list = json_array(), *d;
	size_t i;
	int r = db_depend_graph(e->db, id, &graph);

	json_object_set(q, "needs", json_object_get(graph, "needs"));
	json_object_set_new(q, "dependencies", list);
	json_array_foreach(json_object_get(graph, "dependencies"), i, d) {
		json_t *o = json_object();

		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			json_object_set(o, keys[k],
					json_object_get(d, keys[k]));
		json_array_append_new(list, o);
		/* the time to wait for the rest of it is over */
		if (!strcmp(json_get_str(d, "state", ""), "assembling"))
			json_set_text(o, "broken",
				      "it is not complete after the time that "
				      "a series waits for another");
		if (!r)
			r = put_dependency(e, d, dir, o);
	}
	return r;
}

static const json_t *still_assembling(const json_t *graph)
{
	const json_t *d;
	size_t i;

	json_array_foreach(json_object_get(graph, "dependencies"), i, d) {
		if (!strcmp(json_get_str(d, "state", ""), "assembling") &&
		    json_is_null(json_object_get(d, "broken")))
			return d;
	}
	return NULL;
}

static int say_waiting(struct engine *e, const json_t *row, const json_t *d,
		       int64_t until_s)
{
	struct version_id id = { json_get_int(row, "id", 0) };
	char when[32];
	char *why __free(kfree) = xasprintf(
		"waits for \"%s\" (%s), which is still coming in, until %s "
		"at most", json_get_str(d, "title", ""),
		json_get_str(d, "key", ""), clock_rfc3339(until_s, when));
	int r;

	if (!strcmp(why, json_get_str(row, "state_why", "")))
		return 0;
	r = db_begin(e->db);
	if (!r)
		r = db_version_set(e->db, id, VERSION_READY, why);
	return r ? r : db_commit(e->db);
}

int engine_deps_wait(struct engine *e, const json_t *row, bool *wait)
{
	struct version_id id = { json_get_int(row, "id", 0) };
	int64_t until_s = json_get_int(row, "settle_until_s", 0) +
			  e->cfg->incomplete_s;
	json_t *graph __free(json) = NULL;
	const json_t *d;
	int r;

	*wait = false;
	if (clock_now_s() >= until_s)
		return 0;
	r = db_depend_graph(e->db, id, &graph);
	if (r)
		return r;
	d = still_assembling(graph);
	if (!d)
		return 0;
	*wait = true;
	return say_waiting(e, row, d, until_s);
}
