// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/sqlite.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "db/migrations.h"
#include "db/search.h"
#include "db/stmt-cache.h"
#include "lib/clock.h"
#include "lib/json.h"

/* Steps of SQLite's machine between two looks at the clock. */
#define STEPS_PER_LOOK 20000
/* So many versions are indexed in one transaction. */
#define INDEX_AT_ONCE 50

struct db {
	sqlite3 *h;
	struct stmt_cache cache;
	int64_t deadline_ms; /* of clock_mono_ms(), 0: none */
};

struct stmt {
	sqlite3_stmt *s;
	struct db *db;
	int next;
	int error;
};

static int to_errno(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_CANTOPEN:
		return -ENOENT;
	case SQLITE_INTERRUPT:
		return -ETIMEDOUT;
	case SQLITE_CONSTRAINT:
		if (rc == SQLITE_CONSTRAINT_UNIQUE ||
		    rc == SQLITE_CONSTRAINT_PRIMARYKEY)
			return -EEXIST;
		return -EINVAL;
	case SQLITE_ERROR:
	case SQLITE_MISUSE:
	case SQLITE_RANGE:
	case SQLITE_MISMATCH:
		return -EINVAL;
	default:
		return -EIO;
	}
}

const char *db_error(struct db *db)
{
	return sqlite3_errmsg(db->h);
}

static int exec(struct db *db, const char *sql)
{
	return to_errno(sqlite3_exec(db->h, sql, NULL, NULL, NULL));
}

int db_begin(struct db *db)
{
	return exec(db, "BEGIN IMMEDIATE");
}

int db_commit(struct db *db)
{
	int r;

	/* what cannot be indexed now stays noted, and stops nothing */
	(void)search_refresh(db, INDEX_AT_ONCE);
	r = exec(db, "COMMIT");
	if (r)
		db_rollback(db);
	return r;
}

void db_rollback(struct db *db)
{
	if (!sqlite3_get_autocommit(db->h))
		exec(db, "ROLLBACK");
}

static int64_t user_version(struct db *db)
{
	struct stmt *st __free(stmt) = db_prepare(db, "PRAGMA user_version");

	return stmt_step(st) == DB_ROW ? stmt_int64(st, "user_version") : -EIO;
}

static int migrate_one(struct db *db, size_t to, struct strbuf *why)
{
	struct strbuf mark __free(strbuf) = STRBUF_INIT;
	int r = db_begin(db);

	if (r)
		return r;
	strbuf_addf(&mark, "PRAGMA user_version = %zu", to);
	r = exec(db, db_migrations[to - 1].sql);
	if (!r)
		r = exec(db, mark.buf);
	if (r) {
		strbuf_setf(why, "migration %s: %s",
			    db_migrations[to - 1].name, db_error(db));
		db_rollback(db);
		return r;
	}
	return db_commit(db);
}

static int migrate(struct db *db, const char *path, struct strbuf *why)
{
	int64_t have = user_version(db);

	if (have < 0)
		return (int)have;
	if ((size_t)have > db_n_migrations) {
		strbuf_setf(why, "%s: schema %lld is newer than this mmci knows "
			    "(%zu); run the newer version", path,
			    (long long)have, db_n_migrations);
		return -EPROTO;
	}
	for (size_t v = (size_t)have + 1; v <= db_n_migrations; v++) {
		int r = migrate_one(db, v, why);

		if (r)
			return r;
	}
	return 0;
}

/* What an older mmci, or another program, has written. */
static int index_rest(struct db *db)
{
	int left = 1;

	while (left > 0) {
		int r = db_begin(db);

		if (r)
			return r;
		left = search_refresh(db, INDEX_AT_ONCE);
		if (left < 0) {
			db_rollback(db);
			return left;
		}
		r = db_commit(db);
		if (r)
			return r;
	}
	return 0;
}

static int on_progress(void *arg)
{
	const struct db *db = arg;

	return db->deadline_ms && clock_mono_ms() > db->deadline_ms;
}

