// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/list-series.h"

#include <inttypes.h>
#include <string.h>

#include "db/parts.h"
#include "db/search.h"
#include "db/view.h"
#include "lib/json.h"

/* So many are sorted by age; of more the newest are looked through. */
#define FEW_HITS 400

static const char sql_archs[] =
	"SELECT c.version_id, c.arch, sum(c.n) AS total,"
	" sum(iif(c.state = 'running', c.n, 0)) AS running,"
	" sum(iif(c.state IN ('waiting', 'queued'), c.n, 0)) AS waiting,"
	" sum(iif(c.state = 'passed', c.n, 0)) AS passed,"
	" sum(iif(c.state = 'canceled', c.n, 0)) AS canceled"
	" FROM json_each(?1) e JOIN job_count c ON c.version_id = e.value"
	" WHERE c.n > 0 GROUP BY c.version_id, c.arch"
	" ORDER BY c.version_id, c.arch = 's390', c.arch = 'arm64', c.arch";

static const char sql_blame[] =
	"SELECT c.version_id, c.arch, sum(c.errors) AS errors,"
	" sum(c.others) AS warnings,"
	" min(iif(c.errors > 0, c.number, NULL)) AS error_at,"
	" min(c.number) AS any_at"
	" FROM json_each(?1) e JOIN finding_count c ON c.version_id = e.value"
	" WHERE c.errors + c.others > 0 GROUP BY c.version_id, c.arch";

static int rows_for(struct db *db, const char *sql, const char *ids,
		    json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_text(st, ids);
	return stmt_all_json(st, ret);
}

static const char *arch_state(const json_t *a)
{
	if (json_get_int(a, "errors", 0))
		return "broken";
	if (json_get_int(a, "warnings", 0))
		return "warns";
	if (json_get_int(a, "running", 0))
		return "running";
	if (json_get_int(a, "waiting", 0))
		return "waiting";
	if (json_get_int(a, "canceled", 0))
		return "canceled";
	if (json_get_int(a, "passed", 0) == json_get_int(a, "total", 0))
		return "clean";
	return "unknown"; /* failed or errored, and not the series' fault */
}

static json_t *item_of(json_t *items, int64_t version)
{
	json_t *item;
	size_t i;

	json_array_foreach(items, i, item) {
		if (json_get_int(item, "id", 0) == version)
			return item;
	}
	return NULL;
}

static void finish_arch(json_t *a, const json_t *blame)
{
	int64_t errors = json_get_int(blame, "errors", 0);
	int64_t open = json_get_int(a, "running", 0) +
		       json_get_int(a, "waiting", 0);

	json_set_int(a, "errors", errors);
	json_set_int(a, "warnings", json_get_int(blame, "warnings", 0));
	json_set_int(a, "patch",
		     json_get_int(blame, errors ? "error_at" : "any_at", 0));
	json_set_int(a, "ended", json_get_int(a, "total", 0) - open);
	json_set_text(a, "state", arch_state(a));
	json_object_del(a, "version_id");
	json_object_del(a, "passed");
	json_object_del(a, "canceled");
}

static const json_t *blame_of(const json_t *blames, const json_t *arch)
{
	const json_t *b;
	size_t i;

	json_array_foreach((json_t *)blames, i, b) {
		if (json_get_int(b, "version_id", 0) ==
			    json_get_int(arch, "version_id", -1) &&
		    !strcmp(json_get_str(b, "arch", ""),
			    json_get_str(arch, "arch", "")))
			return b;
	}
	return NULL;
}

static int add_archs(struct db *db, json_t *items, const char *ids)
{
	json_t *archs __free(json) = NULL, *blames __free(json) = NULL;
	json_t *a, *item;
	size_t i;
	int r;

	r = rows_for(db, sql_archs, ids, &archs);
	if (!r)
		r = rows_for(db, sql_blame, ids, &blames);
	if (r)
		return r;
	json_array_foreach(items, i, item)
		json_object_set_new(item, "archs", json_array());
	json_array_foreach(archs, i, a) {
		item = item_of(items, json_get_int(a, "version_id", 0));
		finish_arch(a, blame_of(blames, a));
		json_array_append(json_object_get(item, "archs"), a);
	}
	return 0;
}

