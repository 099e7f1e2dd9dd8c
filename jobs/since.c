// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/since.h"

#include <string.h>

#include "jobs/judge-private.h"
#include "lib/json.h"

static bool equal(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(json_get_str(a, key, ""), json_get_str(b, key, ""));
}

/* The run of the new version that is made as the one that saw @f was. */
static const json_t *same_run(const json_t *runs, const json_t *f)
{
	const json_t *run;
	size_t i;

	json_array_foreach((json_t *)runs, i, run) {
		if (equal(run, f, "kind") && equal(run, f, "arch") &&
		    equal(run, f, "kconfig") && equal(run, f, "toolchain"))
			return run;
	}
	return NULL;
}

/* "mm/mprotect.c" was compiled where "mm/mprotect.o" was tried. */
static bool is_object_of(const char *target, const char *file)
{
	size_t n = strlen(target), m = strlen(file);

	return n == m && n > 2 && !strcmp(file + m - 2, ".c") &&
	       !strcmp(target + n - 2, ".o") && !strncmp(target, file, n - 2);
}

/*
 * Without an error all that the change touches was built, and what was not is
 * as it was on the base. Behind an error only the units that were tried are
 * known.
 */
static bool build_saw(const json_t *result, const json_t *f)
{
	const json_t *patches = json_object_get(result, "patches"), *p, *u;
	size_t n = json_array_size(patches), i, k;

	if (n && !strcmp(json_get_str(json_array_get(patches, n - 1),
				      "outcome", ""), "passed"))
		return true;
	json_array_foreach(patches, i, p) {
		if (!json_get_int(p, "number", 0))
			continue;
		json_array_foreach(json_object_get(p, "units"), k, u) {
			if (is_object_of(json_get_str(u, "target", ""),
					 json_get_str(f, "file", "")))
				return true;
		}
	}
	return false;
}

/* The message of a test's finding is its name and how it ended. */
static bool test_saw(const json_t *result, const json_t *f)
{
	const char *message = json_get_str(f, "message", "");
	const char *blank = strrchr(message, ' ');
	size_t n = blank ? (size_t)(blank - message) : strlen(message), i;
	const json_t *t;

	json_array_foreach(json_object_get(result, "tests"), i, t) {
		const char *name = json_get_str(t, "name", "");

		if (strlen(name) == n && !strncmp(name, message, n) &&
		    strcmp(json_get_str(t, "status", ""), "skipped"))
			return true;
	}
	return false;
}

static bool saw(const json_t *run, const json_t *f)
{
	const json_t *result = judge_result(run, "results");
	const char *outcome = json_get_str(result, "outcome", "");
	const char *stage = json_get_str(f, "stage", "");

	if (!result || !strcmp(outcome, "errored") ||
	    !strcmp(outcome, "timed-out"))
		return false;
	if (!strcmp(stage, "build"))
		return build_saw(result, f);
	if (!strcmp(stage, "test") && json_array_size(
					      json_object_get(result, "tests")))
		return test_saw(result, f);
	return json_is_object(json_object_get(result, "boot"));
}

static const json_t *seen_again(const json_t *judgement, const json_t *f)
{
	const json_t *n;
	size_t i;

	json_array_foreach(json_object_get(judgement, "findings"), i, n) {
		if (equal(n, f, "fingerprint") && equal(n, f, "stage"))
			return n;
	}
	return NULL;
}

static json_t *add_fate(json_t *out, const json_t *f, const char *fate,
			const char *why)
{
	static const char *const keys[] = { "fingerprint", "stage", "number",
					    "severity", "file", "line",
					    "function", "message" };
	json_t *o = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(o, keys[i], json_object_get(f, keys[i]));
	json_set_text(o, "fate", fate);
	json_set_text(o, "why", why);
	json_array_append_new(out, o);
	return o;
}

static void say_not_run(const json_t *f, const json_t *run,
			struct strbuf *out)
{
	strbuf_setf(out, "%s on %s/%s/%s %s", json_get_str(f, "kind", ""),
		    json_get_str(f, "arch", ""), json_get_str(f, "kconfig", ""),
		    json_get_str(f, "toolchain", ""),
		    run ? "did not come as far" : "was not run");
}

static void old_fate(json_t *out, json_t *known, const json_t *f,
		     const json_t *judgement, const json_t *runs)
{
	const char *print = json_get_str(f, "fingerprint", "");
	const json_t *again = seen_again(judgement, f);
	const json_t *run = same_run(runs, f);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *fate = json_object_get(known, print);

	if (!fate) {
		fate = add_fate(out, f, again ? "still there" : "fixed", "");
		json_object_set(known, print, fate);
		if (again && strcmp(json_get_str(again, "blame", ""), "series"))
			json_set_text(fate, "why",
				      "no longer blamed on the series");
	}
	/* one of the places that saw it is enough to leave it open */
	if (again || (run && saw(run, f)))
		return;
	say_not_run(f, run, &why);
	json_set_text(fate, "fate", "not tested");
	json_set_text(fate, "why", why.buf);
}

json_t *since_fates(const json_t *older, const json_t *judgement,
		    const json_t *runs)
{
	json_t *out = json_array();
	json_t *known __free(json) = json_object(); /* fingerprint -> fate */
	const json_t *f;
	size_t i;

	json_array_foreach((json_t *)older, i, f)
		old_fate(out, known, f, judgement, runs);
	json_array_foreach(json_object_get(judgement, "findings"), i, f) {
		const char *print = json_get_str(f, "fingerprint", "");

		if (strcmp(json_get_str(f, "blame", ""), "series") ||
		    json_get_int(f, "leader", -1) >= 0 ||
		    json_object_get(known, print))
			continue;
		json_object_set(known, print, add_fate(out, f, "new", ""));
	}
	return out;
}

void since_say(const json_t *since, struct strbuf *out)
{
	int64_t fixed = 0, still = 0, untested = 0, new = 0;
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(since, "fates"), i, f) {
		const char *fate = json_get_str(f, "fate", "");

		fixed += !strcmp(fate, "fixed");
		still += !strcmp(fate, "still there");
		untested += !strcmp(fate, "not tested");
		new += !strcmp(fate, "new");
	}
	if (!(fixed + still + untested + new))
		return;
	strbuf_addf(out, "Findings since v%lld: %lld fixed, %lld still there, "
			 "%lld not tested, %lld new.\n",
		    (long long)json_get_int(since, "version", 0),
		    (long long)fixed, (long long)still, (long long)untested,
		    (long long)new);
}
