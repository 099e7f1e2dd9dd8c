/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/cleanup.h"
#include "lib/json.h"
#include "runners/parse.h"

/*
 * measure-parse KIND FILE: how fast a parser reads a file that is in memory.
 * Prints "BYTES bytes, MILLISECONDS ms, RATE MB/s".
 */
int main(int argc, char **argv)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *got __free(json) = NULL;
	int fd __free(fd) = -1;
	struct timespec a, b;
	struct stat st;
	double ms;
	void *text;

	if (argc != 3) {
		fprintf(stderr, "usage: measure-parse KIND FILE\n");
		return 2;
	}
	fd = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !st.st_size) {
		fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
		return 1;
	}
	text = mmap(NULL, (size_t)st.st_size, PROT_READ,
		    MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (text == MAP_FAILED) {
		fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
		return 1;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	if (runner_parse_json(argv[1], text, (size_t)st.st_size, NULL, &got,
			      &why)) {
		fprintf(stderr, "%s\n", why.buf);
		return 2;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	ms = (double)(b.tv_sec - a.tv_sec) * 1e3 +
	     (double)(b.tv_nsec - a.tv_nsec) / 1e6;
	printf("%lld bytes, %.1f ms CPU time, %.0f MB/s\n",
	       (long long)st.st_size, ms, (double)st.st_size / 1e3 / ms);
	return 0;
}
