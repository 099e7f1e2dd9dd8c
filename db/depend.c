// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/depend.h"

#include <errno.h>
#include <string.h>

#include "db/version.h"
#include "lib/json.h"

static int delete_of(struct db *db, const char *sql, struct version_id id)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, id.v);
	return stmt_run(st);
}

static int add_need(struct db *db, struct version_id id, int64_t seq,
		    const char *kind, const char *name)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO need (version_id, seq, kind, name)"
		    " VALUES (?, ?, ?, ?)");

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, seq);
	stmt_bind_text(st, kind);
	stmt_bind_text(st, name);
	return stmt_run(st);
}

/* "Based-on: mm-unstable" names a tree, not a mail. */
static bool names_a_mail(const char *s)
{
	return strchr(s, '@') && !strpbrk(s, " \t<>") && !strstr(s, "://");
}

/*
 * Around a reply only its thread is put together: what came outside of it is
 * not there, and with it what it says.
 */
static int is_whole(struct db *db, struct version_id id, const json_t *series,
		    bool *ret)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT cover_mail_id, (SELECT count(*) FROM patch"
		    "  WHERE version_id = v.id) AS n"
		    " FROM version v WHERE id = ?");
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r == DB_NONE ? -ENOENT : r;
	*ret = (int64_t)json_array_size(json_object_get(series, "patches")) >=
		       stmt_int64(st, "n") &&
	       (stmt_is_null(st, "cover_mail_id") ||
		json_is_string(json_object_get(series, "cover")));
	return 0;
}

int db_needs_store(struct db *db, struct version_id id, const json_t *series)
{
	/* a list of patch ids says most, and in which order */
	static const char *const keys[] = { "prerequisites", "depends_on",
					    "based_on" };
	int64_t seq = 0;
	bool whole = false;
	int r = is_whole(db, id, series, &whole);

	if (r || !whole)
		return r;
	r = delete_of(db, "DELETE FROM need WHERE version_id = ?", id);

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		const json_t *list = json_object_get(series, keys[k]), *v;
		size_t i;

		json_array_foreach((json_t *)list, i, v) {
			const char *name = json_string_value(v);

			if (r || !name || seq >= 3 * DB_DEPEND_MAX ||
			    (k && !names_a_mail(name)))
				continue;
			r = add_need(db, id, ++seq, k ? "mail" : "patch",
				     name);
		}
	}
	return r;
}

/*
 * struct graph - the walk over needs, breadth first
 * @owner: who asks; its topic and privacy decide what counts
 * @list: dependencies found so far, the ones behind @done not looked at yet
 */
struct graph {
	struct db *db;
	struct version_id owner;
	json_t *list;
	size_t done;
};

#define VISIBLE                                                     \
	" AND v.private <= (SELECT private FROM version WHERE id = ?2)"

static int version_of_mail(const struct graph *g, const char *id,
			   int64_t *ret)
{
	static const char sql[] =
		"SELECT v.id, 0 AS rank FROM version v"
		"  WHERE v.key = ?1" VISIBLE
		" UNION ALL SELECT v.id, 1 + (p.from_version NOT NULL)"
		"  FROM mail m JOIN patch p ON p.mail_id = m.id"
		"  JOIN version v ON v.id = p.version_id"
		"  WHERE m.message_id = ?1" VISIBLE
		" UNION ALL SELECT v.id, 3 FROM mail m"
		"  JOIN version v ON v.cover_mail_id = m.id"
		"  WHERE m.message_id = ?1" VISIBLE
		" UNION ALL SELECT v.id, 4 FROM mail m"
		"  JOIN comment c ON c.mail_id = m.id"
		"  JOIN version v ON v.id = c.version_id"
		"  WHERE m.message_id = ?1" VISIBLE
		" ORDER BY rank, id DESC LIMIT 1";
	struct stmt *st __free(stmt) = db_prepare(g->db, sql);
	int r;

	stmt_bind_text(st, id);
	stmt_bind_int64(st, g->owner.v);
	r = stmt_step(st);
	if (r == DB_ROW)
		*ret = stmt_int64(st, "id");
	return r == DB_ROW ? 0 : r;
}

