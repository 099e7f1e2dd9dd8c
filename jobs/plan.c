// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/plan.h"

#include <errno.h>
#include <string.h>

#include "db/job.h"
#include "db/version.h"
#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/json.h"

#define MAX_FRAGMENT_BYTES (1u << 20)

struct place {
	const char *arch;
	const char *kconfig;
	const char *toolchain;
};

/* Bad news first: what fails early is told early. */
static const struct {
	const char *kind;
	int64_t priority;
} guests[] = {
	{ "boot", 80 },
	{ "test", 70 },
	{ "bench", 60 },
};

int plan_kconfig_text(const struct config *cfg, const char *arch,
		      const char *kconfig, struct strbuf *text,
		      struct strbuf *why)
{
	/* a derived config "small+1" is one of "small", see plan-derived.h */
	char *path __free(kfree) = xasprintf("%s/%.*s-%s.config",
					     cfg->kconfig_dir,
					     (int)strcspn(kconfig, "+"),
					     kconfig, arch);
	int r = fs_read_file(path, MAX_FRAGMENT_BYTES, text);

	if (r)
		strbuf_setf(why, "%s: %s; the config \"%s\" needs this file",
			    path, strerror(-r), kconfig);
	return r;
}

int plan_warm_name(const struct config *cfg, const char *arch,
		   const char *kconfig, const char *toolchain,
		   struct strbuf *name, struct strbuf *why)
{
	struct strbuf all __free(strbuf) = STRBUF_INIT;
	char hex[HASH_HEX_LEN + 1];
	int r = plan_kconfig_text(cfg, arch, kconfig, &all, why);

	if (r)
		return r;
	for (size_t i = 0; i < cfg->selftests.n; i++)
		strbuf_addf(&all, "\nselftest %s", cfg->selftests.v[i]);
	hash_hex(all.buf, all.len, hex);
	strbuf_addf(name, "%s-%.*s-%s-%.8s", arch, (int)strcspn(kconfig, "+"),
		    kconfig, toolchain, hex);
	return 0;
}

int plan_control_key(const struct config *cfg, const char *kind,
		     const char *base_commit, const char *arch,
		     const char *kconfig, const char *toolchain,
		     struct strbuf *key, struct strbuf *why)
{
	strbuf_addf(key, "%s:%s:", kind, base_commit);
	return plan_warm_name(cfg, arch, kconfig, toolchain, key, why);
}

static int ensure(struct db *db, const char *key, struct version_id version,
		  const char *kind, const char *base, const struct place *p,
		  int64_t priority, const struct job_id *needs, size_t n,
		  struct job_id after, struct job_id *ret)
{
	struct job_spec spec = {
		.key = key, .version = version, .kind = kind,
		.base_commit = base, .arch = p->arch, .kconfig = p->kconfig,
		.toolchain = p->toolchain, .priority = priority,
		.needs = needs, .n_needs = n, .after = after,
	};

	return db_job_ensure(db, &spec, ret);
}

static int ensure_control(struct db *db, const struct config *cfg,
			  const char *kind, const char *base,
			  const struct place *p, int64_t priority,
			  const struct job_id *need, struct job_id *ret,
			  struct strbuf *why)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	int r = plan_control_key(cfg, kind, base, p->arch, p->kconfig,
				 p->toolchain, &key, why);

	if (r)
		return r;
	return ensure(db, key.buf, (struct version_id){ 0 }, kind, base, p,
		      priority, need, need ? 1 : 0, (struct job_id){ 0 }, ret);
}

void plan_own_key(const json_t *job, const char *kind, int64_t upto,
		  struct strbuf *key)
{
	strbuf_addf(key, "v%lld:%s:%s-%s-%s",
		    (long long)json_get_int(job, "version_id", 0), kind,
		    json_get_str(job, "arch", ""),
		    json_get_str(job, "kconfig", ""),
		    json_get_str(job, "toolchain", ""));
	if (upto)
		strbuf_addf(key, ":%lld", (long long)upto);
}

