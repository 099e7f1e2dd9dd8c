// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/view-result.h"

#include <inttypes.h>

#include "db/view.h"
#include "lib/json.h"

static const char sql_of[] =
	"SELECT " VIEW_FINDING_COLUMNS ", ifnull(l.n, 0) AS follows,"
	" ifnull(l.errors, 0) AS follow_errors,"
	" (SELECT t.fate FROM fate t WHERE t.version_id = f.version_id"
	"  AND t.fingerprint = f.fingerprint LIMIT 1) AS fate"
	" FROM finding f JOIN job j ON j.id = f.job_id"
	" LEFT JOIN (SELECT leader_id, count(*) AS n,"
	"  sum(severity = 'error') AS errors FROM finding"
	"  WHERE version_id = ?1 GROUP BY leader_id) l ON l.leader_id = f.id"
	" WHERE f.version_id = ?1 AND f.leader_id IS NULL"
	" AND f.blame != 'base'"
	" ORDER BY f.blame != 'series', f.severity != 'error', f.number,"
	" f.id LIMIT 500";

static json_t *place_of(const json_t *f)
{
	static const char *const keys[] = { "arch", "kconfig", "toolchain" };
	json_t *p = json_object();

	json_set_int(p, "job_id", json_get_int(f, "job_id", 0));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(p, keys[i], json_object_get(f, keys[i]));
	return p;
}

static const char sql_compiled[] =
	"SELECT DISTINCT arch, kconfig, toolchain FROM job"
	" WHERE version_id = ? AND upto = 0 AND kind IN ('check', 'build')"
	" AND state IN ('passed', 'failed') ORDER BY id";

int view_compiled_at(struct db *db, struct version_id series, json_t **ret)
{
	return view_rows(db, sql_compiled, series.v, ret);
}

int view_findings_of(struct db *db, struct version_id series, json_t **ret)
{
	json_t *rows __free(json) = NULL, *all __free(json) = json_array();
	json_t *seen __free(json) = json_object(); /* identity -> borrowed */
	json_t *f;
	size_t i;
	int r = view_rows(db, sql_of, series.v, &rows);

	if (r)
		return r;
	json_array_foreach(rows, i, f) {
		char *key __free(kfree) =
			xasprintf("%s %s %" PRId64 " %s",
				  json_get_str(f, "fingerprint", ""),
				  json_get_str(f, "stage", ""),
				  json_get_int(f, "number", 0),
				  json_get_str(f, "blame", ""));
		json_t *first = json_object_get(seen, key);

		if (!first) {
			json_object_set_new(f, "places", json_array());
			json_object_set(seen, key, f);
			json_array_append(all, f);
			first = f;
		}
		json_array_append_new(json_object_get(first, "places"),
				      place_of(f));
	}
	*ret = no_free_ptr(all);
	return 0;
}

/* The control of job j: the same run on the base. */
#define CONTROL                                                         \
	" LEFT JOIN job b ON b.version_id IS NULL AND b.kind = j.kind"  \
	"  AND b.base_commit = j.base_commit AND b.arch = j.arch"       \
	"  AND b.kconfig = j.kconfig AND b.toolchain = j.toolchain"

static const char sql_test_counts[] =
	"SELECT r.status, count(*) AS n FROM job j JOIN test_result r"
	" ON r.attempt_id = " VIEW_LAST_RESULT("j.id")
	" WHERE j.version_id = ? AND j.kind = 'test' AND j.upto = 0"
	" GROUP BY r.status";

static const char sql_tests[] =
	"SELECT j.id AS job_id, j.arch, j.kconfig, j.toolchain, r.suite,"
	" r.name, r.status, r.why, br.status AS base_status"
	" FROM job j JOIN test_result r"
	"  ON r.attempt_id = " VIEW_LAST_RESULT("j.id") CONTROL
	" LEFT JOIN test_result br"
	"  ON br.attempt_id = " VIEW_LAST_RESULT("b.id")
	"  AND br.suite = r.suite AND br.name = r.name"
	" WHERE j.version_id = ? AND j.kind = 'test' AND j.upto = 0"
	" AND (r.status != 'passed' OR br.status != r.status)"
	" ORDER BY r.status = 'skipped', br.status IS r.status, j.id, r.seq"
	" LIMIT 500";

int view_tests_of(struct db *db, struct version_id series, json_t **ret)
{
	json_t *rows __free(json) = NULL, *o __free(json) = json_object();
	json_t *counts = json_object(), *row;
	size_t i;
	int r;

	json_object_set_new(o, "counts", counts);
	r = view_rows(db, sql_test_counts, series.v, &rows);
	if (r)
		return r;
	json_array_foreach(rows, i, row)
		json_set_int(counts, json_get_str(row, "status", ""),
			     json_get_int(row, "n", 0));
	r = view_set(db, o, "list", sql_tests, series.v);
	if (!r)
		*ret = no_free_ptr(o);
	return r;
}

static const char sql_measures[] =
	"SELECT j.version_id, j.id AS job_id, j.arch, j.kconfig, j.toolchain,"
	" m.name, m.unit, m.value, m.work, m.why, bm.value AS base_value,"
	" bm.work AS base_work, b.id AS base_job_id,"
	/* kernels between the base and the series, counted to find the patch */
	" (SELECT json_group_array(json_object('upto', k.upto, 'value', km.value,"
	"   'job_id', k.id)) FROM (SELECT * FROM job WHERE"
	"   version_id = j.version_id AND kind = 'bench' AND upto > 0"
	"   AND arch = j.arch AND kconfig = j.kconfig"
	"   AND toolchain = j.toolchain ORDER BY upto) k"
	"  JOIN measure km ON km.attempt_id = " VIEW_LAST_RESULT("k.id")
	"   AND km.name = m.name) AS between_json"
	" FROM json_each(?1) e JOIN job j ON j.version_id = e.value"
	"  AND j.kind = 'bench' AND j.upto = 0"
	" JOIN measure m ON m.attempt_id = " VIEW_LAST_RESULT("j.id") CONTROL
	" LEFT JOIN measure bm ON bm.attempt_id = " VIEW_LAST_RESULT("b.id")
	"  AND bm.name = m.name ORDER BY j.id, m.name LIMIT 2000";

int view_measures_of(struct db *db, const char *versions, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_measures);

	stmt_bind_text(st, versions);
	return stmt_all_json(st, ret);
}
