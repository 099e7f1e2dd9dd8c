// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "server/cmd.h"

static json_t *scopes_of(const char *text)
{
	json_t *list = json_array();

	while (*text) {
		size_t n = strcspn(text, ", ");

		if (n)
			json_array_append_new(list, json_textn(text, n));
		text += n;
		text += strspn(text, ", ");
	}
	return list;
}

static int add(struct client *c, int argc, char **argv)
{
	const char *scope = NULL, *days = NULL;
	const struct option_arg opts[] = {
		{ "--scope", &scope }, { "--days", &days }, { NULL },
	};
	json_t *o __free(json) = NULL, *spec __free(json) = json_object();
	char *body __free(kfree) = NULL, *end = NULL;
	long n = 0;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc != 1 || !scope)
		return cmd_usage("token add needs a name and --scope, one or "
				 "more of submit, rerun, admin");
	if (days)
		n = strtol(days, &end, 10);
	if (days && (*end || end == days || n < 1 || n > 36500))
		return cmd_usage("--days %s: expected 1 to 36500", days);
	json_set_text(spec, "name", argv[0]);
	json_object_set_new(spec, "scopes", scopes_of(scope));
	if (days)
		json_set_int(spec, "expires_s", (int64_t)n * 86400);
	body = json_dumps(spec, JSON_COMPACT);
	r = api_call(c, "POST", "/api/v1/tokens", body, strlen(body),
		     "application/json", &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	/* alone on stdout, so that TOKEN=$(mmci token add ...) works */
	print_text("%s\n", json_get_str(o, "token", ""));
	fprintf(stderr, "This token is shown once; only its hash is kept.\n");
	return CMD_YES;
}

const struct cmd cmds_token[] = {
	{ "add", add, "NAME --scope submit,rerun,admin [--days N]",
	  "make a bearer token for the API" },
	{ 0 },
};
