// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a fuzz target over its kept inputs, without a fuzzer: replay DIR. Prints
 * TAP, one test for all of them; a sanitizer's finding ends it before that.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/fs.h"
#include "lib/strbuf.h"

#define MAX_BYTES ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly these bytes, so that one too far is seen. */
static int replay(const char *path)
{
	struct strbuf in __free(strbuf) = STRBUF_INIT;
	int r = fs_read_file(path, MAX_BYTES, &in);
	char *exact __free(kfree) = xmalloc(in.len ? in.len : 1);

	if (r)
		return r;
	memcpy(exact, in.buf, in.len);
	LLVMFuzzerTestOneInput((const uint8_t *)exact, in.len);
	return 0;
}

int main(int argc, char **argv)
{
	DIR *d = argc == 2 ? opendir(argv[1]) : NULL;
	unsigned int nr = 0, bad = 0;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *path __free(kfree) = NULL;
		int r;

		if (*e->d_name == '.')
			continue;
		path = xasprintf("%s/%s", argv[1], e->d_name);
		r = replay(path);
		if (r)
			printf("# %s: %s\n", path, strerror(-r));
		bad += r != 0;
		nr++;
	}
	if (d)
		closedir(d);
	printf("1..1\n%sok 1 - %u inputs\n", !nr || bad ? "not " : "", nr);
	return !nr || bad;
}
