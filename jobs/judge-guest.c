// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "jobs/flake.h"
#include "jobs/judge-bench.h"
#include "jobs/judge-private.h"
#include "jobs/judge.h"
#include "lib/hash.h"
#include "lib/json.h"

static json_t *guest_finding(const char *stage, const char *tool,
			     const char *severity, const char *message)
{
	struct strbuf id __free(strbuf) = STRBUF_INIT;
	char hex[HASH_HEX_LEN + 1];
	json_t *f = json_object();

	strbuf_addf(&id, "%s\n%s\n%s", stage, tool, message);
	json_set_text(f, "stage", stage);
	json_set_text(f, "tool", tool);
	json_set_text(f, "severity", severity);
	json_set_text(f, "message", message);
	json_set_text(f, "fingerprint", hash_hex(id.buf, id.len, hex));
	json_set_int(f, "number", 0);
	return f;
}

static const char *boot_outcome(const json_t *result)
{
	return json_get_str(json_object_get(result, "boot"), "outcome", "");
}

static void join_lines(const json_t *lines, size_t most, struct strbuf *out)
{
	const json_t *l;
	size_t i;

	json_array_foreach(lines, i, l) {
		if (i >= most)
			break;
		strbuf_addf(out, "%s\n", json_string_value(l));
	}
}

static bool has_title(const json_t *result, const char *title)
{
	const json_t *boot = json_object_get(result, "boot"), *r;
	size_t i;

	json_array_foreach(json_object_get(boot, "reports"), i, r) {
		if (!strcmp(json_get_str(r, "title", ""), title))
			return true;
	}
	return false;
}

/**
 * struct symptom - one thing that went wrong, to be looked for in other runs
 * @is_bad: does a result show it?
 * @ran: can a result show it at all?
 * @key: title of a report or name of a test
 */
struct symptom {
	bool (*is_bad)(const json_t *result, const struct symptom *s);
	bool (*ran)(const json_t *result, const struct symptom *s);
	const json_t *key;
};

static bool always(const json_t *result, const struct symptom *s)
{
	return json_is_object(result);
}

static bool report_is_there(const json_t *result, const struct symptom *s)
{
	return has_title(result, json_get_str(s->key, "title", ""));
}

static bool boot_is_bad(const json_t *result, const struct symptom *s)
{
	return strcmp(boot_outcome(result), "ok") != 0;
}

static const json_t *test_of(const json_t *result, const json_t *like)
{
	const json_t *t;
	size_t i;

	json_array_foreach(json_object_get(result, "tests"), i, t) {
		if (!strcmp(json_get_str(t, "suite", ""),
			    json_get_str(like, "suite", "")) &&
		    !strcmp(json_get_str(t, "name", ""),
			    json_get_str(like, "name", "")))
			return t;
	}
	return NULL;
}

static bool test_is(const json_t *t, const char *status)
{
	return t && !strcmp(json_get_str(t, "status", ""), status);
}

static bool test_is_bad(const json_t *t)
{
	return test_is(t, "failed") || test_is(t, "crashed") ||
	       test_is(t, "timed-out");
}

static bool this_test_is_bad(const json_t *result, const struct symptom *s)
{
	return test_is_bad(test_of(result, s->key));
}

static bool this_test_ran(const json_t *result, const struct symptom *s)
{
	const json_t *t = test_of(result, s->key);

	return t && !test_is(t, "skipped");
}

static void count(const json_t *attempts, const struct symptom *s,
		  int64_t *runs, int64_t *bad)
{
	const json_t *a;
	size_t i;

	json_array_foreach(attempts, i, a) {
		const json_t *result = json_object_get(a, "result");

		if (!s->ran(result, s))
			continue;
		*runs += 1;
		*bad += s->is_bad(result, s);
	}
}

static void say_counts(json_t *f, const struct flake_counts *c, bool sure)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	const char *detail = json_get_str(f, "detail", "");

	strbuf_addf(&sb, "%lld of %lld runs, %lld of %lld on the base",
		    (long long)c->bad, (long long)c->runs,
		    (long long)c->base_bad, (long long)c->base_runs);
	if (sure)
		strbuf_addf(&sb, "; by chance in %.2g %% of cases",
			    flake_chance(c) * 100);
	json_set_text(f, "runs", sb.buf);
	if (*detail)
		strbuf_addf(&sb, "\n%s", detail);
	json_set_text(f, "detail", sb.buf);
}

static bool is_tried(const json_t *bisect, int64_t at)
{
	const json_t *b;
	size_t i;

	json_array_foreach(bisect, i, b) {
		if (json_get_int(b, "upto", 0) == at)
			return true;
	}
	return false;
}

