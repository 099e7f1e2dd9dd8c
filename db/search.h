/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_SEARCH_H
#define MMCI_DB_SEARCH_H

#include "db/sqlite.h"

/*
 * Search over the words of a version: subjects of the series and its patches,
 * its author, the files it changes, and what was found in it (place and
 * message, unless blamed on the base). Triggers note which versions have
 * changed; db_commit() indexes those before it ends the transaction, so that
 * what is committed can be found.
 */

/**
 * search_refresh() - index what has changed
 * @max: at most that many versions
 *
 * Inside a transaction. Return: how many are left; -errno.
 */
int search_refresh(struct db *db, int max);
/**
 * search_expr() - what a person types, as an expression for MATCH
 * @text: words, all of which must be there; the beginning of a word is enough;
 *	"two words" in quotes stand side by side. Before a word: s: only in
 *	subjects, f: in the author, dfn: in file names, e: in findings (the
 *	first three as in public-inbox). A name like ptep_modify or
 *	mm/mprotect.c is the words it is made of, side by side. At most 16.
 * @expr: is appended to, joined with AND to what is there
 *
 * Return: 0; DB_NONE when there is no word in it, nothing is appended then.
 */
int search_expr(const char *text, struct strbuf *expr);
/**
 * search_column() - the same for one column, all words of it side by side
 * @column: "author" or "finding", a constant
 */
int search_column(const char *column, const char *text, struct strbuf *expr);
/**
 * search_count() - how many versions an expression finds
 * @most: count no further
 *
 * Return: the number; errors of stmt_step().
 */
int search_count(struct db *db, const char *expr, int most);

#endif
