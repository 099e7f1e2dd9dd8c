// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/build.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "runners/build-output.h"
#include "runners/kbuild.h"
#include "runners/source.h"

/* base.json has one entry per object file of a kernel */
#define BASE_JSON_MAX_BYTES (256u << 20)

static int explain(struct job *job, struct strbuf *summary, int r,
		   const struct kbuild_result *res, const char *what)
{
	if (res->note.len)
		strbuf_setf(summary, "%s: %s", what, res->note.buf);
	else if (r == JOB_TIMED_OUT || r == -ETIMEDOUT)
		strbuf_setf(summary, "%s: the %" PRId64
			    " s of the job are used up", what,
			    job->limits.timeout_s);
	else if (r < 0 && !summary->len)
		strbuf_setf(summary, "%s: %s", what, strerror(-r));
	return r == -ETIMEDOUT ? JOB_TIMED_OUT : r;
}

/* Builds the whole kernel as it stands; fills @patch. */
static int build_kernel(struct workspace *ws, json_t *patch, struct build_tally *t,
			const char *what, struct strbuf *summary)
{
	const struct kbuild_arch *arch = kbuild_arch(ws->job->arch);
	const char *const words[] = { arch->goal, NULL };
	struct kbuild_result res = KBUILD_RESULT_INIT;
	int r = kbuild_make(ws, words, &res, summary);

	if (!r)
		r = build_output_read(ws->job, &res, patch, t);
	if (r == JOB_PASSED) {
		r = kbuild_take(ws, arch->image, "image", summary);
		json_set_bool(patch, "image", !r);
	}
	if (r == JOB_PASSED)
		r = kbuild_take(ws, "System.map", "System.map", summary);
	build_patch_end(patch, r, res.seconds);
	r = explain(ws->job, summary, r, &res, what);
	kbuild_result_release(&res);
	return r;
}

static void set_artefacts(struct job *job, const char *image,
			  int64_t image_patch, const char *selftests)
{
	json_t *a = json_object();

	json_set_text(a, "image", image);
	if (image)
		json_set_int(a, "image_patch", image_patch);
	else
		json_object_set_new(a, "image_patch", json_null());
	json_set_text(a, "selftests", selftests);
	job_set(job, "artefacts", a);
}

static int base_selftests(struct workspace *ws, struct strbuf *summary)
{
	json_t *names __free(json) = NULL;
	int r;

	job_stage(ws->job, "selftests");
	r = kbuild_selftests(ws, &names, summary);
	job_stage_end(ws->job, r);
	job_set(ws->job, "selftests", json_incref(names));
	return r;
}

static int configure(struct workspace *ws, struct strbuf *summary)
{
	struct kbuild_result res = KBUILD_RESULT_INIT;
	json_t *dropped = NULL;
	int r;

	job_stage(ws->job, "configure %s",
		  ws->job->kconfig ? ws->job->kconfig : "");
	r = kbuild_configure(ws, &res, &dropped, summary);
	if (!r)
		r = res.r;
	job_stage_end(ws->job, r);
	job_set(ws->job, "kconfig_dropped",
		dropped ? dropped : json_array());
	if (r == JOB_FAILED)
		strbuf_setf(summary, "the configuration cannot be made");
	r = explain(ws->job, summary, r, &res, "configure");
	kbuild_result_release(&res);
	return r;
}

/* What later jobs and later requests for the same base need to know of it. */
static int write_base_json(struct job *job)
{
	static const char *const keys[] = { "kconfig_dropped", "patches",
					    "artefacts", "environment",
					    "selftests" };
	char *path __free(kfree) = xasprintf("%s/base.json", job->warm_dir);
	json_t *base __free(json) = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(base, keys[i],
				json_object_get(job->result, keys[i]));
	json_set_text(base, "arch", job->arch);
	json_set_text(base, "kconfig", job->kconfig);
	json_set_text(base, "toolchain", job->toolchain);
	json_set_text(base, "base_commit", job->base_commit);
	return json_write_file(path, base);
}

static void summarize_base(const json_t *patch, const struct build_tally *t,
			   bool reused, struct strbuf *summary)
{
	strbuf_setf(summary, "base %s%s: ",
		    json_get_bool(patch, "image", false) ? "builds"
							 : "does not build",
		    reused ? " (built before)" : "");
	build_tally_tell(t, "built", summary);
}

