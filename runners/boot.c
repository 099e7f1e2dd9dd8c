// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "lib/clock.h"
#include "lib/json.h"
#include "runners/qemu.h"

/* A silent step may be this much late in reporting its own end. */
#define STEP_GRACE_S 15
/*
 * A guest that has said all it had to say is given this long to power off. A
 * kernel without ACPI cannot, it halts.
 */
#define DONE_GRACE_MS 2000
/* How long a hanging guest may answer the questions put to it. */
#define DIAGNOSIS_MS 2000
/* How long QEMU may take to end after it was told to. */
#define QUIT_MS 5000
#define STDERR_MAX 65536
#define MONITOR_LINE_MAX (1u << 20)

enum channel { CONSOLE, ERRORS, RESULTS, MONITOR, N_CHANNELS };

/*
 * @fd: our end of each channel, -1 once it is at its end
 * @last_sign_ms: last byte of the console or the results
 * @hello_ms: when init reported, 0 until then
 * @stop: why we ended it, NULL if we did not
 * @diagnosing: it hangs and is being asked why, until @diagnosis_end_ms
 * @shutdown: reason from QEMU's SHUTDOWN event, NULL if there was none
 */
struct run {
	const struct boot_spec *spec;
	struct boot_result *ret;
	struct child child;
	int fd[N_CHANNELS];
	int64_t start_ms;
	int64_t last_sign_ms;
	int64_t hello_ms;
	char *stop;
	bool diagnosing;
	int64_t diagnosis_end_ms;
	char *shutdown;
	struct strbuf errors;
	struct strbuf monitor;
};

void boot_result_init(struct boot_result *r, size_t n_steps)
{
	memset(r, 0, sizeof(*r));
	strbuf_init(&r->why);
	strbuf_init(&r->console);
	strbuf_init(&r->diagnosis);
	strbuf_init(&r->command);
	guest_results_init(&r->guest, n_steps);
}

void boot_result_release(struct boot_result *r)
{
	strbuf_release(&r->why);
	strbuf_release(&r->console);
	strbuf_release(&r->diagnosis);
	strbuf_release(&r->command);
	guest_results_release(&r->guest);
}

