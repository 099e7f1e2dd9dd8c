// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/derive.h"

#include "lib/json.h"

int db_derivation_store(struct db *db, struct version_id id, const char *arch,
			const char *kconfig, const json_t *answer)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT OR REPLACE INTO derivation (version_id, arch,"
		    " kconfig, answer) VALUES (?, ?, ?, ?)");
	char *text __free(kfree) = json_dumps(answer, JSON_COMPACT);

	stmt_bind_int64(st, id.v);
	stmt_bind_text(st, arch);
	stmt_bind_text(st, kconfig);
	stmt_bind_text(st, text ? text : "{}");
	return stmt_run(st);
}

int db_derivations(struct db *db, struct version_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT arch, kconfig, answer FROM derivation"
		    " WHERE version_id = ? ORDER BY arch");
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_all_json(st, &rows);
	if (r)
		return r;
	json_array_foreach(rows, i, row) {
		json_t *answer = json_loads(json_get_str(row, "answer", "{}"),
					    0, NULL);

		json_object_set_new(row, "answer",
				    answer ? answer : json_object());
	}
	*ret = no_free_ptr(rows);
	return 0;
}

int db_derivations_forget(struct db *db, struct version_id id)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "DELETE FROM derivation WHERE version_id = ?");

	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_coverage_store(struct db *db, struct version_id id,
		      const json_t *coverage)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE version SET coverage = ? WHERE id = ?");
	char *text __free(kfree) = json_is_object(coverage) ?
				   json_dumps(coverage, JSON_COMPACT) : NULL;

	stmt_bind_text(st, text);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}