/*
 * The benchmark that moved most stands for all of them: the row of the max().
 * Only what was counted on both sides, per the same work.
 */
static const char sql_bench[] =
	"SELECT j.version_id, m.name, 100.0 * (m.value - bm.value) / bm.value"
	"  AS percent, max(abs(1.0 * (m.value - bm.value) / bm.value)) AS most"
	" FROM json_each(?1) e CROSS JOIN job j ON j.version_id = e.value"
	"  AND j.kind = 'bench' AND j.upto = 0"
	" CROSS JOIN measure m ON m.attempt_id = " VIEW_LAST_RESULT("j.id")
	" CROSS JOIN job b ON b.version_id IS NULL AND b.kind = 'bench'"
	"  AND b.base_commit = j.base_commit AND b.arch = j.arch"
	"  AND b.kconfig = j.kconfig AND b.toolchain = j.toolchain"
	" CROSS JOIN measure bm ON bm.attempt_id = " VIEW_LAST_RESULT("b.id")
	"  AND bm.name = m.name AND bm.work = m.work"
	" WHERE m.value NOT NULL AND bm.value != 0 GROUP BY j.version_id";

static int add_bench(struct db *db, json_t *items, const char *ids)
{
	json_t *rows __free(json) = NULL;
	json_t *m, *item;
	size_t i;
	int r = rows_for(db, sql_bench, ids, &rows);

	if (r)
		return r;
	json_array_foreach(items, i, item)
		json_object_set_new(item, "bench", json_null());
	json_array_foreach(rows, i, m) {
		item = item_of(items, json_get_int(m, "version_id", 0));
		json_object_del(m, "version_id");
		json_object_del(m, "most");
		json_object_set(item, "bench", m);
	}
	return 0;
}

static char *ids_of(const json_t *items)
{
	struct strbuf ids = STRBUF_INIT;
	const json_t *item;
	size_t i;

	strbuf_addch(&ids, '[');
	json_array_foreach((json_t *)items, i, item)
		strbuf_addf(&ids, "%s%" PRId64, i ? "," : "",
			    json_get_int(item, "id", 0));
	strbuf_addch(&ids, ']');
	return strbuf_detach(&ids);
}

/* The Message-ID of one mail finds its series and nothing else. */
static int add_text(struct db *db, const struct view_series_filter *f,
		    bool see_private, struct parts *p, struct strbuf *expr)
{
	struct version_id one;
	bool no_word = false;
	int r;

	if (f->text && strchr(f->text, '@') && !strpbrk(f->text, " \t")) {
		r = view_series_find(db, f->text, see_private, &one);
		if (!r)
			parts_int(p, " AND v.id = ?", one.v);
		if (!r || r < 0)
			return r;
	}
	if (f->text)
		no_word = search_expr(f->text, expr) == DB_NONE;
	if (f->author)
		no_word |= search_column("author", f->author, expr) == DB_NONE;
	if (no_word)
		parts_add(p, " AND 0");
	if (no_word || !expr->len)
		return 0;
	r = search_count(db, expr->buf, FEW_HITS);
	if (r < 0)
		return r;
	/* a plus sign keeps a term from being what a search starts with */
	parts_text(p, r < FEW_HITS ?
		   " AND v.id IN (SELECT rowid FROM series_text"
		   "  WHERE series_text MATCH ?)" :
		   " AND +v.id IN (SELECT rowid FROM series_text"
		   "  WHERE series_text MATCH ?)", expr->buf);
	return 0;
}

static void add_state(const struct view_series_filter *f, struct parts *p)
{
	if (!f->state)
		return;
	if (strcmp(f->state, "running")) {
		parts_text(p, " AND v.status = ?", f->state);
		return;
	}
	parts_add(p, " AND (v.status = 'running' OR"
		  " v.state IN ('planned', 'running'))");
}

