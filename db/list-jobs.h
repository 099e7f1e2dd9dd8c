/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_DB_LIST_JOBS_H
#define MMCI_DB_LIST_JOBS_H

#include "db/view-series.h"

/**
 * struct view_job_filter - what is asked for; NULL and 0: anything
 * @series: jobs of this version
 * @controls: only runs on a base, of no series
 */
struct view_job_filter {
	struct version_id series;
	const char *state;
	const char *kind;
	const char *arch;
	const char *kconfig;
	const char *toolchain;
	bool controls;
};

/**
 * view_jobs() - jobs, the newest first, with the columns of the table
 *
 * Return: 0 and {"items", "next"}; -EINVAL for a bad cursor; errors of
 * stmt_step().
 */
int view_jobs(struct db *db, const struct view_job_filter *filter,
	      const struct view_page *page, json_t **ret);

/**
 * struct view_finding_filter - what is asked for; NULL and 0: anything
 * @series: findings of this version
 * @blame: NULL: "series"; "any": all
 * @file: a path, or a directory with a slash at its end
 * @text: words of place and message, as search_column()
 */
struct view_finding_filter {
	struct version_id series;
	const char *blame;
	const char *severity;
	const char *stage;
	const char *arch;
	const char *tool;
	const char *file;
	const char *text;
};

/**
 * view_findings() - findings of all series, the newest first
 *
 * Return: as view_jobs().
 */
int view_findings(struct db *db, const struct view_finding_filter *filter,
		  const struct view_page *page, json_t **ret);

#endif
