// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/grid.h"

#include <math.h>
#include <stdlib.h>
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

struct counts {
	int64_t errors;
	int64_t warnings;
};

/* What the series did in a job, at a patch; those folded under it included. */
struct found {
	int64_t job_id;
	int64_t number;
	struct counts n;
};

/* By how much a benchmark of a job differs from the base. */
struct change {
	int64_t job_id;
	double percent;
};

/**
 * struct facts - what cells are made of
 * @series: the value as a whole
 * @found, @changes: its findings and measures, taken apart once: to look their
 *	names up for each cell was most of the work of a large grid
 */
struct facts {
	const json_t *series;
	struct found *found;
	size_t n_found;
	struct change *changes;
	size_t n_changes;
};

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

/* A finding and those that are folded under it. */
static struct counts counts_of(const json_t *f)
{
	int64_t errors = json_get_int(f, "follow_errors", 0);
	struct counts n = {
		.errors = errors,
		.warnings = json_get_int(f, "follows", 0) - errors,
	};

	if (strcmp(json_get_str(f, "severity", ""), "error"))
		n.warnings++;
	else
		n.errors++;
	return n;
}

static size_t count_places(const json_t *findings)
{
	size_t n = 0, i;
	json_t *f;

	json_array_foreach((json_t *)findings, i, f)
		n += json_array_size(json_object_get(f, "places"));
	return n;
}

static void add_found(struct facts *facts, const json_t *f)
{
	struct found found = {
		.number = json_get_int(f, "number", -1),
		.n = counts_of(f),
	};
	json_t *place;
	size_t i;

	json_array_foreach(json_object_get(f, "places"), i, place) {
		found.job_id = json_get_int(place, "job_id", 0);
		facts->found[facts->n_found++] = found;
	}
}

static void add_change(struct facts *facts, const json_t *m)
{
	int64_t value = json_get_int(m, "value", 0);
	int64_t base = json_get_int(m, "base_value", 0);

	if (!value || !base)
		return;
	facts->changes[facts->n_changes++] = (struct change){
		.job_id = json_get_int(m, "job_id", 0),
		.percent = 100.0 * (double)(value - base) / (double)base,
	};
}

static void facts_init(struct facts *facts, const json_t *series)
{
	const json_t *findings = json_object_get(series, "findings");
	const json_t *measures = json_object_get(series, "measures");
	json_t *e;
	size_t i;

	*facts = (struct facts){
		.series = series,
		.found = xcalloc(count_places(findings),
				 sizeof(*facts->found)),
		.changes = xcalloc(json_array_size(measures),
				   sizeof(*facts->changes)),
	};
	json_array_foreach((json_t *)findings, i, e) {
		if (!strcmp(json_get_str(e, "blame", ""), "series"))
			add_found(facts, e);
	}
	json_array_foreach((json_t *)measures, i, e)
		add_change(facts, e);
}

static void facts_release(struct facts *facts)
{
	free(facts->found);
	free(facts->changes);
}
DEFINE_FREE(facts, struct facts, facts_release(&_T))

/* What this series did in @job; @number negative: at any patch. */
static struct counts count_found(const struct facts *facts, const json_t *job,
				 int64_t number)
{
	int64_t id = json_get_int(job, "id", 0);
	struct counts n = { 0 };

	for (size_t i = 0; i < facts->n_found; i++) {
		const struct found *f = &facts->found[i];

		if (f->job_id != id || (number >= 0 && f->number != number))
			continue;
		n.errors += f->n.errors;
		n.warnings += f->n.warnings;
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

static json_t *build_cell(const struct facts *facts, const struct column *col,
			  int64_t number)
{
	const json_t *job = col->job, *check = col->check;
	struct counts n = count_found(facts, job, number);
	struct counts c = count_found(facts, check, number);
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

/* The change that is furthest from none. */
static void add_percent(const struct facts *facts, const json_t *job,
			json_t *cell)
{
	int64_t id = json_get_int(job, "id", 0);
	const struct change *most = NULL;

	for (size_t i = 0; i < facts->n_changes; i++) {
		const struct change *c = &facts->changes[i];

		if (c->job_id != id)
			continue;
		if (!most || fabs(c->percent) > fabs(most->percent))
			most = c;
	}
	if (most)
		json_object_set_new(cell, "percent", json_real(most->percent));
}

static json_t *run_cell(const struct facts *facts, const struct column *col,
			int64_t number)
{
	const json_t *job = col->job;
	struct counts none = { 0 };
	json_t *cell;

	if (number != image_patch(facts->series, col->build))
		return cell_new("na", NULL, none);
	cell = cell_new(job_cell(job), job, count_found(facts, job, -1));
	if (is_kind(job, "bench"))
		add_percent(facts, job, cell);
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

static json_t *cell_of(const struct facts *facts, const struct column *col,
		       const json_t *patch)
{
	int64_t number = json_get_int(patch, "number", 0);

	if (!patch)
		return base_cell(col);
	if (is_kind(col->job, "build"))
		return build_cell(facts, col, number);
	return run_cell(facts, col, number);
}

static json_t *row_of(const struct facts *facts, const struct column *columns,
		      size_t n, const json_t *patch)
{
	json_t *row = json_object(), *cells = json_array();

	json_set_int(row, "number", json_get_int(patch, "number", 0));
	json_object_set(row, "title", json_object_get(patch, "title"));
	json_object_set(row, "message_id", json_object_get(patch, "message_id"));
	json_object_set(row, "fixup_by", json_object_get(patch, "from_name"));
	json_object_set_new(row, "cells", cells);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(cells, cell_of(facts, &columns[i],
						     patch));
	return row;
}

static json_t *rows_of(const json_t *series, const json_t *jobs)
{
	size_t n = json_array_size(jobs), i;
	struct column *columns __free(kfree) = xcalloc(n, sizeof(*columns));
	json_t *rows = json_array(), *p;
	struct facts facts __free(facts);

	facts_init(&facts, series);
	json_array_foreach((json_t *)jobs, i, p)
		columns[i] = column_new(series, p);
	json_array_append_new(rows, row_of(&facts, columns, n, NULL));
	json_array_foreach(json_object_get(series, "patches"), i, p)
		json_array_append_new(rows, row_of(&facts, columns, n, p));
	json_array_foreach(json_object_get(series, "fixups"), i, p) {
		if (!strcmp(json_get_str(p, "state", ""), "applied"))
			json_array_append_new(rows, row_of(&facts, columns, n,
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
