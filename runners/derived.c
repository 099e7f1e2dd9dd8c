// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/derived.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "runners/build-output.h"
#include "runners/derived-private.h"
#include "runners/kbuild.h"

#define FRONT_NAME ".mmci-derived.mk"
#define LIST_NAME ".mmci-list.mk"
#define DIR_NAME ".mmci-dir.mk"
#define MAX_UNITS 240
#define DFLT_UNITS 48
#define MAX_TEXT_BYTES (64u << 20)
#define MAX_CMD_BYTES (4u << 20)

bool is_derived(const struct job *job)
{
	return json_is_string(json_object_get(job->request, "derived_text"));
}

static void to_strbuf(const char *data, size_t len, void *arg)
{
	strbuf_add(arg, data, len);
}

int derived_in_sandbox(struct workspace *ws, int (*fn)(void *arg), void *arg,
		       struct strbuf *out, struct strbuf *why)
{
	struct sandbox_spec spec;
	struct sandbox_result sr;
	int r;

	workspace_spec(ws, &spec);
	spec.fn = fn;
	spec.arg = arg;
	spec.output = to_strbuf;
	spec.output_arg = out;
	r = sandbox_run(&spec, &sr, why);
	if (r || (sr.end == SANDBOX_EXITED && !sr.status))
		return r;
	if (!sandbox_describe(&spec, &sr, why))
		strbuf_setf(why, "derived: a step in the sandbox failed");
	return sr.end == SANDBOX_TIME ? -ETIMEDOUT : -EIO;
}

/* .config of the warm base is copied up; the last answer is what counts. */
static int append_inside(void *arg)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	int r = fs_read_file(WORKSPACE_BUILD "/.config", MAX_CMD_BYTES, &text);

	if (r)
		return 1;
	strbuf_addf(&text, "\n%s", (const char *)arg);
	return fs_write_atomic(WORKSPACE_BUILD "/.config", text.buf,
			       text.len) ? 1 : 0;
}

static int cat_config(void *arg)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	(void)arg;
	if (fs_read_file(WORKSPACE_BUILD "/.config", MAX_CMD_BYTES, &text))
		return 1;
	return fwrite(text.buf, 1, text.len, stdout) != text.len ||
	       fflush(stdout);
}

static int configure(struct derived *d, struct strbuf *why)
{
	static const char *const words[] = { "olddefconfig", NULL };
	const char *text = json_get_str(d->ws->job->request, "derived_text",
					"");
	struct strbuf config __free(strbuf) = STRBUF_INIT;
	struct strbuf none __free(strbuf) = STRBUF_INIT;
	struct kbuild_result res = KBUILD_RESULT_INIT;
	int r;

	if (!*text)
		return 0;
	job_stage(d->ws->job, "config");
	r = derived_in_sandbox(d->ws, append_inside, (void *)text, &none, why);
	if (!r)
		r = kbuild_make(d->ws, words, &res, why);
	if (!r && res.r > 0)
		strbuf_setf(why, "olddefconfig does not accept the answers");
	if (!r)
		r = res.r;
	kbuild_result_release(&res);
	if (!r)
		r = derived_in_sandbox(d->ws, cat_config, NULL, &config, why);
	job_stage_end(d->ws->job, r);
	if (!r)
		job_set(d->ws->job, "kconfig_dropped",
			kbuild_dropped(text, config.buf));
	return r;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct source_file *)a)->path,
		      ((const struct source_file *)b)->path);
}

/* All paths of all patches: what they reach is looked up once. */
static int read_changes(struct derived *d, struct strbuf *why)
{
	struct job *job = d->ws->job;
	const char *prev = job->base_commit;

	for (size_t i = 0; i < job->n_patches; i++) {
		struct source_change *c __free(source_change) = NULL;
		struct source_change *all = &d->all;
		int r = source_change_read(job, prev, job->patches[i].commit,
					   &c, why);

		prev = job->patches[i].commit;
		/* refused: said again when its turn comes */
		if (r < 0)
			return r;
		if (r)
			break;
		all->files = xrealloc_array(all->files, all->n + c->n + 1,
					    sizeof(*all->files));
		for (size_t k = 0; k < c->n; k++)
			all->files[all->n++] = (struct source_file){
				.path = xstrdup(c->files[k].path) };
	}
	if (d->all.n)
		qsort(d->all.files, d->all.n, sizeof(*d->all.files), by_path);
	return 0;
}

static int reach_inside(void *arg)
{
	struct check_plan plan __free(check_plan) = { 0 };

	check_plan_scan(&plan, arg);
	check_plan_sort(&plan);
	for (size_t i = 0; i < plan.n; i++) {
		if (ends_with(plan.units[i].target, ".o"))
			puts(plan.units[i].target);
	}
	return fflush(stdout) ? 1 : 0;
}

