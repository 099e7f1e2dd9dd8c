// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/finding.h"

#include <string.h>

#include "lib/clock.h"
#include "lib/json.h"

static int note_reported(struct db *db, struct version_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT fingerprint, number FROM finding"
		    " WHERE version_id = ? AND state = 'reported'");

	stmt_bind_int64(st, id.v);
	return stmt_all_json(st, ret);
}

static int drop_old(struct db *db, struct version_id id)
{
	struct stmt *cut __free(stmt) = db_prepare(
		db, "UPDATE finding SET leader_id = NULL"
		    " WHERE version_id = ?");
	struct stmt *st __free(stmt) = db_prepare(
		db, "DELETE FROM finding WHERE version_id = ?");
	int r;

	stmt_bind_int64(cut, id.v);
	r = stmt_run(cut);
	if (r)
		return r;
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

static bool was_reported(const json_t *reported, const json_t *f)
{
	const json_t *row;
	size_t i;

	json_array_foreach(reported, i, row) {
		if (json_get_int(row, "number", -1) ==
			    json_get_int(f, "number", -2) &&
		    !strcmp(json_get_str(row, "fingerprint", ""),
			    json_get_str(f, "fingerprint", "?")))
			return true;
	}
	return false;
}

static int insert(struct db *db, struct version_id id, const json_t *f,
		  int64_t leader, bool reported, int64_t *ret)
{
	static const char sql[] =
		"INSERT INTO finding (version_id, job_id, attempt_id, number,"
		" until_number, stage, blame, tool, severity, option, file,"
		" line, col, function, message, detail, fingerprint,"
		" leader_id, state, created_s, quote) VALUES (?, ?, ?, ?, ?, ?,"
		" ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r;

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, json_get_int(f, "job_id", 0));
	stmt_bind_int64(st, json_get_int(f, "attempt_id", 0));
	stmt_bind_int64(st, json_get_int(f, "number", 0));
	stmt_bind_int64(st, json_get_int(f, "until_number", 0));
	stmt_bind_text(st, json_get_str(f, "stage", "build"));
	stmt_bind_text(st, json_get_str(f, "blame", "unknown"));
	stmt_bind_text(st, json_get_str(f, "tool", ""));
	stmt_bind_text(st, json_get_str(f, "severity", "error"));
	stmt_bind_text(st, json_get_str(f, "option", ""));
	stmt_bind_text(st, json_get_str(f, "file", ""));
	stmt_bind_int64(st, json_get_int(f, "line", 0));
	stmt_bind_int64(st, json_get_int(f, "col", 0));
	stmt_bind_text(st, json_get_str(f, "function", ""));
	stmt_bind_text(st, json_get_str(f, "message", ""));
	stmt_bind_text(st, json_get_str(f, "detail", ""));
	stmt_bind_text(st, json_get_str(f, "fingerprint", ""));
	stmt_bind_id(st, leader);
	stmt_bind_text(st, reported ? "reported" : "new");
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_text(st, json_get_str(f, "quote", ""));
	r = stmt_run(st);
	*ret = db_last_id(db);
	return r;
}

int db_findings_replace(struct db *db, struct version_id id,
			const json_t *findings)
{
	size_t n = json_array_size(findings), i;
	int64_t *ids __free(kfree) = xcalloc(n, sizeof(*ids));
	json_t *reported __free(json) = NULL;
	const json_t *f;
	int r;

	r = note_reported(db, id, &reported);
	if (!r)
		r = drop_old(db, id);
	json_array_foreach(findings, i, f) {
		size_t leader = (size_t)json_get_int(f, "leader", -1);

		if (r)
			break;
		r = insert(db, id, f, leader < i ? ids[leader] : 0,
			   was_reported(reported, f), &ids[i]);
	}
	return r;
}

int db_findings_reported(struct db *db, struct version_id id)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE finding SET state = 'reported'"
		    " WHERE version_id = ? AND blame = 'series'");

	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

static int store_test(struct db *db, struct attempt_id id, size_t seq,
		      const json_t *t)
{
	static const char sql[] =
		"INSERT OR REPLACE INTO test_result (attempt_id, seq, suite,"
		" name, status, why) VALUES (?, ?, ?, ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, (int64_t)seq);
	stmt_bind_text(st, json_get_str(t, "suite", ""));
	stmt_bind_text(st, json_get_str(t, "name", ""));
	stmt_bind_text(st, json_get_str(t, "status", "failed"));
	stmt_bind_text(st, json_get_str(t, "why", ""));
	return stmt_run(st);
}

static int store_measure(struct db *db, struct attempt_id id, const json_t *b)
{
	static const char sql[] =
		"INSERT OR REPLACE INTO measure (attempt_id, name, unit,"
		" value, work, samples, why) VALUES (?, ?, ?, ?, ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	const json_t *value = json_object_get(b, "value");
	const json_t *samples = json_object_get(b, "samples");
	char *text __free(kfree) =
		samples ? json_dumps(samples, JSON_COMPACT) : NULL;

	stmt_bind_int64(st, id.v);
	stmt_bind_text(st, json_get_str(b, "name", ""));
	stmt_bind_text(st, json_get_str(b, "unit", ""));
	if (json_is_integer(value))
		stmt_bind_int64(st, json_integer_value(value));
	else
		stmt_bind_null(st);
	stmt_bind_int64(st, json_get_int(b, "work", 0));
	stmt_bind_text(st, text ? text : "[]");
	stmt_bind_text(st, json_get_str(b, "why", ""));
	return stmt_run(st);
}

int db_results_store(struct db *db, struct attempt_id id, const json_t *result)
{
	const json_t *e;
	size_t i;
	int r = 0;

	json_array_foreach(json_object_get(result, "tests"), i, e) {
		if (!r)
			r = store_test(db, id, i + 1, e);
	}
	json_array_foreach(json_object_get(result, "benchmarks"), i, e) {
		if (!r)
			r = store_measure(db, id, e);
	}
	return r;
}

int db_not_mine(struct db *db, struct version_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT n.fingerprint, n.who FROM not_mine n"
		    " JOIN version v ON v.topic_id = n.topic_id"
		    " WHERE v.id = ?");
	json_t *o __free(json) = json_object();
	int r;

	stmt_bind_int64(st, id.v);
	while ((r = stmt_step(st)) == DB_ROW)
		json_set_text(o, stmt_text(st, "fingerprint"),
			      stmt_text(st, "who"));
	if (r != DB_NONE)
		return r;
	*ret = no_free_ptr(o);
	return 0;
}

int db_not_mine_add(struct db *db, struct version_id id, const char *who)
{
	static const char sql[] =
		"INSERT INTO not_mine (topic_id, fingerprint, who, at_s)"
		" SELECT v.topic_id, f.fingerprint, ?1, ?2 FROM finding f"
		"  JOIN version v ON v.id = f.version_id"
		"  WHERE f.version_id = ?3 AND f.blame = 'series'"
		" ON CONFLICT (topic_id, fingerprint) DO NOTHING";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	struct stmt *up __free(stmt) = db_prepare(
		db, "UPDATE finding SET state = 'withheld', state_why = ?1"
		    " WHERE version_id = ?2 AND blame = 'series'");
	char *why __free(kfree) = xasprintf("not mine, says %s", who);
	int r;

	stmt_bind_text(st, who);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, id.v);
	r = stmt_run(st);
	if (r)
		return r;
	stmt_bind_text(up, why);
	stmt_bind_int64(up, id.v);
	return stmt_run(up);
}
