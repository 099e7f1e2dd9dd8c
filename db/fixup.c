// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/fixup.h"

#include <errno.h>

#include "db/mail.h"
#include "lib/json.h"

int db_fixup_add(struct db *db, struct version_id version, struct mail_id mail)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT OR IGNORE INTO fixup (version_id, mail_id)"
		    " VALUES (?, ?)");

	stmt_bind_int64(st, version.v);
	stmt_bind_int64(st, mail.v);
	return stmt_run(st);
}

int db_fixups_of(struct db *db, struct version_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT f.*, m.message_id, m.subject, m.from_name,"
		    " m.from_email, m.date_s FROM fixup f"
		    " JOIN mail m ON m.id = f.mail_id"
		    " WHERE f.version_id = ? ORDER BY f.mail_id");

	stmt_bind_int64(st, id.v);
	return stmt_all_json(st, ret);
}

int db_fixups_new_of(struct db *db, struct version_id id, int64_t *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT count(*) AS n FROM fixup WHERE version_id = ?"
		    " AND state = 'new'");
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r == DB_NONE ? -EIO : r;
	*ret = stmt_int64(st, "n");
	return 0;
}

int db_fixups_next(struct db *db, struct version_id *ret)
{
	static const char sql[] =
		"SELECT v.id FROM fixup f JOIN version v ON v.id = f.version_id"
		" WHERE f.state = 'new' AND v.base_commit IS NOT NULL"
		"  AND v.state IN ('applied', 'planned', 'running', 'done')"
		"  AND NOT EXISTS (SELECT 1 FROM job j WHERE"
		"   j.version_id = v.id AND j.kind = 'build'"
		"   AND j.state = 'running')"
		" ORDER BY v.id LIMIT 1";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r = stmt_step(st);

	if (r != DB_ROW)
		return r;
	ret->v = stmt_int64(st, "id");
	return 0;
}

static int store_one(struct db *db, struct version_id id, const json_t *f)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE fixup SET number = ?, state = ?, commit_id = ?,"
		    " why = ? WHERE version_id = ? AND mail_id = ?");
	struct mail_id mail = { 0 };
	int r = db_mail_find(db, json_get_str(f, "message_id", ""), &mail);

	if (r)
		return r < 0 ? r : -ENOENT;
	stmt_bind_int64(st, json_get_int(f, "number", 0));
	stmt_bind_text(st, json_get_str(f, "state", "unreadable"));
	stmt_bind_text(st, json_get_str(f, "commit_id", NULL));
	stmt_bind_text(st, json_get_str(f, "why", ""));
	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, mail.v);
	return stmt_run(st);
}

int db_fixups_store(struct db *db, struct version_id id, const json_t *answer)
{
	const json_t *f;
	size_t i;
	int r = 0;

	json_array_foreach(json_object_get(answer, "fixups"), i, f) {
		if (!r)
			r = store_one(db, id, f);
	}
	return r;
}

static int store_remark(struct db *db, struct version_id id, size_t seq,
			const json_t *m)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO remark (version_id, seq, number, kind, title,"
		    " detail) VALUES (?, ?, ?, ?, ?, ?)");

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, (int64_t)seq);
	stmt_bind_int64(st, json_get_int(m, "number", 0));
	stmt_bind_text(st, json_get_str(m, "kind", ""));
	stmt_bind_text(st, json_get_str(m, "title", ""));
	stmt_bind_text(st, json_get_str(m, "detail", ""));
	return stmt_run(st);
}

int db_remarks_store(struct db *db, struct version_id id,
		     const json_t *remarks)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "DELETE FROM remark WHERE version_id = ?");
	const json_t *m;
	size_t i;
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_run(st);
	json_array_foreach(remarks, i, m) {
		if (!r)
			r = store_remark(db, id, i + 1, m);
	}
	return r;
}
