/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_REPORT_PRIVATE_H
#define MMCI_JOBS_REPORT_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/strbuf.h"

#define REPORT_WIDTH 76
#define REPORT_MAX_FINDINGS 5
#define REPORT_MAX_LOG_LINES 20

/**
 * struct report_group - one fact, wherever it was seen
 * @lead: the finding as first seen
 * @places: {arch, kconfig, toolchain}, one per job it was seen in
 * @silent: names of the toolchains that were run there and did not say it
 * @followers: errors that only follow from it, the most of any one job
 * @order: its place in the judgement, so that a report is always the same
 */
struct report_group {
	const json_t *lead;
	json_t *places;
	json_t *silent;
	int64_t followers;
	size_t order;
};

/** struct report_groups - in the order to be told: errors first, then patches */
struct report_groups {
	struct report_group *v;
	size_t n;
};

/** report_group_findings() - fold the series' findings over all jobs */
void report_group_findings(const json_t *judgement, struct report_groups *g);
/** report_group_release() - free what one of them holds */
void report_group_release(struct report_group *g);
/** report_groups_release() - free what report_group_findings() made */
void report_groups_release(struct report_groups *g);
/** report_wrap() - append @text in lines of %REPORT_WIDTH, @indent in front */
void report_wrap(struct strbuf *out, const char *text, const char *indent);
/** report_findings() - append the quoted hunks with what is wrong beneath */
void report_findings(const json_t *ctx, const struct report_groups *g,
		     const json_t *answered, struct strbuf *out);
/**
 * report_eml() - append the whole mail
 * @answered: the mail it answers: {message_id, references}
 * @mail: {message_id, in_reply_to, subject, body}
 */
void report_eml(const json_t *ctx, const json_t *judgement,
		const json_t *answered, const json_t *mail, const char *to,
		struct strbuf *out);
/**
 * report_bench() - append what the counted benchmarks say
 *
 * A row for what changed beyond the floor, with the patch that changed it; for
 * all else one line per place.
 */
void report_bench(const json_t *judgement, struct strbuf *out);
/** report_table() - append the table patch x stage, tests and benchmarks */
void report_table(const json_t *ctx, const json_t *judgement,
		  struct strbuf *out);
/** report_origin() - append base, compilers, what was not run, how to repeat */
void report_origin(const json_t *ctx, const json_t *judgement,
		   const struct report_groups *g, struct strbuf *out);
/** report_repeat() - append what shows the finding @f without this service */
void report_repeat(const json_t *ctx, const json_t *f, struct strbuf *out);

#endif
