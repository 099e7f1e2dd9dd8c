/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_SQLITE_H
#define MMCI_DB_SQLITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"

struct db;
struct stmt;

/* Facts, not errors: a query has another row, or none. */
enum { DB_NONE = 1, DB_ROW = 2 };

/**
 * db_open() - open the database, creating and migrating it
 * @path: file, or ":memory:"
 * @why: on failure, one line saying what and where
 *
 * The one writer uses this. Journal mode is WAL, foreign keys are checked.
 *
 * Return: 0 and @ret; -EPROTO when the file is of a newer mmci; -errno.
 */
int db_open(const char *path, struct db **ret, struct strbuf *why);
/**
 * db_open_ro() - open an existing database for reading, for one thread
 *
 * Return: as db_open().
 */
int db_open_ro(const char *path, struct db **ret, struct strbuf *why);
/**
 * db_limit_ms() - let queries run for at most @ms from now
 *
 * After that stmt_step() gives -ETIMEDOUT, until another limit is set; 0: no
 * limit. A stranger's question must not keep a thread for long.
 */
void db_limit_ms(struct db *db, unsigned int ms);
/** db_close() - close and free; NULL is fine */
void db_close(struct db *db);
DEFINE_FREE(db, struct db *, db_close(_T))
/** db_error() - text of the last error, for a log line */
const char *db_error(struct db *db);

/** db_begin() - start a transaction that may write; they do not nest */
int db_begin(struct db *db);
/**
 * db_commit() - make it last, indexed for search
 *
 * Return: 0 or -EIO, then nothing of it happened.
 */
int db_commit(struct db *db);
/** db_rollback() - undo it; harmless outside a transaction */
void db_rollback(struct db *db);

/**
 * db_prepare() - compile one statement
 *
 * Errors, of this and of the stmt_bind_*() calls, are kept and reported by
 * stmt_step(). Never returns NULL.
 */
struct stmt *db_prepare(struct db *db, const char *sql);
/** stmt_free() - done with it, it may be kept for the next; NULL is fine */
void stmt_free(struct stmt *st);
DEFINE_FREE(stmt, struct stmt *, stmt_free(_T))

/* Bind the next parameter, counted from the left. NULL text binds NULL. */
void stmt_bind_text(struct stmt *st, const char *s);
void stmt_bind_textn(struct stmt *st, const char *s, size_t len);
void stmt_bind_int64(struct stmt *st, int64_t v);
void stmt_bind_blob(struct stmt *st, const void *data, size_t len);
void stmt_bind_null(struct stmt *st);
/** stmt_bind_id() - bind @v, or NULL when it is 0 (no row) */
void stmt_bind_id(struct stmt *st, int64_t v);

/**
 * stmt_step() - run on to the next row
 *
 * Text bound as invalid UTF-8 is stored with U+FFFD in its place.
 *
 * Return: DB_ROW; DB_NONE at the end; -EEXIST for a violated uniqueness;
 * -EINVAL for any other constraint or a mistake in the statement; -EBUSY;
 * -ETIMEDOUT as db_limit_ms() says; -EIO.
 */
int stmt_step(struct stmt *st);
/** stmt_reset() - back to the start with no parameters bound */
void stmt_reset(struct stmt *st);
/**
 * stmt_run() - run a statement that gives no rows
 *
 * Return: 0 or the errors of stmt_step().
 */
int stmt_run(struct stmt *st);

/* Columns by name; valid until the next step. NULL reads as "" and 0. */
const char *stmt_text(struct stmt *st, const char *column);
int64_t stmt_int64(struct stmt *st, const char *column);
bool stmt_is_null(struct stmt *st, const char *column);
const void *stmt_blob(struct stmt *st, const char *column, size_t *len);

/** db_last_id() - rowid of the last insert */
int64_t db_last_id(struct db *db);
/** db_changes() - rows the last statement changed */
int64_t db_changes(struct db *db);

/**
 * stmt_row_json() - the current row as an object
 *
 * Column names become keys, NULL null. A column named "x_json" becomes key "x"
 * with its text parsed as JSON (null if it is none).
 */
json_t *stmt_row_json(struct stmt *st);
/**
 * stmt_all_json() - step to the end, rows as an array
 *
 * Return: 0 and a new reference in @ret, or the errors of stmt_step().
 */
int stmt_all_json(struct stmt *st, json_t **ret);

#endif
