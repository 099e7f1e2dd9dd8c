/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_FINDING_H
#define MMCI_DB_FINDING_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"

/**
 * db_findings_replace() - store what a judgement found, instead of the last one
 * @findings: array of {job_id, attempt_id, number, until_number, stage, blame,
 *	tool, severity, option, file, line, col, function, message, detail,
 *	fingerprint, leader (index of the error it follows from, or absent),
 *	quote (lines of the patch, or absent)}
 *
 * What was reported by mail stays marked so as long as it is found again.
 * Inside a transaction. Return: 0 or -errno.
 */
int db_findings_replace(struct db *db, struct version_id id,
			const json_t *findings);
/** db_not_mine() - {FINGERPRINT: who} for the topic of @id; 0 or -errno */
int db_not_mine(struct db *db, struct version_id id, json_t **ret);
/**
 * db_not_mine_add() - remember that the findings of @id are not of its work
 *
 * They become withheld. Inside a transaction. Return: 0 or -errno.
 */
int db_not_mine_add(struct db *db, struct version_id id, const char *who);
/** db_findings_reported() - mark those of the series as mailed; 0 or -errno */
int db_findings_reported(struct db *db, struct version_id id);
/**
 * db_results_store() - tests and measurements of one attempt
 * @result: the runner's result.json
 *
 * Inside a transaction; safe to repeat. Return: 0 or -errno.
 */
int db_results_store(struct db *db, struct attempt_id id,
		     const json_t *result);

#endif
