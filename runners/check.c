// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "runners/build-output.h"
#include "runners/derived.h"
#include "runners/kbuild.h"

#define PLAN_NAME ".mmci-check.mk"
#define CMD_MAX_BYTES (4u << 20)
#define MAX_DEPTH 24

/* Object directories that hold no part of the kernel itself. */
static bool is_other(const char *name, int depth)
{
	static const char *const names[] = { "tools", "scripts", "usr",
					     "include", "source" };

	for (size_t i = 0; !depth && i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

static void read_cmd(int dirfd, const char *name, struct check_plan *plan,
		     const struct source_change *c)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	int fd __free(fd) = openat(dirfd, name,
				   O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 && !strbuf_read(&sb, fd, CMD_MAX_BYTES))
		check_plan_add(plan, sb.buf, c);
}

static void scan_dir(int at, const char *path, int depth,
		     struct check_plan *plan, const struct source_change *c)
{
	int fd = openat(at, path,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *d __free(dir) = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.') {
			if (ends_with(e->d_name, ".o.cmd") ||
			    ends_with(e->d_name, ".s.cmd"))
				read_cmd(fd, e->d_name, plan, c);
		} else if (e->d_type == DT_DIR && depth < MAX_DEPTH &&
			   !is_other(e->d_name, depth)) {
			scan_dir(fd, e->d_name, depth + 1, plan, c);
		}
	}
}

void check_plan_scan(struct check_plan *plan, const struct source_change *c)
{
	scan_dir(AT_FDCWD, WORKSPACE_BUILD, 0, plan, c);
}

/*
 * Runs in the sandbox, where sources and objects are: one for both steps, as to
 * set one up takes a sixth of what a unit takes. Prints the goal of each unit
 * and its name.
 */
static int plan_inside(void *arg)
{
	struct check_plan plan __free(check_plan) = { 0 };
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	if (source_write(arg))
		return 1;
	check_plan_scan(&plan, arg);
	check_plan_makefile(&plan, &sb);
	if (fs_write_atomic(WORKSPACE_BUILD "/" PLAN_NAME, sb.buf, sb.len))
		return 1; /* what is printed so far is the reason, not a plan */
	for (size_t i = 0; i < plan.n; i++)
		printf("%d %s\n", (int)check_unit_goal(&plan.units[i]),
		       plan.units[i].target);
	fflush(stdout);
	return 0;
}

static void to_strbuf(const char *data, size_t len, void *arg)
{
	strbuf_add(arg, data, len);
}

/**
 * struct checking - a check job on its way through the patches
 * @look: only the few telling units of each patch are wanted
 * @left: target -> number of the first patch that reached this unit without
 *	its being checked
 * @units: how many of the current patch have each goal
 */
struct checking {
	struct workspace *ws;
	json_t *list;
	struct build_tally tally;
	const char *prev;
	bool look;
	json_t *left;
	size_t units[CHECK_GOALS];
};

/* With which goal a look ends. */
static enum check_goal look_goal(const struct checking *ck)
{
	return ck->units[CHECK_TOUCHED] ? CHECK_TOUCHED : CHECK_PREPARE;
}

static size_t count_units(const struct checking *ck, enum check_goal from)
{
	size_t n = 0;

	for (size_t i = from; i < CHECK_GOALS; i++)
		n += ck->units[i];
	return n;
}

/* What plan_inside() has printed, sorted by goal; changed in place. */
static void take_plan(struct checking *ck, char *text, int64_t number)
{
	char *save = NULL;

	memset(ck->units, 0, sizeof(ck->units));
	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned int goal = (unsigned int)(line[0] - '0');

		if (goal >= CHECK_GOALS || line[1] != ' ')
			continue;
		ck->units[goal]++;
		if (ck->look && goal > look_goal(ck) &&
		    !json_object_get(ck->left, line + 2))
			json_set_int(ck->left, line + 2, number);
	}
}

static int apply_and_plan(struct checking *ck, const struct source_change *c,
			  int64_t number, struct strbuf *why)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct sandbox_spec spec;
	struct sandbox_result sr;
	int r;

	workspace_spec(ck->ws, &spec);
	spec.cwd = WORKSPACE_SRC;
	spec.fn = plan_inside;
	spec.arg = (void *)c;
	spec.output = to_strbuf;
	spec.output_arg = &out;
	r = sandbox_run(&spec, &sr, why);
	if (r)
		return r;
	if (sr.end != SANDBOX_EXITED || sr.status) {
		strbuf_setf(why, "writing the patched files, reading the"
				 " dependency files: ");
		if (!sandbox_describe(&spec, &sr, why))
			strbuf_addf(why, "%s", out.len ? out.buf : "failed");
		return -EIO;
	}
	take_plan(ck, out.buf, number);
	return 0;
}

/* What such a unit says may be the doing of an earlier patch. */
static void mark_unlooked(const struct checking *ck, json_t *patch)
{
	json_t *unit;
	size_t i;

	json_array_foreach(json_object_get(patch, "units"), i, unit) {
		int64_t since = json_get_int(
			ck->left, json_get_str(unit, "target", ""), 0);

		if (since)
			json_set_int(unit, "unlooked", since);
	}
}

/*
 * The few telling units first: when one of them fails, hundreds of others
 * would only say the same again.
 */
