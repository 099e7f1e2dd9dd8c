// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "tree: " fmt
#include "kernel-series/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "kernel-series/blob-index.h"
#include "kernel-series/git-program.h"
#include "kernel-series/tree-dir.h"
#include "kernel-series/tree-package.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/log.h"

#define FETCH_TIMEOUT_MS (3600 * 1000)

/**
 * struct import - a request, taken apart
 * @repo: bare repository
 * @name: of the tree
 * @ref: refs/trees/NAME
 * @location: directory, package, path or URL
 * @branch: for git
 * @depth: for git, 0: everything
 * @commit_hex: result
 * @describe: result
 * @why: one line on failure
 */
struct import {
	const char *repo;
	const char *name;
	const char *ref;
	const char *location;
	const char *branch;
	int64_t depth;
	char commit_hex[41];
	struct strbuf describe;
	struct strbuf *why;
};

int tree_repo_create(const char *path, struct strbuf *why)
{
	char *head __free(kfree) = xasprintf("%s/HEAD", path);
	const char *argv[] = { "init", "-q", "--bare", "--initial-branch=none",
			       path, NULL };
	struct git_program g = { .argv = argv };
	int r;

	if (fs_exists(head))
		return 0;
	r = fs_mkdir_parent(path);
	if (r) {
		strbuf_addf(why, "%s: %s", path, strerror(-r));
		return r;
	}
	return git_program_ok(&g, NULL, why);
}

static int import_package(struct import *im)
{
	struct strbuf src __free(strbuf) = STRBUF_INIT;
	struct strbuf version __free(strbuf) = STRBUF_INIT;
	char *scratch __free(kfree) = xasprintf("%s.import-XXXXXX", im->repo);
	int r;

	/* beside the repository: /tmp may be small memory */
	if (!mkdtemp(scratch)) {
		strbuf_addf(im->why, "%s: %m", scratch);
		return -errno;
	}
	r = tree_package_unpack(im->location, scratch, &src, &im->describe,
				im->why);
	if (!r)
		r = tree_dir_import(im->repo, src.buf, im->ref, im->commit_hex,
				    &version, im->why);
	fs_rm_rf(scratch);
	return r;
}

static int check_branch(struct import *im)
{
	const char *argv[] = { "check-ref-format", "--branch", im->branch,
			       NULL };
	struct git_program g = { .argv = argv };
	struct strbuf drop __free(strbuf) = STRBUF_INIT;

	if (im->location[0] != '-' && *im->branch &&
	    !git_program_ok(&g, NULL, &drop))
		return 0;
	strbuf_addf(im->why, "\"%s\", branch \"%s\": no place to fetch from",
		    im->location, im->branch);
	return -EINVAL;
}

/* What a firewalled machine needs to reach anything, and nothing else. */
static void proxy_env(const char *env[8], char *own[8])
{
	static const char *const names[] = { "http_proxy", "https_proxy",
					     "no_proxy", "SSH_AUTH_SOCK" };
	size_t i, n = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const char *v = getenv(names[i]);

		if (!v)
			continue;
		own[n] = xasprintf("%s=%s", names[i], v);
		env[n] = own[n];
		n++;
	}
	env[n] = NULL;
	own[n] = NULL;
}

static int fetch(struct import *im)
{
	char *refspec __free(kfree) =
		xasprintf("+refs/heads/%s:%s", im->branch, im->ref);
	char *depth __free(kfree) =
		im->depth > 0 ? xasprintf("--depth=%lld",
					  (long long)im->depth) : NULL;
	const char *argv[] = { "-c", "http.maxRequests=1", "-c",
			       "http.lowSpeedLimit=1000", "-c",
			       "http.lowSpeedTime=60", "-c",
			       "fetch.unpackLimit=1", "fetch", "--quiet",
			       "--no-tags", "--no-write-fetch-head",
			       im->location, refspec, depth, NULL };
	const char *env[8];
	char *own[8];
	struct git_program g = { .repo = im->repo, .argv = argv, .env = env,
				 .timeout_ms = FETCH_TIMEOUT_MS };
	size_t i;
	int r;

	proxy_env(env, own);
	pr_info("fetching %s from %s\n", im->branch, im->location);
	r = git_program_ok(&g, NULL, im->why);
	for (i = 0; own[i]; i++)
		free(own[i]);
	return r;
}

