// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/grid.h"

#include <string.h>

#include "lib/json.h"

static bool same(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(json_get_str(a, key, ""), json_get_str(b, key, ""));
}

static bool same_config(const json_t *a, const json_t *b)
{
	return same(a, b, "arch") && same(a, b, "kconfig") &&
	       same(a, b, "toolchain");
}

static bool is_kind(const json_t *job, const char *kind)
{
	return !strcmp(json_get_str(job, "kind", ""), kind);
}

/**
 * struct column - a job whose cells stand below each other
 * @job: build, boot, test or bench
 * @check: of the same configuration, or NULL; likewise @build
 * @control: the same run on the base, or NULL
 */
struct column {
	const json_t *job;
	const json_t *check;
	const json_t *build;
	const json_t *control;
};

/* The job of this kind for the configuration of @like, or NULL. */
static json_t *find_job(const json_t *jobs, const json_t *like,
			const char *kind)
{
	json_t *j;
	size_t i;

	json_array_foreach((json_t *)jobs, i, j) {
		if (is_kind(j, kind) && same_config(j, like))
			return j;
	}
	return NULL;
}

static json_t *patch_result(const json_t *job, int64_t number)
{
	json_t *p;
	size_t i;

	json_array_foreach(json_object_get(job, "patches"), i, p) {
		if (json_get_int(p, "number", -1) == number)
			return p;
	}
	return NULL;
}

/* A whole job as the state of one cell. */
static const char *job_cell(const json_t *job)
{
	static const char *const map[][2] = {
		{ "passed", "clean" },	  { "running", "running" },
		{ "queued", "waiting" },  { "waiting", "waiting" },
		{ "canceled", "canceled" },
	};
	const char *state = json_get_str(job, "state", "");

	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		if (!strcmp(state, map[i][0]))
			return map[i][1];
	}
	return job ? "unknown" : "na";
}

struct counts {
	int64_t errors;
	int64_t warnings;
};

/* A finding and those that are folded under it. */
static void add_finding(const json_t *f, struct counts *n)
{
	int64_t errors = json_get_int(f, "follow_errors", 0);

	n->errors += errors;
	n->warnings += json_get_int(f, "follows", 0) - errors;
	if (strcmp(json_get_str(f, "severity", ""), "error"))
		n->warnings++;
	else
		n->errors++;
}

/* What this series did in @job; @number negative: at any patch. */
static struct counts count_findings(const json_t *findings, const json_t *job,
				    int64_t number)
{
	int64_t id = json_get_int(job, "id", 0);
	struct counts n = { 0 };
	json_t *f, *p;
	size_t i, k;

	json_array_foreach((json_t *)findings, i, f) {
		if (strcmp(json_get_str(f, "blame", ""), "series"))
			continue;
		if (number >= 0 && json_get_int(f, "number", -1) != number)
			continue;
		json_array_foreach(json_object_get(f, "places"), k, p) {
			if (json_get_int(p, "job_id", 0) != id)
				continue;
			add_finding(f, &n);
		}
	}
	return n;
}

static json_t *cell_new(const char *state, const json_t *job,
			struct counts n)
{
	json_t *c = json_object();

	json_set_text(c, "state", n.errors ? "broken" :
				  n.warnings ? "warns" : state);
	if (n.errors)
		json_set_int(c, "errors", n.errors);
	if (n.warnings)
		json_set_int(c, "warnings", n.warnings);
	if (job)
		json_set_int(c, "job_id", json_get_int(job, "id", 0));
	return c;
}

static json_t *build_cell(const json_t *series, const struct column *col,
			  int64_t number)
{
	const json_t *findings = json_object_get(series, "findings");
	const json_t *job = col->job, *check = col->check;
	struct counts n = count_findings(findings, job, number);
	struct counts c = count_findings(findings, check, number);
	const json_t *p = patch_result(job, number), *had = p;
	const char *outcome, *state = job_cell(job);

	/* a check comes first, and may have spared the build this patch */
	if (!p) {
		p = patch_result(check, number);
		if (p)
			job = check;
	}
	n.errors += c.errors;
	n.warnings += c.warnings;
	outcome = json_get_str(p, "outcome", "");
	if (p && !had && !strcmp(outcome, "passed") &&
	    (!strcmp(state, "running") || !strcmp(state, "waiting")))
		p = NULL; /* good news can wait for the build */
	if (p)
		state = !strcmp(outcome, "failed") ? "broken" : "clean";
	else if (strcmp(state, "running") && strcmp(state, "waiting"))
		state = "na"; /* ended without getting there */
	return cell_new(state, job, n);
}

/* Which patch a boot of this configuration runs: the last that gave an image */
static int64_t image_patch(const json_t *series, const json_t *build)
{
	int64_t last = (int64_t)json_array_size(
		json_object_get(series, "patches"));

	return json_get_int(build, "image_patch", last);
}

static void add_percent(const json_t *series, const json_t *job, json_t *cell)
{
	int64_t id = json_get_int(job, "id", 0), value, base;
	double most = 0, percent;
	bool any = false;
	json_t *m;
	size_t i;

	json_array_foreach(json_object_get(series, "measures"), i, m) {
		value = json_get_int(m, "value", 0);
		base = json_get_int(m, "base_value", 0);
		if (json_get_int(m, "job_id", 0) != id || !value || !base)
			continue;
		percent = 100.0 * (double)(value - base) / (double)base;
		if (!any || (percent < 0 ? -percent : percent) >
				    (most < 0 ? -most : most))
			most = percent;
		any = true;
	}
	if (any)
		json_object_set_new(cell, "percent", json_real(most));
}

