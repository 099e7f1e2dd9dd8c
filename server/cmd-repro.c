// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/net.h"
#include "server/cmd.h"

static int repro(struct client *c, int argc, char **argv)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;

	if (argc != 1)
		return cmd_usage("repro needs the number of a job");
	if (c->json)
		return cmd_usage("a script is text, there is no --json of it");
	strbuf_addstr(&path, "/api/v1/jobs/");
	net_add_url_escaped(&path, argv[0]);
	strbuf_addstr(&path, "/repro");
	return api_get_text(c, path.buf);
}

const struct cmd cmds_repro[] = {
	{ NULL, repro, "JOB", "print a shell script that repeats a job" },
	{ 0 },
};