/* The untried patch nearest to the middle between @lo and @hi, 0: none. */
static int64_t next_between(const json_t *bisect, int64_t lo, int64_t hi)
{
	int64_t mid = lo + (hi - lo) / 2;

	for (int64_t d = 0; d < hi - lo; d++) {
		if (mid + d < hi && !is_tried(bisect, mid + d))
			return mid + d;
		if (mid - d > lo && !is_tried(bisect, mid - d))
			return mid - d;
	}
	return 0;
}

/*
 * At which patch does it begin? The base is good, the kernel that was run is
 * bad, and runs of kernels in between say where the change lies.
 */
static void find_patch(const json_t *run, const struct symptom *s, json_t *f)
{
	const json_t *bisect = json_object_get(run, "bisect"), *b;
	int64_t lo = 0, hi = json_get_int(run, "image_patch", 0), next;
	int64_t total = json_get_int(run, "total", 0);
	size_t i;

	json_array_foreach(bisect, i, b) {
		int64_t at = json_get_int(b, "upto", 0);
		int64_t runs = 0, bad = 0;

		if (json_get_bool(b, "open", false))
			return; /* its answer is on the way */
		count(json_object_get(b, "results"), s, &runs, &bad);
		if (bad)
			hi = min(hi, at);
		else if (runs && at < hi)
			lo = max(lo, at);
	}
	if (hi <= 0)
		return;
	next = next_between(bisect, lo, hi);
	if (next) {
		json_set_int(f, "bisect_at", next);
		return;
	}
	/* what lies between gives no kernel, so it cannot be at fault alone */
	json_set_int(f, "number", hi);
	if (total && hi > total)
		json_set_text(f, "blame", "fixup");
}

/* Whose it is, how sure that is, and since which patch. */
static void judge_symptom(const json_t *run, const struct symptom *s,
			  bool is_crash, json_t *f)
{
	struct flake_counts c = { 0 };

	count(json_object_get(run, "results"), s, &c.runs, &c.bad);
	count(json_object_get(run, "control"), s, &c.base_runs, &c.base_bad);
	switch (flake_decide(&c)) {
	case FLAKE_SERIES:
		json_set_text(f, "blame", "series");
		find_patch(run, s, f);
		break;
	case FLAKE_BASE:
		json_set_text(f, "blame", "base");
		break;
	case FLAKE_FLAKY:
		/* a crash is a crash, however seldom it comes */
		json_set_text(f, "blame", is_crash ? "unknown" : "flaky");
		break;
	case FLAKE_OPEN:
		json_set_text(f, "blame", "unknown");
		json_set_bool(f, "open", c.base_runs > 0);
		break;
	}
	json_set_int(f, "n_runs", c.runs);
	json_set_int(f, "n_base_runs", c.base_runs);
	say_counts(f, &c, c.base_runs && c.runs > 1);
}

static void add_report(const json_t *run, const json_t *r, json_t *out)
{
	struct symptom s = { report_is_there, always, r };
	struct strbuf lines __free(strbuf) = STRBUF_INIT;
	json_t *f = guest_finding(json_get_str(run, "kind", "boot"), "kernel",
				  "error", json_get_str(r, "title", ""));

	join_lines(json_object_get(r, "lines"), 20, &lines);
	json_set_text(f, "detail", lines.buf);
	judge_symptom(run, &s, true, f);
	judge_add(out, run, f);
}

/* True the first time it is called for @name. */
static bool is_new(json_t *seen, const char *name)
{
	bool fresh = !json_object_get(seen, name);

	json_set_bool(seen, name, true);
	return fresh;
}

/* Kernel reports of every attempt, each title once. */
static size_t judge_reports(const json_t *run, json_t *out)
{
	const json_t *attempts = json_object_get(run, "results"), *a, *r;
	json_t *seen __free(json) = json_object();
	size_t i, k;

	json_array_foreach(attempts, i, a) {
		const json_t *boot = json_object_get(
			json_object_get(a, "result"), "boot");

		json_array_foreach(json_object_get(boot, "reports"), k, r) {
			if (is_new(seen, json_get_str(r, "title", "")))
				add_report(run, r, out);
		}
	}
	return json_object_size(seen);
}