/* So that base.h can find a commit of the history by its blobs. */
static int index_history(struct import *im)
{
	struct git_repo *repo __free(repo) = NULL;
	int64_t start_ms = clock_mono_ms();
	struct git_id tip;
	int r = repo_open(im->repo, &repo, im->why);

	if (!r)
		r = git_id_parse(im->commit_hex, &tip);
	if (!r)
		r = blob_index_update(repo, im->name, &tip, 0, im->why);
	if (r)
		return r < 0 ? r : -EIO;
	pr_info("history indexed in %" PRId64 " ms\n",
		clock_mono_ms() - start_ms);
	return 0;
}

static int import_git(struct import *im)
{
	const char *parse[] = { "rev-parse", "--verify", im->ref, NULL };
	const char *desc[] = { "log", "-1", "--format=%h %s", im->ref, NULL };
	struct git_program g = { .repo = im->repo };
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int r = check_branch(im);

	if (!r)
		r = fetch(im);
	g.argv = parse;
	if (!r)
		r = git_program_ok(&g, &out, im->why);
	if (r)
		return r;
	snprintf(im->commit_hex, sizeof(im->commit_hex), "%.40s", out.buf);
	strbuf_reset(&out);
	g.argv = desc;
	r = git_program_ok(&g, &out, im->why);
	strbuf_rtrim(&out);
	strbuf_add_utf8(&im->describe, out.buf, min(out.len, (size_t)200));
	return r ? r : index_history(im);
}

static int import_run(struct import *im, const char *kind)
{
	if (!strcmp(kind, "source-dir"))
		return tree_dir_import(im->repo, im->location, im->ref,
				       im->commit_hex, &im->describe, im->why);
	if (!strcmp(kind, "source-package"))
		return import_package(im);
	if (!strcmp(kind, "git"))
		return import_git(im);
	strbuf_addf(im->why, "\"%s\" is no kind of tree", kind);
	return -EINVAL;
}

static int check_ref(const char *ref, struct strbuf *why)
{
	const char *argv[] = { "check-ref-format", ref, NULL };
	struct git_program g = { .argv = argv };
	struct strbuf drop __free(strbuf) = STRBUF_INIT;

	if (!git_program_ok(&g, NULL, &drop))
		return 0;
	strbuf_addf(why, "%s is no good name for a tree", ref);
	return -EINVAL;
}

int tree_import(const json_t *request, json_t **ret, struct strbuf *why)
{
	char *ref __free(kfree) = NULL;
	struct import im = {
		.repo = json_get_str(request, "repo", ""),
		.name = json_get_str(request, "name", ""),
		.location = json_get_str(request, "location", ""),
		.branch = json_get_str(request, "branch", ""),
		.depth = json_get_int(request, "depth", 0),
		.describe = STRBUF_INIT,
		.why = why,
	};
	int r;

	if (!*im.repo || !*im.name || !*im.location) {
		strbuf_addstr(why, "a tree needs repo, name and location");
		return -EINVAL;
	}
	ref = xasprintf("refs/trees/%s", im.name);
	im.ref = ref;
	r = check_ref(ref, why);
	if (!r)
		r = tree_repo_create(im.repo, why);
	if (!r)
		r = import_run(&im, json_get_str(request, "kind", ""));
	if (!r) {
		*ret = json_object();
		json_set_text(*ret, "commit_id", im.commit_hex);
		json_set_text(*ret, "describe", im.describe.buf);
	}
	strbuf_release(&im.describe);
	return r;
}
