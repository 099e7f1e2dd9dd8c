// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon's "pull" worker alone: one JSON request on stdin, frames on
 * stdout. Exit 0: all read; 1: a fact about the source; 2: our failure.
 */
#include <stdio.h>

#include "kernel-series/pull.h"
#include "lib/json.h"

int main(void)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *request __free(json) = json_loadf(stdin, 0, NULL);
	int r;

	if (!request) {
		fprintf(stderr, "pull-driver: no JSON request on stdin\n");
		return 2;
	}
	r = pull_worker(request, STDOUT_FILENO, &why);
	if (r)
		fprintf(stderr, "%s\n", why.buf);
	return r < 0 ? 2 : r;
}
