/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_SERVER_TABLE_H
#define MMCI_SERVER_TABLE_H

#include <jansson.h>
#include <stddef.h>

#include "lib/strbuf.h"

/** enum column_kind - how a value is written */
enum column_kind {
	COL_TEXT,
	COL_WRAP,	/* gets what the others leave, and is cut there */
	COL_NUMBER,	/* to the right */
	COL_AGE,	/* seconds since the epoch as "4 min" */
	COL_COMMIT,	/* the first 12 characters */
};

/**
 * struct column - one column of a table
 * @title: heading
 * @key: member of the row that is shown
 * @other: shown where @key is null or "", may be NULL
 */
struct column {
	const char *title;
	const char *key;
	enum column_kind kind;
	const char *other;
};

/**
 * table_add() - append rows as a table, each column as wide as it needs
 * @rows: array of objects
 * @cols: ends with a NULL title
 * @width: of the terminal, 0: nothing is cut
 * @now_s: for COL_AGE
 *
 * A row is one line whatever is in it: line ends become spaces. Columns that do
 * not fit beside 20 characters of COL_WRAP are left out, from the right.
 */
void table_add(struct strbuf *out, const json_t *rows,
	       const struct column *cols, size_t width, int64_t now_s);
/** table_print() - the same to stdout, as wide as the terminal; cleaned */
void table_print(const json_t *rows, const struct column *cols);
/** table_width() - columns of the terminal on stdout, 0 if it is none */
size_t table_width(void);
/** text_width() - columns that @s takes, wide characters counted twice */
size_t text_width(const char *s);
/** text_cut() - append @s, at most @width columns of it, "…" for the rest */
void text_cut(struct strbuf *out, const char *s, size_t width);

#endif
