// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/child.h"
#include "lib/clock.h"
#include "runners/cgroup.h"
#include "runners/sandbox-inside.h"

/* Kernel trees are 12 deep; a tree made to escape being measured is not. */
#define MAX_DEPTH 64
#define DISK_CHECK_MS 1000
#define DRAIN_MS 10000

/**
 * struct running - one sandbox from outside
 * @disk_start: bytes in the writable places before the command started
 * @next_disk_ms: when to measure them again
 * @output_bytes: printed so far
 */
struct running {
	const struct sandbox_spec *spec;
	struct sandbox_result *res;
	struct sandbox_report report;
	struct cgroup *cgroup;
	pid_t launcher;
	int out_fd;
	int report_fd;
	bool killed;
	int64_t disk_start;
	int64_t next_disk_ms;
	int64_t deadline_ms;
	int64_t output_bytes;
};

/* Adds up blocks; -ELOOP and other errors mean it cannot be measured. */
static int measure_at(int dirfd, const char *name, int depth, int64_t *sum)
{
	DIR *d __free(dir) = NULL;
	struct dirent *e;
	struct stat st;
	int fd, r;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	*sum += (int64_t)st.st_blocks * 512;
	if (!S_ISDIR(st.st_mode))
		return 0;
	if (depth > MAX_DEPTH)
		return -ELOOP;

	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					 O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		r = measure_at(fd, e->d_name, depth + 1, sum);
		if (r)
			return r;
	}
	return 0;
}

/* Is bind @i part of another writable one, and so measured with that? */
static bool is_nested(const struct sandbox_spec *s, int i)
{
	for (int k = 0; k < SANDBOX_MAX_BINDS && s->binds[k].from; k++) {
		size_t n = strlen(s->binds[k].from);

		if (k != i && s->binds[k].writable &&
		    !strncmp(s->binds[i].from, s->binds[k].from, n) &&
		    s->binds[i].from[n] == '/')
			return true;
	}
	return false;
}

static int measure(const struct sandbox_spec *s, int64_t *sum)
{
	int r = 0;

	*sum = 0;
	for (int i = 0; !r && i < SANDBOX_MAX_OVERLAYS && s->overlays[i].lower;
	     i++) {
		char *upper __free(kfree) =
			xasprintf("%s/upper", s->overlays[i].layer);

		r = measure_at(AT_FDCWD, upper, 0, sum);
	}
	for (int i = 0; !r && i < SANDBOX_MAX_BINDS && s->binds[i].from; i++) {
		if (s->binds[i].writable && !s->binds[i].device &&
		    !is_nested(s, i))
			r = measure_at(AT_FDCWD, s->binds[i].from, 0, sum);
	}
	return r;
}

/*
 * Kills the launcher, whose death takes the warden along, whose death is that
 * of the whole pid namespace.
 */
static void kill_all(struct running *run, enum sandbox_end end)
{
	if (run->killed)
		return;
	run->killed = true;
	run->res->end = end;
	kill(run->launcher, SIGKILL);
	run->deadline_ms = clock_mono_ms() + DRAIN_MS;
}

static void check_disk(struct running *run)
{
	int64_t begin = clock_mono_ms(), limit = run->spec->limits.disk_bytes;
	int64_t sum, cost;
	int r;

	if (!limit || run->killed || begin < run->next_disk_ms)
		return;
	r = measure(run->spec, &sum);
	if (r || sum - run->disk_start > limit)
		kill_all(run, SANDBOX_DISK);
	/* a twentieth of one processor at most, however large the tree */
	cost = clock_mono_ms() - begin;
	run->next_disk_ms = begin + max((int64_t)DISK_CHECK_MS, cost * 20);
}

static void take_output(struct running *run)
{
	int64_t limit = run->spec->limits.output_bytes;
	char buf[65536];
	ssize_t n = read(run->out_fd, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(run->out_fd);
		run->out_fd = -1;
		return;
	}
	if (run->killed)
		return;
	run->output_bytes += n;
	if (limit && run->output_bytes > limit) {
		n -= (ssize_t)min((int64_t)n, run->output_bytes - limit);
		kill_all(run, SANDBOX_OUTPUT);
	}
	if (run->spec->output && n > 0)
		run->spec->output(buf, (size_t)n, run->spec->output_arg);
}

