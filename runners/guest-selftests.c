// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "runners/guest-job.h"
#include "runners/guest-tests.h"
#include "runners/ktap.h"

#define SCRIPT_MAX_BYTES (1u << 20)
#define NR_HUGEPAGES "/proc/sys/vm/nr_hugepages"

/* The suite as the tree under test has it; without its script, no arguments. */
static int read_script(struct guest_job *g, struct vmtests *suite)
{
	char *path __free(kfree) = xasprintf("%s/run_vmtests.sh",
					     g->job->selftests_dir);
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	int r = fs_read_file(path, SCRIPT_MAX_BYTES, &text);

	if (!r)
		vmtests_parse(text.buf, text.len, suite);
	else if (r != -ENOENT)
		strbuf_setf(g->summary, "%s: %s", path, strerror(-r));
	return r == -ENOENT ? 0 : r;
}

static bool is_asked(const struct job *job, const struct vmtest *t)
{
	for (size_t i = 0; i < job->n_selftests; i++) {
		if (t->program && !strcmp(job->selftests[i], t->program))
			return true;
	}
	return !job->n_selftests;
}

static struct vmtest *append(struct vmtests *to)
{
	to->v = xrealloc_array(to->v, to->n + 1, sizeof(*to->v));
	memset(&to->v[to->n], 0, sizeof(*to->v));
	return &to->v[to->n++];
}

static bool has_program(const struct vmtests *t, const char *program)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->v[i].program && !strcmp(t->v[i].program, program))
			return true;
	}
	return false;
}

/* What the suite does not name is run by its name alone. */
static void choose_tests(struct guest_job *g, struct vmtests *suite)
{
	struct job *job = g->job;

	for (size_t i = 0; i < suite->n; i++) {
		if (is_asked(job, &suite->v[i])) {
			*append(&g->tests) = suite->v[i];
			memset(&suite->v[i], 0, sizeof(suite->v[i]));
		}
	}
	for (size_t i = 0; i < job->n_selftests; i++) {
		struct vmtest *t;

		if (has_program(&g->tests, job->selftests[i]))
			continue;
		t = append(&g->tests);
		t->category = xstrdup("");
		t->title = xstrdup(job->selftests[i]);
		t->program = xstrdup(job->selftests[i]);
		t->hugepages = -1;
	}
}

static int plan_step(struct guest_job *g, const struct vmtest *t)
{
	char *to __free(kfree) = xasprintf("/tests/%s", t->program);
	const char *argv[2 + VMTEST_MAX_ARGS] = { to };
	long hugepages = t->hugepages < 0 ? (long)g->profile.hugepages :
					    t->hugepages;

	for (size_t i = 0; t->argv[i]; i++)
		argv[1 + i] = t->argv[i];
	/* tests change the reserve and do not always put it back */
	if (hugepages) {
		char *n __free(kfree) = xasprintf("%ld", hugepages);

		guest_plan_write(&g->plan, NR_HUGEPAGES, n);
	}
	if (t->as_nobody)
		guest_plan_nobody(&g->plan);
	return guest_add_task(g, t->title, guest_test_timeout_s(t->program),
			      argv);
}

static int plan_test(struct guest_job *g, struct vmtest *t, int *step)
{
	char *from __free(kfree) = NULL, *to __free(kfree) = NULL;
	int r;

	*step = -1;
	if (t->skip)
		return 0;
	from = xasprintf("%s/%s", g->job->selftests_dir, t->program);
	to = xasprintf("/tests/%s", t->program);
	r = initramfs_add_file(g->fs, to, 0755, from);
	if (r == -ENOENT) {
		t->skip = xstrdup("it was not built");
		return 0;
	}
	if (r) {
		strbuf_setf(g->summary, "%s: %s", from, strerror(-r));
		return r;
	}
	*step = (int)g->plan.n_steps;
	return plan_step(g, t);
}

int guest_selftests_prepare(struct guest_job *g)
{
	struct vmtests suite __free(vmtests) = VMTESTS_INIT;
	int r;

	if (!g->job->selftests_dir) {
		strbuf_setf(g->summary, "job.json: no \"selftests_dir\"");
		return -EINVAL;
	}
	r = read_script(g, &suite);
	if (r)
		return r;
	choose_tests(g, &suite);
	if (!g->tests.n) {
		strbuf_setf(g->summary, "%s: no tests there",
			    g->job->selftests_dir);
		return -ENOENT;
	}
	g->step_of = xcalloc(g->tests.n, sizeof(*g->step_of));
	guest_plan_write(&g->plan, GUEST_THP_ENABLED, "madvise");
	for (size_t i = 0; !r && i < g->tests.n; i++)
		r = plan_test(g, &g->tests.v[i], &g->step_of[i]);
	return r;
}

