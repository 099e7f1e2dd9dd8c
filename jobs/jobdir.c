// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/jobdir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "db/derive.h"
#include "db/fixup.h"
#include "db/job.h"
#include "db/version.h"
#include "jobs/bench-suite.h"
#include "jobs/plan-build.h"
#include "jobs/plan-derived.h"
#include "jobs/plan.h"
#include "jobs/profile.h"
#include "lib/fs.h"
#include "lib/json.h"

#define MAX_RESULT_BYTES (256u << 20)

static json_t *strings(const struct config_strings *s)
{
	json_t *a = json_array();

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(a, json_text(s->v[i]));
	return a;
}

static void set_path(json_t *o, const char *key, const char *dir,
		     const char *name)
{
	char *path __free(kfree) = xasprintf("%s/%s", dir, name);

	json_set_text(o, key, path);
}

static int set_place(const struct config *cfg, const json_t *job, json_t *o,
		     struct strbuf *why)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct strbuf warm __free(strbuf) = STRBUF_INIT;
	const char *arch = json_get_str(job, "arch", "");
	const char *kconfig = json_get_str(job, "kconfig", "");
	const char *toolchain = json_get_str(job, "toolchain", "");
	const char *base = json_get_str(job, "base_commit", "");
	int r;

	r = plan_kconfig_text(cfg, arch, kconfig, &text, why);
	if (r)
		return r;
	strbuf_addf(&warm, "%s/warm/%s/", cfg->state_dir, base);
	r = plan_warm_name(cfg, arch, kconfig, toolchain, &warm, why);
	if (r)
		return r;
	json_set_text(o, "arch", arch);
	json_set_text(o, "kconfig", kconfig);
	json_set_text(o, "kconfig_text", text.buf);
	json_set_text(o, "toolchain", toolchain);
	json_set_text(o, "base_commit", base);
	json_set_text(o, "warm_dir", warm.buf);
	set_path(o, "git_dir", cfg->state_dir, "trees.git");
	strbuf_setf(&text, "src/%s", base);
	set_path(o, "src_dir", cfg->state_dir, text.buf);
	return 0;
}

/* What a derived config is, see jobs/plan-derived.h. */
static int set_derived(struct db *db, const json_t *job, json_t *o,
		       struct strbuf *why)
{
	struct version_id id = { json_get_int(job, "version_id", 0) };
	json_t *derived __free(json) = NULL, *lines = NULL;
	const char *kconfig = json_get_str(job, "kconfig", "");
	const char *text = "";
	int r;

	if (!plan_is_derived(kconfig))
		return 0;
	r = db_derivations(db, id, &derived);
	if (!r)
		r = plan_derived_text(derived, json_get_str(job, "arch", ""),
				      kconfig, &text, &lines);
	if (r) {
		strbuf_setf(why, "the config %s is not known any more",
			    kconfig);
		return JOBDIR_NOTHING_TO_RUN;
	}
	json_set_text(o, "derived_text", text);
	json_object_set(o, "lines", lines);
	return 0;
}

static void set_limits(const struct config *cfg, json_t *o)
{
	json_set_text(o, "libexec_dir", cfg->libexec_dir);
	json_set_int(o, "build_uid", cfg->build_uid);
	json_set_int(o, "build_gid", cfg->build_gid);
	json_set_int(o, "make_jobs", cfg->make_jobs);
	json_set_int(o, "timeout_s", cfg->job_timeout_s);
	json_set_int(o, "memory_mib", cfg->memory_mib);
	json_set_int(o, "disk_mib", cfg->disk_mib);
	json_set_int(o, "output_mib", 64);
	json_set_int(o, "processes", 512);
	json_object_set_new(o, "selftests", strings(&cfg->selftests));
}

static void add_commits(const json_t *rows, const char *title_key, json_t *out)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		const char *commit = json_get_str(row, "commit_id", NULL);
		json_t *p;

		/* a patch that the base has already gives no commit */
		if (!commit)
			continue;
		p = json_object();
		json_set_int(p, "number", json_get_int(row, "number", 0));
		json_set_text(p, "commit", commit);
		json_set_text(p, "title", json_get_str(row, title_key, ""));
		json_array_append_new(out, p);
	}
}

/*
 * With a limit only the kernel of the last patch is wanted: it is built in one
 * step, not patch by patch.
 */
