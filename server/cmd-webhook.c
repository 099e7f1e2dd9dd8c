// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "server/cmd.h"

static int add(struct client *c, int argc, char **argv)
{
	const char *events = "";
	const struct option_arg opts[] = { { "--events", &events }, { NULL } };
	json_t *o __free(json) = NULL, *spec __free(json) = json_object();
	char *body __free(kfree) = NULL, *kinds __free(kfree) = NULL;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc != 2)
		return cmd_usage("webhook add needs a name and a URL");
	kinds = xstrdup(events);
	for (char *p = kinds; *p; p++) {
		if (*p == ',')
			*p = ' ';
	}
	json_set_text(spec, "name", argv[0]);
	json_set_text(spec, "url", argv[1]);
	json_set_text(spec, "events", kinds);
	body = json_dumps(spec, JSON_COMPACT);
	r = api_call(c, "POST", "/api/v1/webhooks", body, strlen(body),
		     "application/json", &o);
	if (r || c->json)
		return r ? r : print_json(o);
	print_text("%s\n", json_get_str(o, "secret", ""));
	fprintf(stderr, "This is the key of the signatures; it is shown "
			"once.\n");
	return CMD_YES;
}

static int list(struct client *c, int argc, char **argv)
{
	static const struct option_arg opts[] = { { NULL } };
	json_t *o __free(json) = NULL, *row;
	size_t i;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc)
		return cmd_usage("webhook list takes no arguments");
	r = api_get(c, "/api/v1/webhooks", &o);
	if (r || c->json)
		return r ? r : print_json(o);
	json_array_foreach(json_object_get(o, "items"), i, row) {
		const char *events = json_get_str(row, "events", "");
		const char *error = json_get_str(row, "error", "");

		print_text("%s  %s  events: %s  sent: %" PRId64
			   "  given up: %" PRId64 "%s%s\n",
			   json_get_str(row, "name", ""),
			   json_get_str(row, "url", ""),
			   *events ? events : "all",
			   json_get_int(row, "sent", 0),
			   json_get_int(row, "skipped", 0),
			   *error ? "  error: " : "", error);
	}
	return CMD_YES;
}

static int remove_one(struct client *c, int argc, char **argv)
{
	static const struct option_arg opts[] = { { NULL } };
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc != 1)
		return cmd_usage("webhook remove needs a name");
	return api_act(c, "webhooks", argv[0], "remove", "removed");
}

const struct cmd cmds_webhook[] = {
	{ "add", add, "NAME URL [--events KIND[,KIND]]",
	  "send events to an address; prints the key of their signatures" },
	{ "list", list, "", "show the webhooks and how they fare" },
	{ "remove", remove_one, "NAME", "send it nothing more" },
	{ 0 },
};
