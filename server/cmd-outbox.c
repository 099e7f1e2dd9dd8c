// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "kernel-series/net.h"
#include "server/show.h"

static const struct column list_columns[] = {
	{ "ID", "id", COL_NUMBER },	 { "STATE", "state" },
	{ "AGE", "created_s", COL_AGE }, { "SUBJECT", "subject", COL_WRAP },
	{ NULL },
};
static const char *const list_params[] = { "state", NULL };

static int list(struct client *c, int argc, char **argv)
{
	static const struct list_spec spec = {
		"outbox list", "/api/v1/outbox", list_columns, list_params,
	};

	return list_run(c, &spec, argc, argv);
}

/* Who would get it, who would not, and which rule says so. */
static void tell_recipients(const json_t *decision)
{
	const json_t *o;
	size_t i;

	json_array_foreach(json_object_get(decision, "recipients"), i, o) {
		const char *rule = json_get_str(o, "rule", "");

		print_text("%s: %s: %s%s%s%s\n",
			   json_get_bool(o, "gets", false) ? "gets it" :
							     "does not",
			   json_get_str(o, "email", ""),
			   json_get_str(o, "why", ""),
			   *rule ? " (rule " : "", rule, *rule ? ")" : "");
	}
	json_array_foreach(json_object_get(decision, "rules"), i, o) {
		const char *why = json_get_str(o, "why", "");

		print_text("rule %s: %s%s%s\n", json_get_str(o, "name", ""),
			   json_get_bool(o, "matches", false) ? "matches" :
								"does not match",
			   *why ? ": " : "", why);
	}
}

static void tell_state(const json_t *o)
{
	const json_t *decision = json_object_get(o, "decision"), *d;
	const char *rule = json_get_str(decision, "rule", "");
	size_t i;

	print_text("state: %s: %s%s%s%s\n", json_get_str(o, "state", ""),
		   json_get_str(o, "state_why", ""), *rule ? " (rule " : "",
		   rule, *rule ? ")" : "");
	tell_recipients(decision);
	json_array_foreach(json_object_get(o, "deliveries"), i, d)
		print_text("%s: %s %s\n", json_get_str(d, "state", ""),
			   json_get_str(d, "email", ""),
			   json_get_str(d, "answer", ""));
	print_text("\n");
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
	tell_state(o);
	print_text("%s\n", json_get_str(o, "eml", ""));
	return CMD_YES;
}

static int approve(struct client *c, int argc, char **argv)
{
	if (argc != 1)
		return cmd_usage("outbox approve needs one number");
	return api_act(c, "outbox", argv[0], "approve", "may leave");
}

static int reject(struct client *c, int argc, char **argv)
{
	const char *why = NULL;
	const struct option_arg opts[] = { { "--why", &why }, { NULL } };
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc != 1)
		return cmd_usage("outbox reject needs one number");
	strbuf_addstr(&path, "/api/v1/outbox/");
	net_add_url_escaped(&path, argv[0]);
	strbuf_addstr(&path, "/reject");
	query_add(&path, "why", why);
	r = api_call(c, "POST", path.buf, NULL, 0, NULL, &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	print_text("outbox %s: %s\n", argv[0],
		   json_get_str(o, "state_why", ""));
	return CMD_YES;
}

const struct cmd cmds_outbox[] = {
	{ "list", list, "[--state S] [--limit N] [--cursor C]",
	  "replies, the newest first" },
	{ "show", show, "ID",
	  "one reply: who would get it, by which rule, and the mail" },
	{ "approve", approve, "ID", "let a held reply leave" },
	{ "reject", reject, "ID [--why TEXT]", "withdraw a reply" },
	{ 0 },
};
