// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/view-series.h"

#include <inttypes.h>
#include <string.h>

#include "db/view-job.h"
#include "db/view-result.h"
#include "db/view.h"
#include "lib/json.h"

static const char sql_find[] =
	"SELECT v.id FROM version v WHERE (v.private = 0 OR ?1)"
	" AND v.id = coalesce("
	"  (SELECT id FROM version WHERE key = ?2),"
	"  (SELECT p.version_id FROM mail m JOIN patch p ON p.mail_id = m.id"
	"   WHERE m.message_id = ?2 ORDER BY p.version_id LIMIT 1),"
	"  (SELECT c.version_id FROM mail m JOIN comment c ON c.mail_id = m.id"
	"   WHERE m.message_id = ?2))";

static const char sql_find_id[] =
	"SELECT v.id FROM version v WHERE (v.private = 0 OR ?1) AND v.id = ?2";

int view_series_find(struct db *db, const char *name, bool see_private,
		     struct version_id *ret)
{
	size_t len = strlen(name);
	bool number = len && len < 19 && strspn(name, "0123456789") == len;
	struct stmt *st __free(stmt) =
		db_prepare(db, number ? sql_find_id : sql_find);
	int r;

	stmt_bind_int64(st, see_private);
	if (number)
		stmt_bind_int64(st, strtoll(name, NULL, 10));
	else if (len > 2 && name[0] == '<' && name[len - 1] == '>')
		stmt_bind_textn(st, name + 1, len - 2);
	else
		stmt_bind_text(st, name);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	ret->v = stmt_int64(st, "id");
	return 0;
}

static const char sql_one[] = "SELECT " VIEW_SERIES_COLUMNS VIEW_SERIES_FROM " WHERE v.id = ?";

static const char sql_patches[] =
	"SELECT p.number, p.title, p.commit_id, p.state, p.state_why,"
	" m.message_id FROM patch p LEFT JOIN mail m ON m.id = p.mail_id"
	" WHERE p.version_id = ? ORDER BY p.number";

static const char sql_fixups[] =
	"SELECT f.number, f.state, f.why, f.commit_id, m.message_id,"
	" m.from_name, m.subject FROM fixup f JOIN mail m ON m.id = f.mail_id"
	" WHERE f.version_id = ? ORDER BY f.number, f.mail_id";

static const char sql_remarks[] =
	"SELECT number, kind, title, detail FROM remark"
	" WHERE version_id = ? ORDER BY seq";

/*
 * Bases of this series that do not build, and since when that is so of the
 * bases of the same tree in the same place.
 */
static const char sql_broken_bases[] =
	"SELECT j.id AS job_id, j.arch, j.kconfig, j.toolchain, j.state_why,"
	" (SELECT min(a.started_s) FROM job o JOIN attempt a ON a.job_id = o.id"
	"  WHERE o.kind = 'base' AND o.state = 'failed' AND o.arch = j.arch"
	"  AND o.kconfig = j.kconfig AND o.toolchain = j.toolchain"
	"  AND (o.id = j.id OR o.base_commit IN (SELECT w.base_commit"
	"   FROM version w WHERE w.tree_id = v.tree_id))"
	"  AND o.id > (SELECT ifnull(max(g.id), 0) FROM job g"
	"   WHERE g.kind = 'base' AND g.state = 'passed' AND g.id < j.id"
	"   AND g.arch = j.arch AND g.kconfig = j.kconfig"
	"   AND g.toolchain = j.toolchain AND g.base_commit IN ("
	"    SELECT w.base_commit FROM version w WHERE w.tree_id = v.tree_id))"
	" ) AS since_s"
	/* left to itself it reads all bases there ever were */
	" FROM version v JOIN job j INDEXED BY job_control"
	"  ON j.version_id IS NULL"
	"  AND j.kind = 'base' AND j.base_commit = v.base_commit"
	"  AND j.state = 'failed'"
	" WHERE v.id = ? AND EXISTS (SELECT 1 FROM job o"
	"  WHERE o.version_id = v.id AND o.arch = j.arch"
	"  AND o.kconfig = j.kconfig AND o.toolchain = j.toolchain)"
	" ORDER BY j.id";

/* Symbols that the change depends on, and the configs they led to. */
static const char sql_derived[] =
	"SELECT d.arch, d.kconfig, json_extract(s.value, '$.symbol') AS symbol,"
	" json_extract(s.value, '$.value') AS value,"
	" json_extract(s.value, '$.reason') AS reason,"
	" json_extract(s.value, '$.why') AS why,"
	" json_extract(s.value, '$.config') + 1 AS config,"
	" json_extract(d.answer, '$.configs[' ||"
	"  json_extract(s.value, '$.config') || '].text') AS text"
	" FROM derivation d, json_each(d.answer, '$.symbols') s"
	" WHERE d.version_id = ? ORDER BY d.arch, s.key";

/* Changed lines that no config compiled. */
static const char sql_uncompiled[] =
	"SELECT l.value AS place FROM version v,"
	" json_each(v.coverage, '$.uncompiled') l WHERE v.id = ? ORDER BY l.key";

static const char sql_tries[] =
	"SELECT seq, tree, commit_id, signal, outcome, why FROM base_try"
	" WHERE version_id = ? ORDER BY seq";

/* "id" is null where nothing is known, or may be known, of it. */
static const char sql_dependencies[] =
	"SELECT d.key, d.state, d.why, n.id, n.title, n.version, n.total"
	" FROM dependency d JOIN version v ON v.id = d.version_id"
	" LEFT JOIN version n ON n.id = d.needed_id"
	"  AND n.private <= v.private"
	" WHERE d.version_id = ? ORDER BY d.seq";

