/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_METRICS_H
#define MMCI_DB_METRICS_H

#include <jansson.h>

#include "db/sqlite.h"

/**
 * db_metrics() - figures for whoever watches the service
 * @ret: {totals: {attempts, events, findings, mails, series: how many there
 *	were so far}, jobs: [{state, kind, arch, n}] of those not ended, outgoing:
 *	[{state, n}], sources: [{name, last_ok_s, last_mail_s, failing}],
 *	trees: [{name, failing, fetched_s}], recent: [{kind, arch, seconds}] of
 *	the newest attempts that have ended, database_bytes}
 *
 * Takes some milliseconds however much there is: nothing large is counted row
 * by row.
 *
 * Return: 0 or -errno.
 */
int db_metrics(struct db *db, json_t **ret);

#endif