static void take_report(struct running *run)
{
	struct sandbox_report rep;
	ssize_t n = read(run->report_fd, &rep, sizeof(rep));

	if (n < 0 && errno == EINTR)
		return;
	if (n != (ssize_t)sizeof(rep)) {
		close(run->report_fd);
		run->report_fd = -1;
		return;
	}
	rep.step[sizeof(rep.step) - 1] = '\0';
	if (!run->report.error && rep.error) {
		run->report.error = rep.error;
		memcpy(run->report.step, rep.step, sizeof(rep.step));
	}
	if (rep.ended) {
		run->report.ended = true;
		run->report.memory = rep.memory;
		run->report.status = rep.status;
		run->report.leftovers = rep.leftovers;
	}
}

/* Until every process that could write to the pipes is gone. */
static int serve(struct running *run)
{
	while (run->out_fd >= 0 || run->report_fd >= 0) {
		struct pollfd p[2] = {
			{ .fd = run->out_fd, .events = POLLIN },
			{ .fd = run->report_fd, .events = POLLIN },
		};
		int64_t now = clock_mono_ms(), wait = INT_MAX;

		if (run->deadline_ms >= 0 && now >= run->deadline_ms) {
			if (run->killed)
				return -EIO;
			kill_all(run, SANDBOX_TIME);
			continue;
		}
		check_disk(run);
		if (run->deadline_ms >= 0)
			wait = run->deadline_ms - now;
		if (run->spec->limits.disk_bytes && !run->killed)
			wait = min(wait, run->next_disk_ms - now);
		if (poll(p, 2, (int)max(wait, (int64_t)1)) <= 0)
			continue;
		if (p[0].revents)
			take_output(run);
		if (p[1].revents)
			take_report(run);
	}
	return 0;
}

static int start(struct running *run)
{
	int out[2], rep[2], go[2];
	pid_t parent = getpid();

	if (pipe2(out, O_CLOEXEC))
		return -errno;
	run->out_fd = out[0];
	if (pipe2(rep, O_CLOEXEC)) {
		close(out[1]);
		return -errno;
	}
	run->report_fd = rep[0];
	if (pipe2(go, O_CLOEXEC)) {
		close(out[1]);
		close(rep[1]);
		return -errno;
	}
	run->launcher = fork();
	if (!run->launcher) {
		close(go[1]);
		sandbox_launch(run->spec, go[0], rep[1], out[1], parent);
	}
	close(go[0]);
	close(out[1]);
	close(rep[1]);
	if (run->launcher > 0) {
		char flags = 0;
		bool inside = !cgroup_enter(run->cgroup, run->launcher);

		if (!inside || !run->cgroup->memory_dir)
			flags |= SANDBOX_GO_WATCH_MEMORY;
		if (!inside || !run->cgroup->pids_dir)
			flags |= SANDBOX_GO_LIMIT_PROCESSES;
		(void)!write(go[1], &flags, 1);
	}
	close(go[1]);
	return run->launcher < 0 ? -EAGAIN : 0;
}

static int judge(struct running *run, struct strbuf *why)
{
	struct sandbox_result *res = run->res;

	res->oom_kills = cgroup_oom_kills(run->cgroup);
	res->forks_refused = cgroup_forks_refused(run->cgroup);
	if (run->report.error) {
		strbuf_setf(why, "sandbox: %s: %s", run->report.step,
			    strerror(run->report.error));
		return -run->report.error;
	}
	if (run->killed)
		return 0;
	if (run->report.memory || (!run->report.ended && res->oom_kills)) {
		res->end = SANDBOX_MEMORY;
		return 0;
	}
	if (!run->report.ended) {
		strbuf_setf(why, "sandbox: it was killed from outside");
		return -EIO;
	}
	res->status = run->report.status;
	res->leftovers = run->report.leftovers;
	return 0;
}

int sandbox_run(const struct sandbox_spec *spec, struct sandbox_result *ret,
		struct strbuf *why)
{
	struct cgroup *cg __free(cgroup) =
		cgroup_new(spec->limits.memory_bytes, spec->limits.processes);
	struct running run = { .spec = spec, .res = ret, .cgroup = cg,
			       .out_fd = -1, .report_fd = -1,
			       .deadline_ms = -1 };
	int64_t begin = clock_mono_ms();
	int r;

