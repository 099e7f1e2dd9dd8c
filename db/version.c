// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/version.h"

#include <errno.h>
#include <string.h>

#include "db/depend.h"
#include "db/event.h"
#include "db/fixup.h"
#include "db/job.h"
#include "db/mail.h"
#include "db/topic.h"
#include "lib/clock.h"
#include "lib/json.h"

const char *version_state_name(enum version_state s)
{
	switch (s) {
	case VERSION_ASSEMBLING:
		return "assembling";
	case VERSION_READY:
		return "ready";
	case VERSION_APPLIED:
		return "applied";
	case VERSION_CONFLICT:
		return "conflict";
	case VERSION_PLANNED:
		return "planned";
	case VERSION_RUNNING:
		return "running";
	case VERSION_DONE:
		return "done";
	case VERSION_SUPERSEDED:
		return "superseded";
	}
	return "?";
}

int db_version_get(struct db *db, struct version_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT v.*, t.name AS tree, t.describe AS tree_describe,"
		    " m.message_id AS cover_message_id, s.name AS source"
		    " FROM version v LEFT JOIN tree t ON t.id = v.tree_id"
		    " LEFT JOIN mail m ON m.id = v.cover_mail_id"
		    " LEFT JOIN source s ON s.id = v.source_id"
		    " WHERE v.id = ?");
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*ret = stmt_row_json(st);
	return 0;
}

int db_version_find(struct db *db, const char *id_or_key,
		    struct version_id *ret)
{
	static const char sql[] =
		"SELECT id, 0 AS rank FROM version WHERE id = ?1 OR key = ?2"
		" UNION ALL SELECT p.version_id, 1 + (p.from_version NOT NULL)"
		"  FROM patch p JOIN mail m ON m.id = p.mail_id"
		"  WHERE m.message_id = ?2"
		" ORDER BY rank, id DESC LIMIT 1";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	char *end;
	long long n = strtoll(id_or_key, &end, 10);
	int r;

	stmt_bind_int64(st, *end ? 0 : n);
	stmt_bind_text(st, id_or_key);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	ret->v = stmt_int64(st, "id");
	return 0;
}

int db_versions_in(struct db *db, enum version_state s, int64_t due_s,
		   json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT * FROM version WHERE state = ?"
		    " AND settle_until_s <= ? ORDER BY id LIMIT 1000");

	stmt_bind_text(st, version_state_name(s));
	stmt_bind_int64(st, due_s);
	return stmt_all_json(st, ret);
}

int db_version_patches(struct db *db, struct version_id id, json_t **ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT p.*, m.message_id, m.subject, m.date_s"
		    " FROM patch p LEFT JOIN mail m ON m.id = p.mail_id"
		    " WHERE p.version_id = ? ORDER BY p.number");

	stmt_bind_int64(st, id.v);
	return stmt_all_json(st, ret);
}

int db_version_before(struct db *db, struct version_id id,
		      struct version_id *ret)
{
	static const char sql[] =
		"SELECT o.id FROM version v JOIN version o"
		"  ON o.topic_id = v.topic_id AND o.version < v.version"
		"  AND (v.private OR o.private = 0)"
		" WHERE v.id = ? ORDER BY o.version DESC, o.id DESC LIMIT 1";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	ret->v = stmt_int64(st, "id");
	return 0;
}

int db_version_set(struct db *db, struct version_id id, enum version_state s,
		   const char *why)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE version SET state = ?, state_why = ?,"
		    " changed_s = ? WHERE id = ?");
	char *kind __free(kfree) =
		xasprintf("version.%s", version_state_name(s));
	int r;

	stmt_bind_text(st, version_state_name(s));
	stmt_bind_text(st, why ? why : "");
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, id.v);
	r = stmt_run(st);
	return r ? r : db_event(db, kind, id, (struct job_id){ 0 }, why);
}

/* The version that holds one of these patches already, or has this key. */
static int find_known(struct db *db, const json_t *series,
		      struct version_id *ret)
{
	const json_t *patches = json_object_get(series, "patches"), *p;
	size_t i;
	int r;