/* The version with patch @name that has most of @open, a JSON array. */
static int version_of_patch(const struct graph *g, struct version_id from,
			    const char *name, const char *open, int64_t *ret)
{
	static const char sql[] =
		"SELECT v.id, count(DISTINCT i.patch_id) AS n"
		" FROM json_each(?3) e JOIN patch_id i ON i.patch_id = e.value"
		" JOIN patch p ON p.mail_id = i.mail_id"
		" JOIN version v ON v.id = p.version_id" VISIBLE
		" WHERE v.id != ?4 AND v.id IN (SELECT p2.version_id"
		"  FROM patch_id i2 JOIN patch p2 ON p2.mail_id = i2.mail_id"
		"  WHERE i2.patch_id = ?1)"
		" GROUP BY v.id ORDER BY n DESC, v.version DESC, v.id DESC"
		" LIMIT 1";
	struct stmt *st __free(stmt) = db_prepare(g->db, sql);
	int r;

	stmt_bind_text(st, name);
	stmt_bind_int64(st, g->owner.v);
	stmt_bind_text(st, open);
	stmt_bind_int64(st, from.v);
	r = stmt_step(st);
	if (r == DB_ROW)
		*ret = stmt_int64(st, "id");
	return r == DB_ROW ? 0 : r;
}

/* Removes from @open what version @v has; @upto: the last of its patches. */
static int take_patches(const struct graph *g, int64_t v, json_t *open,
			int64_t *upto)
{
	struct stmt *st __free(stmt) = db_prepare(
		g->db, "SELECT i.patch_id, p.number FROM patch p"
		       " JOIN patch_id i ON i.mail_id = p.mail_id"
		       " WHERE p.version_id = ?");
	int r;

	*upto = 0;
	stmt_bind_int64(st, v);
	while ((r = stmt_step(st)) == DB_ROW) {
		const char *id = stmt_text(st, "patch_id");
		int64_t number = stmt_int64(st, "number");

		if (!json_object_del(open, id) && number > *upto)
			*upto = number;
	}
	return r == DB_NONE ? 0 : r;
}

static json_t *find_dep(const struct graph *g, int64_t version)
{
	json_t *d;
	size_t i;

	json_array_foreach(g->list, i, d) {
		if (json_get_int(d, "version_id", 0) == version)
			return d;
	}
	return NULL;
}

static void judge_usable(json_t *d, bool same_topic, const char *verdict)
{
	if (same_topic)
		json_set_text(d, "broken",
			      "it is another version of the same work");
	else if (!strcmp(verdict, "incomplete"))
		json_set_text(d, "broken", "some of its patches never came");
	else
		json_object_set_new(d, "broken", json_null());
}

static int add_dep(struct graph *g, int64_t version, json_t **ret)
{
	static const char sql[] =
		"SELECT v.key, v.id AS version_id, v.state, v.title,"
		" v.version, v.verdict, v.topic_id = o.topic_id AS same"
		" FROM version v, version o WHERE v.id = ? AND o.id = ?";
	struct stmt *st __free(stmt) = db_prepare(g->db, sql);
	struct version_id id = { version };
	char *note __free(kfree) = NULL;
	int64_t newer;
	json_t *d;
	int r;

	stmt_bind_int64(st, version);
	stmt_bind_int64(st, g->owner.v);
	r = stmt_step(st);
	if (r != DB_ROW)
		return r == DB_NONE ? -ENOENT : r;
	d = stmt_row_json(st);
	json_array_append_new(g->list, d);
	json_object_set_new(d, "needs", json_array());
	json_set_int(d, "upto", 0);
	judge_usable(d, stmt_int64(st, "same") && version != g->owner.v,
		     stmt_text(st, "verdict"));
	r = db_version_newer(g->db, id, &newer);
	if (!r)
		note = xasprintf("version %lld of it is there, too",
				 (long long)newer);
	json_set_text(d, "note", note ? note : "");
	*ret = d;
	return r == DB_NONE ? 0 : r;
}

/* Version @v is needed up to patch @upto, 0: all of it. */
static int need_version(struct graph *g, int64_t v, int64_t upto,
			json_t *needs)
{
	json_t *d = find_dep(g, v);
	int r;

	if (!d) {
		if (json_array_size(g->list) >= DB_DEPEND_MAX)
			return 0;
		r = add_dep(g, v, &d);
		if (r)
			return r;
	}
	if (!upto)
		upto = INT32_MAX;
	if (upto > json_get_int(d, "upto", 0))
		json_set_int(d, "upto", upto);
	json_array_append(needs, json_object_get(d, "key"));
	return 0;
}

static int need_patch(struct graph *g, struct version_id from,
		      const char *name, json_t *open, json_t *needs)
{
	json_t *left __free(json) = json_array(), *unused;
	char *text __free(kfree) = NULL;
	const char *key;
	int64_t v = 0, upto = 0;
	int r;

	/* it came with another patch of the same version */
	if (!json_object_get(open, name))
		return 0;
	json_object_foreach(open, key, unused)
		json_array_append_new(left, json_text(key));
	text = json_dumps(left, JSON_COMPACT);
	r = version_of_patch(g, from, name, text, &v);
	if (r == DB_NONE) {
		json_object_del(open, name);
		json_array_append_new(needs, json_text(name));
		return 0;
	}
	if (!r)
		r = take_patches(g, v, open, &upto);
	return r ? r : need_version(g, v, upto, needs);
}

