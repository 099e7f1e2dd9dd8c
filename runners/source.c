// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/child.h"
#include "lib/fs.h"

#define DIFF_MAX_BYTES (32u << 20)

static int git_failed(const char *what, int r, int status,
		      const struct strbuf *out, struct strbuf *why)
{
	strbuf_setf(why, "git %s: ", what);
	if (r)
		strbuf_addstr(why, strerror(-r));
	else
		child_describe(status, why);
	(void)out;
	return r ? r : -EIO;
}

static int git(struct job *job, const char *const *argv, const char *input,
	       size_t input_len, struct strbuf *out, size_t max_bytes,
	       struct strbuf *why)
{
	struct child_spec spec = CHILD_SPEC_INIT;
	int r, status = 0;

	spec.argv = argv;
	spec.stderr_fd = job->log_fd;
	r = child_run(&spec, input, input_len, out, max_bytes,
		      job_time_left_ms(job), &status);
	if (r || status)
		return git_failed(argv[2], r, status, out, why);
	return 0;
}

/* tar runs contained, as the uid that owns the sources from then on. */
static int unpack(struct workspace *ws, int archive_fd, struct strbuf *why)
{
	static const char *const argv[] = { "/usr/bin/tar", "-x", "-f", "-",
					    "-C", WORKSPACE_SRC,
					    "--no-same-owner", NULL };
	struct sandbox_spec spec;
	struct sandbox_result res;
	int r;

	workspace_spec(ws, &spec);
	memset(spec.overlays, 0, sizeof(spec.overlays));
	memset(spec.binds, 0, sizeof(spec.binds));
	spec.binds[0] = (struct sandbox_bind){ ws->job->src_dir, WORKSPACE_SRC,
					       true, false };
	spec.cwd = "/";
	spec.argv = argv;
	spec.stdin_fd = archive_fd;
	r = sandbox_run(&spec, &res, why);
	if (r)
		return r;
	if (res.end == SANDBOX_EXITED && !res.status)
		return 0;
	strbuf_setf(why, "unpacking the sources: ");
	if (!sandbox_describe(&spec, &res, why))
		child_describe(res.status, why);
	return res.end == SANDBOX_TIME ? -ETIMEDOUT : -EIO;
}

static int export_commit(struct workspace *ws, struct strbuf *why)
{
	char *dir __free(kfree) = xasprintf("--git-dir=%s", ws->job->git_dir);
	const char *argv[] = { "git", dir, "archive", "--format=tar",
			       ws->job->base_commit, NULL };
	struct child_spec spec = CHILD_SPEC_INIT;
	int fds[2], status = 0, r, w;
	struct child c;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	spec.argv = argv;
	spec.stdout_fd = fds[1];
	spec.stderr_fd = ws->job->log_fd;
	r = child_spawn(&spec, &c);
	close(fds[1]);
	if (r) {
		close(fds[0]);
		return git_failed("archive", r, 0, NULL, why);
	}
	r = unpack(ws, fds[0], why);
	close(fds[0]);
	w = child_wait(&c, r ? 0 : job_time_left_ms(ws->job), &status);
	if (r)
		return r;
	return w || status ? git_failed("archive", w, status, NULL, why) : 0;
}

int source_export(struct workspace *ws, struct strbuf *why)
{
	const char *dir = ws->job->src_dir;
	int r = workspace_lock(ws->job, dir, LOCK_SH, &ws->src_lock, why);

	/* who wants it alone waits for all that build from it */
	if (r || workspace_complete(dir))
		return r;
	close(ws->src_lock);
	ws->src_lock = -1;
	r = workspace_lock(ws->job, dir, LOCK_EX, &ws->src_lock, why);
	if (r)
		return r;
	if (!workspace_complete(dir)) {
		job_stage(ws->job, "export %s", ws->job->base_commit);
		r = fs_rm_rf(dir);
		if (!r)
			r = workspace_own_dir(ws->job, dir, why);
		if (!r)
			r = export_commit(ws, why);
		if (!r)
			r = workspace_mark_complete(dir);
		job_stage_end(ws->job, r);
		if (r && !why->len)
			strbuf_setf(why, "%s: %s", dir, strerror(-r));
		if (r)
			return r;
	}
	/* a conversion may let another one in between: that one finds it done */
	return flock(ws->src_lock, LOCK_SH) ? -errno : 0;
}

