// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Process 1 of the guests: mounts what mm tests need, runs the steps of /plan
 * one after another and reports on a channel of its own.
 *
 * Built statically with the compiler of each architecture; linked with nothing
 * else of this project, so that a guest stays one small file. The plan's
 * language and the records are described in runners/guest-plan.h and
 * runners/guest-results.h.
 *
 * While a step runs, this process sleeps without a timer that could expire
 * early: under instruction counting each wakeup would be counted with the step.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PORT_NAME "mmci.results"
#define MAX_ARGS 64
#define CHUNK 512
#define NOBODY 65534
#define PLAN_MAX (1 << 20)

static int results_fd = -1;
static bool on_console;
static unsigned int record_no;
static int chld_pipe[2];

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static void write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* the host sees that records are missing */
		p += n;
		len -= (size_t)n;
	}
}

/* Progress for people: the host takes it for console output like any other. */
__attribute__((format(printf, 1, 2)))
static void say(const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n > 0)
		write_all(STDERR_FILENO, line,
			  n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

/*
 * A record on the console shares the line with kernel messages, so it carries
 * its number and a sum: the host drops a damaged one and knows it.
 */
static void record_on_console(char type, const char *data, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	char line[64 + 2 * CHUNK];
	unsigned int sum = (unsigned char)type;
	int n;

	for (size_t i = 0; i < len; i++)
		sum = (sum * 31 + (unsigned char)data[i]) & 0xffff;
	n = snprintf(line, sizeof(line), "\nmmci>%c %u %04x ", type, record_no,
		     sum);
	for (size_t i = 0; i < len; i++) {
		line[n++] = hex[(unsigned char)data[i] >> 4];
		line[n++] = hex[(unsigned char)data[i] & 15];
	}
	line[n++] = '\n';
	write_all(results_fd, line, (size_t)n);
}

static void record(char type, const char *data, size_t len)
{
	char head[32];
	int n;

	if (len > CHUNK)
		len = CHUNK;
	if (on_console) {
		record_on_console(type, data, len);
	} else {
		n = snprintf(head, sizeof(head), "%c %u %zu\n", type, record_no,
			     len);
		write_all(results_fd, head, (size_t)n);
		write_all(results_fd, data, len);
		write_all(results_fd, "\n", 1);
	}
	record_no++;
}

__attribute__((format(printf, 2, 3)))
static void recordf(char type, const char *fmt, ...)
{
	char text[CHUNK];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n >= 0)
		record(type, text, n < (int)sizeof(text) ? (size_t)n :
						   sizeof(text) - 1);
}

/* What is not there is left out: a kernel without hugetlb still boots. */
static void mount_all(void)
{
	static const struct {
		const char *type, *dir;
	} fs[] = {
		{ "proc", "/proc" },
		{ "sysfs", "/sys" },
		{ "devtmpfs", "/dev" },
		{ "tmpfs", "/tmp" },
		{ "tmpfs", "/dev/shm" },
		{ "debugfs", "/sys/kernel/debug" },
		{ "cgroup2", "/sys/fs/cgroup" },
		{ "hugetlbfs", "/dev/hugepages" },
	};

	for (size_t i = 0; i < sizeof(fs) / sizeof(fs[0]); i++) {
		mkdir(fs[i].dir, 0755);
		mount(fs[i].type, fs[i].dir, fs[i].type, 0, NULL);
	}
	chmod("/tmp", 01777);
}

static bool read_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return false;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

/* devtmpfs may be missing: make the node from the number sysfs gives. */
static int open_port(const char *port)
{
	char path[300], dev[64];
	unsigned int major, minor;

	snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/dev", port);
	if (!read_line(path, dev, sizeof(dev)) ||
	    sscanf(dev, "%u:%u", &major, &minor) != 2)
		return -1;
	snprintf(path, sizeof(path), "/dev/%s", port);
	mknod(path, S_IFCHR | 0600, makedev(major, minor));
	return open(path, O_WRONLY | O_CLOEXEC);
}