static json_t *test_row(const char *name, const char *status, const char *why,
			int64_t ms)
{
	json_t *t = json_object();

	json_set_text(t, "suite", "mm");
	json_set_text(t, "name", name);
	json_set_text(t, "status", status);
	json_set_text(t, "why", why);
	json_object_set_new(t, "seconds", json_real((double)ms / 1000));
	return t;
}

static json_t *finished_row(const char *name, const struct guest_step *s)
{
	int code = s->state == GUEST_STEP_EXIT ? s->code :
		   s->state == GUEST_STEP_SIGNAL ? 128 + s->code : -1;
	json_t *v __free(json) =
		ktap_parse_selftest(s->output.buf, s->output.len, code,
				    s->state == GUEST_STEP_TIMEOUT);

	return test_row(name, json_get_str(v, "status", "failed"),
			json_get_str(v, "why", NULL), s->ms);
}

static json_t *row_of(const char *name, const struct guest_step *s,
		      const struct boot_result *b)
{
	char *why __free(kfree) = NULL;

	switch (s->state) {
	case GUEST_STEP_NOT_RUN:
		why = xasprintf("not run: the guest ended before: %s",
				b->why.buf);
		return test_row(name, "skipped", why, 0);
	case GUEST_STEP_RUNNING:
		why = xasprintf("the kernel ended during it: %s", b->why.buf);
		return test_row(name, "crashed", why, 0);
	case GUEST_STEP_ERROR:
		why = xasprintf("could not be started: %s", strerror(s->code));
		return test_row(name, "failed", why, s->ms);
	case GUEST_STEP_EXIT:
	case GUEST_STEP_SIGNAL:
	case GUEST_STEP_TIMEOUT:
		break;
	}
	return finished_row(name, s);
}

static void log_step(struct guest_job *g, const char *name,
		     const struct guest_step *s, const json_t *row)
{
	job_logf(g->job, "\n--- %s: %s, %" PRId64 " ms%s\n", name,
		 json_get_str(row, "status", ""), s->ms,
		 s->cut ? ", output cut" : "");
	job_log(g->job, s->output.buf, s->output.len);
}

/* One test: its row, and in the log what it printed. */
static json_t *report_test(struct guest_job *g, size_t i,
			   const struct boot_result *b)
{
	const struct vmtest *t = &g->tests.v[i];
	const struct guest_step *s;
	json_t *row;

	if (g->step_of[i] < 0)
		return test_row(t->title, "skipped", t->skip, 0);
	s = &b->guest.steps[g->step_of[i]];
	row = row_of(t->title, s, b);
	log_step(g, t->title, s, row);
	return row;
}

static json_t *kunit_row(const json_t *t)
{
	struct strbuf name __free(strbuf) = STRBUF_INIT;
	const char *status = json_get_str(t, "status", "failed");
	const json_t *part;
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(t, "path"), i, part)
		strbuf_addf(&name, "%s%s", i ? "." : "",
			    json_string_value(part));
	row = test_row(name.buf, status, json_get_str(t, "why", NULL), 0);
	json_set_text(row, "suite", "kunit");
	return row;
}

/* A kernel with KUnit runs its own tests while it boots, on the console. */
static void add_kunit(const struct boot_result *b, json_t *tests)
{
	static const char mark[] = "KTAP version 1";
	const struct strbuf *con = &b->console;
	json_t *v __free(json) = NULL;
	const json_t *t;
	size_t i;

	if (!memmem(con->buf, con->len, mark, sizeof(mark) - 1))
		return;
	v = ktap_parse(con->buf, con->len);
	json_array_foreach(json_object_get(v, "tests"), i, t) {
		if (json_get_bool(t, "leaf", false))
			json_array_append_new(tests, kunit_row(t));
	}
}

int guest_selftests_report(struct guest_job *g, const struct boot_result *b)
{
	size_t passed = 0, failed, skipped = 0, i;
	json_t *tests = json_array(), *row;

	add_kunit(b, tests);
	for (i = 0; i < g->tests.n; i++)
		json_array_append_new(tests, report_test(g, i, b));
	json_array_foreach(tests, i, row) {
		const char *status = json_get_str(row, "status", "");

		passed += !strcmp(status, "passed");
		skipped += !strcmp(status, "skipped");
	}
	failed = json_array_size(tests) - passed - skipped;
	job_set(g->job, "tests", tests);
	if (!g->summary->len || !failed)
		strbuf_reset(g->summary);
	else
		strbuf_addstr(g->summary, "; ");
	strbuf_addf(g->summary, "%zu passed, %zu failed, %zu skipped", passed,
		    failed, skipped);
	return failed ? JOB_FAILED : JOB_PASSED;
}
