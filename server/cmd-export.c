// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "kernel-series/net.h"
#include "lib/clock.h"
#include "server/cmd.h"

/*
 * KCIDB takes checkouts, builds of them, and tests of builds, each under an id
 * that begins with the name of the service. One series is one checkout: the
 * base with all patches on it.
 */
struct export {
	const struct client *c;
	const char *origin;
	const json_t *series;
	json_t *checkouts;
	json_t *builds;
	json_t *tests;
};

static void set_id(json_t *o, const char *key, const struct export *x,
		   const char *kind, int64_t id)
{
	char *text __free(kfree) = xasprintf("%s:%s-%" PRId64, x->origin,
					     kind, id);

	json_set_text(o, key, text);
}

static json_t *new_object(const struct export *x, const char *kind, int64_t id)
{
	json_t *o = json_object();

	set_id(o, "id", x, kind, id);
	json_set_text(o, "origin", x->origin);
	return o;
}

static void set_time(json_t *o, const json_t *from, const char *start,
		     const char *end)
{
	int64_t a = json_get_int(from, start, 0);
	int64_t b = end ? json_get_int(from, end, 0) : 0;
	char date[32];

	if (!a)
		return;
	json_set_text(o, "start_time", clock_rfc3339(a, date));
	if (b >= a)
		json_set_int(o, "duration", b - a);
}

static void set_log(json_t *o, const struct export *x, int64_t job)
{
	char *url __free(kfree) = xasprintf("%s/api/v1/jobs/%" PRId64 "/log",
					    x->c->url, job);

	json_set_text(o, "log_url", url);
}

static void add_checkout(struct export *x)
{
	const json_t *s = x->series;
	const char *commit = json_get_str(s, "base_commit", "");
	const char *verdict = json_get_str(s, "verdict", "");
	json_t *o = new_object(x, "series", json_get_int(s, "id", 0));

	if (*json_get_str(s, "tree", ""))
		json_set_text(o, "tree_name", json_get_str(s, "tree", ""));
	if (strlen(commit) == 40)
		json_set_text(o, "git_commit_hash", commit);
	if (*json_get_str(s, "base_describe", ""))
		json_set_text(o, "git_commit_name",
			      json_get_str(s, "base_describe", ""));
	json_set_text(o, "message_id", json_get_str(s, "key", ""));
	json_set_text(o, "comment", json_get_str(s, "title", ""));
	set_time(o, s, "date_s", NULL);
	if (*commit)
		json_set_bool(o, "valid", true);
	else if (!strcmp(verdict, "conflict") || !strcmp(verdict, "no-base"))
		json_set_bool(o, "valid", false);
	json_array_append_new(x->checkouts, o);
}

