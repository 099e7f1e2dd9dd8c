/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_PLAN_DERIVED_H
#define MMCI_JOBS_PLAN_DERIVED_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"
#include "lib/config.h"

/**
 * plan_derived() - checks in the configs that the change asks for
 * @why: on failure one line
 *
 * Each runs in layers over the warm base of its parent, as kconfig "PARENT+N",
 * N from 1; "PARENT+0" is the parent itself, for the lines it compiles. The
 * control is in the job itself, as number 0. Safe to repeat. Inside a
 * transaction. Return: 0 or -errno.
 */
int plan_derived(struct db *db, const struct config *cfg, struct version_id id,
		 struct strbuf *why);
/** plan_is_derived() - is @kconfig the name of such a config? */
bool plan_is_derived(const char *kconfig);
/**
 * plan_derived_text() - the answers of a derived config
 * @derived: of db_derivations()
 * @ret: borrowed from it; "" for the parent itself
 * @lines: borrowed: the lines to look for, may be NULL
 *
 * Return: 0, or -ENOENT when there is none of this name.
 */
int plan_derived_text(const json_t *derived, const char *arch,
		      const char *kconfig, const char **ret, json_t **lines);

#endif
