/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_TESTS_CORPORA_H
#define MMCI_RUNNERS_TESTS_CORPORA_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/strbuf.h"

/* Where the corpora are; they are not part of this repository. */
static inline const char *corpora_dir(void)
{
	const char *dir = getenv("MMCI_CORPORA");

	return dir && *dir ? dir : "../shared/corpora";
}

static inline int corpora_read(const char *folder, const char *file,
			       struct strbuf *sb)
{
	char *path __free(kfree) =
		xasprintf("%s/%s/%s", corpora_dir(), folder, file);

	return fs_read_file(path, 64 << 20, sb);
}

/* The lines of FOLDER/expected.jsonl; an empty array where it is absent. */
static inline json_t *corpora_lines(const char *folder)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *list = json_array(), *o;
	char *save = NULL;

	if (corpora_read(folder, "expected.jsonl", &sb))
		return list;
	for (char *line = strtok_r(sb.buf, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		o = json_loads(line, 0, NULL);
		if (o)
			json_array_append_new(list, o);
	}
	return list;
}

#endif
