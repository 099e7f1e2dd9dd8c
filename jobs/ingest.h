/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_INGEST_H
#define MMCI_JOBS_INGEST_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"
#include "db/version.h"
#include "lib/strbuf.h"

struct ingest;

/**
 * ingest_new() - take mails of one source in
 * @how: source, privacy and waiting times for what is assembled; copied
 *
 * Return: never NULL.
 */
struct ingest *ingest_new(struct db *db, const struct version_sync *how);
/** ingest_free() - NULL is fine */
void ingest_free(struct ingest *in);
/**
 * ingest_feed() - the next bytes of a pull worker
 * @why: one line when the result is not 0
 *
 * A batch of mails, the series they make and the reader's state become one
 * transaction. Return: 0 or -errno.
 */
int ingest_feed(struct ingest *in, const void *data, size_t len,
		struct strbuf *why);
/**
 * ingest_finish() - the worker has ended
 * @versions: ids of the versions touched, new reference
 * @why: one line when the result is not 0
 *
 * Return: 0; %PULL_FAILED with the worker's own words; -errno.
 */
int ingest_finish(struct ingest *in, json_t **versions, struct strbuf *why);
/** ingest_count() - mails that were new */
int64_t ingest_count(const struct ingest *in);

#endif