static int need_mail(struct graph *g, struct version_id from,
		     const char *name, json_t *needs)
{
	int64_t v = 0;
	int r = version_of_mail(g, name, &v);

	if (r == DB_NONE) {
		json_array_append_new(needs, json_text(name));
		return 0;
	}
	/* nothing stands on itself, whatever its mails say */
	if (r || v == from.v)
		return r;
	return need_version(g, v, 0, needs);
}

static int look_at(struct graph *g, struct version_id id, json_t *needs)
{
	struct stmt *st __free(stmt) = db_prepare(
		g->db, "SELECT kind, name FROM need WHERE version_id = ?"
		       " ORDER BY seq");
	json_t *rows __free(json) = NULL, *open __free(json) = json_object();
	json_t *row;
	size_t i;
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_all_json(st, &rows);
	json_array_foreach(rows, i, row) {
		if (!strcmp(json_get_str(row, "kind", ""), "patch"))
			json_set_bool(open, json_get_str(row, "name", ""),
				      true);
	}
	json_array_foreach(rows, i, row) {
		const char *name = json_get_str(row, "name", "");

		if (r)
			break;
		if (!strcmp(json_get_str(row, "kind", ""), "patch"))
			r = need_patch(g, id, name, open, needs);
		else
			r = need_mail(g, id, name, needs);
	}
	return r;
}

int db_depend_graph(struct db *db, struct version_id id, json_t **ret)
{
	struct graph g = { .db = db, .owner = id };
	json_t *o __free(json) = json_object(), *needs = json_array();
	int r;

	g.list = json_array();
	json_object_set_new(o, "needs", needs);
	json_object_set_new(o, "dependencies", g.list);
	r = look_at(&g, id, needs);
	while (!r && g.done < json_array_size(g.list)) {
		json_t *d = json_array_get(g.list, g.done++);
		struct version_id v = { json_get_int(d, "version_id", 0) };

		r = look_at(&g, v, json_object_get(d, "needs"));
	}
	if (!r)
		*ret = no_free_ptr(o);
	return r;
}

static int store_dependency(struct db *db, struct version_id id, size_t seq,
			    const json_t *d)
{
	static const char sql[] =
		"INSERT INTO dependency (version_id, seq, key, needed_id,"
		" state, why) VALUES (?1, ?2, ?3,"
		" (SELECT id FROM version WHERE key = ?3), ?4, ?5)";
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	stmt_bind_int64(st, id.v);
	stmt_bind_int64(st, (int64_t)seq);
	stmt_bind_text(st, json_get_str(d, "key", ""));
	stmt_bind_text(st, json_get_str(d, "state", "missing"));
	stmt_bind_text(st, json_get_str(d, "why", ""));
	return stmt_run(st);
}

int db_dependencies_store(struct db *db, struct version_id id,
			  const json_t *list)
{
	const json_t *d;
	size_t i;
	int r = delete_of(db, "DELETE FROM dependency WHERE version_id = ?",
			  id);

	json_array_foreach((json_t *)list, i, d) {
		if (!r && i < 4 * DB_DEPEND_MAX)
			r = store_dependency(db, id, i + 1, d);
	}
	return r;
}

int db_depend_retry(struct db *db, struct version_id id)
{
	static const char sql[] =
		"WITH mine(name) AS ("
		"  SELECT key FROM version WHERE id = ?1"
		"  UNION SELECT m.message_id FROM patch p"
		"   JOIN mail m ON m.id = p.mail_id WHERE p.version_id = ?1"
		"  UNION SELECT i.patch_id FROM patch p"
		"   JOIN patch_id i ON i.mail_id = p.mail_id"
		"   WHERE p.version_id = ?1)"
		" SELECT DISTINCT v.id FROM mine"
		" JOIN dependency d ON d.key = mine.name"
		"  AND d.state = 'missing'"
		" JOIN version v ON v.id = d.version_id"
		"  AND v.state = 'conflict' AND v.id != ?1";
	struct stmt *st __free(stmt) = db_prepare(db, sql);
	json_t *rows __free(json) = NULL, *row;
	size_t i;
	int r;

	stmt_bind_int64(st, id.v);
	r = stmt_all_json(st, &rows);
	json_array_foreach(rows, i, row) {
		struct version_id v = { json_get_int(row, "id", 0) };

		if (!r)
			r = db_version_verdict(db, v, "", "");
		if (!r)
			r = db_version_set(db, v, VERSION_READY,
					   "what it depends on came");
	}
	return r;
}
