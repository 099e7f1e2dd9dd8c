// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/compare.h"

#include <string.h>

#include "db/version.h"
#include "lib/json.h"

/* More patches than a series may have, and more findings than anyone reads. */
#define MAX_ROWS 2000

static int run_on(struct db *db, const char *sql, struct version_id id)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

static int set_compared(struct db *db, struct version_id id,
			struct version_id older, const char *why)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE version SET compared_id = ?, compare_why = ?"
		    " WHERE id = ?");

	stmt_bind_id(st, older.v);
	stmt_bind_text(st, why);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

static int add_pair(struct db *db, struct version_id id, size_t seq,
		    const json_t *p)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO range_diff (version_id, seq, state, old, new,"
		    " title, diff) VALUES (?, ?, ?, ?, ?, ?, ?)");

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, (int64_t)seq);
	stmt_bind_text(st, json_get_str(p, "state", "changed"));
	stmt_bind_id(st, json_get_int(p, "old", 0));
	stmt_bind_id(st, json_get_int(p, "new", 0));
	stmt_bind_text(st, json_get_str(p, "title", ""));
	stmt_bind_text(st, json_get_str(p, "diff", ""));
	return stmt_run(st);
}

int db_range_diff_store(struct db *db, struct version_id id,
			struct version_id older, const json_t *answer)
{
	const json_t *p;
	size_t i;
	int r = run_on(db, "DELETE FROM range_diff WHERE version_id = ?", id);

	if (!r)
		r = set_compared(db, id, older,
				 json_get_str(answer, "compare_why", ""));
	json_array_foreach(json_object_get(answer, "range_diff"), i, p) {
		if (!r && older.v && i < MAX_ROWS)
			r = add_pair(db, id, i + 1, p);
	}
	return r;
}

static bool was_judged(const json_t *row)
{
	static const char *const verdicts[] = { "clean", "warns", "broken" };
	const char *verdict = json_get_str(row, "verdict", "");

	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++) {
		if (!strcmp(verdict, verdicts[i]))
			return true;
	}
	return false;
}

int db_findings_before(struct db *db, struct version_id id,
		       struct version_id *older, json_t **ret)
{
	static const char sql[] =
		"SELECT f.*, j.kind, j.arch, j.kconfig, j.toolchain"
		" FROM finding f JOIN job j ON j.id = f.job_id"
		" WHERE f.version_id = ? AND f.blame = 'series'"
		"  AND f.leader_id IS NULL ORDER BY f.id LIMIT 2000";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	json_t *row __free(json) = NULL;
	int r = db_version_before(db, id, older);

	if (!r)
		r = db_version_get(db, *older, &row);
	/* one that never ran says nothing about what is new */
	if (r == DB_NONE || (!r && !was_judged(row))) {
		older->v = 0;
		*ret = json_array();
		return 0;
	}
	if (r)
		return r;
	stmt_bind_int64(st, older->v);
	return stmt_all_json(st, ret);
}

static int add_fate(struct db *db, struct version_id id,
		    struct version_id older, size_t seq, const json_t *f)
{
	static const char sql[] =
		"INSERT INTO fate (version_id, seq, older_id, fate, why,"
		" fingerprint, stage, number, severity, file, line, function,"
		" message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, (int64_t)seq);
	stmt_bind_int64(st, older.v);
	stmt_bind_text(st, json_get_str(f, "fate", "not tested"));
	stmt_bind_text(st, json_get_str(f, "why", ""));
	stmt_bind_text(st, json_get_str(f, "fingerprint", ""));
	stmt_bind_text(st, json_get_str(f, "stage", ""));
	stmt_bind_int64(st, json_get_int(f, "number", 0));
	stmt_bind_text(st, json_get_str(f, "severity", "error"));
	stmt_bind_text(st, json_get_str(f, "file", ""));
	stmt_bind_int64(st, json_get_int(f, "line", 0));
	stmt_bind_text(st, json_get_str(f, "function", ""));
	stmt_bind_text(st, json_get_str(f, "message", ""));
	return stmt_run(st);
}

int db_fates_store(struct db *db, struct version_id id,
		   struct version_id older, const json_t *fates)
{
	const json_t *f;
	size_t i;
	int r = run_on(db, "DELETE FROM fate WHERE version_id = ?", id);

	json_array_foreach((json_t *)fates, i, f) {
		if (!r && older.v && i < MAX_ROWS)
			r = add_fate(db, id, older, i + 1, f);
	}
	return r;
}
