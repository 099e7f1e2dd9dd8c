// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "kernel-series/parse.h"
#include "lib/fs.h"
#include "runners/parse.h"
#include "server/cmd.h"

#define FILE_MAX_BYTES (64 << 20)

static bool is_one_of(const char *kind, const char *const *kinds)
{
	for (; *kinds; kinds++) {
		if (!strcmp(kind, *kinds))
			return true;
	}
	return false;
}

static int parse(struct client *c, int argc, char **argv)
{
	static const char *const of_mail[] = { "mail", "series", "diff",
					       "commands", NULL };
	static const char *const of_runs[] = { "build-log", "ktap", "console",
					       NULL };
	const char *options = NULL;
	const struct option_arg opts[] = {
		{ "--options", &options }, { NULL },
	};
	struct strbuf data __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *settings __free(json) = NULL, *o __free(json) = NULL;
	json_error_t err;
	int r = cmd_options(&argc, argv, opts);

	if (r)
		return r;
	if (argc != 2)
		return cmd_usage("parse needs a kind and a file, or - for "
				 "stdin");
	if (!is_one_of(argv[0], of_mail) && !is_one_of(argv[0], of_runs))
		return cmd_usage("parse knows mail, series, diff, commands, "
				 "build-log, ktap and console, not %s", argv[0]);
	if (options) {
		settings = json_loads(options, JSON_REJECT_DUPLICATES, &err);
		if (!json_is_object(settings))
			return cmd_usage("--options: expected a JSON object%s%s",
					 settings ? "" : ": ",
					 settings ? "" : err.text);
	}
	r = strcmp(argv[1], "-") ?
		fs_read_file(argv[1], FILE_MAX_BYTES, &data) :
		strbuf_read(&data, 0, FILE_MAX_BYTES);
	if (r)
		return cmd_fail("%s: %s", argv[1], strerror(-r));
	if (is_one_of(argv[0], of_mail))
		r = parse_file_json(argv[0], data.buf, data.len, settings, &o,
				    &why);
	else
		r = runner_parse_json(argv[0], data.buf, data.len, settings,
				      &o, &why);
	if (r)
		return cmd_fail("%s: %s", argv[1], why.buf);
	return print_json(o);
}

const struct cmd cmds_parse[] = {
	{ NULL, parse, "KIND FILE --json [--options JSON]",
	  "what mmci makes of a mail, series, diff, commands, build-log, "
	  "ktap or console; no daemon needed" },
	{ 0 },
};
