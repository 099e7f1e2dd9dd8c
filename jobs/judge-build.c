// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "jobs/judge.h"
#include "jobs/judge-private.h"
#include "lib/json.h"
#include "runners/build-log.h"

/*
 * What the tree says after some patch: for each unit the diagnostics of its
 * last build. "units" is target -> {fingerprint: count}, "samples" fingerprint
 * -> the diagnostic as first seen. An incremental make prints only what it
 * rebuilds, so a patch replaces its units and leaves the others.
 *
 * The front end alone does not say all that a build says. In the snapshots of a
 * check, "said" is "TARGET FINGERPRINT" -> true for what it was seen to say of
 * the series; anything else that the base's build said is taken to be there
 * still. NULL in those of a build.
 */
struct snapshot {
	json_t *units;
	json_t *samples;
	json_t *said;
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

static void keep_unsaid(struct snapshot *s, const char *target, json_t *counts,
			const json_t *old)
{
	const char *print;
	json_t *n;

	json_object_foreach(counts, print, n) {
		char *key __free(kfree) = xasprintf("%s %s", target, print);

		json_set_bool(s->said, key, true);
	}
	json_object_foreach((json_t *)old, print, n) {
		char *key __free(kfree) = xasprintf("%s %s", target, print);

		if (!json_object_get(s->said, key))
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
		if (s->said)
			keep_unsaid(s, target, counts, old);
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

static bool failed(const json_t *patch)
{
	return strcmp(json_get_str(patch, "outcome", ""), "passed") != 0;
}

static bool is_run(const json_t *run)
{
	return run && judge_result(run, "results");
}

/*
 * The patches of a run in order, each as {number, patch (borrowed from the
 * result), before, after: {fingerprint: count}, from: the number before it}.
 */
static void add_step(struct snapshot *s, json_t *patch, int64_t from,
		     json_t *steps)
{
	json_t *step = json_object();

	json_set_int(step, "number", json_get_int(patch, "number", 0));
	json_set_int(step, "from", from);
	json_object_set(step, "patch", patch);
	json_object_set_new(step, "before", totals(s));
	take_units(s, patch);
	json_object_set_new(step, "after", totals(s));
	json_array_append_new(steps, step);
}

static void snapshot_init(struct snapshot *s, const json_t *base, bool front_end)
{
	s->units = json_object();
	s->samples = json_object();
	s->said = NULL;
	if (base)
		take_units(s, base);
	if (front_end)
		s->said = json_object();
}

static void snapshot_release(struct snapshot *s)
{
	json_decref(s->units);
	json_decref(s->samples);
	json_decref(s->said);
}

/* A build of one patch in between stands between two others from now on. */
static void insert_step(json_t *steps, json_t *step)
{
	int64_t number = json_get_int(step, "number", 0);
	size_t at = 0, n = json_array_size(steps);
	json_t *prev, *next;

	while (at < n && json_get_int(json_array_get(steps, at), "number", 0) <
				 number)
		at++;
	next = json_array_get(steps, at);
	if (!number || (next && json_get_int(next, "number", 0) == number))
		return;
	prev = at ? json_array_get(steps, at - 1) : NULL;
	if (prev) {
		json_object_set(step, "before", json_object_get(prev, "after"));
		json_object_set(step, "from", json_object_get(prev, "number"));
	}
	if (next) {
		json_object_set(next, "before", json_object_get(step, "after"));
		json_set_int(next, "from", number);
	}
	json_array_insert(steps, at, step);
}

/* Each was built on the base itself, not on the patch before it. */
static void add_bisected(const json_t *run, const json_t *base, json_t *steps)
{
	const json_t *point;
	json_t *patch;
	size_t i, k;

	json_array_foreach(json_object_get(run, "bisect"), i, point) {
		const json_t *result = judge_result(point, "results");

		json_array_foreach(json_object_get(result, "patches"), k,
				   patch) {
			json_t *one __free(json) = json_array();
			struct snapshot s;

			snapshot_init(&s, base, false);
			add_step(&s, patch, 0, one);
			insert_step(steps, json_array_get(one, 0));
			snapshot_release(&s);
		}
	}
}

static json_t *steps_of(const json_t *run, bool front_end)
{
	const json_t *base = patch_of(judge_result(run, "control"), 0);
	json_t *steps = json_array(), *patch;
	struct snapshot s;
	int64_t from = 0;
	size_t i;

	if (!is_run(run))
		return steps;
	snapshot_init(&s, base, front_end);
	json_array_foreach(json_object_get(judge_result(run, "results"),
					   "patches"), i, patch) {
		/* the base in the config of this very job: its control */
		if (!json_get_int(patch, "number", 0)) {
			take_units(&s, patch);
			continue;
		}
		add_step(&s, patch, from, steps);
		from = json_get_int(patch, "number", 0);
	}
	snapshot_release(&s);
	if (!front_end)
		add_bisected(run, base, steps);
	return steps;
}

static const json_t *step_at(const json_t *steps, int64_t number)
{
	const json_t *s;
	size_t i;

	json_array_foreach((json_t *)steps, i, s) {
		if (json_get_int(s, "number", 0) >= number)
			return s;
	}
	return NULL;
}

/** struct judging - one place on its way to its findings */
struct judging {
	const json_t *build; /* run, or NULL */
	const json_t *check; /* run, or NULL */
	json_t *built; /* steps */
	json_t *checked; /* steps */
	json_t *out;
	size_t first; /* of the findings of this place */
};

/* Index of the finding of this place with @print that starts in (from, to] */
static int64_t find_print(const struct judging *j, const char *print,
			  int64_t from, int64_t to)
{
	const json_t *all = json_object_get(j->out, "findings");

	for (size_t i = j->first; i < json_array_size(all); i++) {
		const json_t *f = json_array_get(all, i);
		int64_t number = json_get_int(f, "number", 0);

		if (number > from && number <= to &&
		    !strcmp(json_get_str(f, "fingerprint", ""), print))
			return (int64_t)i;
	}
	return -1;
}

/* The first of the unit's own errors at this patch that leads the followers. */
static int64_t leader_in(const struct judging *j, const json_t *step,
			 const json_t *unit)
{
	const json_t *d;
	size_t i;

	json_array_foreach(json_object_get(unit, "diagnostics"), i, d) {
		char *print __free(kfree) = NULL;
		int64_t at;

		if (!is_error(d) || json_get_bool(d, "follows", false))
			continue;
		print = diag_fingerprint(d);
		at = find_print(j, print, json_get_int(step, "from", 0),
				json_get_int(step, "number", 0));
		if (at >= 0)
			return at;
	}
	return -1;
}

/*
 * A check uses the commands of the base. From the first patch on that may have
 * changed them it has to be confirmed by a build; and where the build of the
 * very patch, or of the next one that was built, passes without a word, the
 * check was wrong. NULL: it was; else whom to blame.
 */
static const char *confirmed(const struct judging *j, const char *print,
			     int64_t number, bool unsure)
{
	const json_t *step = step_at(j->built, number), *check;
	size_t i;

	/* does the check itself see it go before? */
	json_array_foreach(j->checked, i, check) {
		int64_t at = json_get_int(check, "number", 0);

		if (at > number && at <= json_get_int(step, "number", 0) &&
		    !json_get_int(json_object_get(check, "after"), print, 0))
			step = NULL;
	}
	if (!step)
		return unsure ? "unknown" : blame_of(j->check, number);
	if (json_get_int(json_object_get(step, "after"), print, 0))
		return blame_of(j->check, number);
	if (!failed(json_object_get(step, "patch")))
		return NULL;
	return unsure ? "unknown" : blame_of(j->check, number);
}

static void add_finding(struct judging *j, const json_t *run,
			const json_t *step, const json_t *unit, const json_t *d,
			const char *print, const char *blame)
{
	int64_t number = json_get_int(step, "number", 0);
	int64_t from = json_get_int(step, "from", 0);
	/* a first look left this unit out from there on */
	int64_t unlooked = json_get_int(unit, "unlooked", 0);
	json_t *f = finding_of(d, print, number);

	if (unlooked && unlooked <= from)
		from = unlooked - 1;
	json_set_text(f, "blame", blame);
	/* nobody looked at the patches in between */
	if (from < number - 1)
		json_set_int(f, "after", from);
	if (json_get_bool(d, "follows", false))
		json_set_int(f, "leader", leader_in(j, step, unit));
	judge_add(j->out, run, f);
}

/* In the order in which they were printed, so that leaders come first. */
static void add_new(struct judging *j, const json_t *run, const json_t *step,
		    bool unsure)
{
	const json_t *patch = json_object_get(step, "patch");
	const json_t *before = json_object_get(step, "before");
	const json_t *after = json_object_get(step, "after");
	int64_t number = json_get_int(step, "number", 0);
	int64_t from = json_get_int(step, "from", 0);
	json_t *seen __free(json) = json_object(), *unit, *d;
	size_t i, k;

	json_array_foreach(json_object_get(patch, "units"), i, unit) {
		json_array_foreach(json_object_get(unit, "diagnostics"), k, d) {
			char *print __free(kfree) = diag_fingerprint(d);
			const char *blame = blame_of(run, number);

			if (!counts_as_finding(d) ||
			    json_object_get(seen, print) ||
			    json_get_int(after, print, 0) <=
				    json_get_int(before, print, 0))
				continue;
			json_set_bool(seen, print, true);
			if (run == j->check)
				blame = confirmed(j, print, number, unsure);
			else if (find_print(j, print, from, number) >= 0)
				continue; /* the check said so */
			if (blame)
				add_finding(j, run, step, unit, d, print,
					    blame);
		}
	}
}

/*
 * What an earlier patch of the series brought and this one takes away, whether
 * it was the check or the build that saw it come.
 */
static void close_gone(struct judging *j, const json_t *step)
{
	int64_t number = json_get_int(step, "number", 0);
	json_t *all = json_object_get(j->out, "findings");

	for (size_t i = j->first; i < json_array_size(all); i++) {
		json_t *f = json_array_get(all, i);
		const char *print = json_get_str(f, "fingerprint", "");

		if (json_get_int(f, "until_number", 0) ||
		    json_get_int(f, "number", 0) >= number)
			continue;
		if (json_get_int(json_object_get(step, "after"), print, 0) <
		    json_get_int(json_object_get(step, "before"), print, 0))
			json_set_int(f, "until_number", number);
	}
}

static bool any_error_in(const struct judging *j, int64_t from, int64_t to)
{
	const json_t *all = json_object_get(j->out, "findings");

	for (size_t i = j->first; i < json_array_size(all); i++) {
		const json_t *f = json_array_get(all, i);
		int64_t number = json_get_int(f, "number", 0);

		if (number > from && number <= to && is_error(f))
			return true;
	}
	return false;
}

/* make stopped and nobody said why: still a fact, and never a silent one. */
static void add_silent_failure(struct judging *j, const json_t *run,
			       int64_t number)
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
	judge_add(j->out, run, f);
}

static void judge_checked(struct judging *j)
{
	bool unsure = false;
	const json_t *step;
	size_t i;

	json_array_foreach(j->checked, i, step) {
		unsure |= json_get_str(json_object_get(step, "patch"),
				       "unjudged", NULL) != NULL;
		close_gone(j, step);
		add_new(j, j->check, step, unsure);
	}
}

static void judge_built(struct judging *j, bool was_failing)
{
	const json_t *step;
	size_t i;

	json_array_foreach(j->built, i, step) {
		int64_t number = json_get_int(step, "number", 0);
		bool fails = failed(json_object_get(step, "patch"));

		close_gone(j, step);
		add_new(j, j->build, step, false);
		if (fails && !was_failing &&
		    !any_error_in(j, json_get_int(step, "from", 0), number))
			add_silent_failure(j, j->build, number);
		was_failing = fails;
	}
}

static json_t *row_of(const struct judging *j, const json_t *step,
		      const char *stage)
{
	const json_t *all = json_object_get(j->out, "findings");
	int64_t number = json_get_int(step, "number", 0);
	int64_t errors = 0, warnings = 0;
	json_t *row = json_object();

	for (size_t i = j->first; i < json_array_size(all); i++) {
		const json_t *f = json_array_get(all, i);

		if (json_get_int(f, "number", 0) != number)
			continue;
		if (is_error(f))
			errors++;
		else
			warnings++;
	}
	json_set_int(row, "number", number);
	json_set_text(row, "stage", stage);
	json_set_text(row, "outcome", failed(json_object_get(step, "patch")) ?
					      "fails" : "builds");
	json_set_int(row, "errors", errors);
	json_set_int(row, "warnings", warnings);
	return row;
}

/* One row per patch: of its build, or of its check where that had to do. */
static json_t *rows_of(const struct judging *j)
{
	json_t *rows = json_array();
	size_t b = 0, c = 0;

	for (;;) {
		const json_t *built = json_array_get(j->built, b);
		const json_t *checked = json_array_get(j->checked, c);
		int64_t nb = json_get_int(built, "number", INT64_MAX);
		int64_t nc = json_get_int(checked, "number", INT64_MAX);

		if (!built && !checked)
			return rows;
		if (nb <= nc)
			json_array_append_new(rows, row_of(j, built, "build"));
		else
			json_array_append_new(rows, row_of(j, checked,
							   "check"));
		b += nb <= nc;
		c += nc <= nb;
	}
}

/* Does the base say why it fails, so that the same can be told from new? */
static bool has_error(const json_t *patch)
{
	const json_t *unit, *d;
	size_t i, k;

	json_array_foreach(json_object_get(patch, "units"), i, unit) {
		json_array_foreach(json_object_get(unit, "diagnostics"), k, d) {
			if (is_error(d))
				return true;
		}
	}
	return false;
}

/*
 * A base that was not built, not even begun, says nothing of what is new; one
 * that fails in silence says nothing of which errors are.
 */
static void doubt(const struct judging *j, const json_t *base)
{
	json_t *all = json_object_get(j->out, "findings");

	if (base && (!failed(base) || has_error(base)))
		return;
	for (size_t i = j->first; i < json_array_size(all); i++) {
		json_t *f = json_array_get(all, i);

		if (!strcmp(json_get_str(f, "blame", ""), "series") &&
		    (!base || is_error(f)))
			json_set_text(f, "blame", "unknown");
	}
}

void judge_build(const json_t *build, const json_t *check, json_t *out)
{
	const json_t *run = is_run(build) ? build : check;
	const json_t *base = patch_of(judge_result(run, "control"), 0);
	json_t *place = judge_place(run);
	struct judging j = {
		.build = build, .check = check, .out = out,
		.built = steps_of(build, false),
		.checked = steps_of(check, true),
		.first = json_array_size(json_object_get(out, "findings")),
	};

	judge_checked(&j);
	judge_built(&j, base && failed(base));
	doubt(&j, base);
	json_set_bool(place, "base_builds", base && !failed(base));
	json_object_set_new(place, "patches", rows_of(&j));
	json_array_append_new(json_object_get(out, "builds"), place);
	json_decref(j.built);
	json_decref(j.checked);
}

int64_t judge_build_next(const json_t *build, const json_t *check)
{
	json_t *out __free(json) = json_pack("{s:[],s:[]}", "findings",
					     "builds");
	const json_t *f, *point;
	size_t i;

	if (!is_run(build))
		return 0;
	json_array_foreach(json_object_get(build, "bisect"), i, point) {
		if (json_get_bool(point, "open", false))
			return 0;
	}
	judge_build(build, is_run(check) ? check : NULL, out);
	json_array_foreach(json_object_get(out, "findings"), i, f) {
		int64_t number = json_get_int(f, "number", 0), at;
		bool tried = false;
		size_t k;

		if (!json_object_get(f, "after") ||
		    strcmp(json_get_str(f, "blame", ""), "series"))
			continue;
		at = (json_get_int(f, "after", 0) + number) / 2;
		json_array_foreach(json_object_get(build, "bisect"), k, point)
			tried |= json_get_int(point, "upto", 0) == at;
		if (!tried)
			return at;
	}
	return 0;
}