	r = db_version_find(db, json_get_str(series, "key", ""), ret);
	if (r != DB_NONE)
		return r;
	json_array_foreach(patches, i, p) {
		/* what a partial re-send took over is known of the older one */
		if (json_get_int(p, "from_version", 0))
			continue;
		r = db_version_find(db, json_get_str(p, "message_id", ""),
				    ret);
		if (r != DB_NONE)
			return r;
	}
	return DB_NONE;
}

static int insert_version(struct db *db, const struct version_sync *how,
			  const json_t *series, struct version_id *ret)
{
	static const char sql[] =
		"INSERT INTO version (topic_id, key, source_id, version, total,"
		" title, prefix, author_name, author_email, date_s,"
		" last_mail_s, state, private, created_s, changed_s)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'assembling', ?,"
		" ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	const json_t *author = json_object_get(series, "author");
	const char *email = json_get_str(author, "email", "");
	int64_t topic = 0, now = clock_now_s();
	int r;

	r = db_topic_of(db, series, email, &topic);
	if (r)
		return r;
	stmt_bind_int64(st, topic);
	stmt_bind_text(st, json_get_str(series, "key", NULL));
	stmt_bind_id(st, how->source.v);
	stmt_bind_int64(st, json_get_int(series, "version", 1));
	stmt_bind_int64(st, json_get_int(series, "total", 1));
	stmt_bind_text(st, json_get_str(series, "title", ""));
	stmt_bind_text(st, json_get_str(series, "prefix", ""));
	stmt_bind_text(st, json_get_str(author, "name", ""));
	stmt_bind_text(st, email);
	stmt_bind_int64(st, json_get_int(series, "date_s", now));
	stmt_bind_int64(st, now);
	stmt_bind_int64(st, how->is_private);
	stmt_bind_int64(st, now);
	stmt_bind_int64(st, now);
	r = stmt_run(st);
	if (r)
		return r;
	ret->v = db_last_id(db);
	return db_event(db, "version.assembling", *ret, (struct job_id){ 0 },
			NULL);
}

static int sync_patch(struct db *db, struct version_id id, const json_t *p,
		      bool *changed)
{
	static const char sql[] =
		"INSERT INTO patch (version_id, number, mail_id, title,"
		" from_version) VALUES (?, ?, ?, ?, ?)"
		" ON CONFLICT (version_id, number) DO UPDATE SET"
		"  mail_id = excluded.mail_id, title = excluded.title,"
		"  from_version = excluded.from_version,"
		"  state = 'new', commit_id = NULL, state_why = ''"
		" WHERE mail_id <> excluded.mail_id";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	struct mail_id mail = { 0 };
	int r;

	r = db_mail_find(db, json_get_str(p, "message_id", ""), &mail);
	if (r)
		return r == DB_NONE ? 0 : r;
	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, json_get_int(p, "number", 1));
	stmt_bind_int64(st, mail.v);
	stmt_bind_text(st, json_get_str(p, "title", ""));
	stmt_bind_id(st, json_get_int(p, "from_version", 0));
	r = stmt_run(st);
	if (!r && db_changes(db))
		*changed = true;
	return r;
}

static int sync_comment(struct db *db, struct version_id id, const json_t *c)
{
	static const char sql[] =
		"INSERT OR IGNORE INTO comment (mail_id, version_id, number,"
		" has_diff) VALUES (?, ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	struct mail_id mail = { 0 };
	int r;

	r = db_mail_find(db, json_get_str(c, "message_id", ""), &mail);
	if (r)
		return r == DB_NONE ? 0 : r;
	stmt_bind_int64(st, mail.v);
	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, json_get_int(c, "number", 0));
	stmt_bind_int64(st, json_get_bool(c, "has_diff", false));
	return stmt_run(st);
}

