// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/child.h"
#include "lib/fs.h"

static int fail(struct strbuf *why, const char *path, int r)
{
	strbuf_setf(why, "%s: %s", path, strerror(-r));
	return r;
}

int workspace_own_dir(const struct job *job, const char *path,
		      struct strbuf *why)
{
	int r = fs_mkdir_p(path);

	if (!r && !geteuid() && chown(path, job->build_uid, job->build_gid))
		r = -errno;
	return r ? fail(why, path, r) : 0;
}

bool workspace_complete(const char *dir)
{
	char *mark __free(kfree) = xasprintf("%s/.complete", dir);

	return fs_exists(mark);
}

int workspace_mark_complete(const char *dir)
{
	char *mark __free(kfree) = xasprintf("%s/.complete", dir);

	return fs_write_atomic(mark, "", 0);
}

int workspace_lock(struct job *job, const char *path, int operation, int *ret,
		   struct strbuf *why)
{
	char *lock __free(kfree) = xasprintf("%s.lock", path);
	struct timespec pause = { 0, 200000000 };
	int fd __free(fd) = -1;
	int r = fs_mkdir_parent(lock);

	if (r)
		return fail(why, lock, r);
	fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return fail(why, lock, -errno);
	while (flock(fd, operation | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fail(why, lock, -errno);
		if (!job_time_left_ms(job))
			return fail(why, lock, -ETIMEDOUT);
		nanosleep(&pause, NULL);
	}
	/* when it was used last is how long it will be kept */
	futimens(fd, NULL);
	*ret = no_free_fd(fd);
	return 0;
}

int workspace_new(struct job *job, struct workspace **ret, struct strbuf *why)
{
	struct workspace *ws __free(workspace) = xcalloc(1, sizeof(*ws));
	int r;

	ws->job = job;
	ws->src_lock = -1;
	ws->warm_lock = -1;
	ws->work = job_path(job, "work");
	ws->src_layer = xasprintf("%s/src", ws->work);
	ws->obj = xasprintf("%s/obj", job->warm_dir);
	ws->config = xasprintf("%s/kconfig", ws->work);

	r = fs_rm_rf(ws->work);
	if (!r)
		r = fs_mkdir_p(ws->work);
	if (!r)
		r = fs_write_atomic(ws->config, job->kconfig_text,
				    strlen(job->kconfig_text));
	if (r)
		return fail(why, ws->work, r);
	r = workspace_own_dir(job, ws->src_layer, why);
	if (r)
		return r;
	if (job->kind != JOB_KIND_BASE) {
		ws->build_layer = xasprintf("%s/build", ws->work);
		r = workspace_own_dir(job, ws->build_layer, why);
		if (r)
			return r;
		ws->out = job_path(job, "artefacts");
		r = workspace_own_dir(job, ws->out, why);
		if (r)
			return r;
	} else {
		ws->out = xstrdup(job->warm_dir);
	}
	*ret = no_free_ptr(ws);
	return 0;
}

/* A tree made to be hard to remove is deeper than we have descriptors. */
static void remove_work(const char *path)
{
	const char *argv[] = { "rm", "-rf", "--one-file-system", "--", path,
			       NULL };
	struct child_spec spec = CHILD_SPEC_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int status;

	if (!fs_rm_rf(path))
		return;
	spec.argv = argv;
	child_run(&spec, NULL, 0, &out, 4096, 600000, &status);
}

void workspace_free(struct workspace *ws)
{
	if (!ws)
		return;
	if (ws->work && !ws->job->keep_work)
		remove_work(ws->work);
	if (ws->src_lock >= 0)
		close(ws->src_lock);
	if (ws->warm_lock >= 0)
		close(ws->warm_lock);
	free(ws->work);
	free(ws->src_layer);
	free(ws->build_layer);
	free(ws->obj);
	free(ws->out);
	free(ws->config);
	free(ws);
}

int workspace_hold_base(struct workspace *ws, struct strbuf *why)
{
	struct job *job = ws->job;
	int r = workspace_lock(job, job->warm_dir, LOCK_SH, &ws->warm_lock,
			       why);

	if (!r)
		r = workspace_lock(job, job->src_dir, LOCK_SH, &ws->src_lock,
				   why);
	if (r)
		return r;
	if (!workspace_complete(job->src_dir) ||
	    !workspace_complete(job->warm_dir)) {
		strbuf_setf(why, "%s: no finished warm base", job->warm_dir);
		return -ENOENT;
	}
	return 0;
}

static void to_log(const char *data, size_t len, void *arg)
{
	job_log(arg, data, len);
}

static const char *const build_env[] = {
	"PATH=/usr/bin:/bin:/usr/sbin:/sbin",
	"HOME=/tmp",
	"TMPDIR=/tmp",
	"LC_ALL=C",
	"KBUILD_BUILD_TIMESTAMP=Thu Jan  1 00:00:00 UTC 1970",
	"KBUILD_BUILD_USER=mmci",
	"KBUILD_BUILD_HOST=mmci",
	"KBUILD_BUILD_VERSION=1",
	NULL
};

void workspace_spec(struct workspace *ws, struct sandbox_spec *spec)
{
	const struct job_limits *l = &ws->job->limits;
	size_t n = 0;

	*spec = (struct sandbox_spec)SANDBOX_SPEC_INIT;
	spec->envp = build_env;
	spec->cwd = WORKSPACE_BUILD;
	spec->uid = ws->job->build_uid;
	spec->gid = ws->job->build_gid;
	spec->output = to_log;
	spec->output_arg = ws->job;
	spec->overlays[0] = (struct sandbox_overlay){
		ws->job->src_dir, ws->src_layer, WORKSPACE_SRC };
	if (ws->build_layer)
		spec->overlays[1] = (struct sandbox_overlay){
			ws->obj, ws->build_layer, WORKSPACE_BUILD };
	else
		spec->binds[n++] = (struct sandbox_bind){
			ws->obj, WORKSPACE_BUILD, true, false };
	spec->binds[n++] = (struct sandbox_bind){ ws->out, WORKSPACE_OUT, true,
						  false };
	spec->binds[n++] = (struct sandbox_bind){ ws->config, WORKSPACE_CONFIG,
						  false, false };
	spec->limits = (struct sandbox_limits){
		.time_ms = max(job_time_left_ms(ws->job), (int64_t)1),
		.memory_bytes = l->memory_mib << 20,
		.processes = l->processes,
		.output_bytes = l->output_mib << 20,
		.disk_bytes = l->disk_mib << 20,
	};
}
