// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/sandbox-inside.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/* Not root inside: executing a program must not give capabilities back. */
#define INSIDE_ID 1000
#define OLD_ROOT "/.old"

struct inside {
	const struct sandbox_spec *spec;
	int report_fd;
	int out_fd;
	bool watch_memory;
	bool limit_processes;
};

__attribute__((noreturn))
static void fail(const struct inside *in, const char *step, int error)
{
	struct sandbox_report rep = { .error = error };

	snprintf(rep.step, sizeof(rep.step), "%s", step);
	(void)!write(in->report_fd, &rep, sizeof(rep));
	_exit(127);
}

static void must(const struct inside *in, int r, const char *step)
{
	if (r)
		fail(in, step, errno);
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_CREAT | O_NOFOLLOW, 0644);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -1 : 0;
}

static int put_map(const char *path, unsigned int outside)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %u 1", INSIDE_ID, outside);
	return put(path, text);
}

/* Paths inside are made by the caller, not by the stranger; all are short. */
static int make_parents(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			return -1;
		*p = '/';
	}
	return 0;
}

static int make_point(const char *to, bool directory)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s", to);
	if (make_parents(path))
		return -1;
	if (directory)
		return mkdir(path, 0755) && errno != EEXIST ? -1 : 0;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int bind_one(const struct sandbox_bind *b)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID };
	char from[PATH_MAX];
	struct stat st;

	snprintf(from, sizeof(from), OLD_ROOT "%s", b->from);
	if (stat(from, &st) || make_point(b->to, S_ISDIR(st.st_mode)))
		return -1;
	if (mount(from, b->to, NULL, MS_BIND | MS_REC, NULL))
		return -1;
	if (!b->writable)
		attr.attr_set |= MOUNT_ATTR_RDONLY;
	if (!b->device)
		attr.attr_set |= MOUNT_ATTR_NODEV;
	return (int)syscall(SYS_mount_setattr, AT_FDCWD, b->to, AT_RECURSIVE,
			    &attr, sizeof(attr));
}