	memset(ret, 0, sizeof(*ret));
	r = measure(spec, &run.disk_start);
	if (!r)
		r = start(&run);
	if (!r) {
		if (spec->limits.time_ms)
			run.deadline_ms = begin + spec->limits.time_ms;
		run.next_disk_ms = begin + DISK_CHECK_MS;
		r = serve(&run);
		while (waitpid(run.launcher, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (run.out_fd >= 0)
		close(run.out_fd);
	if (run.report_fd >= 0)
		close(run.report_fd);
	if (r) {
		strbuf_setf(why, "sandbox: %s", strerror(-r));
		return r;
	}
	ret->seconds = (double)(clock_mono_ms() - begin) / 1000;
	return judge(&run, why);
}

static int say_yes(void *arg)
{
	return 0;
}

bool sandbox_supported(uid_t uid, gid_t gid, struct strbuf *why)
{
	struct sandbox_spec spec = SANDBOX_SPEC_INIT;
	struct sandbox_result res;

	spec.fn = say_yes;
	spec.uid = uid;
	spec.gid = gid;
	spec.limits.time_ms = 10000;
	return !sandbox_run(&spec, &res, why);
}

static void add_part(struct strbuf *out, size_t start, const char *text)
{
	if (out->len > start)
		strbuf_addstr(out, "; ");
	strbuf_addstr(out, text);
}

bool sandbox_describe(const struct sandbox_spec *spec,
		      const struct sandbox_result *res, struct strbuf *out)
{
	const struct sandbox_limits *l = &spec->limits;
	size_t start = out->len;

	switch (res->end) {
	case SANDBOX_EXITED:
		if (!WIFSIGNALED(res->status))
			break;
		add_part(out, start, "ended by ");
		child_describe(res->status, out);
		break;
	case SANDBOX_TIME:
		strbuf_addf(out, "killed: limit of %" PRId64 " s of time",
			    l->time_ms / 1000);
		break;
	case SANDBOX_MEMORY:
		strbuf_addf(out, "killed: limit of %" PRId64 " MiB of memory",
			    l->memory_bytes >> 20);
		break;
	case SANDBOX_OUTPUT:
		strbuf_addf(out, "killed: limit of %" PRId64 " KiB of output",
			    l->output_bytes >> 10);
		break;
	case SANDBOX_DISK:
		strbuf_addf(out, "killed: limit of %" PRId64 " MiB of disk",
			    l->disk_bytes >> 20);
		break;
	}
	if (res->oom_kills && res->end != SANDBOX_MEMORY) {
		add_part(out, start, "");
		strbuf_addf(out, "%" PRId64 " processes killed at the limit of"
			    " %" PRId64 " MiB of memory", res->oom_kills,
			    l->memory_bytes >> 20);
	}
	if (res->forks_refused) {
		add_part(out, start, "");
		strbuf_addf(out, "limit of %" PRId64 " processes hit",
			    l->processes);
	}
	if (res->leftovers) {
		add_part(out, start, "");
		strbuf_addf(out, "%d processes left behind were killed",
			    res->leftovers);
	}
	return out->len > start;
}

void sandbox_limits_text(const struct sandbox_limits *l, struct strbuf *out)
{
	struct cgroup *cg __free(cgroup) =
		cgroup_new(l->memory_bytes, l->processes);

	strbuf_addf(out,
		    "memory %" PRId64 " MiB (%s), processes %" PRId64
		    " (%s), disk %" PRId64 " MiB (watchdog), output %" PRId64
		    " MiB, time %" PRId64 " s",
		    l->memory_bytes >> 20,
		    !cg->memory_dir ? "watchdog" :
		    cg->v2 ? "cgroup v2" : "cgroup v1",
		    l->processes,
		    !cg->pids_dir ? "rlimit" : cg->v2 ? "cgroup v2" :
							"cgroup v1",
		    l->disk_bytes >> 20, l->output_bytes >> 20,
		    l->time_ms / 1000);
}
