// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/guest-run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "runners/bench.h"
#include "runners/boot.h"
#include "runners/console.h"
#include "runners/guest-plan.h"
#include "runners/guest-sandbox.h"
#include "runners/guest-tests.h"
#include "runners/initramfs.h"
#include "runners/job.h"
#include "runners/ktap.h"
#include "runners/kvm-probe.h"
#include "runners/qemu.h"

#define GUEST_MEMORY_MIB 512
/* Emulation on a busy machine is slow; a booting kernel is never this silent. */
#define IDLE_S 60
#define BENCH_TIMEOUT_S 300
/* QEMU itself: translated code and its own data, beside the guest's memory. */
#define QEMU_MEMORY_MIB 768
#define QEMU_PROCESSES 64
#define CONSOLE_MAX_BYTES (8u << 20)
#define MAX_BENCHMARKS 64
/* Kernels turn huge pages off by themselves in guests of this size. */
#define THP_ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"

/* What a step is called in "tests" or "benchmarks". */
struct task {
	char *name;
};

/*
 * @tasks: one per step of the plan
 * @boots: guests started so far
 */
struct guest_job {
	struct job *job;
	struct guest_plan plan;
	struct initramfs *fs;
	struct task *tasks;
	char *initrd;
	unsigned int boots;
	bool kvm;
	struct strbuf *summary;
};

static void guest_job_release(struct guest_job *g)
{
	for (size_t i = 0; i < g->plan.n_steps; i++)
		free(g->tasks[i].name);
	free(g->tasks);
	free(g->initrd);
	initramfs_free(g->fs);
	guest_plan_release(&g->plan);
}

static int add_program(struct guest_job *g, const char *to, const char *name)
{
	const struct job *job = g->job;
	char *from __free(kfree) = xasprintf("%s/guest/%s/%s", job->libexec_dir,
					     job->arch, name);
	int r = initramfs_add_file(g->fs, to, 0755, from);

	if (r)
		strbuf_setf(g->summary, "%s: %s", from, strerror(-r));
	return r;
}

/* A step and what it is called. */
static int add_task(struct guest_job *g, const char *name,
		    unsigned int timeout_s, const char *const *argv)
{
	int r = guest_plan_step(&g->plan, timeout_s, argv);

	if (r) {
		strbuf_setf(g->summary, "%s: bad arguments", name);
		return r;
	}
	g->tasks = xrealloc_array(g->tasks, g->plan.n_steps,
				  sizeof(*g->tasks));
	g->tasks[g->plan.n_steps - 1].name = xstrdup(name);
	return 0;
}

static int add_test(struct guest_job *g, const char *name)
{
	char *from __free(kfree) = xasprintf("%s/%s", g->job->selftests_dir,
					     name);
	char *to __free(kfree) = xasprintf("/tests/%s", name);
	const char *argv[2 + GUEST_TEST_MAX_ARGS] = { to };
	const struct guest_test *t = guest_test_find(name);
	int r = initramfs_add_file(g->fs, to, 0755, from);

	/* what did not build is reported as skipped, see report_tests() */
	if (r == -ENOENT)
		return 0;
	if (r) {
		strbuf_setf(g->summary, "%s: %s", from, strerror(-r));
		return r;
	}
	for (size_t i = 0; t && i < GUEST_TEST_MAX_ARGS && t->args[i]; i++)
		argv[1 + i] = t->args[i];
	return add_task(g, name, t ? t->timeout_s : GUEST_TEST_TIMEOUT_S, argv);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* No names in the job: everything that was built. */
static int list_tests(struct guest_job *g)
{
	DIR *d __free(dir) = opendir(g->job->selftests_dir);
	struct dirent *e;
	size_t n = 0;
	char **names = NULL;

	if (!d) {
		strbuf_setf(g->summary, "%s: %s", g->job->selftests_dir,
			    strerror(errno));
		return -errno;
	}
	while ((e = readdir(d))) {
		struct stat st;

		if (e->d_name[0] == '.' || strchr(e->d_name, '\n') ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode) || !(st.st_mode & 0111) ||
		    strchr(e->d_name, '.'))
			continue;
		names = xrealloc_array(names, n + 1, sizeof(*names));
		names[n++] = xstrdup(e->d_name);
	}
	qsort(names, n, sizeof(*names), by_name);
	g->job->selftests = names;
	g->job->n_selftests = n;
	return 0;
}

static int prepare_tests(struct guest_job *g)
{
	struct job *job = g->job;
	int r = 0;

	if (!job->selftests_dir) {
		strbuf_setf(g->summary, "job.json: no \"selftests_dir\"");
		return -EINVAL;
	}
	if (!job->n_selftests)
		r = list_tests(g);
	guest_plan_write(&g->plan, "/proc/sys/vm/nr_hugepages", "32");
	guest_plan_write(&g->plan, THP_ENABLED, "madvise");
	for (size_t i = 0; !r && i < job->n_selftests; i++)
		r = add_test(g, job->selftests[i]);
	return r;
}

