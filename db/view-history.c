// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/view-history.h"

#include <string.h>

#include "db/view.h"
#include "lib/json.h"

/* Each place that says the same is named once; the newest findings count. */
static const char sql_ledger[] =
	"WITH f AS MATERIALIZED (SELECT * FROM finding WHERE leader_id IS NULL"
	"  AND (?1 IS NULL OR blame = ?1) ORDER BY id DESC LIMIT 5000),"
	" g AS (SELECT f.fingerprint, f.blame, f.stage,"
	"  max(f.id) AS last_id, count(DISTINCT f.version_id) AS n_series,"
	"  min(f.created_s) AS since_s, max(f.created_s) AS last_s,"
	"  max(v.state != 'superseded') AS open"
	"  FROM f JOIN version v ON v.id = f.version_id"
	"  WHERE v.private = 0 OR ?2"
	"  GROUP BY f.fingerprint, f.blame, f.stage"
	"  ORDER BY open DESC, last_id DESC LIMIT 200)"
	" SELECT g.fingerprint, g.blame, g.stage, g.n_series, g.since_s,"
	" g.last_s, g.open, l.severity, l.tool, l.option, l.file, l.line,"
	" l.function, l.message, l.job_id,"
	" (SELECT json_group_array(json_object('id', s.id, 'title', s.title,"
	"   'version', s.version, 'number', s.number)) FROM"
	"  (SELECT v.id, v.title, v.version, min(o.number) AS number"
	"   FROM finding o JOIN version v ON v.id = o.version_id"
	"   WHERE o.fingerprint = g.fingerprint AND o.blame = g.blame"
	"   AND o.stage = g.stage AND (v.private = 0 OR ?2)"
	"   GROUP BY v.id ORDER BY v.id DESC LIMIT 5) s) AS series_json,"
	" (SELECT json_group_array(json_object('tree', b.tree, 'commit',"
	"   b.base_commit, 'describe', b.describe)) FROM"
	"  (SELECT DISTINCT t.name AS tree, v.base_commit,"
	"    iif(t.commit_id = v.base_commit, t.describe, '') AS describe"
	"   FROM finding o JOIN version v ON v.id = o.version_id"
	"   LEFT JOIN tree t ON t.id = v.tree_id"
	"   WHERE o.fingerprint = g.fingerprint AND o.blame = g.blame"
	"   AND v.base_commit IS NOT NULL AND (v.private = 0 OR ?2)"
	"   LIMIT 5) b) AS bases_json"
	" FROM g JOIN finding l ON l.id = g.last_id"
	" ORDER BY g.open DESC, g.last_id DESC";

int view_ledger(struct db *db, const char *blame, bool see_private,
		json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_ledger);

	stmt_bind_text(st, blame && strcmp(blame, "any") ? blame : NULL);
	stmt_bind_int64(st, see_private);
	return stmt_all_json(st, ret);
}

/* Runs of tests: "a" are the newest attempts. */
#define RUNS                                                              \
	"WITH a AS MATERIALIZED (SELECT t.id, t.job_id, t.started_s,"     \
	"  j.arch, j.kconfig FROM job j JOIN attempt t ON t.job_id = j.id" \
	"  LEFT JOIN version v ON v.id = j.version_id"                    \
	"  WHERE j.kind = 'test' AND t.ended_s IS NOT NULL"               \
	"  AND (v.private IS NOT 1 OR ?1)"                                \
	"  ORDER BY j.id DESC, t.id DESC LIMIT 2000)"

static const char sql_flaky[] =
	RUNS ", m AS MATERIALIZED (SELECT DISTINCT r.suite, r.name, a.arch,"
	"  a.kconfig FROM a JOIN test_result r ON r.attempt_id = a.id"
	"  WHERE r.status != 'skipped'"
	"  GROUP BY a.job_id, r.suite, r.name"
	"  HAVING sum(r.status = 'passed') > 0 AND sum(r.status != 'passed') > 0"
	"  LIMIT 100)"
	" SELECT m.suite, m.name, m.arch, m.kconfig,"
	" sum(r.status = 'passed') AS passed, sum(r.status != 'passed') AS failed,"
	" max(a.started_s) AS last_s,"
	" json_group_array(json_object('status', r.status, 'job_id', a.job_id,"
	"  'started_s', a.started_s)) AS history_json"
	" FROM m JOIN a ON a.arch = m.arch AND a.kconfig = m.kconfig"
	" JOIN test_result r ON r.attempt_id = a.id AND r.suite = m.suite"
	"  AND r.name = m.name AND r.status != 'skipped'"
	" GROUP BY m.suite, m.name, m.arch, m.kconfig ORDER BY last_s DESC";

