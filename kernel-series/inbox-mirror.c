// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/inbox-mirror.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "kernel-series/inbox-int.h"
#include "kernel-series/net.h"
#include "lib/child.h"
#include "lib/fs.h"

#define GC_TIMEOUT_MS (600 * 1000)
#define LOOK_BEHIND 32
#define DEEPEN_STEP 256
#define MAX_DEEPEN_ROUNDS 64

/* Run git in the mirror; its stderr goes to @err. */
static int run_git(const char *const *argv, int64_t timeout_ms,
		   struct strbuf *err, int *status)
{
	int err_fd __free(fd) = memfd_create("git-stderr", MFD_CLOEXEC);
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct child_spec spec = CHILD_SPEC_INIT;
	int r;

	if (err_fd < 0)
		return -errno;
	spec.argv = argv;
	spec.envp = inbox_git_env();
	spec.stderr_fd = err_fd;
	r = child_run(&spec, NULL, 0, &out, 1 << 20, timeout_ms, status);
	lseek(err_fd, 0, SEEK_SET);
	strbuf_read(err, err_fd, 65536);
	return r;
}

/* A killed git leaves locks, and nobody else works here: see lock_cache(). */
static void remove_stale_locks(const char *git_dir)
{
	static const char *const names[] = {
		"HEAD.lock", "config.lock", "gc.pid", "packed-refs.lock",
		"refs/heads/master.lock", "shallow.lock",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path __free(kfree) = xasprintf("%s/%s", git_dir,
						     names[i]);

		unlink(path);
	}
}

static bool is_shallow(const char *git_dir)
{
	char *path __free(kfree) = xasprintf("%s/shallow", git_dir);
	struct stat st;

	return !stat(path, &st) && st.st_size > 0;
}

static int make_repo(const struct mirror_spec *spec, struct strbuf *why)
{
	const char *argv[] = { "git", "init", "-q", "--bare", "--template=",
			       "--initial-branch=master", spec->git_dir, NULL };
	struct strbuf err __free(strbuf) = STRBUF_INIT;
	int status = 0, r;

	r = fs_mkdir_p(spec->git_dir);
	if (!r)
		r = run_git(argv, GC_TIMEOUT_MS, &err, &status);
	if (!r && !status)
		return 0;
	strbuf_addf(why, "%s: cannot make a repository: ", spec->git_dir);
	strbuf_add_utf8(why, r ? strerror(-r) : err.buf,
			strcspn(r ? strerror(-r) : err.buf, "\n"));
	return r ? r : -EPROTO;
}

/* "The requested URL returned error: 503", "RPC failed; HTTP 429", ... */
static int status_in(const char *err)
{
	static const char *const before[] = { "returned error: ", "; HTTP " };

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		const char *p = strstr(err, before[i]);
		int n = p ? atoi(p + strlen(before[i])) : 0;

		if (n >= 400 && n < 600)
			return n;
	}
	if (strstr(err, "fatal: repository '") && strstr(err, "' not found"))
		return 404;
	return 0;
}

/* git names the URL, and a URL may hold a password: keep what follows it */
static void add_git_words(struct strbuf *why, const char *url, const char *err)
{
	const char *fatal = strstr(err, "fatal: ");
	const char *p = fatal ? fatal + 7 : err;
	char *quoted __free(kfree) = xasprintf("unable to access '%s/': ", url);

	net_add_url_public(why, url);
	strbuf_addstr(why, ": git fetch: ");
	if (starts_with(p, quoted))
		p += strlen(quoted);
	else if (strstr(p, url))
		p = "failed";
	strbuf_add_utf8(why, p, strcspn(p, "\n"));
}

static int fetch_once(const struct mirror_spec *spec, const char *depth,
		      struct strbuf *err, int *status)
{
	struct strbuf agent __free(strbuf) = STRBUF_INIT;
	char low_speed[64];
	/* a redirection must not lead from https to http */
	const char *http = strncasecmp(spec->url, "https:", 6) ?
			   "protocol.http.allow=always" :
			   "protocol.http.allow=never";
	const char *argv[] = {
		"git", "-c", agent.buf, "-c", "http.maxRequests=1", "-c",
		"http.lowSpeedLimit=1", "-c", low_speed, "-c",
		"protocol.allow=never", "-c", "protocol.https.allow=always",
		"-c", http, "-c", "gc.auto=0", "-c",
		"maintenance.auto=false", "-c", "core.hooksPath=/dev/null",
		"--git-dir", spec->git_dir, "fetch", "-q", "--no-tags",
		"--no-write-fetch-head", "--update-shallow", spec->url,
		"+refs/heads/master:refs/heads/master", depth, NULL
	};