static int add_benchmark(struct guest_job *g, const json_t *b)
{
	const char *argv[GUEST_PLAN_MAX_ARGS + 1] = { NULL };
	const char *name = json_get_str(b, "name", "");
	const json_t *args = json_object_get(b, "args"), *a;
	/* "fault.anon" is variant "anon" of bench-fault */
	size_t base = strcspn(name, ".");
	char *file __free(kfree) = xasprintf("bench-%.*s", (int)base, name);
	char *variant __free(kfree) =
		name[base] ? xasprintf("variant=%s", name + base + 1) : NULL;
	char *to __free(kfree) = xasprintf("/bench/%s", file);
	size_t i, n = 0;
	int r;

	if (!*name || strchr(name, '/')) {
		strbuf_setf(g->summary, "job.json: \"benchmarks\": no name");
		return -EINVAL;
	}
	r = add_program(g, to, file);
	if (r)
		return r;
	argv[n++] = to;
	if (variant)
		argv[n++] = variant;
	json_array_foreach(args, i, a)
		if (json_is_string(a) && n < GUEST_PLAN_MAX_ARGS)
			argv[n++] = json_string_value(a);
	return add_task(g, name, BENCH_TIMEOUT_S, argv);
}

static int prepare_benchmarks(struct guest_job *g)
{
	const json_t *b;
	int r = 0;
	size_t i;

	guest_plan_write(&g->plan, THP_ENABLED, "madvise");
	json_array_foreach(g->job->benchmarks, i, b) {
		if (!r && i < MAX_BENCHMARKS)
			r = add_benchmark(g, b);
	}
	return r;
}

static int write_initrd(struct guest_job *g, const char *path,
			const char *plan, size_t len)
{
	int r;

	r = fs_mkdir_parent(path);
	if (!r)
		r = initramfs_add(g->fs, "/plan", 0644, plan, len);
	if (!r)
		r = initramfs_write(g->fs, path);
	if (r)
		strbuf_setf(g->summary, "%s: %s", path, strerror(-r));
	return r;
}

static void set_sandbox(const struct guest_job *g, struct guest_sandbox *s,
			const char *initrd, bool kvm)
{
	memset(s, 0, sizeof(*s));
	s->image = g->job->image;
	s->initrd = initrd;
	s->uid = g->job->build_uid;
	s->gid = g->job->build_gid;
	s->kvm = kvm;
	s->limits.time_ms = job_time_left_ms(g->job) + 30000;
	s->limits.memory_bytes = (GUEST_MEMORY_MIB + QEMU_MEMORY_MIB) *
				 INT64_C(1048576);
	s->limits.processes = QEMU_PROCESSES;
	s->limits.output_bytes = 1 << 20;
}

static void set_spec(const struct guest_job *g, struct boot_spec *spec,
		     struct guest_sandbox *sandbox)
{
	memset(spec, 0, sizeof(*spec));
	spec->arch = g->job->arch;
	spec->image = GUEST_SANDBOX_IMAGE;
	spec->initrd = GUEST_SANDBOX_INITRD;
	spec->memory_mib = GUEST_MEMORY_MIB;
	spec->cpus = 1;
	spec->idle_s = IDLE_S;
	spec->console_max_bytes = CONSOLE_MAX_BYTES;
	spec->step_timeouts_s = g->plan.timeouts_s;
	spec->n_steps = g->plan.n_steps;
	spec->timeout_s = (unsigned int)(job_time_left_ms(g->job) / 1000) + 1;
	spec->spawn = guest_sandbox_spawn;
	spec->spawn_arg = sandbox;
}

/* The probe boots the same image, with nothing to do, in the same sandbox. */
static int choose_accel(struct guest_job *g)
{
	char *cache __free(kfree) = kvm_cache_path();
	char *initrd __free(kfree) = job_path(g->job, "work/probe.gz");
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct guest_sandbox sandbox;
	struct boot_spec spec;
	int r = write_initrd(g, initrd, "", 0);

	if (r)
		return r;
	set_sandbox(g, &sandbox, initrd, true);
	set_spec(g, &spec, &sandbox);
	g->kvm = kvm_usable(&spec, cache, sandbox.uid, &why);
	if (!g->kvm)
		job_logf(g->job, "emulation, not KVM: %s\n", why.buf);
	return 0;
}