int view_flaky(struct db *db, bool see_private, json_t **ret)
{
	return view_rows(db, sql_flaky, see_private, ret);
}

static const char sql_points[] =
	"WITH m AS (SELECT m.name, m.unit, m.value, m.work, j.arch, j.kconfig,"
	"  j.toolchain, j.id AS job_id, j.base_commit, a.started_s"
	"  FROM job j JOIN attempt a ON a.id = " VIEW_LAST_RESULT("j.id")
	"  JOIN measure m ON m.attempt_id = a.id"
	"  WHERE j.kind = 'bench' AND j.version_id IS NULL"
	"  AND m.value IS NOT NULL AND (?1 IS NULL OR m.name = ?1)"
	"  AND (?2 IS NULL OR j.arch = ?2) ORDER BY j.id DESC LIMIT 5000)"
	" SELECT m.name, m.arch, m.kconfig, m.toolchain, m.unit,"
	" json_group_array(json_object('value', m.value, 'work', m.work,"
	"  'at_s', m.started_s, 'job_id', m.job_id, 'commit', m.base_commit,"
	"  'tree', (SELECT t.name FROM version v JOIN tree t ON t.id = v.tree_id"
	"   WHERE v.base_commit = m.base_commit LIMIT 1),"
	"  'describe', (SELECT t.describe FROM tree t"
	"   WHERE t.commit_id = m.base_commit LIMIT 1))) AS points_json"
	" FROM (SELECT * FROM m ORDER BY job_id) m"
	" GROUP BY m.name, m.arch, m.kconfig, m.toolchain, m.unit"
	" ORDER BY m.name, m.arch";

static const char sql_moved[] =
	"SELECT m.name, j.arch, j.kconfig, j.toolchain, v.id AS series_id,"
	" v.title, v.version, j.id AS job_id, a.started_s AS at_s,"
	" 100.0 * (m.value - bm.value) / bm.value AS percent"
	" FROM (SELECT * FROM job WHERE kind = 'bench'"
	"  AND version_id IS NOT NULL AND upto = 0 ORDER BY id DESC LIMIT 1000) j"
	" JOIN version v ON v.id = j.version_id"
	" JOIN attempt a ON a.id = " VIEW_LAST_RESULT("j.id")
	" JOIN measure m ON m.attempt_id = a.id"
	" JOIN job b ON b.version_id IS NULL AND b.kind = 'bench'"
	"  AND b.base_commit = j.base_commit AND b.arch = j.arch"
	"  AND b.kconfig = j.kconfig AND b.toolchain = j.toolchain"
	" JOIN measure bm ON bm.attempt_id = " VIEW_LAST_RESULT("b.id")
	"  AND bm.name = m.name"
	" WHERE bm.value > 0 AND m.work = bm.work"
	" AND abs(m.value - bm.value) * 200 >= bm.value"
	" AND (?1 IS NULL OR m.name = ?1) AND (?2 IS NULL OR j.arch = ?2)"
	" AND (v.private = 0 OR ?3) ORDER BY j.id DESC LIMIT 500";

static bool same_run(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "name", "arch", "kconfig",
					    "toolchain" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(json_get_str(a, keys[i], ""),
			   json_get_str(b, keys[i], "")))
			return false;
	}
	return true;
}

static void share_out(const json_t *moved, json_t *charts)
{
	json_t *c, *m;
	size_t i, k;

	json_array_foreach(charts, i, c) {
		json_t *list = json_array();

		json_array_foreach((json_t *)moved, k, m) {
			if (same_run(c, m))
				json_array_append(list, m);
		}
		json_object_set_new(c, "moved", list);
	}
}

int view_benchmarks(struct db *db, const char *name, const char *arch,
		    bool see_private, json_t **ret)
{
	struct stmt *points __free(stmt) = db_prepare(db, sql_points);
	struct stmt *st __free(stmt) = db_prepare(db, sql_moved);
	json_t *charts __free(json) = NULL, *moved __free(json) = NULL;
	int r;

	stmt_bind_text(points, name);
	stmt_bind_text(points, arch);
	r = stmt_all_json(points, &charts);
	if (r)
		return r;
	stmt_bind_text(st, name);
	stmt_bind_text(st, arch);
	stmt_bind_int64(st, see_private);
	r = stmt_all_json(st, &moved);
	if (r)
		return r;
	share_out(moved, charts);
	*ret = no_free_ptr(charts);
	return 0;
}
