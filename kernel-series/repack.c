// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/repack.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "kernel-series/git-program.h"
#include "lib/cleanup.h"
#include "lib/json.h"

#define TIMEOUT_MS (60 * 60 * 1000)
/* Names are hashes, so one of the 256 directories stands for all, as in git-gc(1). */
#define SAMPLE_DIR "objects/17"
#define SAMPLE_DIRS 256

/* About how many; 0 or -errno. */
static int count_loose(const char *repo, int64_t *n)
{
	char *path __free(kfree) = xasprintf("%s/" SAMPLE_DIR, repo);
	DIR *d __free(dir) = opendir(path);
	const struct dirent *e;

	*n = 0;
	if (!d)
		return errno == ENOENT ? 0 : -errno;
	while ((e = readdir(d)))
		*n += e->d_name[0] != '.';
	*n *= SAMPLE_DIRS;
	return 0;
}

int repack_worker(const json_t *request, json_t **ret, struct strbuf *why)
{
	static const char *const argv[] = {
		"repack", "-q", "-d", "-l", "--threads=1",
		"--geometric=2", NULL
	};
	const char *repo = json_get_str(request, "repo", "");
	struct git_program g = {
		.repo = repo, .argv = argv, .timeout_ms = TIMEOUT_MS,
	};
	int64_t loose;
	int r = count_loose(repo, &loose);
	bool is_due = loose && loose >= json_get_int(request, "min_loose", 0);

	if (r) {
		strbuf_setf(why, "%s: %s", repo, strerror(-r));
		return r;
	}
	if (is_due)
		r = git_program_ok(&g, NULL, why);
	if (r)
		return r;
	*ret = json_object();
	json_set_int(*ret, "loose", loose);
	json_set_bool(*ret, "packed", is_due);
	return 0;
}
