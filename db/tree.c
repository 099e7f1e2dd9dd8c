// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/tree.h"

#include "db/event.h"
#include "lib/clock.h"
#include "lib/json.h"

int db_tree_add(struct db *db, const json_t *spec, struct tree_id *ret)
{
	static const char sql[] =
		"INSERT INTO tree (name, kind, location, branch, role, rank)"
		" VALUES (?, ?, ?, ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r;

	stmt_bind_text(st, json_get_str(spec, "name", NULL));
	stmt_bind_text(st, json_get_str(spec, "kind", NULL));
	stmt_bind_text(st, json_get_str(spec, "location", NULL));
	stmt_bind_text(st, json_get_str(spec, "branch", NULL));
	stmt_bind_text(st, json_get_str(spec, "role", ""));
	stmt_bind_int64(st, json_get_int(spec, "rank", 100));
	r = stmt_run(st);
	if (r)
		return r;
	ret->v = db_last_id(db);
	return db_event(db, "tree.added", (struct version_id){ 0 },
			(struct job_id){ 0 }, json_get_str(spec, "name", ""));
}

int db_tree_find(struct db *db, const char *name, struct tree_id *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT id FROM tree WHERE name = ?");
	int r;

	stmt_bind_text(st, name);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	ret->v = stmt_int64(st, "id");
	return 0;
}

int db_trees(struct db *db, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT * FROM tree ORDER BY rank, id");

	return stmt_all_json(st, ret);
}

static int set_state(struct db *db, struct tree_id id, const char *state,
		     const char *error)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE tree SET state = ?, error = ? WHERE id = ?");

	stmt_bind_text(st, state);
	stmt_bind_text(st, error);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_tree_fetching(struct db *db, struct tree_id id)
{
	return set_state(db, id, "fetching", NULL);
}

int db_tree_failed(struct db *db, struct tree_id id, const char *why)
{
	int r = set_state(db, id, "failed", why);

	return r ? r : db_event(db, "tree.failed", (struct version_id){ 0 },
				(struct job_id){ 0 }, why);
}

int db_tree_fetched(struct db *db, struct tree_id id, const char *commit_id,
		    const char *describe)
{
	static const char sql[] =
		"UPDATE tree SET state = 'ready', error = NULL,"
		" commit_id = ?, describe = ?, fetched_s = ? WHERE id = ?";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r;

	stmt_bind_text(st, commit_id);
	stmt_bind_text(st, describe);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, id.v);
	r = stmt_run(st);
	return r ? r : db_event(db, "tree.ready", (struct version_id){ 0 },
				(struct job_id){ 0 }, commit_id);
}