static int sync_fixup(struct db *db, struct version_id id, const json_t *f)
{
	struct mail_id mail = { 0 };
	int r = db_mail_find(db, json_get_str(f, "message_id", ""), &mail);

	if (r)
		return r == DB_NONE ? 0 : r;
	return db_fixup_add(db, id, mail);
}

/* Only a version that nobody works on may still change its patches. */
static bool may_change(const json_t *row)
{
	const char *state = json_get_str(row, "state", "");

	return !strcmp(state, "assembling") || !strcmp(state, "ready") ||
	       (!strcmp(state, "done") &&
		!strcmp(json_get_str(row, "verdict", ""), "incomplete"));
}

static int update_head(struct db *db, struct version_id id,
		       const json_t *series)
{
	static const char sql[] =
		"UPDATE version SET key = ?, version = ?, total = ?, title = ?,"
		" prefix = ?, cover_mail_id = ? WHERE id = ?";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	const char *cover = json_get_str(series, "cover", NULL);
	struct mail_id mail = { 0 };
	int r;

	if (cover) {
		r = db_mail_find(db, cover, &mail);
		if (r && r != DB_NONE)
			return r;
	}
	stmt_bind_text(st, json_get_str(series, "key", NULL));
	stmt_bind_int64(st, json_get_int(series, "version", 1));
	stmt_bind_int64(st, json_get_int(series, "total", 1));
	stmt_bind_text(st, json_get_str(series, "title", ""));
	stmt_bind_text(st, json_get_str(series, "prefix", ""));
	stmt_bind_id(st, mail.v);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

static int restart_clock(struct db *db, struct version_id id,
			 const struct version_sync *how, bool complete)
{
	static const char sql[] =
		"UPDATE version SET state = 'assembling', last_mail_s = ?1,"
		" settle_until_s = ?1 + ?2, changed_s = ?1, verdict = '',"
		" verdict_why = '' WHERE id = ?3";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, complete ? how->settle_s : how->incomplete_s);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_version_sync(struct db *db, const struct version_sync *how,
		    const json_t *series, struct version_id *ret)
{
	const json_t *patches = json_object_get(series, "patches");
	const json_t *comments = json_object_get(series, "comments"), *e;
	const json_t *fixups = json_object_get(series, "fixups");
	json_t *row __free(json) = NULL;
	bool changed = false;
	size_t i;
	int r;

	r = find_known(db, series, ret);
	if (r == DB_NONE) {
		r = insert_version(db, how, series, ret);
		changed = true;
	}
	if (!r)
		r = db_version_get(db, *ret, &row);
	if (!r && (may_change(row) ||
		   !json_is_integer(json_object_get(row, "cover_mail_id"))))
		r = update_head(db, *ret, series);
	if (!r && may_change(row)) {
		json_array_foreach(patches, i, e) {
			if (!r)
				r = sync_patch(db, *ret, e, &changed);
		}
		if (!r && changed)
			r = restart_clock(db, *ret, how,
					  json_get_bool(series, "complete",
							false));
	}
	if (!r)
		r = db_needs_store(db, *ret, series);
	json_array_foreach(comments, i, e) {
		if (!r)
			r = sync_comment(db, *ret, e);
	}
	json_array_foreach(fixups, i, e) {
		if (!r)
			r = sync_fixup(db, *ret, e);
	}
	return r;
}

static int clear_tries(struct db *db, struct version_id id)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "DELETE FROM base_try WHERE version_id = ?");

	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

static int store_try(struct db *db, struct version_id id, size_t seq,
		     const json_t *t)
{
	static const char sql[] =
		"INSERT INTO base_try (version_id, seq, tree, commit_id,"
		" signal, outcome, why) VALUES (?, ?, ?, ?, ?, ?, ?)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, (int64_t)seq);
	stmt_bind_text(st, json_get_str(t, "tree", ""));
	stmt_bind_text(st, json_get_str(t, "commit_id", ""));
	stmt_bind_text(st, json_get_str(t, "signal", ""));
	stmt_bind_text(st, json_get_str(t, "outcome", ""));
	stmt_bind_text(st, json_get_str(t, "why", ""));
	return stmt_run(st);
}

