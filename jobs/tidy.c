// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/tidy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/json.h"

struct warm {
	char *path;
	struct timespec used;
	int64_t bytes;
};

struct warms {
	struct warm *v;
	size_t n;
};

static void warms_release(struct warms *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i].path);
	free(w->v);
}
DEFINE_FREE(warms, struct warms, warms_release(&_T))

static bool is_name(const struct dirent *d)
{
	return d->d_name[0] != '.' && !ends_with(d->d_name, ".lock");
}

/* Without a lock file nobody has used it since it was put there. */
static void add_warm(struct warms *w, const char *path)
{
	char *lock __free(kfree) = xasprintf("%s.lock", path);
	struct warm one = { .path = xstrdup(path) };
	struct stat sb;

	if (!stat(lock, &sb))
		one.used = sb.st_mtim;
	one.bytes = fs_du_bytes(path);
	w->v = xrealloc_array(w->v, w->n + 1, sizeof(*w->v));
	w->v[w->n++] = one;
}

/* STATE/warm/COMMIT/NAME: two levels, and nothing below them is looked at. */
static int scan(const char *path, int level, struct warms *w)
{
	DIR *d __free(dir) = opendir(path);
	const struct dirent *e;

	if (!d)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while ((e = readdir(d))) {
		char *sub __free(kfree) = xasprintf("%s/%s", path, e->d_name);
		struct stat sb;
		int r = 0;

		if (!is_name(e) || lstat(sub, &sb) || !S_ISDIR(sb.st_mode))
			continue;
		if (level)
			add_warm(w, sub);
		else
			r = scan(sub, level + 1, w);
		if (r)
			return r;
	}
	return 0;
}

static int by_use(const void *a, const void *b)
{
	const struct timespec *x = &((const struct warm *)a)->used;
	const struct timespec *y = &((const struct warm *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* 0: gone; -EBUSY: in use; -errno */
static int remove_warm(const char *path)
{
	char *lock __free(kfree) = xasprintf("%s.lock", path);
	char *mark __free(kfree) = xasprintf("%s/.complete", path);
	int fd __free(fd) = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	/* first, so that what is half removed is never taken for a base */
	if (unlink(mark) && errno != ENOENT)
		return -errno;
	return fs_rm_rf(path);
}

int tidy_worker(const json_t *request, json_t **ret, struct strbuf *why)
{
	const char *dir = json_get_str(request, "warm_dir", "");
	int64_t max_bytes = json_get_int(request, "max_mib", 0) << 20, sum = 0;
	struct warms w __free(warms) = { NULL, 0 };
	json_t *removed = json_array();
	int r = scan(dir, 0, &w);

	*ret = json_object();
	json_object_set_new(*ret, "removed", removed);
	for (size_t i = 0; i < w.n; i++)
		sum += w.v[i].bytes;
	if (w.n)
		qsort(w.v, w.n, sizeof(*w.v), by_use);
	for (size_t i = 0; i < w.n && sum > max_bytes && !r; i++) {
		r = remove_warm(w.v[i].path);
		if (!r) {
			sum -= w.v[i].bytes;
			json_array_append_new(removed, json_text(w.v[i].path));
		}
		if (r == -EBUSY)
			r = 0;
		if (r)
			strbuf_setf(why, "%s: %s", w.v[i].path, strerror(-r));
	}
	json_set_int(*ret, "kept_mib", sum >> 20);
	return r;
}