/* A base that somebody built before: its facts are ours. */
static int reuse_base(struct job *job, struct strbuf *summary)
{
	char *path __free(kfree) = xasprintf("%s/base.json", job->warm_dir);
	json_t *base __free(json) = NULL, *v;
	const char *key, *outcome;
	json_t *patch, *unit;
	struct build_tally t = { 0 };
	size_t i;
	int r = json_read_file(path, BASE_JSON_MAX_BYTES, &base, summary);

	if (r)
		return r;
	job_stage(job, "reuse");
	json_object_foreach(base, key, v)
		job_set(job, key, json_incref(v));
	patch = json_array_get(json_object_get(base, "patches"), 0);
	json_array_foreach(json_object_get(patch, "units"), i, unit)
		build_count_unit(unit, &t);
	summarize_base(patch, &t, true, summary);
	outcome = json_get_str(patch, "outcome", "");
	return strcmp(outcome, "passed") ? JOB_FAILED : JOB_PASSED;
}

static int build_base(struct workspace *ws, struct strbuf *summary)
{
	struct job *job = ws->job;
	char *image __free(kfree) = xasprintf("%s/image", ws->out);
	char *tests __free(kfree) = xasprintf("%s/selftests", ws->out);
	json_t *list = json_array(), *patch;
	struct build_tally t = { 0 };
	int r = configure(ws, summary), s;

	job_set(job, "patches", list);
	patch = build_patch_new(0);
	json_array_append_new(list, patch);
	if (r == JOB_PASSED) {
		job_stage(job, "build base");
		json_set_int(patch, "log_line", job_log_line(job));
		r = build_kernel(ws, patch, &t, "base", summary);
		job_stage_end(job, r);
	} else {
		build_patch_end(patch, r, 0);
	}
	if (r < 0 || r == JOB_TIMED_OUT)
		return r;

	s = base_selftests(ws, summary);
	if (s)
		return s == -ETIMEDOUT ? JOB_TIMED_OUT : s;
	set_artefacts(job, r == JOB_PASSED ? image : NULL, 0, tests);
	summarize_base(patch, &t, false, summary);
	return r;
}

int run_base(struct job *job, struct strbuf *summary)
{
	struct workspace *ws __free(workspace) = NULL;
	int r = kbuild_check_tools(job, summary), s;

	if (!r)
		r = workspace_new(job, &ws, summary);
	if (!r)
		r = workspace_lock(job, job->warm_dir, LOCK_EX, &ws->warm_lock,
				   summary);
	if (r)
		return r == -ETIMEDOUT ? JOB_TIMED_OUT : r;
	if (workspace_complete(job->warm_dir))
		return reuse_base(job, summary);

	r = source_export(ws, summary);
	if (!r)
		r = fs_rm_rf(job->warm_dir);
	if (!r)
		r = workspace_own_dir(job, job->warm_dir, summary);
	if (!r)
		r = workspace_own_dir(job, ws->obj, summary);
	if (r)
		return r == -ETIMEDOUT ? JOB_TIMED_OUT : r;
	kbuild_environment(ws);

	r = build_base(ws, summary);
	if (r < 0 || r == JOB_TIMED_OUT)
		return r;
	s = write_base_json(job);
	if (!s)
		s = workspace_mark_complete(job->warm_dir);
	if (s)
		strbuf_setf(summary, "%s: %s", job->warm_dir, strerror(-s));
	return s ? s : r;
}

/** struct building - a build job on its way through the patches */
struct building {
	struct workspace *ws;
	json_t *list;
	struct build_tally tally;
	const char *prev;
	int64_t image_patch;
	bool selftests_touched;
	bool kconfig_touched;
};

static bool is_kconfig(const char *path)
{
	const char *name = strrchr(path, '/');

	return starts_with(name ? name + 1 : path, "Kconfig");
}

static void note_touched(struct building *b, const struct source_change *c)
{
	static const char *const of_tests[] = { "tools/", "include/uapi/",
						"usr/" };

	for (size_t i = 0; i < c->n; i++) {
		const char *path = c->files[i].path;

		if (is_kconfig(path))
			b->kconfig_touched = true;
		for (size_t k = 0; k < ARRAY_SIZE(of_tests); k++)
			b->selftests_touched |= starts_with(path, of_tests[k]);
		b->selftests_touched |= starts_with(path, "arch/") &&
					strstr(path, "/include/uapi/");
	}
}

