// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/rev-range.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/child.h"
#include "lib/fs.h"

#define MBOX_MAX_BYTES (16 << 20)
#define GIT_TIMEOUT_MS 120000

bool rev_range_is(const char *arg)
{
	return strstr(arg, "..") && !fs_exists(arg);
}

/* git talks to the user on stderr, and is one's own, with one's own settings. */
static int git(const char *const *argv, struct strbuf *out)
{
	struct child_spec spec = CHILD_SPEC_INIT;
	int status, r;

	spec.argv = argv;
	spec.envp = (const char *const *)environ;
	r = child_run(&spec, NULL, 0, out, MBOX_MAX_BYTES, GIT_TIMEOUT_MS,
		      &status);
	if (r)
		return r;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EINVAL;
}

/* "A..B" -> A and B, an empty one is HEAD */
static void split(const char *range, char **from, char **to)
{
	const char *dots = strstr(range, "..");
	const char *behind = dots + (dots[2] == '.' ? 3 : 2);

	*from = dots == range ? xstrdup("HEAD") :
				xstrndup(range, (size_t)(dots - range));
	*to = xstrdup(*behind ? behind : "HEAD");
}

static int find_base(const char *range, struct strbuf *base)
{
	char *from __free(kfree) = NULL, *to __free(kfree) = NULL;
	int r;

	split(range, &from, &to);
	r = git((const char *const[]){ "git", "merge-base", "--end-of-options",
				       from, to, NULL }, base);
	strbuf_rtrim(base);
	return r;
}

int rev_range_mbox(const char *range, struct strbuf *mbox, struct strbuf *why)
{
	struct strbuf commit __free(strbuf) = STRBUF_INIT;
	char *base __free(kfree) = NULL;
	int r = find_base(range, &commit);

	if (r == -ENOENT) {
		strbuf_setf(why, "git is not installed");
		return r;
	}
	if (r) {
		strbuf_setf(why, "%s names no commits of this repository",
			    range);
		return r;
	}
	base = xasprintf("--base=%s", commit.buf);
	/* settings that would change what a patch mail is are overruled */
	r = git((const char *const[]){
			"git", "-c", "format.attach=", "-c",
			"format.coverLetter=false", "-c", "format.notes=false",
			"-c", "diff.noprefix=false", "-c",
			"diff.mnemonicPrefix=false", "-c",
			"diff.external=", "format-patch", "--stdout",
			"--thread=shallow", "--no-attach", "--no-signature",
			"--no-color", base, "--end-of-options", range, NULL },
		mbox);
	if (r) {
		strbuf_setf(why, r == -EFBIG ? "%s: more than 16 MiB" :
			    "%s: git format-patch does not take it", range);
		return r;
	}
	if (!mbox->len) {
		strbuf_setf(why, "%s has no commits", range);
		return -EINVAL;
	}
	return 0;
}
