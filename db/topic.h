/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_TOPIC_H
#define MMCI_DB_TOPIC_H

#include <jansson.h>

#include "db/sqlite.h"

/**
 * db_topic_of() - the piece of work that a series is a version of
 * @series: an element of what assemble_json() gave, with "same_work": keys of
 *	series that were put together with it and are other versions of it
 * @email: its author's address
 * @topic: an existing topic, or a new one
 *
 * In this order: versions put together in one thread, "Supersedes:", the
 * change-id; then the title, and the title of the first patch of several.
 * Where two of the first three name different topics, they become one.
 *
 * All of it holds among the series of one author only. Inside a transaction.
 * Return: 0 or -errno.
 */
int db_topic_of(struct db *db, const json_t *series, const char *email,
		int64_t *topic);

#endif