static int prepare(struct guest_job *g)
{
	struct job *job = g->job;
	int r;

	if (!qemu_arch_known(job->arch)) {
		strbuf_setf(g->summary, "no guests for architecture %s",
			    job->arch);
		return -EINVAL;
	}
	if (access(job->image, R_OK)) {
		r = -errno;
		strbuf_setf(g->summary, "%s: %s", job->image, strerror(-r));
		return r;
	}
	if (!job->libexec_dir) {
		strbuf_setf(g->summary, "job.json: no \"libexec_dir\"");
		return -EINVAL;
	}
	g->fs = initramfs_new();
	guest_plan_init(&g->plan);
	g->initrd = job_path(job, "work/initramfs.gz");
	r = add_program(g, "/init", "init");
	if (!r && job->kind != JOB_KIND_BENCH)
		r = choose_accel(g);
	if (!r && job->kind == JOB_KIND_TEST)
		r = prepare_tests(g);
	if (!r && job->kind == JOB_KIND_BENCH)
		r = prepare_benchmarks(g);
	return r ? r : write_initrd(g, g->initrd, g->plan.text.buf,
				    g->plan.text.len);
}

static void keep_console(struct guest_job *g, const struct boot_result *b)
{
	char *name __free(kfree) =
		xasprintf("artefacts/console%s.txt", g->boots > 1 ? "-2" : "");
	char *path __free(kfree) = job_path(g->job, name);

	if (!fs_mkdir_parent(path))
		fs_write_atomic(path, b->console.buf, b->console.len);
	job_log(g->job, b->console.buf, b->console.len);
	if (b->diagnosis.len) {
		job_logf(g->job, "\n--- registers\n");
		job_log(g->job, b->diagnosis.buf, b->diagnosis.len);
	}
}

/* R of the contract from what the console parser found. */
static json_t *reports_of(const struct boot_result *b)
{
	json_t *found __free(json) =
		console_parse_all(b->console.buf, b->console.len);
	json_t *reports = json_array(), *r;
	size_t i;

	json_array_foreach(found, i, r) {
		json_t *out = json_object(), *lines = json_array();
		const char *p = json_get_str(r, "report", "");

		json_set_text(out, "title", json_get_str(r, "title", NULL));
		json_set_text(out, "type", json_get_str(r, "type", NULL));
		json_set_bool(out, "corrupted",
			      json_get_bool(r, "corrupted", false));
		while (*p) {
			size_t len = strcspn(p, "\n");

			json_array_append_new(lines, json_textn(p, len));
			p += len + (p[len] == '\n');
		}
		json_object_set_new(out, "lines", lines);
		json_array_append_new(reports, out);
	}
	return reports;
}

static void set_boot(struct guest_job *g, const struct boot_result *b,
		     const char *accel)
{
	json_t *o = json_object();

	json_set_text(o, "outcome", boot_outcome_name(b->outcome));
	json_object_set_new(o, "seconds", json_real(b->seconds));
	json_set_text(o, "accel", accel);
	json_set_text(o, "why", b->why.len ? b->why.buf : NULL);
	json_object_set_new(o, "reports", reports_of(b));
	job_set(g->job, "boot", o);
	job_environment(g->job, "accel", accel);
	job_environment(g->job, "qemu_command", b->command.buf);
	if (b->guest.release)
		job_environment(g->job, "kernel", b->guest.release);
}

