// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "jobs/judge-private.h"
#include "lib/json.h"
#include "runners/build-log.h"

/*
 * What the tree says after some patch: for each unit the diagnostics of its
 * last build. "units" is target -> {fingerprint: count}, "samples" fingerprint
 * -> the diagnostic as first seen. An incremental make prints only what it
 * rebuilds, so a patch replaces its units and leaves the others.
 */
struct snapshot {
	json_t *units;
	json_t *samples;
};

static bool counts_as_finding(const json_t *d)
{
	return strcmp(json_get_str(d, "severity", ""), "note") != 0;
}

static bool is_error(const json_t *d)
{
	return !strcmp(json_get_str(d, "severity", ""), "error");
}

static void bump(json_t *counts, const char *print)
{
	json_set_int(counts, print, json_get_int(counts, print, 0) + 1);
}

static json_t *count_unit(const json_t *unit, json_t *samples)
{
	json_t *counts = json_object(), *d;
	size_t i;

	json_array_foreach(json_object_get(unit, "diagnostics"), i, d) {
		char *print __free(kfree) = NULL;

		if (!counts_as_finding(d))
			continue;
		print = diag_fingerprint(d);
		bump(counts, print);
		if (!json_object_get(samples, print))
			json_object_set(samples, print, d);
	}
	return counts;
}

/*
 * A unit that failed may not have come to say all its warnings again: those it
 * had stay. Its errors are those of this build alone.
 */
static void keep_warnings(json_t *counts, const json_t *old,
			  const json_t *samples)
{
	const char *print;
	json_t *n;

	json_object_foreach((json_t *)old, print, n) {
		if (is_error(json_object_get(samples, print)))
			continue;
		if (json_get_int(counts, print, 0) < json_integer_value(n))
			json_object_set(counts, print, n);
	}
}

static void take_units(struct snapshot *s, const json_t *patch)
{
	json_t *unit;
	size_t i;

	json_array_foreach(json_object_get(patch, "units"), i, unit) {
		const char *target = json_get_str(unit, "target", "");
		json_t *counts = count_unit(unit, s->samples);
		const json_t *old = json_object_get(s->units, target);

		if (!strcmp(json_get_str(unit, "outcome", ""), "failed"))
			keep_warnings(counts, old, s->samples);
		json_object_set_new(s->units, target, counts);
	}
}

/* A header's warning comes from many units and is one fact: the maximum. */
static json_t *totals(const struct snapshot *s)
{
	json_t *all = json_object(), *counts, *n;
	const char *target, *print;

	json_object_foreach(s->units, target, counts) {
		json_object_foreach(counts, print, n) {
			if (json_get_int(all, print, 0) < json_integer_value(n))
				json_object_set(all, print, n);
		}
	}
	return all;
}

static const json_t *patch_of(const json_t *result, int64_t number)
{
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(result, "patches"), i, p) {
		if (json_get_int(p, "number", -1) == number)
			return p;
	}
	return NULL;
}

static json_t *finding_of(const json_t *d, const char *print, int64_t number)
{
	static const char *const text[] = { "tool", "severity", "option",
					    "file", "function", "message" };
	const json_t *detail = json_object_get(d, "detail");
	json_t *f = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(text); i++)
		json_set_text(f, text[i], json_get_str(d, text[i], ""));
	if (json_is_array(detail)) {
		struct strbuf lines __free(strbuf) = STRBUF_INIT;
		const json_t *l;
		size_t i;

		json_array_foreach(detail, i, l)
			strbuf_addf(&lines, "%s\n", json_string_value(l));
		json_set_text(f, "detail", lines.buf);
	} else {
		json_set_text(f, "detail", json_get_str(d, "detail", ""));
	}
	json_set_int(f, "line", json_get_int(d, "line", 0));
	json_set_int(f, "col", json_get_int(d, "col", 0));
	json_set_int(f, "number", number);
	json_set_text(f, "fingerprint", print);
	json_set_text(f, "stage", "build");
	return f;
}

/* What a fix-up brings is its author's, and nobody is told by mail. */
static const char *blame_of(const json_t *run, int64_t number)
{
	return number > json_get_int(run, "total", INT64_MAX) ? "fixup" :
								"series";
}

/* The first of the unit's own errors at this patch that leads the followers. */
static int64_t leader_in(const json_t *findings, size_t first,
			 const json_t *unit)
{
	const json_t *d, *f;
	size_t i, k;

	json_array_foreach(json_object_get(unit, "diagnostics"), i, d) {
		char *print __free(kfree) = NULL;

		if (!is_error(d) || json_get_bool(d, "follows", false))
			continue;
		print = diag_fingerprint(d);
		for (k = first; k < json_array_size(findings); k++) {
			f = json_array_get(findings, k);
			if (!strcmp(json_get_str(f, "fingerprint", ""), print))
				return (int64_t)k;
		}
	}
	return -1;
}

