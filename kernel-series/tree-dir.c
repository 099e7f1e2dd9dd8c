// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "tree: " fmt
#include "kernel-series/tree-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kernel-series/git-program.h"
#include "lib/child.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/log.h"

#define MAX_DEPTH 64
#define MAX_FILES 2000000
#define MAX_FILE_BYTES ((off_t)256 << 20)
#define IMPORT_TIMEOUT_MS (1800 * 1000)
#define PROGRESS_FILES 20000

/**
 * struct stream - the input of a running git fast-import
 * @fd: write end of its stdin
 * @buf: bytes not yet written
 * @files: files so far
 * @why: where to explain a failure
 */
struct stream {
	int fd;
	struct strbuf buf;
	unsigned int files;
	struct strbuf *why;
};

static int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int stream_flush(struct stream *s)
{
	int r = write_all(s->fd, s->buf.buf, s->buf.len);

	strbuf_reset(&s->buf);
	return r;
}

/* fast-import(1), <path>: quoted in C style when it holds special bytes */
static void add_quoted_path(struct strbuf *sb, const char *path)
{
	strbuf_addch(sb, '"');
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (c == '"' || c == '\\')
			strbuf_addf(sb, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			strbuf_addf(sb, "\\%03o", c);
		else
			strbuf_addch(sb, c);
	}
	strbuf_addch(sb, '"');
}

static int stream_data(struct stream *s, const char *path, const char *mode,
		       const void *data, size_t len)
{
	strbuf_addf(&s->buf, "M %s inline ", mode);
	add_quoted_path(&s->buf, path);
	strbuf_addf(&s->buf, "\ndata %zu\n", len);
	strbuf_add(&s->buf, data, len);
	strbuf_addch(&s->buf, '\n');
	if (++s->files % PROGRESS_FILES == 0)
		pr_info("%u files\n", s->files);
	if (s->files > MAX_FILES) {
		strbuf_addf(s->why, "more than %d files", MAX_FILES);
		return -EFBIG;
	}
	return s->buf.len > (1 << 20) ? stream_flush(s) : 0;
}

static int stream_link(struct stream *s, int dir, const char *name,
		       const char *path)
{
	char target[4096];
	ssize_t n = readlinkat(dir, name, target, sizeof(target));

	if (n < 0 || n == sizeof(target)) {
		strbuf_addf(s->why, "%s: cannot read the link", path);
		return n < 0 ? -errno : -ENAMETOOLONG;
	}
	return stream_data(s, path, "120000", target, (size_t)n);
}

static int stream_file(struct stream *s, int dir, const char *name,
		       const char *path, const struct stat *st)
{
	int fd __free(fd) = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct strbuf data __free(strbuf) = STRBUF_INIT;
	int r = fd < 0 ? -errno : 0;

	if (!r && st->st_size > MAX_FILE_BYTES)
		r = -EFBIG;
	if (!r)
		strbuf_grow(&data, (size_t)st->st_size + 1);
	if (!r)
		r = strbuf_read(&data, fd, (size_t)MAX_FILE_BYTES);
	if (r) {
		strbuf_addf(s->why, "%s: %s", path, strerror(-r));
		return r;
	}
	return stream_data(s, path,
			   st->st_mode & S_IXUSR ? "100755" : "100644",
			   data.buf, data.len);
}

static int stream_dir(struct stream *s, int parent, const char *name,
		      const char *prefix, unsigned int depth);

static int stream_entry(struct stream *s, int dir, const char *name,
			const char *prefix, unsigned int depth)
{
	char *path __free(kfree) =
		xasprintf("%s%s%s", prefix, *prefix ? "/" : "", name);
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) {
		strbuf_addf(s->why, "%s: %m", path);
		return -errno;
	}
	if (S_ISDIR(st.st_mode))
		return stream_dir(s, dir, name, path, depth + 1);
	if (S_ISLNK(st.st_mode))
		return stream_link(s, dir, name, path);
	if (S_ISREG(st.st_mode))
		return stream_file(s, dir, name, path, &st);
	strbuf_addf(s->why, "%s: neither file, directory nor link", path);
	return -EINVAL;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int wanted(const struct dirent *d)
{
	return strcmp(d->d_name, ".") && strcmp(d->d_name, "..") &&
	       strcmp(d->d_name, ".git");
}

/* The depth is bounded, so is the recursion. */
static int stream_dir(struct stream *s, int parent, const char *name,
		      const char *prefix, unsigned int depth)
{
	int fd __free(fd) = openat(parent, name, O_RDONLY | O_DIRECTORY |
						 O_CLOEXEC | O_NOFOLLOW);
	struct dirent **list = NULL;
	int n, i, r = 0;

	if (fd < 0) {
		strbuf_addf(s->why, "%s: %m", *prefix ? prefix : name);
		return -errno;
	}
	if (depth > MAX_DEPTH) {
		strbuf_addf(s->why, "%s: directories too deep", prefix);
		return -ELOOP;
	}
	n = scandirat(fd, ".", &list, wanted, by_name);
	if (n < 0) {
		strbuf_addf(s->why, "%s: %m", *prefix ? prefix : name);
		return -errno;
	}
	for (i = 0; i < n; i++) {
		if (!r)
			r = stream_entry(s, fd, list[i]->d_name, prefix, depth);
		free(list[i]);
	}
	free(list);
	return r;
}

