// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "kernel-series/net.h"
#include "server/cmd.h"

static void print_row(const json_t *j)
{
	print_text("%5" PRId64 "  %-9s %-5s %-6s %-8s %-8s %s\n",
		   json_get_int(j, "id", 0), json_get_str(j, "state", ""),
		   json_get_str(j, "kind", ""), json_get_str(j, "arch", ""),
		   json_get_str(j, "kconfig", ""),
		   json_get_str(j, "toolchain", ""),
		   json_get_str(j, "series_title", "(base)"));
}

static int list(struct client *c, int argc, char **argv)
{
	const char *series = NULL, *state = NULL, *limit = NULL, *cursor = NULL;
	const struct option_arg opts[] = {
		{ "--series", &series }, { "--state", &state },
		{ "--limit", &limit },   { "--cursor", &cursor },
		{ NULL },
	};
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	json_t *item;
	size_t i;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc)
		return cmd_usage("job list takes no %s", argv[0]);
	strbuf_addstr(&path, "/api/v1/jobs");
	query_add(&path, "series", series);
	query_add(&path, "state", state);
	query_add(&path, "limit", limit);
	query_add(&path, "cursor", cursor);
	r = api_get(c, path.buf, &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	json_array_foreach(json_object_get(o, "items"), i, item)
		print_row(item);
	if (json_get_str(o, "next", NULL))
		print_text("more: --cursor %s\n", json_get_str(o, "next", ""));
	return CMD_YES;
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

static int show(struct client *c, int argc, char **argv)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	json_t *v;
	size_t i;
	int r;

	if (argc != 1)
		return cmd_usage("job show needs one number");
	strbuf_addstr(&path, "/api/v1/jobs/");
	net_add_url_escaped(&path, argv[0]);
	r = api_get(c, path.buf, &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	print_row(o);
	if (*json_get_str(o, "state_why", ""))
		print_text("because %s\n", json_get_str(o, "state_why", ""));
	json_array_foreach(json_object_get(o, "needs"), i, v)
		print_text("needs   %" PRId64 " %s %s: %s\n",
			   json_get_int(v, "id", 0), json_get_str(v, "kind", ""),
			   json_get_str(v, "arch", ""),
			   json_get_str(v, "state", ""));
	show_attempts(json_object_get(o, "attempts_list"));
	json_array_foreach(json_object_get(o, "findings"), i, v)
		print_text("found   %" PRId64 ": %s:%" PRId64 ": %s: %s (%s)\n",
			   json_get_int(v, "number", 0),
			   json_get_str(v, "file", ""),
			   json_get_int(v, "line", 0),
			   json_get_str(v, "severity", ""),
			   json_get_str(v, "message", ""),
			   json_get_str(v, "blame", ""));
	return CMD_YES;
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
	  "[--series N] [--state S] [--limit N] [--cursor C]",
	  "jobs, the newest first" },
	{ "show", show, "ID", "one job: attempts, needs, findings" },
	{ "log", job_log, "ID [--attempt N]", "its log" },
	{ "rerun", rerun, "ID", "run it again, as a new attempt" },
	{ "cancel", cancel, "ID", "give it up" },
	{ 0 },
};
