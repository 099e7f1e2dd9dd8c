// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/view.h"

#include <errno.h>
#include <inttypes.h>

#include "lib/json.h"

int view_rows(struct db *db, const char *sql, int64_t param, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, param);
	return stmt_all_json(st, ret);
}

int view_row(struct db *db, const char *sql, int64_t param, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r;

	stmt_bind_int64(st, param);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*ret = stmt_row_json(st);
	return 0;
}

int view_set(struct db *db, json_t *o, const char *key, const char *sql,
	     int64_t param)
{
	json_t *rows = NULL;
	int r = view_rows(db, sql, param, &rows);

	if (!r)
		json_object_set_new(o, key, rows);
	return r;
}

static int shown(const struct view_page *page)
{
	if (page->limit <= 0)
		return 50;
	return min(page->limit, 500);
}

int view_limit(const struct view_page *page)
{
	return shown(page) + 1;
}

json_t *view_list(const struct view_page *page, json_t *rows,
		  const char *major, const char *minor)
{
	size_t limit = (size_t)shown(page);
	json_t *o = json_object(), *last;
	char *next __free(kfree) = NULL;

	if (json_array_size(rows) > limit) {
		json_array_remove(rows, limit);
		last = json_array_get(rows, limit - 1);
		next = xasprintf("%" PRId64 "-%" PRId64,
				 major ? json_get_int(last, major, 0) : 0,
				 json_get_int(last, minor, 0));
	}
	json_object_set_new(o, "items", rows);
	json_set_text(o, "next", next);
	return o;
}

int view_cursor(const struct view_page *page, int64_t *major, int64_t *minor)
{
	int end = 0;

	*major = INT64_MAX;
	*minor = INT64_MAX;
	if (!page->cursor)
		return 0;
	errno = 0;
	if (sscanf(page->cursor, "%18" SCNd64 "-%18" SCNd64 "%n", major, minor,
		   &end) != 2 ||
	    page->cursor[end])
		return -EINVAL;
	return 0;
}
