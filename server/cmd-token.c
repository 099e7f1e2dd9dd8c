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
				 "more of read-private, submit, rerun, admin");
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

const struct cmd cmds_token[] = {
	{ "add", add, "NAME --scope SCOPE[,SCOPE] [--days N]",
	  "make a bearer token for the API" },
	{ 0 },
};
