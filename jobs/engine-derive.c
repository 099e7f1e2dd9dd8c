// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "derive: " fmt
#include <errno.h>
#include <string.h>

#include "db/derive.h"
#include "db/version.h"
#include "jobs/engine-private.h"
#include "jobs/plan.h"
#include "lib/json.h"
#include "lib/log.h"

#define DERIVE_TIMEOUT_S 300
#define MAX_SYMBOLS 24

static void on_derived(json_t *answer, const char *error, void *arg)
{
	struct engine *e = arg;
	json_t *failed __free(json) = NULL;
	int r;

	e->derive_worker = NULL;
	if (!error)
		error = json_get_str(answer, "error", NULL);
	/* the fixed configs do without */
	if (error) {
		pr_err("series %lld: %s\n", (long long)e->deriving.v, error);
		failed = json_object();
		json_set_text(failed, "error", error);
	}
	r = db_derivation_store(e->db, e->deriving, e->deriving_arch,
				e->cfg->kconfigs.v[0],
				failed ? failed : answer);
	e->deriving.v = 0;
	if (r)
		engine_fail_soft(e, "storing derived configs", r);
	engine_kick(e);
}

static int derive_request(struct engine *e, const json_t *row,
			  const char *arch, json_t **ret, struct strbuf *why)
{
	struct version_id id = { json_get_int(row, "id", 0) };
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	char *repo __free(kfree) = xasprintf("%s/trees.git",
					     e->cfg->state_dir);
	char *cache __free(kfree) = xasprintf("%s/derive", e->cfg->state_dir);
	json_t *patches __free(json) = NULL, *list = json_array(), *p;
	json_t *q __free(json) = json_object();
	size_t i;
	int r = db_version_patches(e->db, id, &patches);

	json_object_set_new(q, "patches", list);
	if (!r)
		r = plan_kconfig_text(e->cfg, arch, e->cfg->kconfigs.v[0],
				      &text, why);
	if (r)
		return r;
	json_array_foreach(patches, i, p) {
		const char *commit = json_get_str(p, "commit_id", NULL);

		if (commit)
			json_array_append_new(
				list, json_pack("{s:O, s:s}", "number",
						json_object_get(p, "number"),
						"commit", commit));
	}
	json_set_text(q, "repo", repo);
	json_set_text(q, "base_commit", json_get_str(row, "base_commit", ""));
	json_set_text(q, "arch", arch);
	json_set_text(q, "kconfig_text", text.buf);
	json_set_text(q, "cache_dir", cache);
	json_set_int(q, "max_configs", e->cfg->derived_configs);
	json_set_int(q, "max_symbols", MAX_SYMBOLS);
	*ret = no_free_ptr(q);
	return 0;
}

static bool has_arch(const json_t *derived, const char *arch)
{
	const json_t *d;
	size_t i;

	json_array_foreach((json_t *)derived, i, d) {
		if (!strcmp(json_get_str(d, "arch", ""), arch))
			return true;
	}
	return false;
}

int engine_derive(struct engine *e, const json_t *row, bool *done)
{
	struct version_id id = { json_get_int(row, "id", 0) };
	struct worker_spec spec = {
		.program = e->self, .name = "derive",
		.timeout_s = DERIVE_TIMEOUT_S, .done = on_derived, .arg = e,
	};
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *derived __free(json) = NULL, *q __free(json) = NULL;
	size_t a;
	int r;

	*done = true;
	if (!e->cfg->derived_configs || !e->cfg->kconfigs.n)
		return 0;
	r = db_derivations(e->db, id, &derived);
	if (r)
		return r;
	for (a = 0; a < e->cfg->arches.n; a++) {
		if (!has_arch(derived, e->cfg->arches.v[a]))
			break;
	}
	if (a == e->cfg->arches.n)
		return 0;
	*done = false;
	if (e->derive_worker)
		return 0;
	r = derive_request(e, row, e->cfg->arches.v[a], &q, &why);
	/* a fragment is missing: planning says so */
	if (r) {
		*done = why.len > 0;
		return why.len ? 0 : r;
	}
	spec.request = q;
	e->deriving = id;
	e->deriving_arch = e->cfg->arches.v[a];
	return worker_start(e->loop, &spec, &e->derive_worker);
}
