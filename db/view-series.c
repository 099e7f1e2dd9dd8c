// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/view-series.h"

#include <inttypes.h>
#include <string.h>

#include "db/view-job.h"
#include "db/view-result.h"
#include "db/view.h"
#include "lib/json.h"

/* One word for a person, from state and verdict. */
#define STATUS                                                          \
	"CASE WHEN v.verdict != '' THEN v.verdict"                      \
	" WHEN v.state IN ('planned', 'running') THEN 'running'"        \
	" WHEN v.state IN ('superseded', 'conflict') THEN v.state"      \
	" WHEN v.state = 'done' THEN 'unknown' ELSE 'waiting' END"

#define COLUMNS                                                         \
	"v.id, v.key, v.topic_id, v.version, v.total, v.title,"         \
	" v.prefix, v.author_name, v.author_email, v.date_s, v.state,"  \
	" v.state_why, v.base_commit, v.base_why, v.verdict,"           \
	" v.verdict_why, v.private, v.created_s, v.changed_s,"          \
	" v.verdict_s, (v.early & 2) > 0 AS so_far,"                    \
	" v.last_mail_s, t.name AS tree,"                               \
	" CASE WHEN t.commit_id = v.base_commit THEN t.describe END"    \
	"  AS base_describe, s.name AS source, " STATUS " AS status"

#define FROM                                                            \
	" FROM version v LEFT JOIN tree t ON t.id = v.tree_id"          \
	" LEFT JOIN source s ON s.id = v.source_id"

static const char sql_list[] =
	"SELECT " COLUMNS FROM
	" WHERE (v.private = 0 OR ?1)"
	" AND (?2 IS NULL OR " STATUS " = ?2 OR"
	"      (?2 = 'running' AND v.state IN ('planned', 'running')))"
	" AND (?3 IS NULL OR instr(lower(v.author_email), lower(?3))"
	"      OR instr(lower(v.author_name), lower(?3)))"
	" AND (?4 IS NULL OR instr(lower(v.title), lower(?4)) OR v.key = ?4)"
	" AND (?5 IS NULL OR t.name = ?5)"
	" AND (v.changed_s, v.id) < (?6, ?7)"
	" ORDER BY v.changed_s DESC, v.id DESC LIMIT ?8";

static const char sql_archs[] =
	"SELECT j.version_id, j.arch, count(*) AS total,"
	" sum(j.state = 'running') AS running,"
	" sum(j.state IN ('waiting', 'queued')) AS waiting,"
	" sum(j.state = 'passed') AS passed,"
	" sum(j.state = 'canceled') AS canceled"
	" FROM json_each(?1) e JOIN job j ON j.version_id = e.value"
	" WHERE j.kind != 'bench' AND j.upto = 0 GROUP BY j.version_id, j.arch"
	" ORDER BY j.version_id, j.arch = 's390', j.arch = 'arm64', j.arch";

static const char sql_blame[] =
	"SELECT f.version_id, j.arch, sum(f.severity = 'error') AS errors,"
	" sum(f.severity != 'error') AS warnings,"
	" min(CASE WHEN f.severity = 'error' THEN f.number END) AS error_at,"
	" min(f.number) AS any_at"
	" FROM json_each(?1) e JOIN finding f ON f.version_id = e.value"
	" JOIN job j ON j.id = f.job_id WHERE f.blame = 'series'"
	" GROUP BY f.version_id, j.arch";

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

/* The benchmark that moved most stands for all of them. */
static void note_bench(json_t *item, const json_t *m)
{
	json_t *bench = json_object_get(item, "bench"), *new;
	const json_t *value = json_object_get(m, "value");
	const json_t *base = json_object_get(m, "base_value");
	double percent, have;

	if (!json_is_integer(value) || !json_is_integer(base) ||
	    !json_integer_value(base))
		return;
	percent = 100.0 * (double)(json_integer_value(value) -
				   json_integer_value(base)) /
		  (double)json_integer_value(base);
	have = json_number_value(json_object_get(bench, "percent"));
	if (json_is_object(bench) &&
	    (percent < 0 ? -percent : percent) <= (have < 0 ? -have : have))
		return;
	new = json_object();
	json_set_text(new, "name", json_get_str(m, "name", ""));
	json_object_set_new(new, "percent", json_real(percent));
	json_object_set_new(item, "bench", new);
}

static int add_bench(struct db *db, json_t *items, const char *ids)
{
	json_t *rows __free(json) = NULL;
	json_t *m, *item;
	size_t i;
	int r = view_measures_of(db, ids, &rows);

	if (r)
		return r;
	json_array_foreach(items, i, item)
		json_object_set_new(item, "bench", json_null());
	json_array_foreach(rows, i, m)
		note_bench(item_of(items, json_get_int(m, "version_id", 0)), m);
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

int view_series_list(struct db *db, const struct view_series_filter *filter,
		     const struct view_page *page, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql_list);
	json_t *list __free(json) = NULL;
	char *ids __free(kfree) = NULL;
	json_t *rows = NULL, *items;
	int64_t changed, id;
	int r = view_cursor(page, &changed, &id);

	if (r)
		return r;
	stmt_bind_int64(st, page->see_private);
	stmt_bind_text(st, filter->state);
	stmt_bind_text(st, filter->author);
	stmt_bind_text(st, filter->text);
	stmt_bind_text(st, filter->tree);
	stmt_bind_int64(st, changed);
	stmt_bind_int64(st, id);
	stmt_bind_int64(st, view_limit(page));
	r = stmt_all_json(st, &rows);
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

static const char sql_one[] = "SELECT " COLUMNS FROM " WHERE v.id = ?";

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
	" FROM version v JOIN job j ON j.version_id IS NULL"
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
	" recipients AS recipients_json, state, state_why, created_s"
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
