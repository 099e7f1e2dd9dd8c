// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/list-jobs.h"

#include <string.h>

#include "db/parts.h"
#include "db/search.h"
#include "db/view.h"

/* Series whose findings are looked through; of more the newest are first. */
#define FEW_HITS 30

/* Is there such an architecture? Else a million jobs are looked through. */
static int arch_known(struct db *db, const char *arch)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT 1 WHERE EXISTS (SELECT 1 FROM job_count"
		    "  WHERE arch = ?1)"
		    " OR EXISTS (SELECT 1 FROM job"
		    "  WHERE version_id IS NULL AND arch = ?1)");
	int r;

	if (!arch)
		return DB_ROW;
	stmt_bind_text(st, arch);
	r = stmt_step(st);
	return r;
}

/*
 * Most jobs have passed, so that state finds little where the kind does, and
 * the other way round for all other states. A plus sign keeps a term from
 * being what the search starts with.
 */
static void add_state(const struct view_job_filter *f, struct parts *p)
{
	bool passed = f->state && !strcmp(f->state, "passed");

	if (f->series.v) { /* not many, found by their series */
		parts_text(p, " AND +j.state = ?", f->state);
		parts_text(p, " AND j.kind = ?", f->kind);
		return;
	}
	parts_text(p, passed && f->kind ? " AND +j.state = ?" :
					  " AND j.state = ?", f->state);
	parts_text(p, f->state && !passed ? " AND +j.kind = ?" :
					    " AND j.kind = ?", f->kind);
}

static int run(struct db *db, struct parts *p, const struct view_page *page,
	       const char *order, json_t **ret)
{
	struct stmt *st __free(stmt) = NULL;
	json_t *rows = NULL;
	int r;

	parts_int(p, order, view_limit(page));
	st = parts_prepare(db, p);
	r = stmt_all_json(st, &rows);
	if (!r)
		*ret = view_list(page, rows, NULL, "id");
	return r;
}

int view_jobs(struct db *db, const struct view_job_filter *f,
	      const struct view_page *page, json_t **ret)
{
	struct parts p __free(parts) = PARTS_INIT;
	int64_t unused, id;
	int r = view_cursor(page, &unused, &id);

	if (r)
		return r;
	r = arch_known(db, f->arch);
	if (r < 0)
		return r;
	parts_add(&p, "SELECT " VIEW_JOB_COLUMNS "," VIEW_JOB_SERIES_COLUMNS
		  " FROM job j LEFT JOIN version v ON v.id = j.version_id"
		  " WHERE 1");
	if (r == DB_NONE)
		parts_add(&p, " AND 0");
	if (!page->see_private)
		parts_add(&p, " AND v.private IS NOT 1");
	if (f->series.v)
		parts_int(&p, " AND j.version_id = ?", f->series.v);
	if (f->controls)
		parts_add(&p, " AND j.version_id IS NULL");
	add_state(f, &p);
	parts_text(&p, " AND j.arch = ?", f->arch);
	parts_text(&p, " AND j.kconfig = ?", f->kconfig);
	parts_text(&p, " AND j.toolchain = ?", f->toolchain);
	if (page->cursor)
		parts_int(&p, " AND j.id < ?", id);
	return run(db, &p, page, " ORDER BY j.id DESC LIMIT ?", ret);
}

/* Which series have such words at all is asked first; see db/list-series.c. */
static int add_words(struct db *db, const struct view_finding_filter *f,
		     struct parts *p, struct strbuf *expr)
{
	bool no_word = false;
	int n = 0;

	if (f->text)
		no_word = search_column("finding", f->text, expr) == DB_NONE;
	if (f->file)
		no_word |= search_column("finding", f->file, expr) == DB_NONE;
	if (no_word)
		parts_add(p, " AND 0");
	else if (expr->len)
		n = search_count(db, expr->buf, FEW_HITS);
	if (n < 0)
		return n;
	if (!no_word && expr->len)
		parts_text(p, n < FEW_HITS ?
			   " AND f.version_id IN (SELECT rowid"
			   " FROM series_text WHERE series_text MATCH ?)" :
			   " AND +f.version_id IN (SELECT rowid"
			   " FROM series_text WHERE series_text MATCH ?)",
			   expr->buf);
	parts_text(p, " AND instr(lower(f.file || ' ' || f.function || ' ' ||"
		   " f.message), lower(?)) > 0", f->text);
	if (f->file && ends_with(f->file, "/"))
		parts_text(p, " AND instr(f.file, ?) = 1", f->file);
	else
		parts_text(p, " AND f.file = ?", f->file);
	return 0;
}

int view_findings(struct db *db, const struct view_finding_filter *f,
		  const struct view_page *page, json_t **ret)
{
	struct parts p __free(parts) = PARTS_INIT;
	struct strbuf expr __free(strbuf) = STRBUF_INIT;
	int64_t unused, id;
	int r = view_cursor(page, &unused, &id);

	if (r)
		return r;
	parts_add(&p, "SELECT " VIEW_FINDING_COLUMNS ", v.id AS series_id,"
		  " v.key AS series_key, v.title AS series_title,"
		  " v.version AS series_version, v.total"
		  " FROM finding f JOIN job j ON j.id = f.job_id"
		  " JOIN version v ON v.id = f.version_id"
		  " WHERE f.leader_id IS NULL");
	if (!page->see_private)
		parts_add(&p, " AND v.private = 0");
	if (f->series.v)
		parts_int(&p, " AND f.version_id = ?", f->series.v);
	if (!f->blame || strcmp(f->blame, "any"))
		parts_text(&p, " AND f.blame = ?",
			   f->blame ? f->blame : "series");
	r = add_words(db, f, &p, &expr);
	if (r)
		return r;
	parts_text(&p, " AND f.severity = ?", f->severity);
	parts_text(&p, " AND f.stage = ?", f->stage);
	parts_text(&p, " AND f.tool = ?", f->tool);
	parts_text(&p, " AND j.arch = ?", f->arch);
	if (page->cursor)
		parts_int(&p, " AND f.id < ?", id);
	return run(db, &p, page, " ORDER BY f.id DESC LIMIT ?", ret);
}