/* 0, JOB_FAILED when the commit may not be built at all, or -errno */
static int apply_patch(struct building *b, const struct job_patch *p,
		       struct strbuf *summary)
{
	struct source_change *c __free(source_change) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r = source_change_read(b->ws->job, b->prev, p->commit, &c, &why);

	if (r == SOURCE_REFUSED) {
		strbuf_setf(summary, "patch %" PRId64 " refused: %s",
			    p->number, why.buf);
		job_logf(b->ws->job, "==> %s\n", summary->buf);
		return JOB_FAILED;
	}
	if (!r) {
		note_touched(b, c);
		r = source_apply(b->ws, c, &why);
	}
	if (r)
		strbuf_setf(summary, "patch %" PRId64 ": %s", p->number,
			    why.buf);
	b->prev = p->commit;
	return r;
}

/* A changed Kconfig asks questions that nobody would answer. */
static int reconfigure(struct building *b, struct strbuf *summary)
{
	if (!b->kconfig_touched)
		return 0;
	b->kconfig_touched = false;
	return configure(b->ws, summary);
}

static int build_patch(struct building *b, const struct job_patch *p,
		       struct strbuf *summary)
{
	struct job *job = b->ws->job;
	char *what __free(kfree) = xasprintf("patch %" PRId64, p->number);
	json_t *patch;
	int r;

	job_stage(job, "patch %" PRId64 ": %s", p->number, p->title);
	patch = build_patch_new(p->number);
	json_set_int(patch, "log_line", job_log_line(job));
	json_array_append_new(b->list, patch);
	r = apply_patch(b, p, summary);
	if (!r)
		r = reconfigure(b, summary);
	if (!r)
		r = build_kernel(b->ws, patch, &b->tally, what, summary);
	else
		build_patch_end(patch, r, 0);
	if (r == JOB_PASSED)
		b->image_patch = p->number;
	job_stage_end(job, r);
	return r;
}

static int build_selftests(struct building *b, struct strbuf *summary)
{
	if (!b->selftests_touched)
		return 0;
	return base_selftests(b->ws, summary);
}

static void finish_build(struct building *b, bool failed,
			 struct strbuf *summary)
{
	struct job *job = b->ws->job;
	char *image __free(kfree) = xasprintf("%s/image", b->ws->out);
	char *own __free(kfree) = xasprintf("%s/selftests", b->ws->out);
	char *warm __free(kfree) = xasprintf("%s/selftests", job->warm_dir);
	char *warm_image __free(kfree) = xasprintf("%s/image",
						   job->warm_dir);
	const char *use = image;

	if (!b->image_patch)
		use = fs_exists(warm_image) ? warm_image : NULL;
	set_artefacts(job, use, b->image_patch,
		      b->selftests_touched ? own : warm);
	if (failed && summary->len)
		return;
	strbuf_reset(summary);
	strbuf_add_count(summary, job->n_patches, "patch", "patches");
	strbuf_addstr(summary, ": ");
	build_tally_tell(&b->tally, "built", summary);
}

static int build_patches(struct workspace *ws, struct strbuf *summary)
{
	struct job *job = ws->job;
	struct building b = { .ws = ws, .prev = job->base_commit };
	bool failed = false;
	int r = 0;

	b.list = json_array();
	job_set(job, "patches", b.list);
	job_set(job, "kconfig_dropped", json_array());
	for (size_t i = 0; i < job->n_patches; i++) {
		r = build_patch(&b, &job->patches[i], summary);
		if (r < 0 || r == JOB_TIMED_OUT)
			return r;
		failed |= r == JOB_FAILED;
	}
	r = build_selftests(&b, summary);
	if (r)
		return r == -ETIMEDOUT ? JOB_TIMED_OUT : r;
	finish_build(&b, failed, summary);
	return failed ? JOB_FAILED : JOB_PASSED;
}

int run_build(struct job *job, struct strbuf *summary)
{
	struct workspace *ws __free(workspace) = NULL;
	int r = kbuild_check_tools(job, summary);

	if (!r)
		r = workspace_new(job, &ws, summary);
	if (!r)
		r = workspace_hold_base(ws, summary);
	if (!r) {
		kbuild_environment(ws);
		r = build_patches(ws, summary);
	}
	return r == -ETIMEDOUT ? JOB_TIMED_OUT : r;
}
