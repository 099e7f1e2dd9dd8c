// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

int fs_read_file(const char *path, size_t max_bytes, struct strbuf *sb)
{
	int fd __free(fd) = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return strbuf_read(sb, fd, max_bytes);
}

static int write_all(int fd, const char *p, size_t len)
{
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

int fs_write_atomic(const char *path, const void *data, size_t len)
{
	char *tmp __free(kfree) = xasprintf("%s.XXXXXX", path);
	int fd __free(fd) = mkostemp(tmp, O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;

	r = write_all(fd, data, len);
	if (!r && fchmod(fd, 0644))
		r = -errno;
	if (!r && fsync(fd))
		r = -errno;
	if (!r && rename(tmp, path))
		r = -errno;
	if (r)
		unlink(tmp);
	return r;
}

int fs_mkdir_p(const char *path)
{
	char *copy __free(kfree) = xstrdup(path);

	for (char *p = copy + 1; *copy; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST)
			return -errno;
		if (!c)
			break;
		*p = c;
	}
	return 0;
}

int fs_mkdir_parent(const char *path)
{
	char *copy __free(kfree) = xstrdup(path);
	char *slash = strrchr(copy, '/');

	if (!slash || slash == copy)
		return 0;
	*slash = '\0';
	return fs_mkdir_p(copy);
}

static int remove_at(int dirfd, const char *name, unsigned int depth);

static int empty_dir(int dirfd, const char *name, unsigned int depth)
{
	DIR *d __free(dir) = NULL;
	struct dirent *e;
	int fd, r = 0;

	if (depth > 4096)
		return -ELOOP;
	fd = openat(dirfd, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == EACCES) {
		/* work directories of overlayfs have mode 0 */
		fchmodat(dirfd, name, 0700, 0);
		fd = openat(dirfd, name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return -errno;
	fchmod(fd, 0700);
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	while ((e = readdir(d))) {
		int err;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		err = remove_at(fd, e->d_name, depth + 1);
		if (!r)
			r = err;
	}
	return r;
}

static int remove_at(int dirfd, const char *name, unsigned int depth)
{
	int r = 0;

	if (!unlinkat(dirfd, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;

	r = empty_dir(dirfd, name, depth);
	if (unlinkat(dirfd, name, AT_REMOVEDIR) && errno != ENOENT && !r)
		r = -errno;
	return r;
}

int fs_rm_rf(const char *path)
{
	return remove_at(AT_FDCWD, path, 0);
}

bool fs_exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

int fs_copy_file(const char *from, const char *to)
{
	int in __free(fd) = open(from, O_RDONLY | O_CLOEXEC);
	int out __free(fd) = -1;
	struct stat st;
	ssize_t n;

	if (in < 0 || fstat(in, &st))
		return -errno;
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		   st.st_mode & 0777);
	if (out < 0)
		return -errno;
	if (!ioctl(out, FICLONE, in))
		return 0;
	while ((n = copy_file_range(in, NULL, out, NULL, 1u << 30, 0)) > 0)
		;
	if (!n)
		return 0;
	if (errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP)
		return -errno;

	/* file systems that cannot copy in the kernel */
	for (;;) {
		char buf[65536];
		int r;

		n = read(in, buf, sizeof(buf));
		if (n < 0)
			return -errno;
		if (!n)
			return 0;
		r = write_all(out, buf, (size_t)n);
		if (r)
			return r;
	}
}

/* Calls @fn for everything below @dirfd/@name and for itself, last. */
static int walk_at(int dirfd, const char *name, unsigned int depth,
		   int (*fn)(int dirfd, const char *name,
			     const struct stat *st, void *arg),
		   void *arg)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode) && depth < 4096) {
		int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY |
						     O_NOFOLLOW | O_CLOEXEC);
		DIR *d __free(dir) = fd < 0 ? NULL : fdopendir(fd);
		struct dirent *e;

		if (!d && fd >= 0)
			close(fd);
		while (d && (e = readdir(d))) {
			int r;

			if (!strcmp(e->d_name, ".") ||
			    !strcmp(e->d_name, ".."))
				continue;
			r = walk_at(fd, e->d_name, depth + 1, fn, arg);
			if (r)
				return r;
		}
	}
	return fn(dirfd, name, &st, arg);
}

static int add_blocks(int dirfd, const char *name, const struct stat *st,
		      void *arg)
{
	*(int64_t *)arg += (int64_t)st->st_blocks * 512;
	return 0;
}

int64_t fs_du_bytes(const char *path)
{
	int64_t sum = 0;

	walk_at(AT_FDCWD, path, 0, add_blocks, &sum);
	return sum;
}

struct owner {
	uid_t uid;
	gid_t gid;
};

static int chown_one(int dirfd, const char *name, const struct stat *st,
		     void *arg)
{
	const struct owner *o = arg;

	if (st->st_uid == o->uid && st->st_gid == o->gid)
		return 0;
	if (fchownat(dirfd, name, o->uid, o->gid, AT_SYMLINK_NOFOLLOW))
		return -errno;
	return 0;
}

int fs_chown_tree(const char *path, uid_t uid, gid_t gid)
{
	struct owner o = { uid, gid };

	return walk_at(AT_FDCWD, path, 0, chown_one, &o);
}

bool fs_path_is_safe(const char *path)
{
	size_t len = strlen(path);

	if (!len || len > 4095 || path[0] == '/' || path[len - 1] == '/')
		return false;
	for (const char *p = path; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return false;
	}
	for (const char *p = path; p;) {
		const char *end = strchrnul(p, '/');
		size_t n = (size_t)(end - p);

		if (!n || (n == 1 && p[0] == '.') ||
		    (n == 2 && p[0] == '.' && p[1] == '.') ||
		    (n == 4 && !strncasecmp(p, ".git", 4)))
			return false;
		p = *end ? end + 1 : NULL;
	}
	return true;
}
