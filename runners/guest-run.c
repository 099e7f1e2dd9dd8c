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
#include "runners/console.h"
#include "runners/guest-job.h"
#include "runners/guest-sandbox.h"
#include "runners/kvm-probe.h"
#include "runners/qemu.h"

/* Emulation on a busy machine is slow; a booting kernel is never this silent. */
#define IDLE_S 60
/* QEMU itself: translated code and its own data, beside the guest's memory. */
#define QEMU_MEMORY_MIB 768
#define QEMU_PROCESSES 64
#define CONSOLE_MAX_BYTES (8u << 20)

static void guest_job_release(struct guest_job *g)
{
	for (size_t i = 0; i < g->plan.n_steps; i++)
		free(g->tasks[i]);
	free(g->tasks);
	free(g->step_of);
	free(g->initrd);
	free(g->disk);
	vmtests_release(&g->tests);
	initramfs_free(g->fs);
	guest_plan_release(&g->plan);
}

int guest_add_program(struct guest_job *g, const char *to, const char *name)
{
	const struct job *job = g->job;
	char *from __free(kfree) = xasprintf("%s/guest/%s/%s", job->libexec_dir,
					     job->arch, name);
	int r = initramfs_add_file(g->fs, to, 0755, from);

	if (r == -ENOENT)
		strbuf_setf(g->summary, "%s: not installed: mmci was built"
			    " without a C compiler for guests of %s; install"
			    " the packages of deploy/packages/cross.txt and"
			    " build it anew", from, job->arch);
	else if (r)
		strbuf_setf(g->summary, "%s: %s", from, strerror(-r));
	return r;
}

int guest_add_task(struct guest_job *g, const char *name,
		   unsigned int timeout_s, const char *const *argv)
{
	int r = guest_plan_step(&g->plan, timeout_s, argv);

	if (r) {
		strbuf_setf(g->summary, "%s: bad arguments", name);
		return r;
	}
	g->tasks = xrealloc_array(g->tasks, g->plan.n_steps,
				  sizeof(*g->tasks));
	g->tasks[g->plan.n_steps - 1] = xstrdup(name);
	return 0;
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
	s->disk = g->disk;
	s->uid = g->job->build_uid;
	s->gid = g->job->build_gid;
	s->kvm = kvm;
	s->limits.time_ms = job_time_left_ms(g->job) + 30000;
	s->limits.memory_bytes = (g->profile.memory_mib + QEMU_MEMORY_MIB) *
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
	spec->disk = g->disk ? GUEST_SANDBOX_DISK : NULL;
	spec->memory_mib = g->profile.memory_mib;
	spec->cpus = g->profile.cpus;
	spec->nodes = g->profile.nodes;
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
	char *initrd __free(kfree) = job_path(g->job, "work/probe.cpio");
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

static int prepare_disk(struct guest_job *g)
{
	const struct job *job = g->job;
	char *path;
	int r;

	if (!g->profile.swap_mib)
		return 0;
	path = g->disk = job_path(job, "work/swap.img");
	r = fs_mkdir_parent(path);
	if (!r)
		r = guest_disk_make(path, g->profile.swap_mib);
	if (!r && job->build_uid && chown(path, job->build_uid, job->build_gid))
		r = -errno;
	if (r)
		strbuf_setf(g->summary, "%s: %s", path, strerror(-r));
	else
		guest_plan_swapon(&g->plan, "/dev/vda");
	return r;
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
	g->initrd = job_path(job, "work/initramfs.cpio");
	r = guest_profile_read(json_object_get(job->request, "profile"),
			       &g->profile, g->summary);
	if (!r)
		r = guest_add_program(g, "/init", "init");
	if (!r && job->kind != JOB_KIND_BENCH)
		r = choose_accel(g);
	if (!r)
		r = prepare_disk(g);
	if (!r && job->kind == JOB_KIND_TEST)
		r = guest_selftests_prepare(g);
	if (!r && job->kind == JOB_KIND_BENCH)
		r = guest_benchmarks_prepare(g);
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

/* While it runs: whoever waits for a guest wants to see what it does. */
static void to_log(const char *data, size_t len, void *arg)
{
	job_log(arg, data, len);
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
	spec.output = to_log;
	spec.output_arg = g->job;
	spec.icount = icount;
	spec.kvm = g->kvm;
	g->boots++;
	job_stage(g->job, g->boots > 1 ? "boot again" : "boot");
	r = boot_run(&spec, b);
	keep_console(g, b);
	job_logf(g->job, "\n--- %s\n", b->command.buf);
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

static int run_benchmarks(struct guest_job *g, const struct boot_result *first)
{
	struct boot_result again __free(boot_result);
	int r;

	boot_result_init(&again, g->plan.n_steps);
	r = boot_once(g, &again);
	if (r)
		return r;
	job_stage(g->job, "compare");
	guest_benchmarks_report(g, first, &again);
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
		int t = guest_selftests_report(&g, &b);

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
