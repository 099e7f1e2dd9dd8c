// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "kernel-series/net.h"
#include "server/follow.h"
#include "server/show.h"

static const struct column list_columns[] = {
	{ "ID", "id", COL_NUMBER },   { "STATUS", "status" },
	{ "AGE", "changed_s", COL_AGE }, { "V", "version", COL_NUMBER },
	{ "N", "total", COL_NUMBER }, { "BASE", "tree" },
	{ "SERIES", "title", COL_WRAP }, { "AUTHOR", "author_name",
					   COL_TEXT, "author_email" },
	{ NULL },
};
static const char *const list_params[] = {
	"state", "author", "text", "list", "tree", "arch", "mine", "findings",
	NULL,
};

static int list(struct client *c, int argc, char **argv)
{
	static const struct list_spec spec = {
		"series list", "/api/v1/series", list_columns, list_params,
	};

	return list_run(c, &spec, argc, argv);
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

static void show_table(const json_t *o, const char *key, const char *title,
		       const struct column *cols)
{
	const json_t *rows = json_object_get(o, key);

	if (!json_array_size(rows))
		return;
	print_text("\n%s\n", title);
	table_print(rows, cols);
}

static void show_findings(const json_t *findings)
{
	json_t *f;
	size_t i;

	if (json_array_size(findings))
		print_text("\n");
	/* as compilers write it, so that editors can jump there */
	json_array_foreach(findings, i, f)
		print_text("%s:%" PRId64 ": %s: %s (patch %" PRId64 ", %s)\n",
			   json_get_str(f, "file", ""),
			   json_get_int(f, "line", 0),
			   json_get_str(f, "severity", ""),
			   json_get_str(f, "message", ""),
			   json_get_int(f, "number", 0),
			   json_get_str(f, "blame", ""));
}

static void print_series(const json_t *o)
{
	static const struct column needs[] = {
		{ "NEEDS", "key" }, { "STATE", "state" },
		{ "WHY", "why", COL_WRAP }, { NULL },
	};
	static const struct column patches[] = {
		{ "PATCH", "number", COL_NUMBER }, { "STATE", "state" },
		{ "TITLE", "title", COL_WRAP }, { NULL },
	};
	static const struct column jobs[] = {
		{ "JOB", "id", COL_NUMBER }, { "STATE", "state" },
		{ "KIND", "kind" }, { "ARCH", "arch" },
		{ "CONFIG", "kconfig" }, { "TOOLCHAIN", "toolchain" },
		{ "SUMMARY", "summary", COL_WRAP, "state_why" }, { NULL },
	};
	static const struct column replies[] = {
		{ "REPLY", "id", COL_NUMBER }, { "STATE", "state" },
		{ "SUBJECT", "subject", COL_WRAP }, { NULL },
	};

	show_head(o);
	show_table(o, "dependencies", "stands on", needs);
	show_table(o, "patches", "patches", patches);
	show_table(o, "jobs", "jobs", jobs);
	show_findings(json_object_get(o, "findings"));
	show_table(o, "outgoing", "replies", replies);
}

static int show(struct client *c, int argc, char **argv)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;

	if (argc != 1)
		return cmd_usage("series show needs one number or Message-ID");
	strbuf_addstr(&path, "/api/v1/series/");
	net_add_url_escaped(&path, argv[0]);
	return show_run(c, path.buf, print_series, series_ended);
}

static int wait_for(struct client *c, int argc, char **argv)
{
	if (argc != 1)
		return cmd_usage("series wait needs one number or Message-ID");
	return follow_series(c, argv[0]);
}

static int rerun(struct client *c, int argc, char **argv)
{
	const char *arch = NULL, *failed = NULL;
	const struct option_arg opts[] = { { "--arch", &arch }, { NULL } };
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	int n = 0, r;

	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--failed"))
			failed = "1";
		else
			argv[n++] = argv[i];
	}
	argc = n;
	r = cmd_options(&argc, argv, opts);
	if (r)
		return r;
	if (argc != 1)
		return cmd_usage("series rerun needs one number or Message-ID");
	strbuf_addstr(&path, "/api/v1/series/");
	net_add_url_escaped(&path, argv[0]);
	strbuf_addstr(&path, "/rerun");
	query_add(&path, "arch", arch);
	query_add(&path, "failed", failed);
	r = api_call(c, "POST", path.buf, "", 0, NULL, &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	print_text("series %s: runs again\n", argv[0]);
	return CMD_YES;
}

static int cancel(struct client *c, int argc, char **argv)
{
	if (argc != 1)
		return cmd_usage("series cancel needs one number or Message-ID");
	return api_act(c, "series", argv[0], "cancel", "canceled");
}

const struct cmd cmds_series[] = {
	{ "list", list,
	  "[--state S] [--text WORDS] [--author A] [--mine ADDRESS] [--list L]"
	  " [--tree T] [--arch A] [--findings 0|1] [--limit N] [--cursor C]",
	  "series, the last changed first" },
	{ "show", show, "ID", "one version: base, patches, jobs, findings" },
	{ "wait", wait_for, "ID",
	  "show how it goes until there is a verdict: 0 clean, 1 not" },
	{ "rerun", rerun, "ID [--arch A] [--failed]",
	  "run its jobs again: all, of one architecture, what did not pass" },
	{ "cancel", cancel, "ID", "give up what has not ended yet" },
	{ 0 },
};
