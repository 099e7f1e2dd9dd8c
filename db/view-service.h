/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_VIEW_SERVICE_H
#define MMCI_DB_VIEW_SERVICE_H

#include "db/view-series.h"

/** view_outbox() - replies, the newest first; as view_jobs() */
int view_outbox(struct db *db, const char *state, const struct view_page *page,
		json_t **ret);
/** view_outgoing() - one reply with its body and the whole mail; as view_job() */
int view_outgoing(struct db *db, struct outgoing_id id, bool see_private,
		  json_t **ret);
/** view_trees() - array of the trees in fallback order */
int view_trees(struct db *db, json_t **ret);
/** view_sources() - array of where mail comes from, and how that goes */
int view_sources(struct db *db, json_t **ret);
/**
 * view_health() - {"jobs": {STATE: n}, "held", "sources_failing",
 * "trees_failing", "last_event_s"}
 */
int view_health(struct db *db, json_t **ret);
/**
 * view_token() - who holds the token with this hash
 *
 * Return: 0 and {"id", "name", "scopes", "expires_s"}; DB_NONE for none; errors
 * of stmt_step().
 */
int view_token(struct db *db, const char *hash, json_t **ret);

#endif
