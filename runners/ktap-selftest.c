/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/cleanup.h"
#include "lib/json.h"
#include "runners/ktap-line.h"
#include "runners/ktap.h"

/* What the mm selftests print that do not speak TAP, as a line's first word. */
static const struct {
	const char *word;
	const char *status;
} plain_words[] = {
	{ "[PASS]", "passed" },	   { "[OK]", "passed" },
	{ "[FAIL]", "failed" },	   { "[FAILED]", "failed" },
	{ "[SKIP]", "skipped" },   { "[XFAIL]", "passed" },
	{ "FAIL:", "failed" },	   { "PASS:", "passed" },
	{ "SKIP:", "skipped" },	   { "SKIP ", "skipped" },
	{ "[ERROR]", "failed" },   { "FAILED:", "failed" },
};

#define MAX_PLAIN_TESTS 10000

struct selftest {
	json_t *tests;
	bool failed, passed;
	char *skip_why;
	struct span last;
};

static void add_test(struct selftest *t, struct span name, const char *status,
		     struct span why)
{
	json_t *o;

	if (!strcmp(status, "failed"))
		t->failed = true;
	if (!strcmp(status, "passed"))
		t->passed = true;
	if (!strcmp(status, "skipped") && !t->skip_why && (why.n || name.n))
		t->skip_why = why.n ? xstrndup(why.p, why.n) :
				      xstrndup(name.p, name.n);
	if (json_array_size(t->tests) >= MAX_PLAIN_TESTS)
		return;
	o = json_object();
	json_object_set_new(o, "name", json_textn(name.p, name.n));
	json_set_text(o, "status", status);
	json_object_set_new(o, "why",
			    why.n ? json_textn(why.p, why.n) : json_null());
	json_array_append_new(t->tests, o);
}

/* "[PASS] name", "name: [PASS]", "name ... [OK]" */
static bool plain_line(struct selftest *t, struct span s)
{
	for (size_t i = 0; i < ARRAY_SIZE(plain_words); i++) {
		const char *word = plain_words[i].word;
		struct span name = s;

		if (span_skip(&name, word)) {
			add_test(t, span_trim(name), plain_words[i].status,
				 SPAN(""));
			return true;
		}
		if (word[0] != '[' || !span_ends(s, word))
			continue;
		name = span_trim(span_to(s, s.n - strlen(word)));
		while (name.n && strchr(":.- \t", name.p[name.n - 1]))
			name.n--;
		add_test(t, name, plain_words[i].status, SPAN(""));
		return true;
	}
	return false;
}

static const char *status_of(const struct ktap_line *l)
{
	if (l->directive && !strcmp(l->directive, "SKIP"))
		return "skipped";
	if (l->directive &&
	    (!strcmp(l->directive, "TODO") || !strcmp(l->directive, "XFAIL")))
		return "passed";
	return l->ok ? "passed" : "failed";
}

/* TAP without its header, and what stands between in the older styles */
static bool bare_line(struct selftest *t, struct span s, bool *tap)
{
	struct ktap_line l;
	struct span c = s;

	if (ktap_read_line(s, &l)) {
		if (l.kind == KTAP_PLAN && !l.number && l.directive)
			add_test(t, SPAN(""), "skipped", l.why);
		if (l.kind != KTAP_RESULT)
			return true;
		*tap = true;
		add_test(t, l.name, status_of(&l), l.why);
		return true;
	}
	l.directive = NULL;
	if (!span_skip(&c, "#"))
		return false;
	ktap_read_comment(c, &l);
	if (!l.directive || strcmp(l.directive, "SKIP"))
		return false;
	if (!t->skip_why && l.why.n)
		t->skip_why = xstrndup(l.why.p, l.why.n);
	return true;
}

static const char *read_plain(struct selftest *t, struct span text)
{
	struct span line;
	bool tap = false;

	while (span_line(&text, &line)) {
		struct span s = span_trim(span_to(line, 4096));

		if (!s.n)
			continue;
		t->last = s;
		if (!bare_line(t, s, &tap))
			plain_line(t, s);
	}
	return tap ? "tap" : "plain";
}

