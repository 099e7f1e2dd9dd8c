// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "tree: " fmt
#include "kernel-series/tree-package.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/child.h"
#include "lib/fs.h"
#include "lib/log.h"

#define UPDATE_TIMEOUT_MS (300 * 1000)
#define DOWNLOAD_TIMEOUT_MS (1200 * 1000)
#define UNPACK_TIMEOUT_MS (900 * 1000)
#define MAX_NAME 128

/**
 * struct apt - a private state of apt in a scratch directory
 * @dir: the directory
 * @mirror: base URL of the mirror this system uses
 * @codename: release that runs here
 */
struct apt {
	const char *dir;
	char *mirror;
	char *codename;
};

static int run(const char *const *argv, const char *cwd, struct strbuf *out,
	       int64_t timeout_ms, struct strbuf *why)
{
	struct strbuf drop __free(strbuf) = STRBUF_INIT;
	struct child_spec spec = CHILD_SPEC_INIT;
	int status = 0, r;

	spec.argv = argv;
	spec.cwd = cwd;
	r = child_run(&spec, NULL, 0, out ? out : &drop, 16 << 20, timeout_ms,
		      &status);
	if (!r && WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	strbuf_addf(why, "%s: ", argv[0]);
	if (r)
		strbuf_addstr(why, strerror(-r));
	else
		child_describe(status, why);
	return r ? r : -EIO;
}

/* deb822 or one-line sources: apt-get indextargets reads both for us */
static int find_mirror(struct apt *a, struct strbuf *why)
{
	const char *argv[] = { "apt-get", "indextargets", "--format",
			       "$(LABEL) $(CODENAME) $(SITE)",
			       "Created-By: Packages", NULL };
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	char *save = NULL, *line;
	int r = run(argv, NULL, &out, 60000, why);

	if (r)
		return r;
	for (line = strtok_r(out.buf, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *code, *site;

		if (!starts_with(line, "Debian "))
			continue;
		code = line + strlen("Debian ");
		site = strchr(code, ' ');
		if (!site)
			continue;
		*site++ = '\0';
		a->mirror = xstrdup(site);
		a->codename = xstrndup(code, strcspn(code, "-/"));
		return 0;
	}
	strbuf_addstr(why, "apt knows no Debian mirror; run apt-get update "
			   "first");
	return -ENOENT;
}

static void apt_free(struct apt *a)
{
	free(a->mirror);
	free(a->codename);
}

static bool name_is_sane(const char *s)
{
	const char *p;

	if (!isalnum((unsigned char)*s) || strlen(s) > MAX_NAME)
		return false;
	for (p = s; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("+-.", *p))
			return false;
	return true;
}

static int apt_run(const struct apt *a, const char *verb, const char *arg,
		   int64_t timeout_ms, struct strbuf *why)
{
	char *list __free(kfree) =
		xasprintf("Dir::Etc::sourcelist=%s/sources.list", a->dir);
	char *lists __free(kfree) =
		xasprintf("Dir::State::lists=%s/lists", a->dir);
	char *cache __free(kfree) = xasprintf("Dir::Cache=%s/cache", a->dir);
	const char *argv[] = {
		"apt-get", "-qq", "-o", list, "-o", "Dir::Etc::sourceparts=-",
		"-o", lists, "-o", cache, "-o", "APT::Default-Release=",
		"-o", "APT::Sandbox::User=", "-o", "Acquire::Retries=3",
		"-o", "Acquire::http::Timeout=60", "-o",
		"Acquire::Languages=none", verb, arg, NULL
	};

	return run(argv, a->dir, NULL, timeout_ms, why);
}

static int apt_use_suite(const struct apt *a, const char *suite,
			 struct strbuf *why)
{
	char *path __free(kfree) = xasprintf("%s/sources.list", a->dir);
	char *lists __free(kfree) = xasprintf("%s/lists", a->dir);
	char *part __free(kfree) = xasprintf("%s/lists/partial", a->dir);
	char *arch __free(kfree) =
		xasprintf("%s/cache/archives/partial", a->dir);
	char *text __free(kfree) =
		xasprintf("deb [signed-by=/usr/share/keyrings/"
			  "debian-archive-keyring.gpg] %s %s main\n",
			  a->mirror, suite);
	int r;

	fs_rm_rf(lists);
	r = fs_mkdir_p(part);
	if (!r)
		r = fs_mkdir_p(arch);
	if (!r)
		r = fs_write_atomic(path, text, strlen(text));
	if (r) {
		strbuf_addf(why, "%s: %s", path, strerror(-r));
		return r;
	}
	return apt_run(a, "update", NULL, UPDATE_TIMEOUT_MS, why);
}

static int find_one(const char *dir, const char *pattern, struct strbuf *ret,
		    struct strbuf *why)
{
	char *path __free(kfree) = xasprintf("%s/%s", dir, pattern);
	glob_t g;
	int r = glob(path, 0, NULL, &g);

	if (!r && g.gl_pathc == 1) {
		strbuf_addstr(ret, g.gl_pathv[0]);
		globfree(&g);
		return 0;
	}
	if (!r)
		globfree(&g);
	strbuf_addf(why, "%s: not exactly one such file in the package",
		    pattern);
	return -ENOENT;
}

static int apt_download(const struct apt *a, const char *package,
			const char *suite, struct strbuf *why)
{
	const char *suites[] = { a->codename, NULL, "stable",
				 "stable-backports" };
	char *backports __free(kfree) = xasprintf("%s-backports", a->codename);
	size_t i, n = ARRAY_SIZE(suites);

	suites[1] = backports;
	if (suite) {
		suites[0] = suite;
		n = 1;
	}
	for (i = 0; i < n; i++) {
		struct strbuf miss __free(strbuf) = STRBUF_INIT;
		int r = apt_use_suite(a, suites[i], &miss);

		if (!r)
			r = apt_run(a, "download", package,
				    DOWNLOAD_TIMEOUT_MS, &miss);
		if (!r) {
			pr_info("%s is from %s\n", package, suites[i]);
			return 0;
		}
		pr_info("%s: not in %s (%s)\n", package, suites[i], miss.buf);
		if (r != -EIO) {
			strbuf_addbuf(why, &miss);
			return r;
		}
	}
	strbuf_addf(why, "%s: in none of the suites searched", package);
	return -ENOENT;
}

/*
 * Two steps, not a pipe of three programs: the archive inside is a file, and a
 * failure of either program must be seen.
 */
static int unpack(const char *dir, const char *deb, struct strbuf *sources,
		  struct strbuf *why)
{
	char *root __free(kfree) = xasprintf("%s/root", dir);
	char *src __free(kfree) = xasprintf("%s/src", dir);
	const char *extract[] = { "dpkg-deb", "-x", deb, root, NULL };
	struct strbuf tar __free(strbuf) = STRBUF_INIT;
	const char *untar[] = { "tar", "-xf", NULL, "-C", src,
				"--strip-components=1", "--no-same-owner",
				NULL };
	int r;

	r = run(extract, NULL, NULL, UNPACK_TIMEOUT_MS, why);
	if (!r)
		r = find_one(root, "usr/src/linux-source-*.tar.*", &tar, why);
	if (r)
		return r;
	r = fs_mkdir_p(src);
	if (r)
		return r;
	untar[2] = tar.buf;
	r = run(untar, NULL, NULL, UNPACK_TIMEOUT_MS, why);
	if (!r)
		strbuf_addstr(sources, src);
	return r;
}

static int fetch(const char *package, const char *suite, const char *dir,
		 struct strbuf *sources, struct strbuf *describe,
		 struct strbuf *why)
{
	struct strbuf deb __free(strbuf) = STRBUF_INIT;
	struct strbuf version __free(strbuf) = STRBUF_INIT;
	const char *field[] = { "dpkg-deb", "-f", NULL, "Version", NULL };
	struct apt a = { .dir = dir };
	int r = find_mirror(&a, why);

	if (!r)
		r = apt_download(&a, package, suite, why);
	apt_free(&a);
	if (!r)
		r = find_one(dir, "linux-source-*.deb", &deb, why);
	if (r)
		return r;
	pr_info("unpacking %s\n", deb.buf);
	field[2] = deb.buf;
	r = run(field, NULL, &version, 60000, why);
	if (!r)
		r = unpack(dir, deb.buf, sources, why);
	if (r)
		return r;
	strbuf_rtrim(&version);
	strbuf_addf(describe, "%s %s", package, version.buf);
	return 0;
}

int tree_package_unpack(const char *package, const char *dir,
			struct strbuf *sources, struct strbuf *describe,
			struct strbuf *why)
{
	const char *slash = strchr(package, '/');
	const char *suite = slash ? slash + 1 : NULL;
	char *name __free(kfree) =
		xstrndup(package, slash ? (size_t)(slash - package) :
					  strlen(package));

	if (!starts_with(name, "linux-source-") || !name_is_sane(name) ||
	    (suite && !name_is_sane(suite))) {
		strbuf_addf(why, "\"%s\" is no package of kernel sources",
			    package);
		return -EINVAL;
	}
	return fetch(name, suite, dir, sources, describe, why);
}
