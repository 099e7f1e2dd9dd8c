// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "jobs/judge-private.h"
#include "lib/hash.h"
#include "lib/json.h"

/*
 * How sure a failure is: it must come back in every attempt, and there must be
 * two. One attempt may be the machine's mood.
 */
static const char *blame_for(int64_t failures, int64_t attempts)
{
	if (failures < attempts)
		return "flaky";
	return attempts >= 2 ? "series" : "unknown";
}

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
	/* which patch is not known before a bisection: 0 is the series */
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

static int64_t attempts_with_title(const json_t *attempts, const char *title)
{
	const json_t *a;
	int64_t n = 0;
	size_t i;

	json_array_foreach(attempts, i, a)
		n += has_title(json_object_get(a, "result"), title);
	return n;
}

/* Kernel reports that no run of the base shows. A crash is never flaky. */
static size_t judge_reports(const json_t *run, json_t *out)
{
	const json_t *result = judge_result(run, "results");
	const json_t *attempts = json_object_get(run, "results");
	const json_t *boot = json_object_get(result, "boot"), *r;
	size_t i, added = 0;

	json_array_foreach(json_object_get(boot, "reports"), i, r) {
		const char *title = json_get_str(r, "title", "");
		struct strbuf lines __free(strbuf) = STRBUF_INIT;
		json_t *f;

		if (attempts_with_title(json_object_get(run, "control"), title))
			continue;
		f = guest_finding(json_get_str(run, "kind", "boot"), "kernel",
				  "error", title);
		join_lines(json_object_get(r, "lines"), 20, &lines);
		json_set_text(f, "detail", lines.buf);
		json_set_text(f, "blame",
			      attempts_with_title(attempts, title) >= 2 ?
				      "series" : "unknown");
		judge_add(out, run, f);
		added++;
	}
	return added;
}

static void judge_boot_outcome(const json_t *run, size_t reports, json_t *out)
{
	const json_t *result = judge_result(run, "results");
	const json_t *control = judge_result(run, "control");
	const char *outcome = boot_outcome(result);
	const json_t *attempts = json_object_get(run, "results"), *a;
	struct strbuf message __free(strbuf) = STRBUF_INIT;
	int64_t n = 0, bad = 0;
	size_t i;
	json_t *f;

	if (!strcmp(outcome, "ok") || reports)
		return;
	json_array_foreach(attempts, i, a) {
		n++;
		bad += strcmp(boot_outcome(json_object_get(a, "result")),
			      "ok") != 0;
	}
	strbuf_addf(&message, "the kernel does not come through: %s", outcome);
	f = guest_finding(json_get_str(run, "kind", "boot"), "qemu", "error",
			  message.buf);
	json_set_text(f, "detail", json_get_str(result, "summary", ""));
	if (!control)
		json_set_text(f, "blame", "unknown");
	else if (strcmp(boot_outcome(control), "ok"))
		json_set_text(f, "blame", "base");
	else
		json_set_text(f, "blame", blame_for(bad, n));
	judge_add(out, run, f);
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

static void count_test(const json_t *attempts, const json_t *t, int64_t *n,
		       int64_t *bad)
{
	const json_t *a;
	size_t i;

	*n = 0;
	*bad = 0;
	json_array_foreach(attempts, i, a) {
		const json_t *same = test_of(json_object_get(a, "result"), t);

		if (!same)
			continue;
		*n += 1;
		*bad += test_is_bad(same);
	}
}

static void add_test_finding(const json_t *run, const json_t *t, json_t *out)
{
	struct strbuf message __free(strbuf) = STRBUF_INIT;
	int64_t n, bad, base_n, base_bad;
	json_t *f;

	count_test(json_object_get(run, "results"), t, &n, &bad);
	count_test(json_object_get(run, "control"), t, &base_n, &base_bad);
	strbuf_addf(&message, "%s %s", json_get_str(t, "name", ""),
		    json_get_str(t, "status", ""));
	f = guest_finding("test", json_get_str(t, "suite", "selftest"),
			  "error", message.buf);
	json_set_text(f, "detail", json_get_str(t, "why", ""));
	if (!base_n)
		json_set_text(f, "blame", "unknown");
	else if (base_bad == base_n)
		json_set_text(f, "blame", "base");
	else if (base_bad)
		json_set_text(f, "blame", "flaky");
	else
		json_set_text(f, "blame", blame_for(bad, n));
	judge_add(out, run, f);
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
		if (!test_is_bad(t))
			continue;
		bad++;
		fresh += !test_is_bad(test_of(control, t));
		add_test_finding(run, t, out);
	}
	json_set_int(row, "passed", passed);
	json_set_int(row, "failed", bad);
	json_set_int(row, "skipped", skipped);
	json_set_int(row, "new_failed", fresh);
	json_array_append_new(json_object_get(out, "tests"), row);
}

static const json_t *bench_of(const json_t *result, const char *name)
{
	const json_t *b;
	size_t i;

	json_array_foreach(json_object_get(result, "benchmarks"), i, b) {
		if (!strcmp(json_get_str(b, "name", ""), name))
			return b;
	}
	return NULL;
}

static void judge_benchmarks(const json_t *run, json_t *out)
{
	const json_t *result = judge_result(run, "results");
	const json_t *control = judge_result(run, "control"), *b;
	size_t i;

	json_array_foreach(json_object_get(result, "benchmarks"), i, b) {
		const char *name = json_get_str(b, "name", "");
		const json_t *old = bench_of(control, name);
		const json_t *after = json_object_get(b, "value");
		const json_t *before = json_object_get(old, "value");
		json_t *row = judge_place(run);

		json_set_text(row, "name", name);
		json_set_text(row, "unit", json_get_str(b, "unit", ""));
		json_set_int(row, "work", json_get_int(b, "work", 0));
		json_object_set_new(row, "base", before ?
				    json_incref((json_t *)before) :
				    json_null());
		json_object_set_new(row, "series", after ?
				    json_incref((json_t *)after) :
				    json_null());
		if (json_is_integer(before) && json_is_integer(after))
			json_set_int(row, "difference",
				     json_integer_value(after) -
					     json_integer_value(before));
		json_set_text(row, "why", json_get_str(b, "why", ""));
		json_array_append_new(json_object_get(out, "benchmarks"), row);
	}
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
		judge_benchmarks(run, out);
	if (strcmp(kind, "boot"))
		return;
	row = judge_place(run);
	json_set_text(row, "outcome", boot_outcome(result));
	json_object_set(row, "seconds", json_object_get(boot, "seconds"));
	json_set_int(row, "image_patch", json_get_int(run, "image_patch", 0));
	json_array_append_new(json_object_get(out, "boots"), row);
}
