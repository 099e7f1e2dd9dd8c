/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_DERIVE_H
#define MMCI_DB_DERIVE_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_derivation_store() - keep what the worker "derive" said
 * @kconfig: the config that it was asked about
 * @answer: of the worker, or {error}
 *
 * Replaces what was stored before. Return: 0 or -errno.
 */
int db_derivation_store(struct db *db, struct version_id id, const char *arch,
			const char *kconfig, const json_t *answer);
/** db_derivations() - array of {arch, kconfig, answer}; 0 or -errno */
int db_derivations(struct db *db, struct version_id id, json_t **ret);
/** db_derivations_forget() - the version is applied anew; 0 or -errno */
int db_derivations_forget(struct db *db, struct version_id id);
/** db_coverage_store() - see jobs/coverage.h; NULL: not measured; 0 or -errno */
int db_coverage_store(struct db *db, struct version_id id,
		      const json_t *coverage);

#endif