static int check_units(struct checking *ck, json_t *patch, double *seconds,
		       struct strbuf *summary)
{
	enum check_goal last = ck->look ? look_goal(ck) : CHECK_REST;
	struct kbuild_result res = KBUILD_RESULT_INIT;
	int r = JOB_PASSED;

	*seconds = 0;
	for (enum check_goal i = 0; r == JOB_PASSED && i <= last; i++) {
		if (!ck->units[i])
			continue;
		r = kbuild_make_file(ck->ws, WORKSPACE_BUILD "/" PLAN_NAME,
				     check_goal_name(i), &res, summary);
		if (!r)
			r = build_output_read(ck->ws->job, &res, patch,
					      &ck->tally);
		*seconds += res.seconds;
	}
	if (ck->look) {
		mark_unlooked(ck, patch);
		if (r == JOB_PASSED && count_units(ck, last + 1))
			job_set(ck->ws->job, "partial", json_true());
	}
	if (r < 0 && res.note.len)
		strbuf_setf(summary, "check: %s", res.note.buf);
	kbuild_result_release(&res);
	return r;
}

static bool any_ends(const char *path, const char *const *ends, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ends_with(path, ends[i]))
			return true;
	}
	return false;
}

/* The commands are those of the base, so what changes them is beyond us. */
static const struct source_file *beyond(const struct source_change *c)
{
	static const char *const ends[] = { "Makefile", "Kbuild", ".S", ".lds",
					    ".lds.S", ".rs", ".tbl", ".sh",
					    ".pl", ".awk", ".include" };

	for (size_t i = 0; i < c->n; i++) {
		const struct source_file *f = &c->files[i];
		const char *name = strrchr(f->path, '/');

		name = name ? name + 1 : f->path;
		if (starts_with(f->path, "Documentation/") ||
		    starts_with(f->path, "tools/testing/"))
			continue;
		if (any_ends(name, ends, ARRAY_SIZE(ends)) ||
		    starts_with(name, "Kconfig") ||
		    starts_with(name, "Makefile") ||
		    starts_with(f->path, "scripts/") || f->deleted ||
		    (ends_with(name, ".c") && f->is_new))
			return f;
	}
	return NULL;
}

static void note_beyond(const struct source_change *c, json_t *patch)
{
	const struct source_file *f = beyond(c);
	char *why __free(kfree) =
		f ? xasprintf("%s: only a build sees what this changes",
			      f->path) : NULL;

	if (why)
		json_set_text(patch, "unjudged", why);
}

static int check_patch(struct checking *ck, const struct job_patch *p,
		       struct strbuf *summary)
{
	struct source_change *c __free(source_change) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct job *job = ck->ws->job;
	json_t *patch = build_patch_new(p->number);
	double seconds = 0;
	int r;

	json_array_append_new(ck->list, patch);
	job_stage(job, "check patch %" PRId64 ": %s", p->number, p->title);
	json_set_int(patch, "log_line", job_log_line(job));
	r = source_change_read(job, ck->prev, p->commit, &c, &why);
	ck->prev = p->commit;
	if (!r)
		note_beyond(c, patch);
	if (!r)
		r = apply_and_plan(ck, c, p->number, &why);
	if (r)
		strbuf_setf(summary, "patch %" PRId64 "%s: %s", p->number,
			    r > 0 ? " refused" : "", why.buf);
	if (!r && count_units(ck, 0))
		r = check_units(ck, patch, &seconds, summary);
	build_patch_end(patch, r, seconds);
	job_stage_end(job, r);
	return r;
}

static int check_each(struct checking *ck, struct strbuf *summary)
{
	const struct job *job = ck->ws->job;
	bool failed = false;

	for (size_t i = 0; i < job->n_patches; i++) {
		int r = check_patch(ck, &job->patches[i], summary);

		if (r < 0 || r == JOB_TIMED_OUT)
			return r;
		failed |= r == JOB_FAILED;
	}
	return failed ? JOB_FAILED : JOB_PASSED;
}

static int check_patches(struct workspace *ws, struct strbuf *summary)
{
	struct job *job = ws->job;
	json_t *left __free(json) = json_object();
	struct checking ck = {
		.ws = ws, .prev = job->base_commit, .left = left,
		.look = !strcmp(json_get_str(job->request, "scope", ""),
				"first"),
	};
	int r;

	ck.list = json_array();
	job_set(job, "patches", ck.list);
	r = check_each(&ck, summary);
	if (!summary->len) {
		strbuf_add_count(summary, job->n_patches, "patch", "patches");
		strbuf_addstr(summary, ck.look ? ", a first look: " : ": ");
		build_tally_tell(&ck.tally, "passed", summary);
	}
	return r;
}

int run_check(struct job *job, struct strbuf *summary)
{
	struct workspace *ws __free(workspace) = NULL;
	int r = kbuild_check_tools(job, summary);

	if (!r && is_derived(job))
		return run_derived(job, summary);
	if (!r)
		r = workspace_new(job, &ws, summary);
	if (!r)
		r = workspace_hold_base(ws, summary);
	if (!r) {
		kbuild_environment(ws);
		r = check_patches(ws, summary);
	}
	return r == -ETIMEDOUT ? JOB_TIMED_OUT : r;
}
