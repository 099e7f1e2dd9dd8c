// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mmci-run JOBDIR: execute the job that JOBDIR/job.json describes and leave
 * log, result.json and artefacts there. docs/design.md, 10.2.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runners/run.h"

int main(int argc, char **argv)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r;

	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: mmci-run JOBDIR\n");
		return 2;
	}
	r = run_job(argv[1], &why);
	if (!r)
		return 0;
	fprintf(stderr, "mmci-run: %s\n", why.len ? why.buf : strerror(-r));
	return r == -EINVAL ? 2 : 1;
}