static void add_arch(const struct view_series_filter *f, struct parts *p)
{
	bool broken = f->state && !strcmp(f->state, "broken");
	bool warns = f->state && !strcmp(f->state, "warns");

	if (f->findings < 0)
		parts_add(p, " AND NOT EXISTS (SELECT 1 FROM finding_count c"
			  " WHERE c.version_id = v.id"
			  " AND c.errors + c.others > 0)");
	if (f->findings > 0 && !f->arch)
		parts_add(p, " AND EXISTS (SELECT 1 FROM finding_count c"
			  " WHERE c.version_id = v.id"
			  " AND c.errors + c.others > 0)");
	if (!f->arch)
		return;
	if (broken)
		parts_text(p, " AND EXISTS (SELECT 1 FROM finding_count c"
			   " WHERE c.version_id = v.id AND c.errors > 0"
			   " AND c.arch = ?)", f->arch);
	else if (warns || f->findings > 0)
		parts_text(p, " AND EXISTS (SELECT 1 FROM finding_count c"
			   " WHERE c.version_id = v.id"
			   " AND c.errors + c.others > 0 AND c.arch = ?)",
			   f->arch);
	else
		parts_text(p, " AND EXISTS (SELECT 1 FROM job_count c"
			   " WHERE c.version_id = v.id AND c.n > 0"
			   " AND c.arch = ?)", f->arch);
}

static void add_people(const struct view_series_filter *f, struct parts *p)
{
	if (!f->mine)
		return;
	parts_text(p, " AND v.id IN (SELECT id FROM version"
		   " WHERE author_email = ? COLLATE NOCASE", f->mine);
	parts_text(p, " UNION SELECT c.version_id FROM mail m"
		   " JOIN comment c ON c.mail_id = m.id"
		   " WHERE m.from_email = ? COLLATE NOCASE)", f->mine);
}

static int find_rows(struct db *db, const struct view_series_filter *f,
		     const struct view_page *page, json_t **ret)
{
	struct parts p __free(parts) = PARTS_INIT;
	struct strbuf expr __free(strbuf) = STRBUF_INIT;
	struct stmt *st __free(stmt) = NULL;
	int64_t changed, id;
	int r = view_cursor(page, &changed, &id);

	if (r)
		return r;
	parts_add(&p, "SELECT " VIEW_SERIES_COLUMNS VIEW_SERIES_FROM
		  " WHERE 1");
	if (!page->see_private)
		parts_add(&p, " AND v.private = 0");
	r = add_text(db, f, page->see_private, &p, &expr);
	if (r)
		return r;
	add_state(f, &p);
	add_arch(f, &p);
	add_people(f, &p);
	parts_text(&p, " AND v.tree_id = (SELECT id FROM tree WHERE name = ?)",
		   f->tree);
	parts_text(&p, " AND v.source_id ="
		   " (SELECT id FROM source WHERE name = ?)", f->list);
	if (page->cursor) {
		parts_int(&p, " AND (v.changed_s, v.id) < (?", changed);
		parts_int(&p, ", ?)", id);
	}
	parts_int(&p, " ORDER BY v.changed_s DESC, v.id DESC LIMIT ?",
		  view_limit(page));
	st = parts_prepare(db, &p);
	return stmt_all_json(st, ret);
}

int view_series_list(struct db *db, const struct view_series_filter *filter,
		     const struct view_page *page, json_t **ret)
{
	json_t *list __free(json) = NULL;
	char *ids __free(kfree) = NULL;
	json_t *rows = NULL, *items;
	int r = find_rows(db, filter, page, &rows);

	if (r)
		return r;
	list = view_list(page, rows, "changed_s", "id");
	items = json_object_get(list, "items");
	ids = ids_of(items);
	r = add_archs(db, items, ids);
	if (!r)
		r = add_bench(db, items, ids);
	if (!r)
		*ret = no_free_ptr(list);
	return r;
}
