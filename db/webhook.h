/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_WEBHOOK_H
#define MMCI_DB_WEBHOOK_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_webhook_add() - from now on, send events to an address
 * @spec: {name, url, secret, events: kinds or beginnings of them, separated by
 *	single spaces, "" for all}, checked by the caller
 *
 * Return: 0; -EEXIST when the name is taken; -errno.
 */
int db_webhook_add(struct db *db, const json_t *spec);
/** db_webhook_remove() - no more; 0, DB_NONE or -errno */
int db_webhook_remove(struct db *db, const char *name);
/** db_webhooks() - array of all, without their secrets; 0 or -errno */
int db_webhooks(struct db *db, json_t **ret);
/**
 * db_webhooks_due() - those that have events to send and may be tried now
 * @ret: array of {id, name, url, secret, events, tries, last_event}
 *
 * Return: 0 or -errno.
 */
int db_webhooks_due(struct db *db, int64_t now_s, json_t **ret);
/**
 * db_webhook_events() - what one of them has not had yet, the oldest first
 * @hook: a row of db_webhooks_due()
 * @ret: array of {id, at_s, kind, series_id, series_key, job_id, detail}; of
 *	private series there is none
 * @last: number of the last event that was looked at, also if it did not match
 *
 * Return: 0 or -errno.
 */
int db_webhook_events(struct db *db, const json_t *hook, int limit,
		      json_t **ret, int64_t *last);
/**
 * db_webhook_took() - it has had everything up to an event
 * @sent: how many of them it took
 * @skipped: how many it was not bothered with any more
 *
 * Return: 0 or -errno.
 */
int db_webhook_took(struct db *db, int64_t id, int64_t last_event,
		    int64_t sent, int64_t skipped);
/** db_webhook_failed() - one more try was in vain, the next not before @next_s */
int db_webhook_failed(struct db *db, int64_t id, const char *error,
		      int64_t next_s);

#endif