static int refuse(struct strbuf *why, const char *what, const char *path)
{
	strbuf_setf(why, "%s: ", what);
	strbuf_add_utf8(why, path, min(strlen(path), (size_t)200));
	return SOURCE_REFUSED;
}

/* One record ":OLDMODE NEWMODE OLDBLOB NEWBLOB STATUS" and its path. */
static int parse_record(const char *rec, const char *path,
			struct source_change *c, struct strbuf *why)
{
	char old_mode[8], new_mode[8], old_blob[65], new_blob[65], status[8];
	struct source_file *f;

	if (sscanf(rec, ":%7s %7s %64s %64s %7s", old_mode, new_mode, old_blob,
		   new_blob, status) != 5) {
		strbuf_setf(why, "git diff-tree: unexpected output");
		return -EIO;
	}
	if (!fs_path_is_safe(path))
		return refuse(why, "unsafe path", path);
	if (c->n == SOURCE_MAX_FILES)
		return refuse(why, "too many files", path);
	if (!strcmp(new_mode, "120000"))
		return refuse(why, "symbolic link", path);
	if (!strcmp(new_mode, "160000"))
		return refuse(why, "submodule", path);

	f = &c->files[c->n++];
	f->path = xstrdup(path);
	f->deleted = status[0] == 'D';
	f->is_new = status[0] == 'A';
	f->executable = !strcmp(new_mode, "100755");
	if (!f->deleted)
		f->blob = xstrdup(new_blob);
	return 0;
}

static int parse_diff(const struct strbuf *out, struct source_change *c,
		      struct strbuf *why)
{
	const char *p = out->buf, *end = out->buf + out->len;
	size_t n = 0;

	for (size_t i = 0; i < out->len; i++)
		n += !out->buf[i];
	c->files = xcalloc(min(n / 2 + 1, (size_t)SOURCE_MAX_FILES),
			   sizeof(*c->files));
	while (p < end) {
		const char *path = p + strlen(p) + 1;
		int r;

		if (path >= end)
			return -EIO;
		r = parse_record(p, path, c, why);
		if (r)
			return r;
		p = path + strlen(path) + 1;
	}
	return 0;
}

/* "OBJECT blob SIZE\n" and that many bytes and "\n", in the order asked. */
static int split_batch(struct source_change *c, struct strbuf *why)
{
	size_t at = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct source_file *f = &c->files[i];
		unsigned long long size;
		const char *nl;

		if (f->deleted)
			continue;
		nl = memchr(c->data.buf + at, '\n', c->data.len - at);
		if (!nl || sscanf(c->data.buf + at, "%*64s blob %llu", &size) !=
				   1) {
			strbuf_setf(why, "git cat-file: %s is missing",
				    f->blob);
			return -EIO;
		}
		f->offset = (size_t)(nl - c->data.buf) + 1;
		if (size > c->data.len - f->offset)
			return -EIO;
		f->len = size;
		at = f->offset + f->len + 1;
	}
	return 0;
}

static int read_blobs(struct job *job, const char *git_dir,
		      struct source_change *c, struct strbuf *why)
{
	const char *argv[] = { "git", git_dir, "cat-file", "--batch", NULL };
	struct strbuf in __free(strbuf) = STRBUF_INIT;
	int r;

	for (size_t i = 0; i < c->n; i++) {
		if (c->files[i].blob)
			strbuf_addf(&in, "%s\n", c->files[i].blob);
	}
	if (!in.len)
		return 0;
	r = git(job, argv, in.buf, in.len, &c->data, SOURCE_MAX_BYTES, why);
	if (r == -EFBIG) {
		strbuf_setf(why, "the files it touches have more than %u MiB",
			    SOURCE_MAX_BYTES >> 20);
		return SOURCE_REFUSED;
	}
	return r ? r : split_batch(c, why);
}