static int store_patch_state(struct db *db, struct version_id id,
			     const json_t *p)
{
	static const char sql[] =
		"UPDATE patch SET state = ?, commit_id = ?, state_why = ?"
		" WHERE version_id = ? AND number = ?";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_text(st, json_get_str(p, "state", "not-tried"));
	stmt_bind_text(st, json_get_str(p, "commit_id", NULL));
	stmt_bind_text(st, json_get_str(p, "why", ""));
	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, json_get_int(p, "number", 0));
	return stmt_run(st);
}

int db_version_apply_result(struct db *db, struct version_id id,
			    const json_t *result)
{
	static const char sql[] =
		"UPDATE version SET base_commit = ?, base_why = ?,"
		" tree_id = (SELECT id FROM tree WHERE name = ?) WHERE id = ?";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	const json_t *e;
	size_t i;
	int r = clear_tries(db, id);

	json_array_foreach(json_object_get(result, "tries"), i, e) {
		if (!r)
			r = store_try(db, id, i + 1, e);
	}
	json_array_foreach(json_object_get(result, "patches"), i, e) {
		if (!r)
			r = store_patch_state(db, id, e);
	}
	if (r)
		return r;
	stmt_bind_text(st, json_get_str(result, "base_commit", NULL));
	stmt_bind_text(st, json_get_str(result, "why", ""));
	stmt_bind_text(st, json_get_str(result, "tree", NULL));
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_version_early(struct db *db, struct version_id id, int clear, int set)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "UPDATE version SET early = (early & ~?) | ? WHERE id = ?");

	stmt_bind_int64(st, clear);
	stmt_bind_int64(st, set);
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

int db_version_verdict(struct db *db, struct version_id id,
		       const char *verdict, const char *why)
{
	static const char sql[] =
		"UPDATE version SET verdict = ?1, verdict_why = ?2,"
		" changed_s = ?3, verdict_s = coalesce(verdict_s, ?3)"
		" WHERE id = ?4";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_text(st, verdict);
	stmt_bind_text(st, why);
	stmt_bind_int64(st, clock_now_s());
	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

/*
 * Is n newer than o? A higher number, unless its Date says that it was sent
 * before: that one was late or a mistake, and takes nothing out of work. Of
 * two with the same number the later one is a resend.
 */
#define NEWER                                                          \
	"(n.topic_id = o.topic_id AND n.id != o.id"                    \
	" AND ((n.version > o.version AND n.date_s >= o.date_s)"       \
	"  OR (n.version = o.version"                                  \
	"   AND (n.date_s, n.id) > (o.date_s, o.id))))"

int db_version_supersede(struct db *db, struct version_id id)
{
	static const char sql[] =
		"SELECT o.id, n.version AS by FROM version n JOIN version o"
		"  ON " NEWER " AND o.private = n.private"
		" WHERE n.id = ? AND o.state NOT IN ('done', 'superseded',"
		"  'conflict')";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r;

	stmt_bind_int64(st, id.v);
	while ((r = stmt_step(st)) == DB_ROW) {
		struct version_id old = { stmt_int64(st, "id") };
		char *why __free(kfree) = xasprintf(
			"version %lld came", (long long)stmt_int64(st, "by"));

		r = db_version_set(db, old, VERSION_SUPERSEDED, why);
		if (!r)
			r = db_jobs_cancel_of(db, old, why);
		if (r)
			return r;
	}
	return r == DB_NONE ? 0 : r;
}

int db_version_newer(struct db *db, struct version_id id, int64_t *ret)
{
	static const char sql[] =
		"SELECT n.version FROM version o JOIN version n ON " NEWER
		"  AND n.private <= o.private AND n.state != 'assembling'"
		"  AND n.verdict != 'incomplete'"
		" WHERE o.id = ? ORDER BY n.version DESC LIMIT 1";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r;
	*ret = stmt_int64(st, "version");
	return 0;
}
