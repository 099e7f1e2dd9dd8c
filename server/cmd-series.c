// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "kernel-series/net.h"
#include "server/cmd.h"

static int list(struct client *c, int argc, char **argv)
{
	const char *state = NULL, *author = NULL, *text = NULL, *limit = NULL;
	const char *cursor = NULL;
	const struct option_arg opts[] = {
		{ "--state", &state }, { "--author", &author },
		{ "--text", &text },   { "--limit", &limit },
		{ "--cursor", &cursor }, { NULL },
	};
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	json_t *item;
	size_t i;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc)
		return cmd_usage("series list takes no %s", argv[0]);
	strbuf_addstr(&path, "/api/v1/series");
	query_add(&path, "state", state);
	query_add(&path, "author", author);
	query_add(&path, "text", text);
	query_add(&path, "limit", limit);
	query_add(&path, "cursor", cursor);
	r = api_get(c, path.buf, &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	json_array_foreach(json_object_get(o, "items"), i, item)
		print_text("%5" PRId64 "  %-11s v%" PRId64 " %2" PRId64
			   "  %s (%s)\n",
			   json_get_int(item, "id", 0),
			   json_get_str(item, "status", ""),
			   json_get_int(item, "version", 1),
			   json_get_int(item, "total", 0),
			   json_get_str(item, "title", ""),
			   json_get_str(item, "author_name", ""));
	if (json_get_str(o, "next", NULL))
		print_text("more: --cursor %s\n", json_get_str(o, "next", ""));
	return CMD_YES;
}

static void show_head(const json_t *o)
{
	char date[32];

	print_age(json_get_int(o, "date_s", 0), date);
	print_text("series %" PRId64 ": %s\n", json_get_int(o, "id", 0),
		   json_get_str(o, "title", ""));
	print_text("  v%" PRId64 ", %" PRId64 " patches, %s <%s>, %s\n",
		   json_get_int(o, "version", 1), json_get_int(o, "total", 0),
		   json_get_str(o, "author_name", ""),
		   json_get_str(o, "author_email", ""), date);
	print_text("  <%s>\n", json_get_str(o, "key", ""));
	print_text("status %s (%s)%s%s\n", json_get_str(o, "status", ""),
		   json_get_str(o, "state", ""),
		   *json_get_str(o, "verdict_why", "") ? ": " : "",
		   json_get_str(o, "verdict_why", ""));
	if (json_get_str(o, "base_commit", NULL))
		print_text("base   %s %.12s: %s\n",
			   json_get_str(o, "tree", "?"),
			   json_get_str(o, "base_commit", ""),
			   json_get_str(o, "base_why", ""));
}

static void show_jobs(const json_t *jobs)
{
	json_t *j;
	size_t i;

	json_array_foreach(jobs, i, j)
		print_text("job    %" PRId64 " %s %s %s %s: %s%s%s\n",
			   json_get_int(j, "id", 0),
			   json_get_str(j, "kind", ""),
			   json_get_str(j, "arch", ""),
			   json_get_str(j, "kconfig", ""),
			   json_get_str(j, "toolchain", ""),
			   json_get_str(j, "state", ""),
			   *json_get_str(j, "summary", "") ? ", " : "",
			   json_get_str(j, "summary", ""));
}

static void show_findings(const json_t *findings)
{
	json_t *f;
	size_t i;

	json_array_foreach(findings, i, f)
		print_text("found  %" PRId64 ": %s:%" PRId64 ": %s: %s\n",
			   json_get_int(f, "number", 0),
			   json_get_str(f, "file", ""),
			   json_get_int(f, "line", 0),
			   json_get_str(f, "severity", ""),
			   json_get_str(f, "message", ""));
}

static int show(struct client *c, int argc, char **argv)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	json_t *v;
	size_t i;
	int r;

	if (argc != 1)
		return cmd_usage("series show needs one number or Message-ID");
	strbuf_addstr(&path, "/api/v1/series/");
	net_add_url_escaped(&path, argv[0]);
	r = api_get(c, path.buf, &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	show_head(o);
	json_array_foreach(json_object_get(o, "dependencies"), i, v)
		print_text("needs  %s: %s%s%s\n", json_get_str(v, "key", ""),
			   json_get_str(v, "state", ""),
			   *json_get_str(v, "why", "") ? ": " : "",
			   json_get_str(v, "why", ""));
	json_array_foreach(json_object_get(o, "patches"), i, v)
		print_text("patch  %" PRId64 " %s: %s\n",
			   json_get_int(v, "number", 0),
			   json_get_str(v, "state", ""),
			   json_get_str(v, "title", ""));
	show_jobs(json_object_get(o, "jobs"));
	show_findings(json_object_get(o, "findings"));
	json_array_foreach(json_object_get(o, "outgoing"), i, v)
		print_text("reply  %" PRId64 " %s: %s\n",
			   json_get_int(v, "id", 0),
			   json_get_str(v, "state", ""),
			   json_get_str(v, "subject", ""));
	return CMD_YES;
}

static int rerun(struct client *c, int argc, char **argv)
{
	if (argc != 1)
		return cmd_usage("series rerun needs one number or Message-ID");
	return api_act(c, "series", argv[0], "rerun", "runs again");
}

static int cancel(struct client *c, int argc, char **argv)
{
	if (argc != 1)
		return cmd_usage("series cancel needs one number or Message-ID");
	return api_act(c, "series", argv[0], "cancel", "canceled");
}

const struct cmd cmds_series[] = {
	{ "list", list,
	  "[--state S] [--author A] [--text T] [--limit N] [--cursor C]",
	  "series, the last changed first" },
	{ "show", show, "ID", "one version: base, patches, jobs, findings" },
	{ "rerun", rerun, "ID", "run its jobs again" },
	{ "cancel", cancel, "ID", "give up what has not ended yet" },
	{ 0 },
};