/* One boot of the image; the results stay with the caller. */
static int boot_once(struct guest_job *g, struct boot_result *b)
{
	bool icount = g->job->kind == JOB_KIND_BENCH;
	const char *accel = icount ? "tcg, instruction counting" :
			    g->kvm ? "kvm" : "tcg";
	struct guest_sandbox sandbox;
	struct boot_spec spec;
	int r;

	set_sandbox(g, &sandbox, g->initrd, g->kvm);
	set_spec(g, &spec, &sandbox);
	spec.icount = icount;
	spec.kvm = g->kvm;
	g->boots++;
	job_stage(g->job, g->boots > 1 ? "boot again" : "boot");
	r = boot_run(&spec, b);
	job_logf(g->job, "%s\n", b->command.buf);
	keep_console(g, b);
	if (b->guest.notes.len)
		job_logf(g->job, "\n--- notes of the guest\n%s",
			 b->guest.notes.buf);
	if (b->guest.lost)
		job_logf(g->job, "\n--- %u records of the guest were lost\n",
			 b->guest.lost);
	if (r) {
		strbuf_setf(g->summary, "%s", b->why.buf);
		return r;
	}
	if (g->boots == 1 || b->outcome != BOOT_OK)
		set_boot(g, b, accel);
	job_logf(g->job, "\n--- %s%s%s, init after %.2f s, end after %.2f s\n",
		 boot_outcome_name(b->outcome), b->why.len ? ": " : "",
		 b->why.buf, b->seconds, b->total_seconds);
	if (b->outcome == BOOT_OK)
		return JOB_PASSED;
	strbuf_setf(g->summary, "boot: %s: %s",
		    boot_outcome_name(b->outcome), b->why.buf);
	return job_time_left_ms(g->job) ? JOB_FAILED : JOB_TIMED_OUT;
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

static ssize_t task_of(const struct guest_job *g, const char *name)
{
	for (size_t i = 0; i < g->plan.n_steps; i++)
		if (!strcmp(g->tasks[i].name, name))
			return (ssize_t)i;
	return -1;
}

static int report_tests(struct guest_job *g, const struct boot_result *b)
{
	unsigned int passed = 0, failed = 0, skipped = 0;
	json_t *tests = json_array();

	for (size_t i = 0; i < g->job->n_selftests; i++) {
		const char *name = g->job->selftests[i];
		ssize_t n = task_of(g, name);
		const char *status;
		json_t *row;

		row = n < 0 ? test_row(name, "skipped", "it was not built", 0) :
			      row_of(name, &b->guest.steps[n], b);
		if (n >= 0)
			log_step(g, name, &b->guest.steps[n], row);
		status = json_get_str(row, "status", "");
		passed += !strcmp(status, "passed");
		skipped += !strcmp(status, "skipped");
		json_array_append_new(tests, row);
	}
	failed = (unsigned int)g->job->n_selftests - passed - skipped;
	job_set(g->job, "tests", tests);
	if (!g->summary->len || !failed)
		strbuf_setf(g->summary, "%u passed, %u failed, %u skipped",
			    passed, failed, skipped);
	else
		strbuf_addf(g->summary, "; %u passed, %u failed, %u skipped",
			    passed, failed, skipped);
	return failed ? JOB_FAILED : JOB_PASSED;
}

static char *failure_of(const struct guest_step *s)
{
	switch (s->state) {
	case GUEST_STEP_NOT_RUN:
		return xstrdup("not run: the guest ended before");
	case GUEST_STEP_RUNNING:
		return xstrdup("the kernel ended during it");
	case GUEST_STEP_SIGNAL:
		return xasprintf("it ended by signal %d", s->code);
	case GUEST_STEP_TIMEOUT:
		return xstrdup("it took too long");
	case GUEST_STEP_ERROR:
		return xasprintf("could not be started: %s", strerror(s->code));
	case GUEST_STEP_EXIT:
		break;
	}
	return s->code && s->code != 4 ? xasprintf("exit %d", s->code) : NULL;
}

static json_t *parse_step(const char *name, const struct guest_step *s)
{
	char *failure __free(kfree) = failure_of(s);

	return bench_parse(name, &s->output, failure);
}

static void report_benchmarks(struct guest_job *g, const struct boot_result *a,
			      const struct boot_result *b)
{
	json_t *rows = json_array();
	size_t countable = 0;

	for (size_t i = 0; i < g->plan.n_steps; i++) {
		const char *name = g->tasks[i].name;
		json_t *one __free(json) = parse_step(name, &a->guest.steps[i]);
		json_t *two __free(json) = parse_step(name, &b->guest.steps[i]);
		json_t *row = bench_combine(one, two);
		json_t *value = json_object_get(row, "value");

		countable += json_is_integer(value);
		job_logf(g->job, "%s: %" PRId64 " instructions %s\n", name,
			 (int64_t)json_integer_value(value),
			 json_get_str(row, "why", ""));
		json_array_append_new(rows, row);
	}
	job_set(g->job, "benchmarks", rows);
	strbuf_setf(g->summary, "%zu of %zu benchmarks counted", countable,
		    g->plan.n_steps);
}

static int run_benchmarks(struct guest_job *g, const struct boot_result *first)
{
	struct boot_result again __free(boot_result);
	int r;

	boot_result_init(&again, g->plan.n_steps);
	r = boot_once(g, &again);
	if (r)
		return r;
	job_stage(g->job, "compare");
	report_benchmarks(g, first, &again);
	return JOB_PASSED;
}

static void remove_work(const struct job *job)
{
	char *work __free(kfree) = job_path(job, "work");

	if (!job->keep_work)
		fs_rm_rf(work);
}

int guest_run(struct job *job, struct strbuf *summary)
{
	struct guest_job g = { .job = job, .summary = summary };
	struct boot_result b = { 0 };
	int r;

	strbuf_reset(summary);
	job_stage(job, "prepare");
	r = prepare(&g);
	if (r)
		goto out_release;
	boot_result_init(&b, g.plan.n_steps);
	r = boot_once(&g, &b);
	if (job->kind == JOB_KIND_TEST && r >= 0) {
		int t = report_tests(&g, &b);

		r = r ? r : t;
	} else if (job->kind == JOB_KIND_BENCH && !r) {
		r = run_benchmarks(&g, &b);
	} else if (!r) {
		strbuf_setf(summary, "boots in %.1f s", b.seconds);
	}
	boot_result_release(&b);
out_release:
	remove_work(job);
	guest_job_release(&g);
	return r;
}
