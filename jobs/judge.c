// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/judge.h"

#include <string.h>

#include "jobs/coverage.h"
#include "jobs/judge-private.h"
#include "lib/json.h"

json_t *judge_place(const json_t *run)
{
	json_t *o = json_object();

	json_set_int(o, "job_id", json_get_int(run, "job_id", 0));
	json_set_text(o, "arch", json_get_str(run, "arch", ""));
	json_set_text(o, "kconfig", json_get_str(run, "kconfig", ""));
	json_set_text(o, "toolchain", json_get_str(run, "toolchain", ""));
	return o;
}

const json_t *judge_result(const json_t *run, const char *key)
{
	const json_t *first = json_array_get(json_object_get(run, key), 0);
	const json_t *result = json_object_get(first, "result");

	return json_is_object(result) ? result : NULL;
}

void judge_add(json_t *out, const json_t *run, json_t *f)
{
	const json_t *first = json_array_get(json_object_get(run, "results"),
					     0);
	json_t *place __free(json) = judge_place(run);

	json_object_update(f, place);
	json_set_int(f, "attempt_id", json_get_int(first, "id", 0));
	json_array_append_new(json_object_get(out, "findings"), f);
}

static void add_untested(const json_t *run, json_t *out)
{
	struct strbuf what __free(strbuf) = STRBUF_INIT;
	const char *why = json_get_str(run, "state_why", "");
	json_t *o = json_object();

	strbuf_addf(&what, "%s on %s/%s/%s", json_get_str(run, "kind", ""),
		    json_get_str(run, "arch", ""),
		    json_get_str(run, "kconfig", ""),
		    json_get_str(run, "toolchain", ""));
	json_set_text(o, "what", what.buf);
	json_set_text(o, "why", *why ? why : json_get_str(run, "state", ""));
	json_set_text(o, "state", json_get_str(run, "state", ""));
	json_array_append_new(json_object_get(out, "untested"), o);
}

static const json_t *first_finding(const json_t *out, const char *severity)
{
	const json_t *best = NULL, *f;
	size_t i;

	json_array_foreach(json_object_get(out, "findings"), i, f) {
		if (strcmp(json_get_str(f, "blame", ""), "series") ||
		    strcmp(json_get_str(f, "severity", ""), severity) ||
		    json_get_int(f, "leader", -1) >= 0)
			continue;
		if (!best || json_get_int(f, "number", 0) <
				     json_get_int(best, "number", 0))
			best = f;
	}
	return best;
}

static void say_where(const json_t *f, struct strbuf *out)
{
	const char *file = json_get_str(f, "file", "");

	if (*file)
		strbuf_addf(out, "%s:%lld: ", file,
			    (long long)json_get_int(f, "line", 0));
	strbuf_addstr(out, json_get_str(f, "message", ""));
}

static void say_patch(const json_t *input, const json_t *f, struct strbuf *out)
{
	size_t total = json_array_size(json_object_get(input, "patches"));
	long long n = json_get_int(f, "number", 0);

	if (n)
		strbuf_addf(out, "patch %lld/%zu, ", n, total);
}

static bool any_state(const json_t *out, const char *a, const char *b)
{
	const json_t *u;
	size_t i;

	json_array_foreach(json_object_get(out, "untested"), i, u) {
		const char *state = json_get_str(u, "state", "");

		if (!strcmp(state, a) || !strcmp(state, b))
			return true;
	}
	return false;
}

static bool any_unsure(const json_t *out)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(out, "findings"), i, f) {
		if (!strcmp(json_get_str(f, "blame", ""), "unknown"))
			return true;
	}
	return false;
}

static void conclude(const json_t *input, json_t *out)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	const json_t *f = first_finding(out, "error");
	const char *verdict;

	if (f) {
		const char *stage = json_get_str(f, "stage", "");

		verdict = "broken";
		strbuf_addf(&why, "%s on %s: ",
			    !strcmp(stage, "build") ? "does not build" :
			    !strcmp(stage, "test") ? "breaks a selftest" :
			    !strcmp(stage, "boot") ? "does not boot" :
						     "fails",
			    json_get_str(f, "arch", ""));
		say_patch(input, f, &why);
		say_where(f, &why);
	} else if ((f = first_finding(out, "warning"))) {
		verdict = "warns";
		strbuf_addstr(&why, "builds with a new warning: ");
		say_patch(input, f, &why);
		say_where(f, &why);
	} else if (!json_array_size(json_object_get(input, "runs"))) {
		verdict = "unknown";
		strbuf_addstr(&why, "nothing was run");
	} else if (any_state(out, "errored", "timed-out")) {
		verdict = "unknown";
		strbuf_addstr(&why, "not everything could be run, which is not "
				    "the fault of the series");
	} else if (json_array_size(json_object_get(out, "untested"))) {
		verdict = "unknown";
		strbuf_addstr(&why, "not everything was run");
	} else if (any_unsure(out)) {
		verdict = "unknown";
		strbuf_addstr(&why, "something failed that could not be held "
				    "against the base");
	} else {
		verdict = "clean";
		strbuf_addstr(&why, "nothing new found");
	}
	json_set_text(out, "verdict", verdict);
	json_set_text(out, "why", why.buf);
}

static bool usable(const json_t *run)
{
	const char *state = json_get_str(run, "state", "");

	return (!strcmp(state, "passed") || !strcmp(state, "failed")) &&
	       judge_result(run, "results");
}

/* A check that has had its first look and waits for the rest. */
static bool has_looked(const json_t *run)
{
	return json_get_bool(judge_result(run, "results"), "partial", false);
}

static bool is_kind(const json_t *run, const char *kind)
{
	return !strcmp(json_get_str(run, "kind", ""), kind);
}

/* The run of another kind in the same place. */
static const json_t *sibling(const json_t *input, const json_t *run,
			     const char *kind)
{
	static const char *const keys[] = { "arch", "kconfig", "toolchain" };
	const json_t *s;
	size_t i, k;

	json_array_foreach(json_object_get(input, "runs"), i, s) {
		if (!is_kind(s, kind))
			continue;
		for (k = 0; k < ARRAY_SIZE(keys); k++) {
			if (strcmp(json_get_str(s, keys[k], ""),
				   json_get_str(run, keys[k], "")))
				break;
		}
		if (k == ARRAY_SIZE(keys))
			return s;
	}
	return NULL;
}

void judge(const json_t *input, json_t **ret)
{
	static const char *const lists[] = { "findings", "builds", "boots",
					     "tests", "benchmarks",
					     "untested" };
	json_t *out = json_object();
	const json_t *run;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		json_object_set_new(out, lists[i], json_array());
	json_array_foreach(json_object_get(input, "runs"), i, run) {
		const json_t *check = NULL;

		if (is_kind(run, "check") && usable(sibling(input, run,
							    "build")))
			continue; /* that one's turn is theirs */
		if (!usable(run)) {
			add_untested(run, out);
			if (has_looked(run))
				judge_build(NULL, run, out);
		} else if (is_kind(run, "check")) {
			judge_build(NULL, run, out);
		} else if (is_kind(run, "build")) {
			check = sibling(input, run, "check");
			judge_build(run, usable(check) ? check : NULL, out);
		} else {
			judge_guest(run, out);
		}
	}
	json_object_set_new(out, "coverage",
			    coverage_of(json_object_get(input, "derived"),
					json_object_get(input, "runs")));
	conclude(input, out);
	*ret = out;
}