static void makefile_value(const char *text, const char *name,
			   struct strbuf *ret)
{
	size_t len = strlen(name);
	const char *p = text;

	while (p && *p) {
		if (!strncmp(p, name, len) && starts_with(p + len, " =")) {
			p += len + 2;
			p += strspn(p, " \t");
			strbuf_add(ret, p, strcspn(p, " \t\n#"));
			return;
		}
		p = strchr(p, '\n');
		if (p)
			p++;
	}
}

/* "6.12.95" from the first lines of the top Makefile */
static int kernel_version(const char *dir, struct strbuf *ret,
			  struct strbuf *why)
{
	char *path __free(kfree) = xasprintf("%s/Makefile", dir);
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct strbuf v __free(strbuf) = STRBUF_INIT;

	if (fs_read_file(path, 1 << 20, &text) || !text.len) {
		strbuf_addf(why, "%s: no Makefile, so no kernel sources", dir);
		return -ENOENT;
	}
	makefile_value(text.buf, "VERSION", &v);
	strbuf_addch(&v, '.');
	makefile_value(text.buf, "PATCHLEVEL", &v);
	strbuf_addch(&v, '.');
	makefile_value(text.buf, "SUBLEVEL", &v);
	makefile_value(text.buf, "EXTRAVERSION", &v);
	if (v.buf[0] == '.' || strstr(v.buf, "..")) {
		strbuf_addf(why, "%s: the Makefile states no kernel version",
			    dir);
		return -ENOENT;
	}
	strbuf_add_utf8(ret, v.buf, v.len);
	return 0;
}

static int stream_commit(struct stream *s, const char *dir, const char *ref,
			 const char *version)
{
	char *msg __free(kfree) =
		xasprintf("Linux %s\n\nFiles of a source package, without "
			  "history.\n", version);
	int r;

	/*
	 * "reset" first: without it fast-import would take an existing ref as
	 * the parent. Fixed dates, or equal sources would differ in their id.
	 */
	strbuf_addf(&s->buf, "reset %s\ncommit %s\n", ref, ref);
	strbuf_addf(&s->buf, "committer mmci <mmci@localhost> 0 +0000\n");
	strbuf_addf(&s->buf, "data %zu\n%s\n", strlen(msg), msg);
	r = stream_dir(s, AT_FDCWD, dir, "", 0);
	if (r)
		return r;
	strbuf_addf(&s->buf, "\ndone\n");
	return stream_flush(s);
}

static int start_import(const char *repo, struct child *c, int *in_w)
{
	char *git_dir __free(kfree) = xasprintf("--git-dir=%s", repo);
	const char *argv[] = { "git", git_dir, "-c", "pack.compression=1",
			       "-c", "core.compression=1", "-c",
			       "fastimport.unpackLimit=0", "fast-import",
			       "--quiet", "--force", "--done", NULL };
	const char **env __free(kfree) = git_program_env(NULL);
	struct child_spec spec = CHILD_SPEC_INIT;
	int fds[2], r;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fcntl(fds[1], F_SETPIPE_SZ, 1 << 20);
	spec.argv = argv;
	spec.envp = env;
	spec.stdin_fd = fds[0];
	r = child_spawn(&spec, c);
	close(fds[0]);
	if (r)
		close(fds[1]);
	else
		*in_w = fds[1];
	return r;
}

static int finish_import(struct child *c, int r, struct strbuf *why)
{
	int status = 0, w;

	if (r)
		child_kill(c);
	w = child_wait(c, IMPORT_TIMEOUT_MS, &status);
	if (r && r != -EPIPE)
		return r;
	if (!w && WIFEXITED(status) && !WEXITSTATUS(status) && !r)
		return 0;
	strbuf_addstr(why, "git fast-import: ");
	if (w)
		strbuf_addstr(why, strerror(-w));
	else
		child_describe(status, why);
	return w ? w : -EIO;
}

int tree_dir_import(const char *repo, const char *dir, const char *ref,
		    char commit_hex[static 41], struct strbuf *describe,
		    struct strbuf *why)
{
	struct stream s = { .fd = -1, .buf = STRBUF_INIT, .why = why };
	struct strbuf version __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	const char *parse[] = { "rev-parse", "--verify", ref, NULL };
	struct git_program g = { .repo = repo, .argv = parse };
	void (*old_pipe)(int);
	int64_t start_ms = clock_mono_ms();
	struct child c;
	int r;

	r = kernel_version(dir, &version, why);
	if (r)
		return r;
	pr_info("%s: Linux %s\n", dir, version.buf);
	r = start_import(repo, &c, &s.fd);
	if (r) {
		strbuf_addf(why, "git fast-import: %s", strerror(-r));
		return r;
	}
	old_pipe = signal(SIGPIPE, SIG_IGN);
	r = stream_commit(&s, dir, ref, version.buf);
	signal(SIGPIPE, old_pipe);
	strbuf_release(&s.buf);
	close(s.fd);
	r = finish_import(&c, r, why);
	if (r)
		return r;
	pr_info("%u files in %" PRId64 " s\n", s.files,
		(clock_mono_ms() - start_ms) / 1000);
	r = git_program_ok(&g, &out, why);
	if (r)
		return r;
	snprintf(commit_hex, 41, "%.40s", out.buf);
	strbuf_addbuf(describe, &version);
	return 0;
}
