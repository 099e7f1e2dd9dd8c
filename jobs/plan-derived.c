// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/plan-derived.h"

#include <errno.h>
#include <string.h>

#include "db/derive.h"
#include "db/job.h"
#include "db/version.h"
#include "jobs/plan.h"
#include "lib/json.h"

/* After the check of the fixed configs, before objects are made. */
#define PRIORITY 105

bool plan_is_derived(const char *kconfig)
{
	return strchr(kconfig, '+') != NULL;
}

int plan_derived_text(const json_t *derived, const char *arch,
		      const char *kconfig, const char **ret, json_t **lines)
{
	const char *plus = strchr(kconfig, '+');
	long number = plus ? strtol(plus + 1, NULL, 10) : -1;
	json_t *d;
	size_t i;

	json_array_foreach((json_t *)derived, i, d) {
		json_t *answer = json_object_get(d, "answer");
		json_t *configs = json_object_get(answer, "configs");

		if (strcmp(json_get_str(d, "arch", ""), arch) || number < 0)
			continue;
		*lines = json_object_get(answer, "lines");
		*ret = "";
		if (!number)
			return 0;
		if ((size_t)number > json_array_size(configs))
			break;
		*ret = json_get_str(json_array_get(configs,
						   (size_t)number - 1),
				    "text", "");
		return 0;
	}
	return -ENOENT;
}

static int ensure(struct db *db, const struct config *cfg, struct version_id id,
		  const char *base, const json_t *d, size_t number,
		  const char *toolchain, struct strbuf *why)
{
	struct strbuf key __free(strbuf) = STRBUF_INIT;
	const char *arch = json_get_str(d, "arch", "");
	const char *parent = json_get_str(d, "kconfig", "");
	char *kconfig __free(kfree) = xasprintf("%s+%zu", parent, number);
	struct job_id base_job, own;
	struct job_spec spec = {
		.version = id, .kind = "check", .base_commit = base,
		.arch = arch, .kconfig = kconfig, .toolchain = toolchain,
		.priority = PRIORITY, .needs = &base_job, .n_needs = 1,
	};
	int r = plan_control_key(cfg, "base", base, arch, parent, toolchain,
				 &key, why);

	if (!r)
		r = db_job_by_key(db, key.buf, &base_job);
	/* the matrix has changed since: that parent is planned no more */
	if (r)
		return r == DB_NONE ? 0 : r;
	strbuf_setf(&key, "v%lld:check:%s-%s-%s", (long long)id.v, arch,
		    kconfig, toolchain);
	spec.key = key.buf;
	return db_job_ensure(db, &spec, &own);
}

int plan_derived(struct db *db, const struct config *cfg, struct version_id id,
		 struct strbuf *why)
{
	json_t *row __free(json) = NULL, *derived __free(json) = NULL, *d;
	const char *base;
	size_t i;
	int r = db_version_get(db, id, &row);

	if (!r)
		r = db_derivations(db, id, &derived);
	if (r)
		return r < 0 ? r : -ENOENT;
	base = json_get_str(row, "base_commit", "");
	json_array_foreach(derived, i, d) {
		json_t *answer = json_object_get(d, "answer");
		size_t n = json_array_size(json_object_get(answer, "configs"));

		/* nothing changed that is compiled: nothing to look at */
		if (!json_object_size(json_object_get(answer, "lines")))
			continue;
		for (size_t c = 0; c <= n && !r; c++) {
			for (size_t t = 0; t < cfg->toolchains.n && !r; t++) {
				/* lines do not depend on the compiler */
				if (!c && t)
					break;
				r = ensure(db, cfg, id, base, d, c,
					   cfg->toolchains.v[t], why);
			}
		}
	}
	return r;
}