void db_limit_ms(struct db *db, unsigned int ms)
{
	db->deadline_ms = ms ? clock_mono_ms() + ms : 0;
	sqlite3_progress_handler(db->h, ms ? STEPS_PER_LOOK : 0,
				 ms ? on_progress : NULL, db);
}

static int open_flags(const char *path, int flags, struct db **ret,
		      struct strbuf *why)
{
	struct db *db = xcalloc(1, sizeof(*db));
	int rc = sqlite3_open_v2(path, &db->h, flags | SQLITE_OPEN_NOMUTEX,
				 NULL);
	int r;

	sqlite3_extended_result_codes(db->h, 1);
	sqlite3_busy_timeout(db->h, 10000);
	r = to_errno(rc);
	if (!r)
		r = exec(db, "PRAGMA foreign_keys = ON;"
			     "PRAGMA cache_size = -16384;"
			     "PRAGMA trusted_schema = OFF;");
	if (r) {
		strbuf_setf(why, "%s: %s", path, sqlite3_errmsg(db->h));
		db_close(db);
		return r;
	}
	*ret = db;
	return 0;
}

int db_open(const char *path, struct db **ret, struct strbuf *why)
{
	struct db *db __free(db) = NULL;
	int r;

	r = open_flags(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &db,
		       why);
	if (r)
		return r;
	/* a commit must survive a power cut: FULL, not NORMAL */
	r = exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
	if (r) {
		strbuf_setf(why, "%s: %s", path, db_error(db));
		return r;
	}
	r = migrate(db, path, why);
	if (!r)
		r = index_rest(db);
	if (r) {
		if (!why->len)
			strbuf_setf(why, "%s: %s", path, db_error(db));
		return r;
	}
	*ret = no_free_ptr(db);
	return 0;
}

int db_open_ro(const char *path, struct db **ret, struct strbuf *why)
{
	return open_flags(path, SQLITE_OPEN_READONLY, ret, why);
}

void db_close(struct db *db)
{
	if (!db)
		return;
	stmt_cache_clear(&db->cache);
	sqlite3_close_v2(db->h);
	free(db);
}

struct stmt *db_prepare(struct db *db, const char *sql)
{
	struct stmt *st = xcalloc(1, sizeof(*st));

	st->db = db;
	st->next = 1;
	st->s = stmt_cache_take(&db->cache, sql);
	if (!st->s)
		st->error = to_errno(sqlite3_prepare_v3(
			db->h, sql, -1, SQLITE_PREPARE_PERSISTENT, &st->s,
			NULL));
	return st;
}

void stmt_free(struct stmt *st)
{
	if (!st)
		return;
	if (st->s) {
		sqlite3_reset(st->s);
		sqlite3_clear_bindings(st->s);
		stmt_cache_put(&st->db->cache, st->s);
	}
	free(st);
}

static void note(struct stmt *st, int rc)
{
	if (!st->error)
		st->error = to_errno(rc);
}

void stmt_bind_textn(struct stmt *st, const char *s, size_t len)
{
	struct strbuf clean __free(strbuf) = STRBUF_INIT;

	if (st->error)
		return;
	if (!s) {
		stmt_bind_null(st);
		return;
	}
	strbuf_add_utf8(&clean, s, len);
	note(st, sqlite3_bind_text64(st->s, st->next++, clean.buf, clean.len,
				     SQLITE_TRANSIENT, SQLITE_UTF8));
}

void stmt_bind_text(struct stmt *st, const char *s)
{
	stmt_bind_textn(st, s, s ? strlen(s) : 0);
}

void stmt_bind_int64(struct stmt *st, int64_t v)
{
	if (!st->error)
		note(st, sqlite3_bind_int64(st->s, st->next++, v));
}

void stmt_bind_blob(struct stmt *st, const void *data, size_t len)
{
	if (!st->error)
		note(st, sqlite3_bind_blob64(st->s, st->next++,
					     len ? data : "", len,
					     SQLITE_TRANSIENT));
}