static json_t *run_cell(const json_t *series, const struct column *col,
			int64_t number)
{
	const json_t *job = col->job;
	struct counts none = { 0 };
	json_t *cell;

	if (number != image_patch(series, col->build))
		return cell_new("na", NULL, none);
	cell = cell_new(job_cell(job), job,
			count_findings(json_object_get(series, "findings"), job,
				       -1));
	if (is_kind(job, "bench"))
		add_percent(series, job, cell);
	return cell;
}

static json_t *base_cell(const struct column *col)
{
	struct counts none = { 0 };

	return cell_new(job_cell(col->control), col->control, none);
}

static int kind_order(const json_t *job)
{
	static const char *const kinds[] = { "build", "boot", "test", "bench" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (is_kind(job, kinds[i]))
			return (int)i;
	}
	return -1;
}

/* Jobs come by architecture: put each architecture's in order of the stages. */
static json_t *column_jobs(const json_t *jobs)
{
	json_t *out = json_array(), *j;
	size_t from = 0, to, i, n = json_array_size(jobs);

	while (from < n) {
		const json_t *first = json_array_get(jobs, from);

		for (to = from; to < n; to++) {
			if (!same(json_array_get(jobs, to), first, "arch"))
				break;
		}
		for (int kind = 0; kind < 4; kind++) {
			for (i = from; i < to; i++) {
				j = json_array_get(jobs, i);
				if (kind_order(j) == kind)
					json_array_append(out, j);
			}
		}
		from = to;
	}
	return out;
}

static json_t *column_of(const json_t *job)
{
	static const char *const keys[] = { "kind", "arch", "kconfig",
					    "toolchain", "state" };
	json_t *c = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(c, keys[i], json_object_get(job, keys[i]));
	json_set_text(c, "label",
		      is_kind(job, "build") ?
			      json_get_str(job, "toolchain", "") :
			      json_get_str(job, "kind", ""));
	json_set_int(c, "job_id", json_get_int(job, "id", 0));
	return c;
}

static json_t *archs_of(const json_t *columns)
{
	json_t *out = json_array(), *last = NULL, *c;
	size_t i;

	json_array_foreach((json_t *)columns, i, c) {
		if (last && same(last, c, "arch")) {
			json_set_int(last, "span",
				     json_get_int(last, "span", 0) + 1);
			continue;
		}
		last = json_object();
		json_object_set(last, "arch", json_object_get(c, "arch"));
		json_set_int(last, "span", 1);
		json_array_append_new(out, last);
	}
	return out;
}

/* "base" is the build of the base. */
static struct column column_new(const json_t *series, const json_t *job)
{
	const json_t *jobs = json_object_get(series, "jobs");
	const json_t *controls = json_object_get(series, "controls");
	bool build = is_kind(job, "build");

	return (struct column){
		.job = job,
		.check = build ? find_job(jobs, job, "check") : NULL,
		.build = build ? job : find_job(jobs, job, "build"),
		.control = find_job(controls, job,
				    build ? "base" :
					    json_get_str(job, "kind", "")),
	};
}

static json_t *cell_of(const json_t *series, const struct column *col,
		       const json_t *patch)
{
	int64_t number = json_get_int(patch, "number", 0);

	if (!patch)
		return base_cell(col);
	if (is_kind(col->job, "build"))
		return build_cell(series, col, number);
	return run_cell(series, col, number);
}

static json_t *row_of(const json_t *series, const struct column *columns,
		      size_t n, const json_t *patch)
{
	json_t *row = json_object(), *cells = json_array();

	json_set_int(row, "number", json_get_int(patch, "number", 0));
	json_object_set(row, "title", json_object_get(patch, "title"));
	json_object_set(row, "message_id", json_object_get(patch, "message_id"));
	json_object_set(row, "fixup_by", json_object_get(patch, "from_name"));
	json_object_set_new(row, "cells", cells);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(cells, cell_of(series, &columns[i],
						     patch));
	return row;
}

static json_t *rows_of(const json_t *series, const json_t *jobs)
{
	size_t n = json_array_size(jobs), i;
	struct column *columns __free(kfree) = xcalloc(n, sizeof(*columns));
	json_t *rows = json_array(), *p;

	json_array_foreach((json_t *)jobs, i, p)
		columns[i] = column_new(series, p);
	json_array_append_new(rows, row_of(series, columns, n, NULL));
	json_array_foreach(json_object_get(series, "patches"), i, p)
		json_array_append_new(rows, row_of(series, columns, n, p));
	json_array_foreach(json_object_get(series, "fixups"), i, p) {
		if (!strcmp(json_get_str(p, "state", ""), "applied"))
			json_array_append_new(rows, row_of(series, columns, n,
							   p));
	}
	return rows;
}

void grid_add(json_t *series)
{
	json_t *jobs __free(json) =
		column_jobs(json_object_get(series, "jobs"));
	json_t *grid = json_object(), *columns = json_array(), *p;
	size_t i;

	json_array_foreach(jobs, i, p)
		json_array_append_new(columns, column_of(p));
	json_object_set_new(grid, "archs", archs_of(columns));
	json_object_set_new(grid, "columns", columns);
	json_object_set_new(grid, "rows", rows_of(series, jobs));
	json_object_set_new(series, "grid", grid);
}
