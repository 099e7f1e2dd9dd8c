/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_PARTS_H
#define MMCI_DB_PARTS_H

#include "db/sqlite.h"

#define PARTS_MAX_ARGS 32

/**
 * struct parts - a statement put together from parts that are asked for
 * @sql: what there is so far
 * @args: its parameters from the left; text is borrowed until it was bound
 *
 * A condition that nobody asked for is not in the statement: a term like
 * "? IS NULL OR x = ?" would keep an index from being used. The parts are
 * constants of this program; what a stranger says is only ever a parameter.
 */
struct parts {
	struct strbuf sql;
	struct {
		const char *text; /* NULL: an integer */
		int64_t v;
	} args[PARTS_MAX_ARGS];
	size_t n;
};

#define PARTS_INIT { .sql = STRBUF_INIT }

/** parts_release() - free the text */
void parts_release(struct parts *p);
DEFINE_FREE(parts, struct parts, parts_release(&_T))
/** parts_add() - append a part without parameters */
void parts_add(struct parts *p, const char *sql);
/** parts_text() - append a part with one text parameter, unless it is NULL */
void parts_text(struct parts *p, const char *sql, const char *value);
/** parts_int() - append a part with one integer parameter */
void parts_int(struct parts *p, const char *sql, int64_t value);
/** parts_prepare() - the statement with its parameters; as db_prepare() */
struct stmt *parts_prepare(struct db *db, const struct parts *p);

#endif