static int mount_overlay(const struct sandbox_overlay *o)
{
	static const char *const parts[] = { "upper", "work" };
	char options[4096], path[PATH_MAX];
	int n;

	/* separators of the option string, which has no other way in 6.1 */
	if (strpbrk(o->lower, ",:\\") || strpbrk(o->layer, ",:\\")) {
		errno = EINVAL;
		return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(path, sizeof(path), OLD_ROOT "%s/%s", o->layer,
			 parts[i]);
		if (mkdir(path, 0755) && errno != EEXIST)
			return -1;
	}
	n = snprintf(options, sizeof(options),
		     "lowerdir=" OLD_ROOT "%s,upperdir=" OLD_ROOT
		     "%s/upper,workdir=" OLD_ROOT "%s/work,userxattr",
		     o->lower, o->layer, o->layer);
	if (n >= (int)sizeof(options)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (make_point(o->to, true))
		return -1;
	return mount("overlay", o->to, "overlay", MS_NOSUID | MS_NODEV,
		     options);
}

/* Everything of the host that every command sees, and nothing of a person. */
static void show_system(const struct inside *in)
{
	static const char *const dirs[] = { "/usr", "/etc/alternatives",
					    "/etc/ld.so.cache" };
	static const char *const links[] = { "/bin", "/sbin", "/lib", "/lib32",
					     "/lib64", "/libx32" };
	char path[PATH_MAX], target[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		struct sandbox_bind b = { dirs[i], dirs[i], false, false };

		if (bind_one(&b) && errno != ENOENT)
			fail(in, dirs[i], errno);
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		struct sandbox_bind b = { links[i], links[i], false, false };
		ssize_t n;

		snprintf(path, sizeof(path), OLD_ROOT "%s", links[i]);
		n = readlink(path, target, sizeof(target) - 1);
		if (n > 0) {
			target[n] = '\0';
			must(in, symlink(target, links[i]), links[i]);
		} else if (bind_one(&b) && errno != ENOENT) {
			fail(in, links[i], errno);
		}
	}
	must(in, make_point("/etc/passwd", false) ||
	     put("/etc/passwd", "build:x:1000:1000::/tmp:/bin/sh\n") ||
	     put("/etc/group", "build:x:1000:\n"), "/etc/passwd");
}

static void make_dev(const struct inside *in)
{
	static const char *const nodes[] = { "/dev/null", "/dev/zero",
					     "/dev/full", "/dev/random",
					     "/dev/urandom" };
	static const char *const links[][2] = {
		{ "/proc/self/fd", "/dev/fd" },
		{ "/proc/self/fd/0", "/dev/stdin" },
		{ "/proc/self/fd/1", "/dev/stdout" },
		{ "/proc/self/fd/2", "/dev/stderr" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		struct sandbox_bind b = { nodes[i], nodes[i], true, true };

		must(in, bind_one(&b), nodes[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		must(in, symlink(links[i][0], links[i][1]), links[i][1]);
}

static int tmpfs(const char *to, const char *options)
{
	return make_point(to, true) ||
	       mount("tmpfs", to, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

static void build_root(const struct inside *in)
{
	const struct sandbox_spec *s = in->spec;

	must(in, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL),
	     "private mounts");
	must(in, mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV,
		       "mode=0755,size=1m"), "new root");
	must(in, mkdir("/tmp" OLD_ROOT, 0755), "new root");
	must(in, (int)syscall(SYS_pivot_root, "/tmp", "/tmp" OLD_ROOT),
	     "pivot_root");
	must(in, chdir("/"), "new root");

	show_system(in);
	make_dev(in);
	must(in, tmpfs("/dev/shm", "mode=1777,size=64m"), "/dev/shm");
	must(in, tmpfs("/tmp", "mode=1777,size=512m"), "/tmp");
	must(in, make_point("/proc", true) ||
	     mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		   NULL), "/proc");
	for (int i = 0; i < SANDBOX_MAX_OVERLAYS && s->overlays[i].lower; i++)
		must(in, mount_overlay(&s->overlays[i]), s->overlays[i].to);
	for (int i = 0; i < SANDBOX_MAX_BINDS && s->binds[i].from; i++)
		must(in, bind_one(&s->binds[i]), s->binds[i].to);

	must(in, umount2(OLD_ROOT, MNT_DETACH), "old root");
	rmdir(OLD_ROOT);
	must(in, mount(NULL, "/", NULL,
		       MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
		       NULL), "read-only root");
}

static void limit(int resource, int64_t value)
{
	struct rlimit rl = { (rlim_t)value, (rlim_t)value };

	setrlimit((__rlimit_resource_t)resource, &rl);
}

static void limit_resources(const struct inside *in)
{
	const struct sandbox_limits *l = &in->spec->limits;

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, 4096);
	limit(RLIMIT_MEMLOCK, 8 << 20);
	limit(RLIMIT_MSGQUEUE, 0);
	if (l->disk_bytes)
		limit(RLIMIT_FSIZE, l->disk_bytes);
	if (in->limit_processes && l->processes)
		limit(RLIMIT_NPROC, l->processes);
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct hdr = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { { 0 }, { 0 } };

	if (prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
				     SECBIT_NO_SETUID_FIXUP |
				     SECBIT_NO_SETUID_FIXUP_LOCKED))
		return -1;
	for (int i = 0; prctl(PR_CAPBSET_READ, i) >= 0; i++) {
		if (prctl(PR_CAPBSET_DROP, i))
			return -1;
	}
	if (syscall(SYS_capset, &hdr, none))
		return -1;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Closes everything but 0, 1, 2, what is passed on and the report pipe. */
static void close_others(const struct inside *in)
{
	const int *pass = in->spec->pass_fds;
	unsigned int from = 3;

	for (;;) {
		unsigned int next = ~0u;

		for (size_t i = 0; i < ARRAY_SIZE(in->spec->pass_fds); i++) {
			unsigned int fd = (unsigned int)pass[i];

			if (fd >= from)
				next = min(next, pass[i] > 2 ? fd : ~0u);
		}
		if ((unsigned int)in->report_fd >= from)
			next = min(next, (unsigned int)in->report_fd);
		if (next > from)
			syscall(SYS_close_range, from, next - 1, 0);
		if (next == ~0u)
			return;
		if (next != (unsigned int)in->report_fd)
			fcntl((int)next, F_SETFD, 0);
		from = next + 1;
	}
}

__attribute__((noreturn))
static void run_command(const struct inside *in)
{
	static const char *const empty[] = { NULL };
	const struct sandbox_spec *s = in->spec;
	int fd = s->stdin_fd, r;
	sigset_t none;

	setsid();
	put("/proc/self/oom_score_adj", "0");
	if (fd < 0)
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	must(in, fd < 0 || dup2(fd, 0) < 0 || dup2(in->out_fd, 1) < 0 ||
	     dup2(in->out_fd, 2) < 0, "standard descriptors");
	fcntl(0, F_SETFD, 0);
	close_others(in);
	limit_resources(in);
	must(in, chdir(s->cwd ? s->cwd : "/"), "working directory");
	must(in, drop_capabilities(), "drop capabilities");
	r = sandbox_filter();
	if (r)
		fail(in, "seccomp filter", -r);

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	umask(022);
	if (s->fn) {
		close(in->report_fd);
		_exit(s->fn(s->arg));
	}
	execve(s->argv[0], (char *const *)s->argv,
	       (char *const *)(s->envp ? s->envp : empty));
	fail(in, s->argv[0], errno);
}

static int64_t resident_of(const char *pid)
{
	char path[64], text[128];
	long long total, resident;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/statm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (sscanf(text, "%lld %lld", &total, &resident) != 2)
		return 0;
	return resident * sysconf(_SC_PAGESIZE);
}

/* /proc is that of our own pid namespace: everything in it is the command's. */
static int64_t resident_bytes(void)
{
	DIR *d = opendir("/proc");
	int64_t sum = 0;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			sum += resident_of(e->d_name);
	}
	if (d)
		closedir(d);
	return sum;
}

/* Returns true when the command has ended; reaps orphans on the way. */
static bool reap(pid_t command, int *status)
{
	pid_t pid;
	int st;

	while ((pid = waitpid(-1, &st, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*status = st;
		return true;
	}
	return false;
}

static int kill_rest(void)
{
	int n = 0;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	/* we are pid 1: this reaches everything in the namespace but us */
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		n++;
	return n;
}

/*
 * Pid 1 of the namespace. The command cannot signal it, and not trace it
 * either: it keeps capabilities that the command has not.
 */
__attribute__((noreturn))
static void warden(const struct inside *in, pid_t command)
{
	struct sandbox_report rep = { 0 };
	struct pollfd reader = { .fd = in->report_fd };
	struct timespec tick = { 0, 250000000 };
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	while (!reap(command, &rep.status)) {
		sigtimedwait(&chld, NULL, &tick);
		/* nobody reads our report any more: whoever wants it is gone */
		if (poll(&reader, 1, 0) > 0 && reader.revents & POLLERR)
			_exit(1);
		if (in->watch_memory && in->spec->limits.memory_bytes &&
		    resident_bytes() > in->spec->limits.memory_bytes) {
			rep.memory = true;
			break;
		}
	}
	rep.leftovers = kill_rest();
	rep.ended = true;
	(void)!write(in->report_fd, &rep, sizeof(rep));
	_exit(0);
}

static void become(const struct inside *in)
{
	const struct sandbox_spec *s = in->spec;

	if (!geteuid() && s->uid) {
		put("/proc/self/oom_score_adj", "-900");
		must(in, setgroups(0, NULL), "drop groups");
		must(in, setresgid(s->gid, s->gid, s->gid), "change of gid");
		must(in, setresuid(s->uid, s->uid, s->uid), "change of uid");
	} else if (s->uid && s->uid != geteuid()) {
		fail(in, "change of uid: not root", EPERM);
	}
	if (!geteuid())
		fail(in, "root must name another uid to run as", EPERM);
	/* the maps below belong to root while we are not dumpable */
	prctl(PR_SET_DUMPABLE, 1);
}

static void new_namespaces(const struct inside *in)
{
	unsigned int uid = geteuid(), gid = getegid();

	must(in, unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID |
			 CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
			 CLONE_NEWCGROUP), "namespaces");
	must(in, put("/proc/self/setgroups", "deny"), "setgroups");
	must(in, put_map("/proc/self/gid_map", gid), "gid_map");
	must(in, put_map("/proc/self/uid_map", uid), "uid_map");
}

void sandbox_launch(const struct sandbox_spec *spec, int go_fd, int report_fd,
		    int out_fd, pid_t parent)
{
	struct inside in = { spec, report_fd, out_fd, false, false };
	sigset_t chld;
	pid_t pid;
	char go;

	must(&in, read(go_fd, &go, 1) != 1, "start");
	close(go_fd);
	in.watch_memory = go & SANDBOX_GO_WATCH_MEMORY;
	in.limit_processes = go & SANDBOX_GO_LIMIT_PROCESSES;
	become(&in);
	/* after the change of uid, which clears it: prctl(2) */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	new_namespaces(&in);

	pid = fork();
	must(&in, pid < 0, "fork");
	if (pid) {
		close(report_fd);
		close(out_fd);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		_exit(0);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	build_root(&in);
	sethostname("mmci", 4);
	put("/proc/sys/user/max_user_namespaces", "0");
	prctl(PR_SET_DUMPABLE, 0);

	pid = fork();
	must(&in, pid < 0, "fork");
	if (!pid)
		run_command(&in);
	close(out_fd);
	warden(&in, pid);
}
