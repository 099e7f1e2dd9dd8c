/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_TREE_H
#define MMCI_DB_TREE_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_tree_add() - note a tree to be fetched
 * @spec: {name, kind, location, branch, role, rank}
 *
 * Return: 0; -EEXIST when the name is taken; -errno.
 */
int db_tree_add(struct db *db, const json_t *spec, struct tree_id *ret);
/** db_tree_find() - look a name up; 0, DB_NONE, or -errno */
int db_tree_find(struct db *db, const char *name, struct tree_id *ret);
/** db_trees() - all trees as rows, in order of rank; 0 or -errno */
int db_trees(struct db *db, json_t **ret);
/** db_tree_fetching() - note that a fetch is wanted or runs; 0 or -errno */
int db_tree_fetching(struct db *db, struct tree_id id);
/** db_tree_fetched() - note a new tip; 0 or -errno */
int db_tree_fetched(struct db *db, struct tree_id id, const char *commit_id,
		    const char *describe);
/** db_tree_failed() - note why a fetch failed; an old tip stays; 0, -errno */
int db_tree_failed(struct db *db, struct tree_id id, const char *why);

#endif