static void take_only(json_t *patches, int64_t upto)
{
	size_t n = json_array_size(patches), last = n;

	for (size_t i = 0; i < n; i++) {
		const json_t *p = json_array_get(patches, i);

		if (json_get_int(p, "number", 0) <= upto)
			last = i;
	}
	while (n-- > 0) {
		if (n != last)
			json_array_remove(patches, n);
	}
}

/* The check of the same place, if it came to an end, spares the build work. */
static int take_steps(struct db *db, const json_t *job, int64_t total,
		      json_t *patches)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	json_t *results __free(json) = NULL;
	const json_t *result;
	struct job_id check;
	int r;

	plan_own_key(job, "check", 0, &key);
	r = db_job_by_key(db, key.buf, &check);
	if (!r)
		r = db_job_results(db, check, &results);
	if (r < 0)
		return r;
	result = json_object_get(json_array_get(results, 0), "result");
	plan_build_steps(patches, total, json_get_bool(result, "partial",
						       false) ? NULL : result);
	return 0;
}

/* The first attempt at a check is a look at what tells most. */
static int set_scope(struct db *db, const json_t *job, json_t *o)
{
	struct job_id id = { json_get_int(job, "id", 0) };
	json_t *results __free(json) = NULL;
	int r;

	if (strcmp(json_get_str(job, "kind", ""), "check") ||
	    plan_is_derived(json_get_str(job, "kconfig", "")))
		return 0;
	r = db_job_results(db, id, &results);
	if (!r && !json_array_size(results))
		json_set_text(o, "scope", "first");
	return r;
}

/* A fix-up is one more patch behind the series. */
static int set_patches(struct db *db, const json_t *job, json_t *o)
{
	struct version_id id = { json_get_int(job, "version_id", 0) };
	int64_t upto = json_get_int(job, "upto", 0);
	json_t *rows __free(json) = NULL, *fixups __free(json) = NULL;
	json_t *out = json_array();
	int r = 0;

	json_object_set_new(o, "patches", out);
	if (!id.v)
		return 0;
	r = db_version_patches(db, id, &rows);
	if (!r)
		r = db_fixups_of(db, id, &fixups);
	add_commits(rows, "title", out);
	/* a fix-up is built in any case: its check would only hold up the news */
	if (!r && strcmp(json_get_str(job, "kind", ""), "check"))
		add_commits(fixups, "subject", out);
	if (upto)
		take_only(out, upto);
	else if (!r && !strcmp(json_get_str(job, "kind", ""), "build"))
		r = take_steps(db, job, (int64_t)json_array_size(rows), out);
	return r;
}

/* The job whose image is to be booted: the version's build, or the base. */
static int find_image_job(struct db *db, const struct config *cfg,
			  const json_t *job, struct job_id *ret,
			  struct strbuf *why)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	const char *arch = json_get_str(job, "arch", "");
	const char *kconfig = json_get_str(job, "kconfig", "");
	const char *toolchain = json_get_str(job, "toolchain", "");
	int64_t version = json_get_int(job, "version_id", 0);
	int r;

	if (version) {
		plan_own_key(job, "build", json_get_int(job, "upto", 0), &key);
	} else {
		r = plan_control_key(cfg, "base",
				     json_get_str(job, "base_commit", ""),
				     arch, kconfig, toolchain, &key, why);
		if (r)
			return r;
	}
	r = db_job_by_key(db, key.buf, ret);
	if (r)
		strbuf_setf(why, "job %s is not there", key.buf);
	return r > 0 ? -ENOENT : r;
}

static char *artefact(const struct config *cfg, struct job_id job,
		      const json_t *attempt, const char *name)
{
	const json_t *result = json_object_get(attempt, "result");
	const char *path = json_get_str(json_object_get(result, "artefacts"),
					name, NULL);

	if (!path || *path == '/')
		return xstrdup(path);
	return xasprintf("%s/jobs/%lld/%lld/%s", cfg->state_dir,
			 (long long)job.v,
			 (long long)json_get_int(attempt, "number", 0), path);
}

/* The patch whose kernel was kept; 0 is the base, which has runs of its own. */
static int64_t image_patch(const json_t *attempt)
{
	const json_t *result = json_object_get(attempt, "result");

	return json_get_int(json_object_get(result, "artefacts"),
			    "image_patch", 0);
}

