// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "lib/fs.h"
#include "server/cmd.h"

#define MBOX_MAX_BYTES (16 << 20)

static int submit(struct client *c, int argc, char **argv)
{
	struct strbuf mbox __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	bool is_private = argc && !strcmp(argv[0], "--private");
	int r;

	if (is_private) {
		argc--;
		argv++;
	}
	if (argc != 1)
		return cmd_usage("submit needs one mbox file, or - for stdin");
	r = strcmp(argv[0], "-") ?
		fs_read_file(argv[0], MBOX_MAX_BYTES, &mbox) :
		strbuf_read(&mbox, 0, MBOX_MAX_BYTES);
	if (r)
		return cmd_fail("%s: %s", argv[0], strerror(-r));
	r = api_call(c, "POST", is_private ? "/api/v1/series?private=1" :
		     "/api/v1/series", mbox.buf, mbox.len,
		     "application/mbox", &o);
	if (r)
		return r;
	if (c->json)
		return print_json(o);
	print_text("%s: taken\n", argv[0]);
	if (json_get_int(o, "id", 0))
		print_text("see: mmci series show %" PRId64 "\n",
			   json_get_int(o, "id", 0));
	return CMD_YES;
}

const struct cmd cmds_submit[] = {
	{ NULL, submit, "[--private] FILE.mbox",
	  "test a series from a file; private: shown only to tokens that may" },
	{ 0 },
};
