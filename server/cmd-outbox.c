// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "kernel-series/net.h"
#include "server/cmd.h"

static int list(struct client *c, int argc, char **argv)
{
	const char *state = NULL, *limit = NULL, *cursor = NULL;
	const struct option_arg opts[] = {
		{ "--state", &state }, { "--limit", &limit },
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
		return cmd_usage("outbox list takes no %s", argv[0]);
	strbuf_addstr(&path, "/api/v1/outbox");
	query_add(&path, "state", state);
	query_add(&path, "limit", limit);
	query_add(&path, "cursor", cursor);
	r = api_get(c, path.buf, &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	json_array_foreach(json_object_get(o, "items"), i, item) {
		char date[32];

		print_age(json_get_int(item, "created_s", 0), date);
		print_text("%5" PRId64 "  %-8s %s  %s\n",
			   json_get_int(item, "id", 0),
			   json_get_str(item, "state", ""), date,
			   json_get_str(item, "subject", ""));
	}
	if (json_get_str(o, "next", NULL))
		print_text("more: --cursor %s\n", json_get_str(o, "next", ""));
	return CMD_YES;
}

static int show(struct client *c, int argc, char **argv)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	int r;

	if (argc != 1)
		return cmd_usage("outbox show needs one number");
	strbuf_addstr(&path, "/api/v1/outbox/");
	net_add_url_escaped(&path, argv[0]);
	r = api_get(c, path.buf, &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	print_text("%s\n", json_get_str(o, "eml", ""));
	return CMD_YES;
}

const struct cmd cmds_outbox[] = {
	{ "list", list, "[--state S] [--limit N] [--cursor C]",
	  "replies, the newest first" },
	{ "show", show, "ID", "one reply, as the mail it is" },
	{ 0 },
};
