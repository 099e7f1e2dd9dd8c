// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "lib/clock.h"
#include "server/cmd.h"

/* "submit,rerun" on the command line is "submit rerun" in the API. */
static char *with_spaces(const char *list)
{
	char *scopes = xstrdup(list);

	for (char *p = scopes; *p; p++) {
		if (*p == ',')
			*p = ' ';
	}
	return scopes;
}

static int add(struct client *c, int argc, char **argv)
{
	const char *scope = NULL, *days = NULL;
	const struct option_arg opts[] = {
		{ "--scope", &scope }, { "--days", &days }, { NULL },
	};
	json_t *o __free(json) = NULL, *spec __free(json) = json_object();
	char *body __free(kfree) = NULL, *scopes __free(kfree) = NULL;
	char *end = NULL;
	long n = 0;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc != 1 || !scope)
		return cmd_usage("token add needs a name and --scope, one or "
				 "more of read-private, submit, rerun, "
				 "moderate, admin");
	if (days)
		n = strtol(days, &end, 10);
	if (days && (*end || end == days || n < 1 || n > 36500))
		return cmd_usage("--days %s: expected 1 to 36500", days);
	json_set_text(spec, "name", argv[0]);
	scopes = with_spaces(scope);
	json_set_text(spec, "scopes", scopes);
	if (days)
		json_set_int(spec, "expires_s", clock_now_s() + n * 86400);
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

static int list(struct client *c, int argc, char **argv)
{
	static const struct option_arg opts[] = { { NULL } };
	json_t *o __free(json) = NULL, *row;
	size_t i;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc)
		return cmd_usage("token list takes no arguments");
	r = api_get(c, "/api/v1/tokens", &o);
	if (r || c->json)
		return r ? r : print_json(o);
	print_text("%-20s %-8s %-16s  %s\n", "NAME", "STATE", "EXPIRES",
		   "SCOPES");
	json_array_foreach(json_object_get(o, "items"), i, row) {
		char when[32] = "never";

		if (json_is_integer(json_object_get(row, "expires_s")))
			print_age(json_get_int(row, "expires_s", 0), when);
		print_text("%-20s %-8s %-16.16s  %s\n",
			   json_get_str(row, "name", ""),
			   json_get_str(row, "state", ""), when,
			   json_get_str(row, "scopes", ""));
	}
	return CMD_YES;
}

static int revoke_one(struct client *c, int argc, char **argv)
{
	static const struct option_arg opts[] = { { NULL } };
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc != 1)
		return cmd_usage("token revoke needs a name");
	return api_act(c, "tokens", argv[0], "revoke", "revoked");
}

const struct cmd cmds_token[] = {
	{ "add", add, "NAME --scope SCOPE[,SCOPE] [--days N]",
	  "make a bearer token for the API" },
	{ "list", list, "", "show whose tokens there are, never the tokens" },
	{ "revoke", revoke_one, "NAME", "end a token and who logged in with it" },
	{ 0 },
};
