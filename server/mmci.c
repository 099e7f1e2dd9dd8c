// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "server/cmd.h"

#define DEFAULT_CONFIG "/etc/mmci/mmcid.conf"

static const struct noun nouns[] = {
	{ "series", cmds_series }, { "job", cmds_job },
	{ "finding", cmds_finding }, { "queue", cmds_queue },
	{ "outbox", cmds_outbox }, { "tree", cmds_tree },
	{ "source", cmds_source }, { "health", cmds_health },
	{ "repro", cmds_repro }, { "webhook", cmds_webhook },
	{ "submit", cmds_submit }, { "token", cmds_token },
	{ "parse", cmds_parse }, { "bench", cmds_bench },
	{ "export", cmds_export }, { "check", cmds_check },
	{ "check-config", cmds_check_config },
};

static int help(void)
{
	printf("usage: mmci [--config FILE] [--url URL] [--json] [--watch]"
	       " COMMAND\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(nouns); i++) {
		for (const struct cmd *k = nouns[i].cmds; k->run; k++)
			printf("  %s%s%s %s\n\t%s\n", nouns[i].name,
			       k->verb ? " " : "", k->verb ? k->verb : "",
			       k->usage, k->help);
	}
	printf("\n--watch shows a list, a series, a job, its log, the queue again"
	       " when it changes;\nfor a series and a job until it has ended.\n"
	       "\nAddress: --url, MMCI_URL, or the configuration (--config,\n"
	       "MMCI_CONFIG, " DEFAULT_CONFIG ").\n"
	       "Token: MMCI_TOKEN, or admin.token of that configuration.\n"
	       "Exit: 0 yes, 1 no, 2 usage, 3 daemon unreachable.\n");
	return CMD_YES;
}

/* --json, --watch, --url and --config may stand anywhere */
static int global_options(struct client *c, int *argc, char **argv)
{
	int n = 0;

	for (int i = 0; i < *argc; i++) {
		char **value = NULL;

		if (!strcmp(argv[i], "--json")) {
			c->json = true;
			continue;
		}
		if (!strcmp(argv[i], "--watch")) {
			c->watch = true;
			continue;
		}
		if (!strcmp(argv[i], "--url"))
			value = &c->url;
		else if (!strcmp(argv[i], "--config"))
			value = &c->config_path;
		if (!value) {
			argv[n++] = argv[i];
			continue;
		}
		if (i + 1 == *argc)
			return cmd_usage("%s needs a value", argv[i]);
		free(*value);
		*value = xstrdup(argv[++i]);
	}
	argv[n] = NULL;
	*argc = n;
	return 0;
}

static int run_noun(struct client *c, const struct noun *noun, int argc,
		    char **argv)
{
	const struct cmd *k = noun->cmds;

	if (!k->verb)
		return k->run(c, argc, argv);
	if (!argc)
		return cmd_usage("%s: which verb?", noun->name);
	for (; k->run; k++) {
		if (!strcmp(k->verb, argv[0]))
			return k->run(c, argc - 1, argv + 1);
	}
	return cmd_usage("%s: unknown verb %s", noun->name, argv[0]);
}

static int run(struct client *c, int argc, char **argv)
{
	int r = global_options(c, &argc, argv);

	if (r)
		return r;
	if (!argc)
		return cmd_usage("which command?");
	if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "help"))
		return help();
	for (size_t i = 0; i < ARRAY_SIZE(nouns); i++) {
		if (!strcmp(nouns[i].name, argv[0]))
			return run_noun(c, &nouns[i], argc - 1, argv + 1);
	}
	return cmd_usage("unknown command %s", argv[0]);
}

int main(int argc, char **argv)
{
	const char *config = getenv("MMCI_CONFIG");
	struct client c = {
		.config_path = xstrdup(config ? config : DEFAULT_CONFIG),
	};
	int r = run(&c, argc - 1, argv + 1);

	if (fflush(stdout) || ferror(stdout))
		r = cmd_fail("cannot write the answer");
	free(c.config_path);
	free(c.url);
	free(c.token);
	return r;
}