static const char sql_outgoing[] =
	"SELECT id, subject, message_id, in_reply_to,"
	" recipients AS recipients_json, state, state_why, created_s,"
	" decision AS decision_json"
	" FROM outgoing WHERE version_id = ? ORDER BY id";

/* What was asked for by mail, and what became of it. */
static const char sql_commands[] =
	"SELECT c.command, c.args, c.from_email, c.state, c.why, c.at_s,"
	" m.message_id FROM command c JOIN mail m ON m.id = c.mail_id"
	" WHERE c.version_id = ? ORDER BY c.id LIMIT 200";

static const char sql_comments[] =
	"SELECT m.message_id, m.subject, m.from_name, m.from_email, m.date_s,"
	" c.number, c.has_diff FROM comment c JOIN mail m ON m.id = c.mail_id"
	" WHERE c.version_id = ? ORDER BY m.date_s, m.id LIMIT 200";

/* Earlier and later versions of the same work; a private one hides others'. */
static const char sql_versions[] =
	"SELECT o.id, o.key, o.version, o.date_s, o.state, o.verdict,"
	" o.id = v.id AS current FROM version v"
	" JOIN version o ON o.topic_id = v.topic_id"
	" AND (o.private = 0 OR v.private) WHERE v.id = ?"
	" ORDER BY o.version, o.id";

static const char sql_since[] =
	"SELECT o.id, o.version, sum(f.fate = 'fixed') AS fixed,"
	" sum(f.fate = 'still there') AS still,"
	" sum(f.fate = 'not tested') AS not_tested,"
	" sum(f.fate = 'new') AS new"
	" FROM fate f JOIN version v ON v.id = f.version_id"
	" JOIN version o ON o.id = f.older_id AND o.private <= v.private"
	" WHERE f.version_id = ? GROUP BY o.id";

static const char sql_fates[] =
	"SELECT fate, why, stage, number, severity, file, line, function,"
	" message, fingerprint FROM fate WHERE version_id = ? ORDER BY seq";

static const char sql_compared[] =
	"SELECT o.id, o.version, v.compare_why AS why FROM version v"
	" JOIN version o ON o.id = v.compared_id AND o.private <= v.private"
	" WHERE v.id = ?";

static const char sql_range_diff[] =
	"SELECT state, old, new, title, diff FROM range_diff"
	" WHERE version_id = ? ORDER BY seq";

static const char sql_other_blame[] =
	"SELECT blame, count(*) AS n FROM finding"
	" WHERE version_id = ? AND blame != 'series' GROUP BY blame";

static int add_rows(struct db *db, int64_t id, json_t *o)
{
	static const struct {
		const char *key, *sql;
	} lists[] = {
		{ "patches", sql_patches },   { "tries", sql_tries },
		{ "outgoing", sql_outgoing }, { "comments", sql_comments },
		{ "commands", sql_commands },
		{ "versions", sql_versions }, { "fixups", sql_fixups },
		{ "remarks", sql_remarks },   { "dependencies", sql_dependencies },
		{ "broken_bases", sql_broken_bases },
		{ "derived", sql_derived },   { "uncompiled", sql_uncompiled },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		int r = view_set(db, o, lists[i].key, lists[i].sql, id);

		if (r)
			return r;
	}
	return 0;
}

static int add_results(struct db *db, struct version_id id, json_t *o)
{
	static const struct {
		const char *key;
		int (*view)(struct db *db, struct version_id id, json_t **ret);
	} views[] = {
		{ "jobs", view_jobs_of },
		{ "controls", view_controls_of },
		{ "findings", view_findings_of },
		{ "tests", view_tests_of },
		{ "compiled_at", view_compiled_at },
	};
	char *ids __free(kfree) = xasprintf("[%" PRId64 "]", id.v);
	json_t *v = NULL;
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		r = views[i].view(db, id, &v);
		if (r)
			return r;
		json_object_set_new(o, views[i].key, v);
	}
	r = view_measures_of(db, ids, &v);
	if (!r)
		json_object_set_new(o, "measures", v);
	return r;
}

static int add_blame(struct db *db, int64_t id, json_t *o)
{
	json_t *rows __free(json) = NULL;
	json_t *counts = json_object(), *row;
	size_t i;
	int r;

	json_object_set_new(o, "other_blame", counts);
	r = view_rows(db, sql_other_blame, id, &rows);
	if (r)
		return r;
	json_array_foreach(rows, i, row)
		json_set_int(counts, json_get_str(row, "blame", ""),
			     json_get_int(row, "n", 0));
	return 0;
}

/* What became of the version before: of its patches and of its findings. */
static int add_older(struct db *db, int64_t id, json_t *o)
{
	static const struct {
		const char *key, *sql, *list, *sql_list;
	} parts[] = {
		{ "since", sql_since, "findings", sql_fates },
		{ "range_diff", sql_compared, "patches", sql_range_diff },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		json_t *row = NULL;
		int r = view_row(db, parts[i].sql, id, &row);

		if (r && r != DB_NONE)
			return r;
		json_object_set_new(o, parts[i].key, row ? row : json_null());
		if (row)
			r = view_set(db, row, parts[i].list,
				     parts[i].sql_list, id);
		if (r < 0)
			return r;
	}
	return 0;
}

int view_series(struct db *db, struct version_id id, json_t **ret)
{
	json_t *o __free(json) = NULL;
	int r;

	r = view_row(db, sql_one, id.v, &o);
	if (r)
		return r;
	r = add_rows(db, id.v, o);
	if (!r)
		r = add_results(db, id, o);
	if (!r)
		r = add_blame(db, id.v, o);
	if (!r)
		r = add_older(db, id.v, o);
	if (!r)
		*ret = no_free_ptr(o);
	return r;
}