int source_change_read(struct job *job, const char *prev, const char *commit,
		       struct source_change **ret, struct strbuf *why)
{
	struct source_change *c __free(source_change) = xcalloc(1, sizeof(*c));
	char *dir __free(kfree) = xasprintf("--git-dir=%s", job->git_dir);
	const char *argv[] = { "git", dir, "diff-tree", "-r", "-z",
			       "--no-renames", "--no-ext-diff", prev, commit,
			       NULL };
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	int r;

	strbuf_init(&c->data);
	r = git(job, argv, NULL, 0, &out, DIFF_MAX_BYTES, why);
	if (!r)
		r = parse_diff(&out, c, why);
	if (!r)
		r = read_blobs(job, dir, c, why);
	if (!r)
		*ret = no_free_ptr(c);
	return r;
}

void source_change_free(struct source_change *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->files[i].path);
		free(c->files[i].blob);
	}
	free(c->files);
	strbuf_release(&c->data);
	free(c);
}

static int complain(const char *path)
{
	dprintf(2, "%s: %s\n", path, strerror(errno));
	return 1;
}

/*
 * make has no rule for an object whose source is gone, takes it for up to date
 * and links it: a clean build would fail here, so the object goes as well.
 */
static void delete_object(const char *source)
{
	const char *dot = strrchr(source, '.');
	char *object __free(kfree) = NULL;

	if (!dot || (strcmp(dot, ".c") && strcmp(dot, ".S")))
		return;
	object = xasprintf(WORKSPACE_BUILD "/%.*s.o", (int)(dot - source),
			   source);
	unlink(object);
}

/* A directory that a deletion leaves empty does not exist for git either. */
static int delete_inside(const struct source_file *f)
{
	char *path __free(kfree) = xstrdup(f->path);
	char *slash;

	if (unlink(path) && errno != ENOENT)
		return complain(path);
	delete_object(path);
	while ((slash = strrchr(path, '/'))) {
		*slash = '\0';
		if (rmdir(path))
			break;
	}
	return 0;
}

static int write_inside(const struct source_change *c,
			const struct source_file *f)
{
	const char *p = c->data.buf + f->offset;
	size_t left = f->len;
	int fd __free(fd) = -1;

	if (fs_mkdir_parent(f->path) || (unlink(f->path) && errno != ENOENT))
		return complain(f->path);
	fd = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  f->executable ? 0755 : 0644);
	if (fd < 0)
		return complain(f->path);
	while (left) {
		ssize_t n = write(fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return complain(f->path);
		p += n;
		left -= (size_t)n;
	}
	return 0;
}

int source_write(const struct source_change *c)
{
	int r = 0;

	for (size_t i = 0; !r && i < c->n; i++) {
		if (c->files[i].deleted)
			r = delete_inside(&c->files[i]);
	}
	for (size_t i = 0; !r && i < c->n; i++) {
		if (!c->files[i].deleted)
			r = write_inside(c, &c->files[i]);
	}
	return r;
}

/* Runs in the sandbox: whatever the tree makes of a path stays in the job. */
static int apply_inside(void *arg)
{
	return source_write(arg);
}

int source_apply(struct workspace *ws, const struct source_change *c,
		 struct strbuf *why)
{
	struct sandbox_spec spec;
	struct sandbox_result res;
	int r;

	workspace_spec(ws, &spec);
	spec.cwd = WORKSPACE_SRC;
	spec.fn = apply_inside;
	spec.arg = (void *)c;
	r = sandbox_run(&spec, &res, why);
	if (r)
		return r;
	if (res.end == SANDBOX_EXITED && !res.status)
		return 0;
	strbuf_setf(why, "writing the patched files: ");
	if (!sandbox_describe(&spec, &res, why))
		child_describe(res.status, why);
	return -EIO;
}
