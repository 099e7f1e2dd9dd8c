// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "kernel-series/net.h"
#include "server/show.h"

/* "source-dir" and "git" locations are read by the daemon, not from here */
static char *absolute(const char *location)
{
	char *full = NULL;

	if (!strstr(location, "://"))
		full = realpath(location, NULL);
	return full ? full : xstrdup(location);
}

static const char *kind_of(const char *location)
{
	if (strstr(location, "://"))
		return "git";
	if (!strchr(location, '/') && starts_with(location, "linux-source-"))
		return "source-package";
	return NULL;
}

static int add(struct client *c, int argc, char **argv)
{
	const char *kind = NULL, *branch = NULL, *role = NULL, *rank = NULL;
	const struct option_arg opts[] = {
		{ "--kind", &kind }, { "--branch", &branch },
		{ "--role", &role }, { "--rank", &rank }, { NULL },
	};
	json_t *o __free(json) = NULL, *spec __free(json) = json_object();
	char *location __free(kfree) = NULL, *body __free(kfree) = NULL;
	char *end = NULL;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc != 2)
		return cmd_usage("tree add needs a name and a location");
	if (!kind)
		kind = kind_of(argv[1]);
	if (!kind)
		return cmd_usage("tree add %s: say --kind source-dir or "
				 "--kind git", argv[1]);
	location = strcmp(kind, "source-package") ? absolute(argv[1]) :
		   xstrdup(argv[1]);
	json_set_text(spec, "name", argv[0]);
	json_set_text(spec, "location", location);
	json_set_text(spec, "kind", kind);
	if (branch)
		json_set_text(spec, "branch", branch);
	if (role)
		json_set_text(spec, "role", role);
	if (rank)
		json_set_int(spec, "rank", strtol(rank, &end, 10));
	if (end && (*end || end == rank))
		return cmd_usage("--rank %s is no number", rank);
	body = json_dumps(spec, JSON_COMPACT);
	r = api_call(c, "POST", "/api/v1/trees", body, strlen(body),
		     "application/json", &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	print_text("tree %s: added, it is being fetched\n", argv[0]);
	return CMD_YES;
}

static const struct column list_columns[] = {
	{ "NAME", "name" },	{ "STATE", "state" },
	{ "KIND", "kind" },	{ "COMMIT", "commit_id", COL_COMMIT },
	{ "IS", "describe" },	{ "FETCHED", "fetched_s", COL_AGE },
	{ "FROM", "location", COL_WRAP }, { "ERROR", "error" },
	{ NULL },
};

static int list(struct client *c, int argc, char **argv)
{
	static const struct list_spec spec = {
		"tree list", "/api/v1/trees", list_columns, NULL,
	};

	return list_run(c, &spec, argc, argv);
}

static int fetch(struct client *c, int argc, char **argv)
{
	if (argc != 1)
		return cmd_usage("tree fetch needs a name");
	return api_act(c, "trees", argv[0], "fetch", "is being fetched");
}

const struct cmd cmds_tree[] = {
	{ "add", add,
	  "NAME LOCATION [--kind git|source-package|source-dir] [--branch B]"
	  " [--role R] [--rank N]",
	  "a tree that series may be written against" },
	{ "list", list, "", "trees in the order they are tried" },
	{ "fetch", fetch, "NAME", "look for a new tip now" },
	{ 0 },
};
