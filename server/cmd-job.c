// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "kernel-series/net.h"
#include "server/follow.h"
#include "server/show.h"

static const struct column list_columns[] = {
	{ "ID", "id", COL_NUMBER },   { "STATE", "state" },
	{ "KIND", "kind" },	      { "ARCH", "arch" },
	{ "CONFIG", "kconfig" },      { "TOOLCHAIN", "toolchain" },
	{ "AGE", "changed_s", COL_AGE },
	{ "SERIES", "series_title", COL_WRAP }, { NULL },
};
static const char *const list_params[] = {
	"series", "state", "kind", "arch", "kconfig", "toolchain", "controls",
	NULL,
};

static int list(struct client *c, int argc, char **argv)
{
	static const struct list_spec spec = {
		"job list", "/api/v1/jobs", list_columns, list_params,
	};

	return list_run(c, &spec, argc, argv);
}

static void show_attempts(const json_t *attempts)
{
	json_t *a;
	size_t i;

	json_array_foreach(attempts, i, a) {
		char started[32];

		print_age(json_get_int(a, "started_s", 0), started);
		print_text("attempt %" PRId64 " %s, started %s (%s)%s%s\n",
			   json_get_int(a, "number", 0),
			   json_get_str(a, "state", ""), started,
			   json_get_str(a, "why", ""),
			   *json_get_str(a, "summary", "") ? ": " : "",
			   json_get_str(a, "summary", ""));
	}
}

static void print_job(const json_t *o)
{
	json_t *v;
	size_t i;

	print_text("job %" PRId64 ": %s\n", json_get_int(o, "id", 0),
		   json_get_str(o, "state", ""));
	print_text("  %s on %s, config %s, %s\n", json_get_str(o, "kind", ""),
		   json_get_str(o, "arch", ""), json_get_str(o, "kconfig", ""),
		   json_get_str(o, "toolchain", ""));
	print_text("  %s\n", json_get_str(o, "series_title", "of a base"));
	if (*json_get_str(o, "state_why", ""))
		print_text("because %s\n", json_get_str(o, "state_why", ""));
	json_array_foreach(json_object_get(o, "needs"), i, v)
		print_text("needs   %" PRId64 " %s %s: %s\n",
			   json_get_int(v, "id", 0), json_get_str(v, "kind", ""),
			   json_get_str(v, "arch", ""),
			   json_get_str(v, "state", ""));
	show_attempts(json_object_get(o, "attempts_list"));
	json_array_foreach(json_object_get(o, "findings"), i, v)
		print_text("%s:%" PRId64 ": %s: %s (patch %" PRId64 ", %s)\n",
			   json_get_str(v, "file", ""),
			   json_get_int(v, "line", 0),
			   json_get_str(v, "severity", ""),
			   json_get_str(v, "message", ""),
			   json_get_int(v, "number", 0),
			   json_get_str(v, "blame", ""));
}

static int show(struct client *c, int argc, char **argv)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;

	if (argc != 1)
		return cmd_usage("job show needs one number");
	strbuf_addstr(&path, "/api/v1/jobs/");
	net_add_url_escaped(&path, argv[0]);
	return show_run(c, path.buf, print_job, job_ended);
}

static int job_log(struct client *c, int argc, char **argv)
{
	const char *attempt = NULL;
	const struct option_arg opts[] = {
		{ "--attempt", &attempt }, { NULL },
	};
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc != 1)
		return cmd_usage("job log needs one number");
	if (c->json)
		return cmd_usage("a log is text, there is no --json of it");
	strbuf_addstr(&path, "/api/v1/jobs/");
	net_add_url_escaped(&path, argv[0]);
	strbuf_addstr(&path, "/log");
	query_add(&path, "attempt", attempt);
	if (c->watch)
		return follow_log(c, argv[0], path.buf);
	return api_get_text(c, path.buf);
}

static int rerun(struct client *c, int argc, char **argv)
{
	if (argc != 1)
		return cmd_usage("job rerun needs one number");
	return api_act(c, "jobs", argv[0], "rerun", "runs again");
}

static int cancel(struct client *c, int argc, char **argv)
{
	if (argc != 1)
		return cmd_usage("job cancel needs one number");
	return api_act(c, "jobs", argv[0], "cancel", "canceled");
}

const struct cmd cmds_job[] = {
	{ "list", list,
	  "[--series ID] [--state S] [--kind K] [--arch A] [--kconfig C]"
	  " [--toolchain T] [--controls 1] [--limit N] [--cursor C]",
	  "jobs, the newest first" },
	{ "show", show, "ID", "one job: attempts, needs, findings" },
	{ "log", job_log, "ID [--attempt N]", "its log; with --watch as it grows" },
	{ "rerun", rerun, "ID", "run it again, as a new attempt" },
	{ "cancel", cancel, "ID", "give it up" },
	{ 0 },
};
