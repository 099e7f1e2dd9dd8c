// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "lib/fs.h"
#include "server/follow.h"
#include "server/rev-range.h"

#define MBOX_MAX_BYTES (16 << 20)

/* A file, "-" for stdin, or commits of the repository one stands in. */
static int read_series(const char *arg, struct strbuf *mbox)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r;

	if (rev_range_is(arg)) {
		r = rev_range_mbox(arg, mbox, &why);
		return r ? cmd_fail("%s", why.buf) : CMD_YES;
	}
	r = strcmp(arg, "-") ? fs_read_file(arg, MBOX_MAX_BYTES, mbox) :
			       strbuf_read(mbox, 0, MBOX_MAX_BYTES);
	return r ? cmd_fail("%s: %s", arg, strerror(-r)) : CMD_YES;
}

/* Message-ID of the first mail: the answer may name neighbours as well. */
static char *first_id(const struct strbuf *mbox)
{
	const char *line = mbox->buf;

	while (line && *line && *line != '\n') {
		const char *id = line + strlen("Message-ID:");

		if (!strncasecmp(line, "Message-ID:", strlen("Message-ID:"))) {
			id += strspn(id, " \t<");
			return xstrndup(id, strcspn(id, "> \t\r\n"));
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}

static int tell(struct client *c, const char *arg, const struct strbuf *mbox,
		const json_t *answer, bool follow)
{
	const json_t *ids = json_object_get(answer, "series");
	char *name __free(kfree) = first_id(mbox);

	if (!name || !follow) {
		if (c->json)
			return print_json(answer);
		print_text("%s: taken\n", arg);
		for (size_t i = 0; i < json_array_size(ids); i++)
			print_text("see: mmci series show %" JSON_INTEGER_FORMAT
				   "\n", json_integer_value(
						  json_array_get(ids, i)));
		return CMD_YES;
	}
	fprintf(stderr, "%s: %s/series/%s\n", arg, c->url, name);
	return follow_series(c, name);
}

/* Commits are not posted yet: they are private and worth waiting for. */
static int submit(struct client *c, int argc, char **argv)
{
	struct strbuf mbox __free(strbuf) = STRBUF_INIT;
	json_t *o __free(json) = NULL;
	bool is_private, follow;
	int n = 0, want_private = 0, want_public = 0, want_wait = 0;
	int want_no_wait = 0, r;

	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--private"))
			want_private = 1;
		else if (!strcmp(argv[i], "--public"))
			want_public = 1;
		else if (!strcmp(argv[i], "--wait"))
			want_wait = 1;
		else if (!strcmp(argv[i], "--no-wait"))
			want_no_wait = 1;
		else
			argv[n++] = argv[i];
	}
	if (n != 1 || (*argv[0] == '-' && argv[0][1]))
		return cmd_usage("submit needs one mbox file, - for stdin, or "
				 "commits like HEAD~3..");
	if (want_private && want_public)
		return cmd_usage("submit: --private or --public?");
	is_private = !want_public && (want_private || rev_range_is(argv[0]));
	follow = !want_no_wait &&
		 (want_wait || c->watch || rev_range_is(argv[0]));
	r = read_series(argv[0], &mbox);
	if (r)
		return r;
	r = api_call(c, "POST", is_private ? "/api/v1/series?private=1" :
		     "/api/v1/series", mbox.buf, mbox.len,
		     "application/mbox", &o);
	return r ? r : tell(c, argv[0], &mbox, o, follow);
}

const struct cmd cmds_submit[] = {
	{ NULL, submit, "[--private|--public] [--wait|--no-wait] FILE|REV..[REV]",
	  "test a series before it is posted: an mbox, - for stdin, or commits"
	  " of this\n\trepository, which are private and waited for unless"
	  " asked otherwise" },
	{ 0 },
};