static int ensure_step(struct db *db, const json_t *job, const char *kind,
		       int64_t upto, struct job_id need, struct job_id *ret)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	struct job_spec spec = {
		.version = { json_get_int(job, "version_id", 0) },
		.kind = kind,
		.base_commit = json_get_str(job, "base_commit", ""),
		.arch = json_get_str(job, "arch", ""),
		.kconfig = json_get_str(job, "kconfig", ""),
		.toolchain = json_get_str(job, "toolchain", ""),
		.upto = upto, .priority = 95, .needs = &need, .n_needs = 1,
	};

	plan_own_key(job, kind, upto, &key);
	spec.key = key.buf;
	return db_job_ensure(db, &spec, ret);
}

int plan_bisect(struct db *db, const struct config *cfg, const json_t *job,
		int64_t upto, struct strbuf *why)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	struct job_id base, build, run;
	int r = plan_control_key(cfg, "base",
				 json_get_str(job, "base_commit", ""),
				 json_get_str(job, "arch", ""),
				 json_get_str(job, "kconfig", ""),
				 json_get_str(job, "toolchain", ""), &key, why);

	if (!r)
		r = db_job_by_key(db, key.buf, &base);
	if (!r)
		r = ensure_step(db, job, "build", upto, base, &build);
	/* of a build the build is all that is wanted */
	if (!r && strcmp(json_get_str(job, "kind", ""), "build"))
		r = ensure_step(db, job, json_get_str(job, "kind", ""), upto,
				build, &run);
	return r == DB_NONE ? -ENOENT : r;
}

static int ensure_own(struct db *db, struct version_id id, const char *kind,
		      const char *base, const struct place *p,
		      int64_t priority, const struct job_id *needs, size_t n,
		      struct job_id after, struct job_id *ret)
{
	char *key __free(kfree) =
		xasprintf("v%lld:%s:%s-%s-%s", (long long)id.v, kind, p->arch,
			  p->kconfig, p->toolchain);

	return ensure(db, key, id, kind, base, p, priority, needs, n, after,
		      ret);
}

static int plan_place(struct db *db, const struct config *cfg,
		      struct version_id id, const char *base,
		      const struct place *p, struct strbuf *why)
{
	struct job_id base_job, check, build, control, own, boot = { 0 };
	int r;

	r = ensure_control(db, cfg, "base", base, p, 90, NULL, &base_job, why);
	if (!r)
		r = ensure_own(db, id, "check", base, p, DB_PRIORITY_LOOK,
			       &base_job, 1, (struct job_id){ 0 }, &check);
	/* what the check has judged needs no objects */
	if (!r)
		r = ensure_own(db, id, "build", base, p, 100, &base_job, 1,
			       check, &build);
	for (size_t i = 0; i < ARRAY_SIZE(guests) && !r; i++) {
		struct job_id needs[2];

		r = ensure_control(db, cfg, guests[i].kind, base, p,
				   guests[i].priority, &base_job, &control,
				   why);
		needs[0] = build;
		needs[1] = control;
		/* a kernel that does not boot is not asked for more */
		if (!r)
			r = ensure_own(db, id, guests[i].kind, base, p,
				       guests[i].priority, needs, 2, boot,
				       &own);
		if (!i)
			boot = own;
	}
	return r;
}

int plan_version(struct db *db, const struct config *cfg, struct version_id id,
		 struct strbuf *why)
{
	json_t *row __free(json) = NULL;
	const char *base;
	int r = db_version_get(db, id, &row);

	if (r)
		return r < 0 ? r : -ENOENT;
	base = json_get_str(row, "base_commit", "");
	for (size_t a = 0; a < cfg->arches.n; a++) {
		for (size_t k = 0; k < cfg->kconfigs.n; k++) {
			for (size_t t = 0; t < cfg->toolchains.n; t++) {
				struct place p = { cfg->arches.v[a],
						   cfg->kconfigs.v[k],
						   cfg->toolchains.v[t] };

				r = plan_place(db, cfg, id, base, &p, why);
				if (r)
					return r;
			}
		}
	}
	return 0;
}
