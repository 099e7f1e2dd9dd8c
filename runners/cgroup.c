// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/fs.h"
#include "lib/strbuf.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

static int write_at(const char *dir, const char *name, const char *text)
{
	char *path __free(kfree) = xasprintf("%s/%s", dir, name);
	int fd __free(fd) = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return -errno;
	return 0;
}

static int write_limit(const char *dir, const char *name, int64_t value)
{
	char text[32];

	if (!value)
		return 0;
	snprintf(text, sizeof(text), "%" PRId64, value);
	return write_at(dir, name, text);
}

/*
 * The path of our own group: the line "ID:CONTROLLERS:PATH" of
 * /proc/self/cgroup whose controllers contain @controller; "" is v2.
 */
static char *own_group(const char *controller)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	char *line, *save = NULL;

	if (fs_read_file("/proc/self/cgroup", 65536, &sb))
		return NULL;
	for (line = strtok_r(sb.buf, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *names = strchr(line, ':');
		char *path = names ? strchr(names + 1, ':') : NULL;
		size_t n = strlen(controller);

		if (!path)
			continue;
		*path++ = '\0';
		names++;
		if (!*controller && !*names)
			return xstrdup(path);
		for (char *p = names; *controller && p && *p;
		     p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
			if (!strncmp(p, controller, n) &&
			    (p[n] == ',' || !p[n]))
				return xstrdup(path);
		}
	}
	return NULL;
}

/* Groups of a runner that was killed: nobody else would remove them. */
static void remove_stale(const char *parent)
{
	DIR *d __free(dir) = opendir(parent);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		int pid, n;

		if (sscanf(e->d_name, "mmci-run.%d.%d", &pid, &n) == 2 &&
		    pid > 0 && kill(pid, 0) && errno == ESRCH)
			unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
	}
}

static char *group_name(void)
{
	static unsigned int serial;

	return xasprintf("mmci-run.%d.%u", (int)getpid(), serial++);
}

static char *make_v1(const char *controller, const char *limit_file,
		     int64_t limit)
{
	char *own __free(kfree) = own_group(controller);
	char *name __free(kfree) = group_name();
	char *parent __free(kfree) = NULL;
	char *dir __free(kfree) = NULL;

	if (!own)
		return NULL;
	parent = xasprintf(CGROUP_ROOT "/%s%s", controller,
			   strcmp(own, "/") ? own : "");
	remove_stale(parent);
	dir = xasprintf("%s/%s", parent, name);
	if (mkdir(dir, 0755))
		return NULL;
	if (write_limit(dir, limit_file, limit)) {
		rmdir(dir);
		return NULL;
	}
	return no_free_ptr(dir);
}

static char *make_v2_below(const char *parent)
{
	char *name __free(kfree) = group_name();
	char *dir __free(kfree) = xasprintf("%s/%s", parent, name);
	char *probe __free(kfree) = xasprintf("%s/memory.max", dir);
	char *probe2 __free(kfree) = xasprintf("%s/pids.max", dir);

	remove_stale(parent);
	/* fails where the parent holds processes itself: then try its parent */
	write_at(parent, "cgroup.subtree_control", "+memory +pids");
	if (mkdir(dir, 0755))
		return NULL;
	if (access(probe, W_OK) || access(probe2, W_OK)) {
		rmdir(dir);
		return NULL;
	}
	return no_free_ptr(dir);
}

static char *make_v2(int64_t memory_bytes, int64_t processes)
{
	char *own __free(kfree) = own_group("");
	char *parent __free(kfree) = NULL;
	char *dir __free(kfree) = NULL;

	if (!own || access(CGROUP_ROOT "/cgroup.controllers", R_OK))
		return NULL;
	parent = xasprintf(CGROUP_ROOT "%s", strcmp(own, "/") ? own : "");
	dir = make_v2_below(parent);
	if (!dir && strcmp(own, "/")) {
		*strrchr(parent, '/') = '\0';
		dir = make_v2_below(parent);
	}
	if (!dir)
		return NULL;
	write_at(dir, "memory.swap.max", "0");
	write_at(dir, "memory.oom.group", "0");
	if (write_limit(dir, "memory.max", memory_bytes) ||
	    write_limit(dir, "pids.max", processes)) {
		rmdir(dir);
		return NULL;
	}
	return no_free_ptr(dir);
}

struct cgroup *cgroup_new(int64_t memory_bytes, int64_t processes)
{
	struct cgroup *cg = xcalloc(1, sizeof(*cg));

	cg->memory_dir = make_v2(memory_bytes, processes);
	if (cg->memory_dir) {
		cg->v2 = true;
		cg->pids_dir = xstrdup(cg->memory_dir);
		return cg;
	}
	cg->memory_dir = make_v1("memory", "memory.limit_in_bytes",
				 memory_bytes);
	cg->pids_dir = make_v1("pids", "pids.max", processes);
	return cg;
}

int cgroup_enter(const struct cgroup *cg, pid_t pid)
{
	char text[32];
	int r = 0;

	snprintf(text, sizeof(text), "%d", (int)pid);
	if (cg->memory_dir)
		r = write_at(cg->memory_dir, "cgroup.procs", text);
	if (!r && cg->pids_dir && !cg->v2)
		r = write_at(cg->pids_dir, "cgroup.procs", text);
	return r;
}

/* The number after "KEY " in a file of such lines, 0 if there is none. */
static int64_t read_key(const char *dir, const char *name, const char *key)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	char *path __free(kfree) = xasprintf("%s/%s", dir, name);
	size_t n = strlen(key);

	if (fs_read_file(path, 65536, &sb))
		return 0;
	for (const char *p = sb.buf; p && *p;
	     p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
		if (!strncmp(p, key, n) && p[n] == ' ')
			return strtoll(p + n + 1, NULL, 10);
	}
	return 0;
}

int64_t cgroup_oom_kills(const struct cgroup *cg)
{
	if (!cg->memory_dir)
		return 0;
	return read_key(cg->memory_dir,
			cg->v2 ? "memory.events" : "memory.oom_control",
			"oom_kill");
}

bool cgroup_forks_refused(const struct cgroup *cg)
{
	return cg->pids_dir && read_key(cg->pids_dir, "pids.events", "max") > 0;
}

static void kill_inside(const char *dir)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	char *path __free(kfree) = xasprintf("%s/cgroup.procs", dir);
	char *end;

	if (fs_read_file(path, 1 << 20, &sb))
		return;
	for (char *p = sb.buf; *p; p = end) {
		long pid = strtol(p, &end, 10);

		if (end == p)
			break;
		if (pid > 1)
			kill((pid_t)pid, SIGKILL);
	}
}

/* The last process leaves a group only when it has been reaped. */
static void remove_group(char *dir)
{
	for (int i = 0; dir && rmdir(dir) && errno == EBUSY && i < 200; i++) {
		struct timespec ts = { 0, 10000000 };

		kill_inside(dir);
		nanosleep(&ts, NULL);
	}
	free(dir);
}

void cgroup_free(struct cgroup *cg)
{
	if (!cg)
		return;
	remove_group(cg->memory_dir);
	if (!cg->v2)
		remove_group(cg->pids_dir);
	else
		free(cg->pids_dir);
	free(cg);
}
