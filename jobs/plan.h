/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_PLAN_H
#define MMCI_JOBS_PLAN_H

#include <jansson.h>

#include "db/id.h"
#include "db/sqlite.h"
#include "lib/config.h"

/**
 * plan_version() - make the jobs of an applied version and of its controls
 * @cfg: the matrix
 * @why: on failure one line
 *
 * For each architecture, config and toolchain: the check of every patch, the
 * build, see jobs/plan-build.h, then boot, selftests and benchmarks of the last
 * patch that builds; each has a control on the base, which is made once and
 * kept. Safe to repeat. Inside a
 * transaction.
 *
 * Return: 0; -ENOENT when a kconfig fragment is missing; -errno.
 */
int plan_version(struct db *db, const struct config *cfg, struct version_id id,
		 struct strbuf *why);
/**
 * plan_control_key() - key of the control of one kind
 *
 * It contains a hash of all that a warm base is made from, so that another
 * kconfig fragment or list of selftests is another base.
 *
 * Return: 0 or -errno with @why.
 */
int plan_control_key(const struct config *cfg, const char *kind,
		     const char *base_commit, const char *arch,
		     const char *kconfig, const char *toolchain,
		     struct strbuf *key, struct strbuf *why);
/**
 * plan_own_key() - key of a job of a version
 * @job: row of such a job, for its version and its place
 * @kind: the kind wanted
 * @upto: only the patches up to this one, 0: all
 */
void plan_own_key(const json_t *job, const char *kind, int64_t upto,
		  struct strbuf *key);
/**
 * plan_bisect() - one step of the search for the patch that breaks a run
 * @job: row of the boot, test or bench job of a version that failed
 * @upto: patches to take
 *
 * Makes the build of these patches and the same run of its kernel. Safe to
 * repeat. Inside a transaction. Return: 0 or -errno with @why.
 */
int plan_bisect(struct db *db, const struct config *cfg, const json_t *job,
		int64_t upto, struct strbuf *why);
/** plan_warm_name() - "ARCH-KCONFIG-TOOLCHAIN-HASH"; 0 or -errno with @why */
int plan_warm_name(const struct config *cfg, const char *arch,
		   const char *kconfig, const char *toolchain,
		   struct strbuf *name, struct strbuf *why);
/** plan_kconfig_text() - the fragment for KCONFIG_ALLCONFIG; 0 or -errno */
int plan_kconfig_text(const struct config *cfg, const char *arch,
		      const char *kconfig, struct strbuf *text,
		      struct strbuf *why);

#endif