static char *joined(const json_t *path)
{
	struct strbuf sb = STRBUF_INIT;
	size_t i;
	json_t *v;

	json_array_foreach(path, i, v) {
		if (i)
			strbuf_addch(&sb, '/');
		strbuf_addstr(&sb, json_string_value(v));
	}
	return strbuf_detach(&sb);
}

static void read_ktap(struct selftest *t, const json_t *r)
{
	size_t i;
	json_t *v;

	json_array_foreach(json_object_get(r, "tests"), i, v) {
		char *name __free(kfree) =
			joined(json_object_get(v, "path"));
		const char *why = json_get_str(v, "why", "");
		const char *status = json_get_str(v, "status", "");

		if (!json_get_bool(v, "leaf", true))
			continue;
		/* of no tests that ran nothing is known to be wrong */
		if (!strcmp(status, "no_tests"))
			continue;
		if (!strcmp(status, "crashed"))
			t->failed = true;
		add_test(t, span_of(name), status, span_of(why));
	}
}

static char *first_failure(const struct selftest *t)
{
	size_t i;
	json_t *v;

	json_array_foreach(t->tests, i, v) {
		const char *status = json_get_str(v, "status", "");
		const char *name = json_get_str(v, "name", "");

		if (!strcmp(status, "failed") && *name)
			return xasprintf("%s failed", name);
		if (!strcmp(status, "crashed"))
			return xasprintf("a planned test never came%s%s",
					 *name ? ": " : "", name);
	}
	return NULL;
}

static const char *decide(const struct selftest *t, int exit_code,
			  bool timed_out, char **why)
{
	if (timed_out) {
		*why = xstrdup("it took too long and was ended");
		return "timed-out";
	}
	if (exit_code > 128 && exit_code <= 128 + 64) {
		*why = xasprintf("killed by signal %d", exit_code - 128);
		return "crashed";
	}
	if (t->failed || (exit_code > 0 && exit_code != 4)) {
		*why = first_failure(t);
		if (!*why && t->last.n)
			*why = xasprintf("exit status %d: %.*s", exit_code,
					 (int)min(t->last.n, (size_t)300),
					 t->last.p);
		else if (!*why)
			*why = xasprintf("exit status %d", exit_code);
		return "failed";
	}
	if (exit_code == 4 || (t->skip_why && !t->passed)) {
		if (t->skip_why)
			*why = xstrdup(t->skip_why);
		else if (t->last.n)
			*why = xstrndup(t->last.p, min(t->last.n, (size_t)300));
		else
			*why = xstrdup("it said nothing");
		return "skipped";
	}
	if (exit_code == 0 || t->passed)
		return "passed";
	*why = xstrdup("it left no exit status and no result");
	return "crashed";
}

json_t *ktap_parse_selftest(const void *data, size_t len, int exit_code,
			    bool timed_out)
{
	struct selftest t = { .tests = json_array(), .last = SPAN("") };
	json_t *ret = json_object();
	json_t *r __free(json) = ktap_parse(data, len);
	const char *style = "ktap";
	const char *status;
	char *why = NULL;

	if (strcmp(json_get_str(r, "status", ""), "no_ktap_output")) {
		read_ktap(&t, r);
		/* "1..0 # SKIP why" and "# SKIP why" stand beside the tests */
		if (!json_array_size(t.tests))
			style = read_plain(&t, (struct span){ data, len });
	} else {
		style = read_plain(&t, (struct span){ data, len });
	}
	status = decide(&t, exit_code, timed_out, &why);
	json_set_text(ret, "status", status);
	json_set_text(ret, "why", why);
	json_object_set_new(ret, "tests", t.tests);
	json_set_text(ret, "style", style);
	free(why);
	free(t.skip_why);
	return ret;
}