/* An end that no report explains. */
static void judge_boot_outcome(const json_t *run, size_t reports, json_t *out)
{
	const json_t *attempts = json_object_get(run, "results"), *a;
	struct symptom s = { boot_is_bad, always, NULL };
	size_t i;

	json_array_foreach(attempts, i, a) {
		const json_t *result = json_object_get(a, "result");
		struct strbuf message __free(strbuf) = STRBUF_INIT;
		json_t *f;

		if (reports || !boot_is_bad(result, &s))
			continue;
		strbuf_addf(&message, "the kernel does not come through: %s",
			    boot_outcome(result));
		f = guest_finding(json_get_str(run, "kind", "boot"), "qemu",
				  "error", message.buf);
		json_set_text(f, "detail",
			      json_get_str(result, "summary", ""));
		judge_symptom(run, &s, true, f);
		judge_add(out, run, f);
		return;
	}
}

static void add_test_finding(const json_t *run, const json_t *t, json_t *out)
{
	struct strbuf message __free(strbuf) = STRBUF_INIT;
	struct symptom s = { this_test_is_bad, this_test_ran, t };
	json_t *f;

	strbuf_addf(&message, "%s %s", json_get_str(t, "name", ""),
		    json_get_str(t, "status", ""));
	f = guest_finding("test", json_get_str(t, "suite", "selftest"),
			  "error", message.buf);
	json_set_text(f, "detail", json_get_str(t, "why", ""));
	judge_symptom(run, &s, test_is(t, "crashed"), f);
	judge_add(out, run, f);
}

/* What failed in any attempt: a test that passes the next time is not well. */
static void add_test_findings(const json_t *run, json_t *out)
{
	const json_t *attempts = json_object_get(run, "results"), *a, *t;
	json_t *seen __free(json) = json_object();
	size_t i, k;

	json_array_foreach(attempts, i, a) {
		const json_t *result = json_object_get(a, "result");

		json_array_foreach(json_object_get(result, "tests"), k, t) {
			if (test_is_bad(t) &&
			    is_new(seen, json_get_str(t, "name", "")))
				add_test_finding(run, t, out);
		}
	}
}

static void judge_tests(const json_t *run, json_t *out)
{
	const json_t *result = judge_result(run, "results");
	const json_t *control = judge_result(run, "control"), *t;
	json_t *row = judge_place(run);
	int64_t passed = 0, bad = 0, skipped = 0, fresh = 0;
	size_t i;

	json_array_foreach(json_object_get(result, "tests"), i, t) {
		passed += test_is(t, "passed");
		skipped += test_is(t, "skipped");
		bad += test_is_bad(t);
		fresh += test_is_bad(t) && !test_is_bad(test_of(control, t));
	}
	json_set_int(row, "passed", passed);
	json_set_int(row, "failed", bad);
	json_set_int(row, "skipped", skipped);
	json_set_int(row, "new_failed", fresh);
	json_array_append_new(json_object_get(out, "tests"), row);
	add_test_findings(run, out);
}

void judge_guest(const json_t *run, json_t *out)
{
	const char *kind = json_get_str(run, "kind", "");
	const json_t *result = judge_result(run, "results");
	const json_t *boot = json_object_get(result, "boot");
	json_t *row;

	judge_boot_outcome(run, judge_reports(run, out), out);
	if (!strcmp(kind, "test"))
		judge_tests(run, out);
	if (!strcmp(kind, "bench"))
		judge_bench(run, out);
	if (strcmp(kind, "boot"))
		return;
	row = judge_place(run);
	json_set_text(row, "outcome", boot_outcome(result));
	json_object_set(row, "seconds", json_object_get(boot, "seconds"));
	json_set_int(row, "image_patch", json_get_int(run, "image_patch", 0));
	json_array_append_new(json_object_get(out, "boots"), row);
}

void judge_guest_next(const json_t *run, struct judge_next *next)
{
	json_t *out __free(json) = json_object(), *f;
	size_t i;

	memset(next, 0, sizeof(*next));
	if (!judge_result(run, "results"))
		return;
	json_object_set_new(out, "findings", json_array());
	json_object_set_new(out, "boots", json_array());
	json_object_set_new(out, "tests", json_array());
	json_object_set_new(out, "benchmarks", json_array());
	judge_guest(run, out);
	json_array_foreach(json_object_get(out, "findings"), i, f) {
		int64_t runs = json_get_int(f, "n_runs", 0);
		int64_t base = json_get_int(f, "n_base_runs", 0);
		int64_t at = json_get_int(f, "bisect_at", 0);

		if (json_get_bool(f, "open", false)) {
			next->repeat |= runs <= base;
			next->repeat_control |= base <= runs;
		}
		if (at && !next->bisect_at)
			next->bisect_at = at;
	}
	if (!next->bisect_at && !strcmp(json_get_str(run, "kind", ""), "bench"))
		next->bisect_at = judge_bench_next(run);
	/* blame first: what is not the series' needs no bisection */
	if (next->repeat || next->repeat_control)
		next->bisect_at = 0;
}
