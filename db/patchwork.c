// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/patchwork.h"

#include "lib/json.h"

int db_checks_begin(struct db *db)
{
	static const char sql[] =
		"INSERT INTO patchwork_check (version_id, number, arch, want,"
		" description)"
		" SELECT DISTINCT v.id, p.number, j.arch, 'pending',"
		"  'is being tested' FROM version v"
		" JOIN patch p ON p.version_id = v.id AND p.number <= v.total"
		" JOIN job j ON j.version_id = v.id"
		" WHERE v.state IN ('planned', 'running') AND NOT v.private"
		"  AND v.source_id IS NOT NULL"
		" ON CONFLICT (version_id, number, arch) DO NOTHING";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	return stmt_run(st);
}

/* c is the check; the worst finding of the series at that patch there */
#define FINDINGS(severity)                                              \
	"EXISTS (SELECT 1 FROM finding f JOIN job j ON j.id = f.job_id" \
	"  WHERE f.version_id = c.version_id AND f.number = c.number"   \
	"  AND j.arch = c.arch AND f.blame = 'series'"                  \
	"  AND f.severity = '" severity "')"
#define LOST                                                            \
	"EXISTS (SELECT 1 FROM job j WHERE j.version_id = c.version_id" \
	"  AND j.arch = c.arch AND j.state NOT IN ('passed', 'failed'))"

int db_checks_end(struct db *db)
{
	static const char sql[] =
		"UPDATE patchwork_check AS c SET next_s = 0, want = CASE"
		" WHEN v.state = 'superseded' THEN 'warning'"
		" WHEN " FINDINGS("error") " THEN 'fail'"
		" WHEN " FINDINGS("warning") " THEN 'warning'"
		" WHEN " LOST " THEN 'warning' ELSE 'success' END,"
		" description = CASE"
		" WHEN v.state = 'superseded' THEN"
		"  'a newer version came before this was tested'"
		" WHEN " FINDINGS("error") " THEN 'errors from this patch'"
		" WHEN " FINDINGS("warning") " THEN 'warnings from this patch'"
		" WHEN " LOST " THEN 'not everything could be run'"
		" ELSE 'nothing new found' END"
		" FROM version v WHERE v.id = c.version_id"
		" AND c.want = 'pending' AND v.state IN ('done', 'superseded')";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	return stmt_run(st);
}

int db_checks_due(struct db *db, int64_t now_s, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT c.version_id, c.number, c.arch, c.want,"
		    " c.description, m.message_id FROM patchwork_check c"
		    " JOIN patch p ON p.version_id = c.version_id"
		    "  AND p.number = c.number"
		    " JOIN mail m ON m.id = p.mail_id"
		    " WHERE c.want != c.posted AND c.posted != 'none'"
		    " AND c.next_s <= ? ORDER BY c.version_id, c.number"
		    " LIMIT 50");

	stmt_bind_int64(st, now_s);
	return stmt_all_json(st, ret);
}

int db_check_told(struct db *db, const json_t *check, const char *posted,
		  const char *why, int64_t next_s)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE patchwork_check SET posted = coalesce(?, posted),"
		    " why = ?, next_s = ? WHERE version_id = ? AND number = ?"
		    " AND arch = ?");

	stmt_bind_text(st, posted);
	stmt_bind_text(st, why);
	stmt_bind_int64(st, next_s);
	stmt_bind_int64(st, json_get_int(check, "version_id", 0));
	stmt_bind_int64(st, json_get_int(check, "number", 0));
	stmt_bind_text(st, json_get_str(check, "arch", ""));
	return stmt_run(st);
}