static int find_port(void)
{
	char path[300], name[64];
	struct dirent *e;
	int fd = -1;
	DIR *d = opendir("/sys/class/virtio-ports");

	while (d && fd < 0 && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name",
			 e->d_name);
		if (read_line(path, name, sizeof(name)) &&
		    !strcmp(name, PORT_NAME))
			fd = open_port(e->d_name);
	}
	if (d)
		closedir(d);
	return fd;
}

static bool has_virtio_console(void)
{
	struct dirent *e;
	bool found = false;
	DIR *d = opendir("/sys/bus/virtio/drivers/virtio_console");

	while (d && (e = readdir(d)))
		found |= !strncmp(e->d_name, "virtio", 6);
	if (d)
		closedir(d);
	return found;
}

static void open_results(void)
{
	struct timespec tick = { 0, 10 * 1000 * 1000 };
	struct termios t;

	/* the port is announced by the host some time after the driver binds */
	results_fd = find_port();
	for (int i = 0; i < 200 && results_fd < 0 && has_virtio_console(); i++) {
		nanosleep(&tick, NULL);
		results_fd = find_port();
	}
	if (results_fd >= 0)
		return;

	on_console = true;
	results_fd = open("/dev/console", O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (results_fd >= 0 && !tcgetattr(results_fd, &t)) {
		cfmakeraw(&t);
		tcsetattr(results_fd, TCSANOW, &t);
	}
}

static void on_sigchld(int signo)
{
	int e = errno;

	(void)!write(chld_pipe[1], "", 1);
	errno = e;
}

/* One step of the plan. */
struct step {
	char *argv[MAX_ARGS + 1];
	int argc;
	unsigned int number;
	unsigned int timeout_s;
	size_t max_output;
	bool nobody;
};

static void step_child(const struct step *s, int out)
{
	char dir[PATH_MAX];
	struct rlimit none = { 0, 0 };
	char *slash;
	int in = open("/dev/null", O_RDONLY);

	setsid();
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
	dup2(in, 0);
	dup2(out, 1);
	dup2(out, 2);
	snprintf(dir, sizeof(dir), "%s", s->argv[0]);
	slash = strrchr(dir, '/');
	if (slash && slash != dir)
		*slash = '\0';
	(void)!chdir(slash && slash != dir ? dir : "/");
	if (s->nobody && (setgid(NOBODY) || setuid(NOBODY)))
		_exit(126);
	execv(s->argv[0], s->argv);
	dprintf(2, "cannot start %s: %s\n", s->argv[0], strerror(errno));
	_exit(126);
}

struct output {
	int fd;
	size_t sent;
	size_t max;
	bool cut;
};

/* Forward what is there; false at end of file. */
static bool drain(struct output *o)
{
	char buf[CHUNK];
	ssize_t n;

	while ((n = read(o->fd, buf, sizeof(buf))) > 0) {
		size_t take = (size_t)n;

		if (take > o->max - o->sent) {
			take = o->max - o->sent;
			o->cut = true;
		}
		if (take)
			record('O', buf, take);
		o->sent += take;
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void reap_all(void)
{
	/* from process 1: everything but itself, in whatever group it went */
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

/* Wait for the step's own process; false when its time was up. */
static bool step_wait(pid_t pid, struct output *o, int64_t end_ms, int *status)
{
	char junk[64];
	bool open_out = true;

	for (;;) {
		struct pollfd p[2] = { { chld_pipe[0], POLLIN, 0 },
				       { o->fd, POLLIN, 0 } };
		int64_t left = end_ms - now_ms();
		pid_t got;

		if (left <= 0)
			return false;
		if (left > INT_MAX)
			left = INT_MAX;
		poll(p, open_out ? 2 : 1, (int)left);
		if (open_out && p[1].revents)
			open_out = drain(o);
		if (p[0].revents) {
			(void)!read(chld_pipe[0], junk, sizeof(junk));
			while ((got = waitpid(-1, status, WNOHANG)) > 0)
				if (got == pid)
					return true;
		}
	}
}

static void step_run(const struct step *s)
{
	struct output o = { .max = s->max_output };
	int64_t start = now_ms();
	const char *how = "timeout";
	int fds[2], status = 0, code = 0;
	pid_t pid;

	recordf('B', "%u", s->number);
	say("mmci: step %u: %s\n", s->number, s->argv[0]);
	if (pipe2(fds, O_CLOEXEC)) {
		recordf('E', "%u error %d 0 0", s->number, errno);
		return;
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	o.fd = fds[0];
	pid = fork();
	if (!pid)
		step_child(s, fds[1]);
	close(fds[1]);
	if (pid < 0) {
		how = "error";
		code = errno;
	} else if (step_wait(pid, &o, start + s->timeout_s * 1000LL, &status)) {
		how = WIFEXITED(status) ? "exit" : "signal";
		code = WIFEXITED(status) ? WEXITSTATUS(status) :
					   WTERMSIG(status);
	}
	reap_all();
	drain(&o);
	close(fds[0]);
	recordf('E', "%u %s %d %lld %d", s->number, how, code,
		(long long)(now_ms() - start), o.cut);
}

/* "write PATH VALUE": settings a suite expects, such as reserved hugepages. */
static void do_write(char *args)
{
	char *value = strchr(args, ' ');
	int fd;

	if (!value)
		return;
	*value++ = '\0';
	fd = open(args, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		recordf('N', "cannot write \"%s\" to %s: %s", value, args,
			strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* devtmpfs makes the node some time after the driver has found the disk. */
static void do_swapon(const char *path)
{
	struct timespec tick = { 0, 10 * 1000 * 1000 };

	for (int i = 0; i < 200 && access(path, F_OK); i++)
		nanosleep(&tick, NULL);
	if (swapon(path, 0))
		recordf('N', "cannot swap to %s: %s", path, strerror(errno));
}

static char *read_plan(void)
{
	int fd = open("/plan", O_RDONLY | O_CLOEXEC);
	char *buf = malloc(PLAN_MAX + 1);
	size_t len = 0;
	ssize_t n = 0;

	if (!buf || fd < 0) {
		free(buf);
		return NULL;
	}
	while (len < PLAN_MAX && (n = read(fd, buf + len, PLAN_MAX - len)) > 0)
		len += (size_t)n;
	close(fd);
	buf[len] = '\0';
	return buf;
}

static void run_plan(char *plan)
{
	struct step s = { .argc = 0 };
	unsigned int count = 0;
	bool nobody = false;
	char *save, *line;

	for (line = strtok_r(plan, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "write ", 6)) {
			do_write(line + 6);
		} else if (!strncmp(line, "swapon ", 7)) {
			do_swapon(line + 7);
		} else if (!strcmp(line, "nobody")) {
			nobody = true;
		} else if (!strncmp(line, "step ", 5)) {
			memset(&s, 0, sizeof(s));
			s.nobody = nobody;
			nobody = false;
			s.number = count++;
			sscanf(line + 5, "%u %zu", &s.timeout_s, &s.max_output);
		} else if (!strncmp(line, "arg ", 4) && s.argc < MAX_ARGS) {
			s.argv[s.argc++] = line + 4;
		} else if (!strcmp(line, "run") && s.argc) {
			step_run(&s);
		}
	}
}

static void power_off(void)
{
	sync();
	tcdrain(STDERR_FILENO);
	reboot(RB_POWER_OFF);
	/* no power-off in this kernel: with -no-reboot a restart ends as well */
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_sigchld,
				.sa_flags = SA_RESTART };
	struct utsname u;
	char *plan;

	mount_all();
	signal(SIGPIPE, SIG_IGN);
	if (pipe2(chld_pipe, O_CLOEXEC | O_NONBLOCK))
		say("mmci: no pipe: %s\n", strerror(errno));
	sigaction(SIGCHLD, &sa, NULL);
	setenv("PATH", "/tests:/bin", 1);
	setenv("HOME", "/", 1);
	open_results();
	uname(&u);
	recordf('H', "%s %s", u.release, u.machine);
	say("mmci: init on %s, results on the %s\n", u.release,
	    on_console ? "console" : "port");

	plan = read_plan();
	if (plan)
		run_plan(plan);
	else
		recordf('N', "no plan");
	recordf('D', "%u", record_no);
	say("mmci: done\n");
	power_off();
}