void stmt_bind_null(struct stmt *st)
{
	if (!st->error)
		note(st, sqlite3_bind_null(st->s, st->next++));
}

void stmt_bind_id(struct stmt *st, int64_t v)
{
	if (v)
		stmt_bind_int64(st, v);
	else
		stmt_bind_null(st);
}

int stmt_step(struct stmt *st)
{
	int rc;

	if (st->error)
		return st->error;
	rc = sqlite3_step(st->s);
	if (rc == SQLITE_ROW)
		return DB_ROW;
	if (rc == SQLITE_DONE)
		return DB_NONE;
	return to_errno(rc);
}

void stmt_reset(struct stmt *st)
{
	if (!st->s)
		return;
	sqlite3_reset(st->s);
	sqlite3_clear_bindings(st->s);
	st->next = 1;
	st->error = 0;
}

int stmt_run(struct stmt *st)
{
	int r = stmt_step(st);

	return r == DB_NONE || r == DB_ROW ? 0 : r;
}

/* A misspelt column is a mistake in this program, not in its data. */
static int column_index(struct stmt *st, const char *column)
{
	int n = sqlite3_column_count(st->s);

	for (int i = 0; i < n; i++) {
		if (!strcmp(sqlite3_column_name(st->s, i), column))
			return i;
	}
	fprintf(stderr, "mmci: no column \"%s\" in: %s\n", column,
		sqlite3_sql(st->s));
	abort();
}

const char *stmt_text(struct stmt *st, const char *column)
{
	const char *s = (const char *)sqlite3_column_text(
		st->s, column_index(st, column));

	return s ? s : "";
}

int64_t stmt_int64(struct stmt *st, const char *column)
{
	return sqlite3_column_int64(st->s, column_index(st, column));
}

bool stmt_is_null(struct stmt *st, const char *column)
{
	return sqlite3_column_type(st->s, column_index(st, column)) ==
	       SQLITE_NULL;
}

const void *stmt_blob(struct stmt *st, const char *column, size_t *len)
{
	int i = column_index(st, column);
	const void *p = sqlite3_column_blob(st->s, i);

	*len = (size_t)sqlite3_column_bytes(st->s, i);
	return p;
}

int64_t db_last_id(struct db *db)
{
	return sqlite3_last_insert_rowid(db->h);
}

int64_t db_changes(struct db *db)
{
	return sqlite3_changes64(db->h);
}

static json_t *column_json(struct stmt *st, int i, bool is_json)
{
	const char *text;

	switch (sqlite3_column_type(st->s, i)) {
	case SQLITE_INTEGER:
		return json_integer(sqlite3_column_int64(st->s, i));
	case SQLITE_FLOAT:
		return json_real(sqlite3_column_double(st->s, i));
	case SQLITE_TEXT:
		text = (const char *)sqlite3_column_text(st->s, i);
		if (is_json) {
			json_t *v = json_loads(text, JSON_DECODE_ANY, NULL);

			return v ? v : json_null();
		}
		return json_textn(text,
				  (size_t)sqlite3_column_bytes(st->s, i));
	default:
		return json_null();
	}
}

json_t *stmt_row_json(struct stmt *st)
{
	json_t *o = json_object();
	int n = sqlite3_column_count(st->s);

	for (int i = 0; i < n; i++) {
		const char *name = sqlite3_column_name(st->s, i);
		bool is_json = ends_with(name, "_json");
		char *key __free(kfree) =
			xstrndup(name, strlen(name) - (is_json ? 5 : 0));

		json_object_set_new(o, key, column_json(st, i, is_json));
	}
	return o;
}

int stmt_all_json(struct stmt *st, json_t **ret)
{
	json_t *all __free(json) = json_array();
	int r;

	while ((r = stmt_step(st)) == DB_ROW)
		json_array_append_new(all, stmt_row_json(st));
	if (r != DB_NONE)
		return r;
	*ret = no_free_ptr(all);
	return 0;
}