const char *boot_outcome_name(enum boot_outcome outcome)
{
	switch (outcome) {
	case BOOT_OK:
		return "ok";
	case BOOT_PANIC:
		return "panic";
	case BOOT_HANG:
		return "hang";
	case BOOT_EARLY_EXIT:
		return "early-exit";
	case BOOT_RESET:
		return "reset";
	case BOOT_NO_START:
		return "no-start";
	}
	return "no-start";
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void run_release(struct run *run)
{
	for (int i = 0; i < N_CHANNELS; i++)
		close_fd(&run->fd[i]);
	free(run->stop);
	free(run->shutdown);
	strbuf_release(&run->errors);
	strbuf_release(&run->monitor);
}

static void ask(struct run *run, const char *json)
{
	if (run->fd[MONITOR] >= 0)
		(void)!send(run->fd[MONITOR], json, strlen(json),
			    MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The answers are told apart by their id, see monitor_line(). */
static void diagnose(struct run *run)
{
	run->diagnosing = true;
	run->diagnosis_end_ms = clock_mono_ms() + DIAGNOSIS_MS;
	ask(run, "{\"execute\":\"human-monitor-command\",\"id\":\"registers\","
		 "\"arguments\":{\"command-line\":\"info registers -a\"}}\n"
		 "{\"execute\":\"chardev-send-break\",\"id\":\"break\","
		 "\"arguments\":{\"id\":\"con\"}}\n");
}

static void stop(struct run *run, char *why)
{
	if (run->stop) {
		free(why);
		return;
	}
	run->stop = why;
}

static void monitor_line(struct run *run, const char *line, size_t len)
{
	json_t *v __free(json) = json_loadb(line, len, 0, NULL);
	const char *id = json_get_str(v, "id", "");
	const json_t *data = json_object_get(v, "data");

	if (!strcmp(json_get_str(v, "event", ""), "SHUTDOWN") &&
	    !run->shutdown)
		run->shutdown = xstrdup(json_get_str(data, "reason", "?"));
	else if (!strcmp(id, "registers"))
		strbuf_addstr(&run->ret->diagnosis,
			      json_get_str(v, "return", ""));
	else if (!strcmp(id, "break"))
		/* after a break, "t" asks for all tasks: sysrq.rst */
		(void)!send(run->fd[CONSOLE], "t", 1,
			    MSG_NOSIGNAL | MSG_DONTWAIT);
	else if (json_object_get(v, "QMP"))
		ask(run, "{\"execute\":\"qmp_capabilities\"}\n");
}

static void monitor_data(struct run *run, const char *data, size_t len)
{
	struct strbuf *m = &run->monitor;
	char *nl;

	strbuf_add(m, data, len);
	while ((nl = memchr(m->buf, '\n', m->len))) {
		size_t n = (size_t)(nl + 1 - m->buf);

		monitor_line(run, m->buf, n);
		memmove(m->buf, nl + 1, m->len - n);
		strbuf_setlen(m, m->len - n);
	}
	if (m->len > MONITOR_LINE_MAX)
		strbuf_reset(m);
}

static void console_data(struct run *run, const char *data, size_t len)
{
	struct strbuf *con = &run->ret->console;
	size_t room = run->spec->console_max_bytes - con->len;

	guest_results_console(&run->ret->guest, data, len);
	strbuf_add(con, data, min(len, room));
	if (run->spec->output)
		run->spec->output(data, min(len, room), run->spec->output_arg);
	if (len > room)
		stop(run, xasprintf("printed more than %zu KiB",
				    run->spec->console_max_bytes / 1024));
}

static void take(struct run *run, enum channel ch, const char *data,
		 size_t len)
{
	if (ch == CONSOLE || ch == RESULTS)
		run->last_sign_ms = clock_mono_ms();
	switch (ch) {
	case CONSOLE:
		console_data(run, data, len);
		break;
	case ERRORS:
		strbuf_add(&run->errors, data,
			   min(len, STDERR_MAX - run->errors.len));
		break;
	case RESULTS:
		if (guest_results_port(&run->ret->guest, data, len))
			stop(run, xstrdup("garbage on the results port"));
		break;
	case MONITOR:
		monitor_data(run, data, len);
		break;
	case N_CHANNELS:
		break;
	}
	if (run->ret->guest.hello && !run->hello_ms)
		run->hello_ms = clock_mono_ms();
}

static void pull(struct run *run, enum channel ch)
{
	char buf[65536];
	ssize_t n = read(run->fd[ch], buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0)
		close_fd(&run->fd[ch]);
	else
		take(run, ch, buf, (size_t)n);
}

/* What was in the pipes when QEMU ended; a guest cannot refill them. */
static void pull_rest(struct run *run)
{
	for (int i = 0; i < N_CHANNELS; i++) {
		for (int n = 0; run->fd[i] >= 0 && n < 64; n++) {
			struct pollfd p = { run->fd[i], POLLIN, 0 };

			if (poll(&p, 1, 0) <= 0)
				break;
			pull(run, (enum channel)i);
		}
	}
}

static int64_t idle_limit_ms(const struct run *run)
{
	int64_t s = run->spec->idle_s;
	int step = run->ret->guest.current;

	if (step >= 0)
		s = max(s, (int64_t)run->spec->step_timeouts_s[step] +
				   STEP_GRACE_S);
	return s * 1000;
}

/*
 * A kernel that has no means to power off says so and halts: nothing more will
 * come. Source: kernel/reboot.c, arch/x86/kernel/reboot.c.
 */
static bool has_halted(const struct run *run)
{
	static const char text[] = "System halted";
	const struct strbuf *con = &run->ret->console;
	size_t tail = min(con->len, (size_t)200);

	return memmem(con->buf + con->len - tail, tail, text,
		      sizeof(text) - 1) != NULL;
}

static bool is_over(const struct run *run)
{
	return run->ret->guest.done || has_halted(run);
}

/* Milliseconds until the next deadline; 0: one is over. */
static int64_t time_left(struct run *run)
{
	int64_t now = clock_mono_ms();
	int64_t all = run->start_ms + run->spec->timeout_s * 1000LL - now;
	int64_t idle = run->last_sign_ms + idle_limit_ms(run) - now;

	if (run->diagnosing)
		return max(run->diagnosis_end_ms - now, (int64_t)0);
	if (is_over(run))
		return max(run->last_sign_ms + DONE_GRACE_MS - now,
			   (int64_t)0);
	if (all <= 0)
		stop(run, xasprintf("no end after %u s", run->spec->timeout_s));
	else if (idle <= 0)
		stop(run, xasprintf("no sign of life for %lld s",
				    (long long)idle_limit_ms(run) / 1000));
	if (run->stop && !run->diagnosing) {
		diagnose(run);
		return DIAGNOSIS_MS;
	}
	return min(all, idle);
}

static bool must_end(const struct run *run)
{
	int64_t now = clock_mono_ms();

	if (is_over(run))
		return now >= run->last_sign_ms + DONE_GRACE_MS;
	return run->diagnosing && now >= run->diagnosis_end_ms;
}

static void watch(struct run *run)
{
	bool ended = false;

	while (!ended && !must_end(run)) {
		struct pollfd p[N_CHANNELS + 1];
		int64_t left = time_left(run);

		for (int i = 0; i < N_CHANNELS; i++)
			p[i] = (struct pollfd){ run->fd[i], POLLIN, 0 };
		p[N_CHANNELS] =
			(struct pollfd){ run->child.pidfd, POLLIN, 0 };
		if (poll(p, N_CHANNELS + 1, (int)min(left, (int64_t)INT_MAX)) <=
		    0)
			continue;
		for (int i = 0; i < N_CHANNELS; i++)
			if (p[i].revents)
				pull(run, (enum channel)i);
		ended = p[N_CHANNELS].revents != 0;
	}
}

static const char panic_text[] = "Kernel panic - not syncing";

static const char *panic_line(const struct strbuf *con)
{
	return memmem(con->buf, con->len, panic_text, sizeof(panic_text) - 1);
}

static bool panicked(const struct run *run)
{
	return panic_line(&run->ret->console) ||
	       (run->shutdown && !strcmp(run->shutdown, "guest-panic"));
}

static void judge_panic(struct run *run)
{
	struct boot_result *r = run->ret;
	const char *p = panic_line(&r->console);

	r->outcome = BOOT_PANIC;
	if (p)
		strbuf_add_utf8(&r->why, p, strcspn(p, "\r\n"));
	else
		strbuf_addstr(&r->why, "kernel panic");
}

/* The last line of @text that says something. */
static void add_last_line(struct strbuf *out, const struct strbuf *text)
{
	size_t end = text->len, begin;

	while (end && strchr("\r\n ", text->buf[end - 1]))
		end--;
	begin = end;
	while (begin && text->buf[begin - 1] != '\n' && end - begin < 300)
		begin--;
	strbuf_add_utf8(out, text->buf + begin, end - begin);
}

/* QEMU ended without having run a guest: is it the image? */
static int judge_exit(struct run *run, int status)
{
	struct boot_result *r = run->ret;
	bool image = WIFEXITED(status) && WEXITSTATUS(status) == 1 &&
		     strstr(run->errors.buf, "kernel") &&
		     !strstr(run->errors.buf, "KVM kernel");

	r->outcome = BOOT_NO_START;
	strbuf_addstr(&r->why, "QEMU: ");
	child_describe(status, &r->why);
	if (run->errors.len) {
		strbuf_addstr(&r->why, ": ");
		add_last_line(&r->why, &run->errors);
	}
	return image && !r->console.len ? 0 : -EIO;
}

static void judge_stopped(struct run *run)
{
	struct boot_result *r = run->ret;

	r->outcome = r->console.len || r->guest.hello ? BOOT_HANG :
							BOOT_NO_START;
	strbuf_addstr(&r->why, run->stop);
	if (r->console.len) {
		strbuf_addstr(&r->why, ", last line: ");
		add_last_line(&r->why, &r->console);
	}
}

static int judge(struct run *run, int status)
{
	struct boot_result *r = run->ret;
	bool clean = WIFEXITED(status) && !WEXITSTATUS(status);

	if (r->guest.done) {
		r->outcome = BOOT_OK;
		return 0;
	}
	if (panicked(run)) {
		judge_panic(run);
		return 0;
	}
	if (run->stop) {
		judge_stopped(run);
		return 0;
	}
	if (has_halted(run)) {
		r->outcome = BOOT_EARLY_EXIT;
		strbuf_addstr(&r->why, "halted before its plan was done");
		return 0;
	}
	if (!clean)
		return judge_exit(run, status);
	if (run->shutdown && !strcmp(run->shutdown, "guest-shutdown")) {
		r->outcome = BOOT_EARLY_EXIT;
		strbuf_addstr(&r->why, "powered off before its plan was done");
	} else {
		r->outcome = BOOT_RESET;
		strbuf_addstr(&r->why, "reset without a panic");
	}
	return 0;
}

/* Ends of pipes and sockets that go to QEMU. */
struct far_ends {
	int errors;
	int console;
	int results;
	int monitor;
};

static void far_ends_close(struct far_ends *f)
{
	close_fd(&f->errors);
	close_fd(&f->console);
	close_fd(&f->results);
	close_fd(&f->monitor);
}

static int open_pipe(int *ours, int *theirs)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	*ours = fds[0];
	*theirs = fds[1];
	if (fcntl(*ours, F_SETFL, O_NONBLOCK))
		return -errno;
	return 0;
}

static int open_socket(int *ours, int *theirs)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	*ours = fds[0];
	*theirs = fds[1];
	if (fcntl(*ours, F_SETFL, O_NONBLOCK))
		return -errno;
	return 0;
}

static int open_channels(struct run *run, struct far_ends *f)
{
	int r = open_pipe(&run->fd[ERRORS], &f->errors);

	if (!r)
		r = open_socket(&run->fd[CONSOLE], &f->console);
	if (!r)
		r = open_socket(&run->fd[RESULTS], &f->results);
	if (!r)
		r = open_socket(&run->fd[MONITOR], &f->monitor);
	return r;
}

static int start(struct run *run, struct far_ends *f)
{
	const struct boot_spec *s = run->spec;
	struct qemu_spec q = {
		.arch = s->arch, .image = s->image, .initrd = s->initrd,
		.disk = s->disk, .append = s->append,
		.memory_mib = s->memory_mib, .cpus = s->cpus,
		.nodes = s->nodes, .kvm = s->kvm, .icount = s->icount,
		.console_fd = f->console, .results_fd = f->results,
		.monitor_fd = f->monitor,
	};
	struct qemu_args args __free(qemu_args) = { .argc = 0 };
	struct child_spec spec = CHILD_SPEC_INIT;
	int r;

	r = qemu_args_build(&q, &args);
	if (r)
		return r;
	qemu_args_text(&args, &run->ret->command);
	spec.argv = (const char *const *)args.argv;
	spec.stdout_fd = f->errors;
	spec.stderr_fd = f->errors;
	spec.pass_fds[0] = f->console;
	spec.pass_fds[1] = f->results;
	spec.pass_fds[2] = f->monitor;
	return s->spawn ? s->spawn(&spec, &run->child, s->spawn_arg) :
			  child_spawn(&spec, &run->child);
}

static void init_run(struct run *run, const struct boot_spec *spec,
		     struct boot_result *ret)
{
	memset(run, 0, sizeof(*run));
	run->spec = spec;
	run->ret = ret;
	for (int i = 0; i < N_CHANNELS; i++)
		run->fd[i] = -1;
	strbuf_init(&run->errors);
	strbuf_init(&run->monitor);
	run->start_ms = clock_mono_ms();
	run->last_sign_ms = run->start_ms;
}

int boot_run(const struct boot_spec *spec, struct boot_result *ret)
{
	struct far_ends far = { -1, -1, -1, -1 };
	void (*old_pipe)(int);
	int status = 0, r;
	int64_t end_ms;
	struct run run;

	init_run(&run, spec, ret);
	r = open_channels(&run, &far);
	if (!r)
		r = start(&run, &far);
	far_ends_close(&far);
	if (r) {
		strbuf_addf(&ret->why, "cannot start %s: %s",
			    qemu_program(spec->arch), strerror(-r));
		goto out_release;
	}

	old_pipe = signal(SIGPIPE, SIG_IGN);
	watch(&run);
	/* asked first, so that whoever contains it can clean up behind it */
	if (run.stop || is_over(&run))
		ask(&run, "{\"execute\":\"quit\"}\n");
	child_wait(&run.child, QUIT_MS, &status);
	pull_rest(&run);
	signal(SIGPIPE, old_pipe);

	end_ms = clock_mono_ms();
	ret->total_seconds = (double)(end_ms - run.start_ms) / 1000;
	ret->seconds = (double)((run.hello_ms ? run.hello_ms : end_ms) -
				run.start_ms) / 1000;
	r = judge(&run, status);
out_release:
	run_release(&run);
	return r;
}