static void add_unit(struct derived *d, json_t *known, const char *object,
		     size_t limit)
{
	if (json_object_get(known, object))
		return;
	json_set_bool(known, object, true);
	if (json_array_size(d->units) < limit)
		json_array_append_new(d->units, json_text(object));
	else
		d->left++;
}

/*
 * Touched sources come first, also those that the warm base does not build: in
 * this configuration they may be.
 */
static int find_units(struct derived *d, struct strbuf *why)
{
	json_t *known __free(json) = json_object();
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int64_t limit = json_get_int(d->ws->job->request, "max_units",
				     DFLT_UNITS);
	char *save = NULL;
	int r;

	limit = limit < 1 ? 1 : limit > MAX_UNITS ? MAX_UNITS : limit;
	for (size_t i = 0; i < d->all.n; i++) {
		const char *path = d->all.files[i].path;
		char *object __free(kfree) = NULL;

		if (!ends_with(path, ".c") || strchr(path, ' ') ||
		    strpbrk(path, "$#:=\"'\\;&|()<>"))
			continue;
		object = xasprintf("%.*s.o", (int)strlen(path) - 2, path);
		add_unit(d, known, object, (size_t)limit);
	}
	r = derived_in_sandbox(d->ws, reach_inside, &d->all, &out, why);
	if (r)
		return r;
	for (char *o = strtok_r(out.buf, "\n", &save); o;
	     o = strtok_r(NULL, "\n", &save)) {
		if (!strpbrk(o, " $#:=\"'\\;&|()<>"))
			add_unit(d, known, o, (size_t)limit);
	}
	return 0;
}

/*
 * What a Makefile puts into obj-y is in a variable that ends in "y"; with the
 * symbol off it is in one that ends in "-". The directories up to the top are
 * not asked: make says itself when it does not get there.
 */
static const char dir_makefile[] =
	"-include include/config/auto.conf\n"
	"srctree := " WORKSPACE_SRC "\n"
	"objtree := .\n"
	"src := " WORKSPACE_SRC "/$(DIR)\n"
	"obj := $(DIR)\n"
	"-include " WORKSPACE_SRC "/scripts/Kbuild.include\n"
	"-include $(firstword $(wildcard " WORKSPACE_SRC "/$(DIR)/Kbuild "
	WORKSPACE_SRC "/$(DIR)/Makefile))\n"
	"mmci-of = $(foreach v,$(filter %-y %-m %-objs,$(.VARIABLES)),$($(v)))\n"
	".PHONY: mmci-print\n"
	"mmci-print:\n"
	"\t@printf 'UNIT $(DIR)/%s\\n' $(notdir $(filter %.o,$(mmci-of)))\n";

static void dir_of(const char *object, struct strbuf *dir)
{
	const char *slash = strrchr(object, '/');

	strbuf_reset(dir);
	strbuf_add(dir, object, slash ? (size_t)(slash - object) : 0);
}

struct text_file {
	const char *path;
	const char *text;
};

static int write_inside(void *arg)
{
	const struct text_file *f = arg;

	for (; f->path; f++) {
		if (fs_write_atomic(f->path, f->text, strlen(f->text)))
			return 1;
	}
	return 0;
}

static int list_makefile(struct derived *d, struct strbuf *why)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct strbuf dir __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	json_t *known __free(json) = json_object(), *u;
	struct text_file files[] = {
		{ WORKSPACE_BUILD "/" DIR_NAME, dir_makefile },
		{ WORKSPACE_BUILD "/" LIST_NAME, NULL }, { NULL, NULL }
	};
	size_t i;

	json_array_foreach(d->units, i, u) {
		dir_of(json_string_value(u), &dir);
		if (!dir.len || json_object_get(known, dir.buf))
			continue;
		json_set_bool(known, dir.buf, true);
		strbuf_addf(&text, ".PHONY: list mmci-%zu\nlist: mmci-%zu\n"
				   "mmci-%zu:\n\t@$(MAKE) -s -f " DIR_NAME
				   " DIR=%s mmci-print\n", i, i, i, dir.buf);
	}
	strbuf_addstr(&text, ".PHONY: list\nlist: ;\n");
	files[1].text = text.buf;
	return derived_in_sandbox(d->ws, write_inside, files, &out, why);
}