/* The boot job of the same kernel has failed: what would a test add? */
static bool does_not_boot(struct db *db, const json_t *job, struct strbuf *why)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	json_t *boot __free(json) = NULL;
	struct job_id id;

	if (!json_get_int(job, "version_id", 0) ||
	    json_get_int(job, "upto", 0) ||
	    !strcmp(json_get_str(job, "kind", ""), "boot"))
		return false;
	plan_own_key(job, "boot", 0, &key);
	if (db_job_by_key(db, key.buf, &id) || db_job_get(db, id, &boot) ||
	    strcmp(json_get_str(boot, "state", ""), "failed"))
		return false;
	strbuf_setf(why, "its kernel does not boot, see job %lld",
		    (long long)id.v);
	return true;
}

static int set_guest(struct db *db, const struct config *cfg,
		     const json_t *job, json_t *o, struct strbuf *why)
{
	json_t *results __free(json) = NULL, *attempt, *profile;
	char *image __free(kfree) = NULL, *tests __free(kfree) = NULL;
	struct job_id from;
	int r = find_image_job(db, cfg, job, &from, why);

	if (!r)
		r = db_job_results(db, from, &results);
	if (r)
		return r;
	attempt = json_array_get(results, 0);
	image = artefact(cfg, from, attempt, "image");
	tests = artefact(cfg, from, attempt, "selftests");
	if (json_get_int(job, "version_id", 0) && !image_patch(attempt)) {
		strbuf_addstr(why, "no patch of the series gives a kernel");
		return JOBDIR_NOTHING_TO_RUN;
	}
	if (!image) {
		strbuf_setf(why, "job %lld gave no kernel image",
			    (long long)from.v);
		return JOBDIR_NOTHING_TO_RUN;
	}
	if (!strcmp(json_get_str(job, "kind", ""), "test") && !tests) {
		strbuf_setf(why, "job %lld gave no selftests",
			    (long long)from.v);
		return JOBDIR_NOTHING_TO_RUN;
	}
	if (does_not_boot(db, job, why))
		return JOBDIR_NOTHING_TO_RUN;
	json_set_text(o, "image", image);
	if (tests)
		json_set_text(o, "selftests_dir", tests);
	json_object_set_new(o, "benchmarks", bench_suite(&cfg->benchmarks));
	profile = profile_for(json_get_str(job, "kind", ""),
			      json_get_str(job, "kconfig", ""));
	if (profile)
		json_object_set_new(o, "profile", profile);
	return 0;
}

/* A warm base that was not used for long is removed, its job's facts are not. */
static bool lacks_base(const char *kind, const json_t *o)
{
	char *mark __free(kfree) = xasprintf("%s/.complete",
					     json_get_str(o, "warm_dir", ""));

	return strcmp(kind, "base") && !fs_exists(mark);
}

int jobdir_write(struct db *db, const struct config *cfg, const json_t *job,
		 const char *dir, struct strbuf *why)
{
	const char *kind = json_get_str(job, "kind", "");
	char *path __free(kfree) = xasprintf("%s/job.json", dir);
	json_t *o __free(json) = json_object();
	int r;

	json_set_text(o, "kind", kind);
	set_limits(cfg, o);
	r = set_place(cfg, job, o, why);
	if (!r && lacks_base(kind, o))
		return JOBDIR_NO_BASE;
	if (!r)
		r = set_patches(db, job, o);
	if (!r)
		r = set_scope(db, job, o);
	if (!r)
		r = set_derived(db, job, o, why);
	if (!r && strcmp(kind, "base") && strcmp(kind, "check") &&
	    strcmp(kind, "build"))
		r = set_guest(db, cfg, job, o, why);
	if (r)
		return r;
	r = fs_mkdir_p(dir);
	if (!r)
		r = json_write_file(path, o);
	if (r)
		strbuf_setf(why, "%s: %s", path, strerror(-r));
	return r;
}

static bool is_locked(const char *dir)
{
	char *path __free(kfree) = xasprintf("%s/lock", dir);
	int fd __free(fd) = open(path, O_RDWR | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
}

int jobdir_result(const char *dir, json_t **ret, struct strbuf *why)
{
	char *path __free(kfree) = xasprintf("%s/result.json", dir);
	int r;

	if (is_locked(dir))
		return -EBUSY;
	if (!fs_exists(path)) {
		strbuf_setf(why, "the runner died without a result");
		return -ENOENT;
	}
	r = json_read_file(path, MAX_RESULT_BYTES, ret, why);
	if (!r && !json_is_object(*ret)) {
		json_decref(*ret);
		*ret = NULL;
		strbuf_setf(why, "%s: not an object", path);
		return -EINVAL;
	}
	return r;
}