/* In the order in which they were printed, so that leaders come first. */
static void add_new(const json_t *run, const json_t *patch, int64_t number,
		    const json_t *before, const json_t *after, json_t *out)
{
	json_t *findings = json_object_get(out, "findings"), *unit, *d;
	json_t *seen __free(json) = json_object();
	size_t first = json_array_size(findings), i, k;

	json_array_foreach(json_object_get(patch, "units"), i, unit) {
		json_array_foreach(json_object_get(unit, "diagnostics"), k, d) {
			char *print __free(kfree) = diag_fingerprint(d);
			json_t *f;

			if (!counts_as_finding(d) ||
			    json_object_get(seen, print) ||
			    json_get_int(after, print, 0) <=
				    json_get_int(before, print, 0))
				continue;
			json_set_bool(seen, print, true);
			f = finding_of(d, print, number);
			json_set_text(f, "blame", blame_of(run, number));
			if (json_get_bool(d, "follows", false))
				json_set_int(f, "leader",
					     leader_in(findings, first, unit));
			judge_add(out, run, f);
		}
	}
}

/* What an earlier patch of the series brought and this one takes away. */
static void close_gone(const json_t *run, int64_t number, const json_t *before,
		       const json_t *after, json_t *out)
{
	json_t *f;
	size_t i;

	json_array_foreach(json_object_get(out, "findings"), i, f) {
		const char *print = json_get_str(f, "fingerprint", "");

		if (json_get_int(f, "job_id", 0) !=
			    json_get_int(run, "job_id", -1) ||
		    json_get_int(f, "until_number", 0))
			continue;
		if (json_get_int(after, print, 0) <
		    json_get_int(before, print, 0))
			json_set_int(f, "until_number", number);
	}
}

static void count_new(const json_t *out, size_t first, json_t *row)
{
	const json_t *findings = json_object_get(out, "findings");
	int64_t errors = 0, warnings = 0;

	for (size_t i = first; i < json_array_size(findings); i++) {
		if (is_error(json_array_get(findings, i)))
			errors++;
		else
			warnings++;
	}
	json_set_int(row, "errors", errors);
	json_set_int(row, "warnings", warnings);
}

static bool failed(const json_t *patch)
{
	return strcmp(json_get_str(patch, "outcome", ""), "passed") != 0;
}

/* make stopped and nobody said why: still a fact, and never a silent one. */
static void add_silent_failure(const json_t *run, int64_t number, json_t *out)
{
	json_t *f = json_object();

	json_set_text(f, "stage", "build");
	json_set_text(f, "blame", blame_of(run, number));
	json_set_text(f, "tool", "make");
	json_set_text(f, "severity", "error");
	json_set_text(f, "message", "the build stops without a diagnostic that "
				    "mmci understands, see the log");
	json_set_text(f, "fingerprint", "silent-build-failure");
	json_set_int(f, "number", number);
	judge_add(out, run, f);
}

static json_t *judge_patch(const json_t *run, struct snapshot *s,
			   const json_t *patch, bool was_failing, json_t *out)
{
	size_t first = json_array_size(json_object_get(out, "findings"));
	int64_t number = json_get_int(patch, "number", 0);
	json_t *before __free(json) = totals(s);
	json_t *after __free(json) = NULL;
	json_t *row = json_object();

	take_units(s, patch);
	after = totals(s);
	close_gone(run, number, before, after, out);
	add_new(run, patch, number, before, after, out);
	if (failed(patch) && !was_failing &&
	    json_array_size(json_object_get(out, "findings")) == first)
		add_silent_failure(run, number, out);

	json_set_int(row, "number", number);
	json_set_text(row, "outcome", failed(patch) ? "fails" : "builds");
	count_new(out, first, row);
	return row;
}

void judge_build(const json_t *run, json_t *out)
{
	const json_t *result = judge_result(run, "results");
	const json_t *base = patch_of(judge_result(run, "control"), 0);
	json_t *place = judge_place(run), *rows = json_array();
	struct snapshot s = { json_object(), json_object() };
	bool was_failing = base && failed(base);
	const json_t *patch;
	size_t i;

	if (base)
		take_units(&s, base);
	json_array_foreach(json_object_get(result, "patches"), i, patch) {
		if (!json_get_int(patch, "number", 0))
			continue;
		json_array_append_new(rows, judge_patch(run, &s, patch,
							was_failing, out));
		was_failing = failed(patch);
	}
	json_set_bool(place, "base_builds", base && !failed(base));
	json_object_set_new(place, "patches", rows);
	json_array_append_new(json_object_get(out, "builds"), place);
	json_decref(s.units);
	json_decref(s.samples);
}