/* Which of the units does this configuration have? */
static int find_enabled(struct derived *d, struct strbuf *why)
{
	struct kbuild_result res = KBUILD_RESULT_INIT;
	json_t *there __free(json) = json_object(), *u;
	char *save = NULL;
	size_t i;
	int r = list_makefile(d, why);

	if (!r)
		r = kbuild_make_file(d->ws, WORKSPACE_BUILD "/" LIST_NAME,
				     "list", &res, why);
	if (!r && res.r < 0)
		r = res.r;
	for (char *l = r ? NULL : strtok_r(res.out.buf, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		if (starts_with(l, "UNIT "))
			json_object_set_new(there, l + 5, json_true());
	}
	kbuild_result_release(&res);
	json_array_clear(d->enabled);
	json_array_foreach(d->units, i, u) {
		if (json_object_get(there, json_string_value(u)))
			json_array_append(d->enabled, u);
	}
	return r;
}

/* make itself knows what a change reaches from here on. */
static int preprocess(struct derived *d, json_t *patch, double *seconds,
		      struct strbuf *why)
{
	char *words[MAX_UNITS + 2] = { NULL };
	struct kbuild_result res = KBUILD_RESULT_INIT;
	size_t n = 0, i;
	json_t *u;
	int r;

	words[n++] = xstrdup("prepare");
	json_array_foreach(d->enabled, i, u) {
		const char *o = json_string_value(u);

		words[n++] = xasprintf("%.*s.i", (int)strlen(o) - 2, o);
	}
	r = kbuild_make(d->ws, (const char *const *)words, &res, why);
	*seconds += res.seconds;
	if (!r) {
		r = res.r;
		if (r == JOB_FAILED)
			r = build_output_read(d->ws->job, &res, patch,
					      &d->tally);
		if (r < 0 && res.note.len)
			strbuf_setf(why, "%s", res.note.buf);
	}
	while (n)
		free(words[--n]);
	kbuild_result_release(&res);
	return r;
}

bool derived_text(const char *object, const char *suffix, struct strbuf *text)
{
	char *path __free(kfree) = xasprintf(WORKSPACE_BUILD "/%.*s.%s",
					     (int)strlen(object) - 2, object,
					     suffix);

	strbuf_reset(text);
	return !fs_read_file(path, MAX_TEXT_BYTES, text);
}

char *derived_unit_command(const char *object)
{
	struct strbuf cmd __free(strbuf) = STRBUF_INIT;
	char *stem __free(kfree) = xstrndup(object, strlen(object) - 2);
	const char *slash = strrchr(stem, '/');
	char *path __free(kfree) = NULL;

	if (!slash)
		return NULL;
	path = xasprintf(WORKSPACE_BUILD "/%.*s/.%s.i.cmd",
			 (int)(slash - stem), stem, slash + 1);
	if (fs_read_file(path, MAX_CMD_BYTES, &cmd))
		return NULL;
	return derived_command(cmd.buf, stem);
}

void derived_add_rule(struct strbuf *mk, const char *goal, const char *target,
		      const char *word, const char *command)
{
	strbuf_addf(mk, "%s: %s\n.PHONY: %s\n%s:\n\t@echo '  %s      %s'; %s\n",
		    goal, target, target, target, word, target, command);
}

/*
 * Runs in the sandbox. Prints "OBJECT HASH" for each unit that came through the
 * preprocessor, and leaves make rules for those whose tokens are new.
 */
static int tokens_inside(void *arg)
{
	struct derived *d = arg;
	struct strbuf mk __free(strbuf) = STRBUF_INIT;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	json_t *u;
	size_t i;

	strbuf_addstr(&mk, "pound := \\#\n.PHONY: front\nfront: ;\n");
	json_array_foreach(d->enabled, i, u) {
		const char *o = json_string_value(u);
		char *command __free(kfree) = derived_unit_command(o);
		char hex[65];

		if (!command || !derived_text(o, "i", &text))
			continue;
		derived_tokens(text.buf, text.len, NULL, NULL, hex);
		printf("%s %s\n", o, hex);
		if (strcmp(json_get_str(d->hashes, o, ""), hex))
			derived_add_rule(&mk, "front", o, "CC", command);
	}
	if (fflush(stdout))
		return 1;
	return fs_write_atomic(WORKSPACE_BUILD "/" FRONT_NAME, mk.buf,
			       mk.len) ? 1 : 0;
}

/* Return: how many units have to go through the front end, or -errno. */
static int compare_tokens(struct derived *d, struct strbuf *why)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	char *save = NULL;
	int n = 0, r = derived_in_sandbox(d->ws, tokens_inside, d, &out, why);

	if (r)
		return r;
	for (char *l = strtok_r(out.buf, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		char *hex = strchr(l, ' ');

		if (!hex)
			continue;
		*hex++ = '\0';
		if (strcmp(json_get_str(d->hashes, l, ""), hex))
			n++;
		else
			d->unchanged++;
		json_set_text(d->hashes, l, hex);
	}
	return n;
}

static int front_end(struct derived *d, json_t *patch, double *seconds,
		     struct strbuf *why)
{
	struct kbuild_result res = KBUILD_RESULT_INIT;
	int r = kbuild_make_file(d->ws, WORKSPACE_BUILD "/" FRONT_NAME, "front",
				 &res, why);

	*seconds += res.seconds;
	if (!r)
		r = build_output_read(d->ws->job, &res, patch, &d->tally);
	if (r < 0 && res.note.len)
		strbuf_setf(why, "check: %s", res.note.buf);
	kbuild_result_release(&res);
	return r;
}

/* The base, or the tree after one more patch. */
static int check_state(struct derived *d, json_t *patch, struct strbuf *why)
{
	double seconds = 0;
	int r = find_enabled(d, why), f = 0, n;

	if (!r)
		r = preprocess(d, patch, &seconds, why);
	if (r >= 0 && r != JOB_TIMED_OUT) {
		n = compare_tokens(d, why);
		if (n > 0)
			f = front_end(d, patch, &seconds, why);
		else
			f = n;
		if (f)
			r = f;
	}
	build_patch_end(patch, r, seconds);
	job_stage_end(d->ws->job, r);
	return r;
}

static json_t *new_state(struct derived *d, int64_t number)
{
	json_t *patch = build_patch_new(number);

	json_array_append_new(d->patches, patch);
	json_set_int(patch, "log_line", job_log_line(d->ws->job));
	return patch;
}

static int check_patch(struct derived *d, const struct job_patch *p,
		       const char *prev, struct strbuf *summary)
{
	struct source_change *c __free(source_change) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *patch;
	int r;

	job_stage(d->ws->job, "check patch %" PRId64 ": %s", p->number,
		  p->title);
	patch = new_state(d, p->number);
	r = source_change_read(d->ws->job, prev, p->commit, &c, &why);
	if (!r)
		r = source_apply(d->ws, c, &why);
	if (r) {
		strbuf_setf(summary, "patch %" PRId64 "%s: %s", p->number,
			    r > 0 ? " refused" : "", why.buf);
		build_patch_end(patch, r, 0);
		job_stage_end(d->ws->job, r);
		return r;
	}
	r = check_state(d, patch, &why);
	if (r < 0)
		strbuf_setf(summary, "patch %" PRId64 ": %s", p->number,
			    why.len ? why.buf : strerror(-r));
	return r;
}

static void summarize(const struct derived *d, struct strbuf *summary)
{
	strbuf_reset(summary);
	strbuf_add_count(summary, json_array_size(d->units), "unit", "units");
	strbuf_addf(summary, ", %zu more over the limit; ", d->left);
	build_tally_tell(&d->tally, "passed", summary);
	strbuf_addf(summary, "; %zu not compiled again as their tokens did"
			     " not change", d->unchanged);
}

static int check_all(struct derived *d, struct strbuf *summary)
{
	struct job *job = d->ws->job;
	const char *prev = job->base_commit;
	bool failed = false;
	int r;

	job_stage(job, "check base");
	r = check_state(d, new_state(d, 0), summary);
	for (size_t i = 0; i < job->n_patches && r >= 0 && r != JOB_TIMED_OUT;
	     i++) {
		r = check_patch(d, &job->patches[i], prev, summary);
		prev = job->patches[i].commit;
		failed |= r == JOB_FAILED;
	}
	if (r >= 0 && r != JOB_TIMED_OUT && derived_measure(d, summary) < 0)
		r = -EIO;
	if (r < 0 || r == JOB_TIMED_OUT)
		return r;
	job_set(job, "units_left", json_integer((json_int_t)d->left));
	if (!summary->len)
		summarize(d, summary);
	return failed ? JOB_FAILED : JOB_PASSED;
}

static void derived_release(struct derived *d)
{
	json_decref(d->units);
	json_decref(d->enabled);
	json_decref(d->hashes);
	for (size_t i = 0; i < d->all.n; i++)
		free(d->all.files[i].path);
	free(d->all.files);
}
DEFINE_FREE(derived, struct derived, derived_release(&_T))

int run_derived(struct job *job, struct strbuf *summary)
{
	struct workspace *ws __free(workspace) = NULL;
	struct derived d __free(derived) = { 0 };
	int r = workspace_new(job, &ws, summary);

	d.units = json_array();
	d.enabled = json_array();
	d.hashes = json_object();
	d.lines = json_object_get(job->request, "lines");
	d.patches = json_array();
	job_set(job, "patches", d.patches);
	d.ws = ws;
	if (!r)
		r = workspace_hold_base(ws, summary);
	if (!r) {
		kbuild_environment(ws);
		r = read_changes(&d, summary);
	}
	if (!r)
		r = find_units(&d, summary);
	if (!r)
		r = configure(&d, summary);
	if (!r)
		r = check_all(&d, summary);
	return r == -ETIMEDOUT ? JOB_TIMED_OUT : r;
}