static const char *status_of(const char *state)
{
	static const char *const map[][2] = {
		{ "passed", "PASS" }, { "failed", "FAIL" },
		{ "errored", "MISS" }, { "canceled", "MISS" },
		{ "timed-out", "ERROR" }, { "skipped", "SKIP" },
		{ "crashed", "FAIL" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		if (!strcmp(map[i][0], state))
			return map[i][1];
	}
	return NULL; /* it has not ended: nothing to report yet */
}

static void add_build(struct export *x, const json_t *job)
{
	int64_t id = json_get_int(job, "id", 0);
	json_t *o = new_object(x, "build", id);

	set_id(o, "checkout_id", x, "series",
	       json_get_int(x->series, "id", 0));
	json_set_text(o, "architecture", json_get_str(job, "arch", ""));
	json_set_text(o, "config_name", json_get_str(job, "kconfig", ""));
	json_set_text(o, "compiler", json_get_str(job, "toolchain", ""));
	json_set_text(o, "comment", json_get_str(job, "summary", ""));
	json_set_text(o, "status", status_of(json_get_str(job, "state", "")));
	set_time(o, job, "started_s", "ended_s");
	set_log(o, x, id);
	json_array_append_new(x->builds, o);
}

static const json_t *build_for(const struct export *x, const json_t *job)
{
	static const char *const keys[] = { "arch", "kconfig", "toolchain" };
	const json_t *j;
	size_t i, k;

	json_array_foreach(json_object_get(x->series, "jobs"), i, j) {
		if (strcmp(json_get_str(j, "kind", ""), "build"))
			continue;
		for (k = 0; k < ARRAY_SIZE(keys); k++) {
			if (strcmp(json_get_str(j, keys[k], ""),
				   json_get_str(job, keys[k], "")))
				break;
		}
		if (k == ARRAY_SIZE(keys) &&
		    status_of(json_get_str(j, "state", "")))
			return j;
	}
	return NULL;
}

/* Letters, digits, '_' and '-' alone; the rest becomes '_'. */
static void add_path(struct strbuf *path, const char *name)
{
	strbuf_addch(path, '.');
	if (!*name)
		strbuf_addch(path, '_');
	for (; *name; name++)
		strbuf_addch(path, isalnum((unsigned char)*name) ||
				   strchr("_-", *name) ? *name : '_');
}

static json_t *new_test(struct export *x, const json_t *build,
			const json_t *job, const char *path,
			const char *status)
{
	int64_t id = json_get_int(job, "id", 0);
	json_t *o = new_object(x, "test", id);

	set_id(o, "build_id", x, "build", json_get_int(build, "id", 0));
	json_set_text(o, "path", path);
	json_set_text(o, "status", status);
	set_time(o, job, "started_s", "ended_s");
	set_log(o, x, id);
	json_array_append_new(x->tests, o);
	return o;
}

/* Only tests that did not pass are listed one by one. */
static void add_each_test(struct export *x, const json_t *build,
			  const json_t *job)
{
	const json_t *list = json_object_get(
		json_object_get(x->series, "tests"), "list"), *t;
	int64_t id = json_get_int(job, "id", 0);
	size_t i;

	json_array_foreach(list, i, t) {
		const char *status = status_of(json_get_str(t, "status", ""));
		struct strbuf path __free(strbuf) = STRBUF_INIT;
		char *ident __free(kfree) = xasprintf(
			"%s:test-%" PRId64 "-%zu", x->origin, id, i);
		json_t *o;

		if (json_get_int(t, "job_id", 0) != id || !status)
			continue;
		strbuf_addstr(&path, "kselftest.mm");
		add_path(&path, json_get_str(t, "name", ""));
		o = new_test(x, build, job, path.buf, status);
		json_set_text(o, "id", ident);
		json_set_text(o, "comment", json_get_str(t, "why", ""));
	}
}

static void add_run(struct export *x, const json_t *job)
{
	static const char *const paths[][2] = {
		{ "boot", "boot" }, { "test", "kselftest.mm" },
		{ "bench", "mmci.bench" },
	};
	const char *kind = json_get_str(job, "kind", "");
	const char *status = status_of(json_get_str(job, "state", ""));
	const json_t *build = build_for(x, job);

	for (size_t i = 0; i < ARRAY_SIZE(paths) && build; i++) {
		if (strcmp(kind, paths[i][0]))
			continue;
		/* a measurement that came to its end judges nothing */
		if (!strcmp(kind, "bench") && !strcmp(status, "PASS"))
			status = "DONE";
		new_test(x, build, job, paths[i][1], status);
	}
	if (build && !strcmp(kind, "test"))
		add_each_test(x, build, job);
}

static json_t *export_series(struct export *x)
{
	const json_t *j;
	json_t *o, *version = json_object();
	size_t i;

	x->checkouts = json_array();
	x->builds = json_array();
	x->tests = json_array();
	add_checkout(x);
	json_array_foreach(json_object_get(x->series, "jobs"), i, j) {
		if (!status_of(json_get_str(j, "state", "")))
			continue;
		if (!strcmp(json_get_str(j, "kind", ""), "build"))
			add_build(x, j);
		else
			add_run(x, j);
	}
	json_set_int(version, "major", 5);
	json_set_int(version, "minor", 0);
	o = json_object();
	json_object_set_new(o, "version", version);
	json_object_set_new(o, "checkouts", x->checkouts);
	json_object_set_new(o, "builds", x->builds);
	json_object_set_new(o, "tests", x->tests);
	return o;
}

static int kcidb(struct client *c, int argc, char **argv)
{
	const char *origin = "mmci";
	const struct option_arg opts[] = { { "--origin", &origin }, { NULL } };
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	json_t *series __free(json) = NULL, *o __free(json) = NULL;
	struct export x = { .c = c };
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc != 1)
		return cmd_usage("export kcidb needs one number or Message-ID");
	if (!*origin || strspn(origin, "abcdefghijklmnopqrstuvwxyz0123456789_")
			!= strlen(origin))
		return cmd_usage("--origin: small letters, digits and _");
	strbuf_addstr(&path, "/api/v1/series/");
	net_add_url_escaped(&path, argv[0]);
	r = api_get(c, path.buf, &series);
	if (r)
		return r;
	x.origin = origin;
	x.series = series;
	o = export_series(&x);
	return print_json(o);
}

const struct cmd cmds_export[] = {
	{ "kcidb", kcidb, "SERIES [--origin NAME]",
	  "results as KCIDB JSON, version 5.0" },
	{ 0 },
};