	strbuf_addstr(&agent, "http.userAgent=");
	net_add_user_agent(&agent, spec->contact_url);
	argv[2] = agent.buf;
	snprintf(low_speed, sizeof(low_speed), "http.lowSpeedTime=%u",
		 min(spec->timeout_s, 60u));
	return run_git(argv, (int64_t)spec->timeout_s * 1000, err, status);
}

static int fetch(const struct mirror_spec *spec, const char *depth,
		 int *http_status, struct strbuf *why)
{
	struct strbuf err __free(strbuf) = STRBUF_INIT;
	int status = 0, r;

	r = fetch_once(spec, depth, &err, &status);
	if (!r && !status)
		return 0;
	if (r) {
		net_add_url_public(why, spec->url);
		strbuf_addf(why, ": git fetch: %s after %u s", strerror(-r),
			    spec->timeout_s);
		return r;
	}
	*http_status = status_in(err.buf);
	if (*http_status)
		return MIRROR_HTTP_STATUS;
	add_git_words(why, spec->url, err.buf);
	return strstr(err.buf, "Operation too slow") ? -ETIMEDOUT : -EPROTO;
}

/* Look behind the place where the server cut: was that a wrong clock? */
static int deepen(const struct mirror_spec *spec, int *http_status,
		  struct strbuf *why)
{
	char depth[32];
	int step = LOOK_BEHIND, r;

	for (int i = 0; i < MAX_DEEPEN_ROUNDS; i++) {
		struct inbox_age age;

		if (!is_shallow(spec->git_dir))
			return 0;
		snprintf(depth, sizeof(depth), "--deepen=%d", step);
		r = fetch(spec, depth, http_status, why);
		if (!r)
			r = inbox_git_age(spec->git_dir, spec->since_s,
					  LOOK_BEHIND, &age, why);
		if (r || age.old * 2 > age.looked)
			return r;
		step = DEEPEN_STEP;
	}
	return 0;
}

static int fetch_from_start(const struct mirror_spec *spec, int *http_status,
			    struct strbuf *why)
{
	struct strbuf first __free(strbuf) = STRBUF_INIT;
	char depth[64];
	char tip[65];
	int r;

	if (spec->since_s <= 0)
		return fetch(spec, is_shallow(spec->git_dir) ? "--unshallow" :
							       NULL,
			     http_status, why);

	snprintf(depth, sizeof(depth), "--shallow-since=@%" PRId64 " +0000",
		 spec->since_s);
	r = fetch(spec, depth, http_status, &first);
	if (!r)
		return deepen(spec, http_status, why);
	if (r != -EPROTO) {
		strbuf_addbuf(why, &first);
		return r;
	}
	/*
	 * A server that has nothing as young as that only hangs up (git 2.39:
	 * "error processing shallow info: 4"). Take its last commit, the next
	 * fetch then brings what follows.
	 */
	r = fetch(spec, "--depth=1", http_status, why);
	if (r)
		return r;
	r = inbox_git_tip(spec->git_dir, tip, why);
	return r || !*tip ? r : deepen(spec, http_status, why);
}

/* Many small fetches leave many small packs; that it failed is no harm. */
static void tidy(const char *git_dir)
{
	const char *argv[] = { "git", "-c", "gc.autoDetach=false", "-c",
			       "core.hooksPath=/dev/null", "--git-dir", git_dir,
			       "gc", "--auto", "-q", NULL };
	struct strbuf err __free(strbuf) = STRBUF_INIT;
	int status;

	run_git(argv, GC_TIMEOUT_MS, &err, &status);
}

static void drop_if_damaged(const struct mirror_spec *spec, struct strbuf *why)
{
	struct strbuf ignored __free(strbuf) = STRBUF_INIT;
	struct inbox_age age;

	if (inbox_git_age(spec->git_dir, 0, UINT_MAX, &age, &ignored) !=
	    -EPROTO)
		return;
	if (!fs_rm_rf(spec->git_dir))
		strbuf_addstr(why, "; the mirror was damaged and is removed");
}

int mirror_fetch(const struct mirror_spec *spec, bool *cut, int *status,
		 struct strbuf *why)
{
	int r;

	*cut = false;
	*status = 0;
	remove_stale_locks(spec->git_dir);
	r = make_repo(spec, why);
	if (r)
		return r;
	if (spec->from_start)
		r = fetch_from_start(spec, status, why);
	else
		r = fetch(spec, NULL, status, why);
	if (r == -EPROTO)
		drop_if_damaged(spec, why);
	if (r)
		return r;
	tidy(spec->git_dir);
	*cut = is_shallow(spec->git_dir);
	return 0;
}
