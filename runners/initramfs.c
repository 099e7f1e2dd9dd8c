// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/initramfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fs.h"

struct entry {
	char *path; /* without the leading slash */
	uint32_t mode;
	uint32_t rdev_major;
	uint32_t rdev_minor;
	char *data;
	size_t len;
};

struct initramfs {
	struct entry *entries;
	size_t n;
	size_t alloc;
	size_t bytes;
};

static void entry_release(struct entry *e)
{
	free(e->path);
	free(e->data);
}

/* Linear: an initramfs has tens of files. */
static struct entry *find(struct initramfs *fs, const char *path)
{
	for (size_t i = 0; i < fs->n; i++)
		if (!strcmp(fs->entries[i].path, path))
			return &fs->entries[i];
	return NULL;
}

static struct entry *append(struct initramfs *fs, const char *path,
			    uint32_t mode)
{
	struct entry *e;

	if (fs->n == fs->alloc) {
		fs->alloc = fs->alloc ? 2 * fs->alloc : 16;
		fs->entries = xrealloc_array(fs->entries, fs->alloc,
					     sizeof(*fs->entries));
	}
	e = &fs->entries[fs->n++];
	*e = (struct entry){ .path = xstrdup(path), .mode = mode };
	return e;
}

static void add_parents(struct initramfs *fs, const char *path)
{
	for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		char *dir __free(kfree) = xstrndup(path, (size_t)(p - path));

		if (!find(fs, dir))
			append(fs, dir, S_IFDIR | 0755);
	}
}

struct initramfs *initramfs_new(void)
{
	struct initramfs *fs = xcalloc(1, sizeof(*fs));
	struct entry *e;

	append(fs, "dev", S_IFDIR | 0755);
	e = append(fs, "dev/console", S_IFCHR | 0600);
	e->rdev_major = 5; /* Documentation/admin-guide/devices.txt */
	e->rdev_minor = 1;
	return fs;
}

void initramfs_free(struct initramfs *fs)
{
	if (!fs)
		return;
	for (size_t i = 0; i < fs->n; i++)
		entry_release(&fs->entries[i]);
	free(fs->entries);
	free(fs);
}

/* Takes @data over, also when it fails. */
static int add_owned(struct initramfs *fs, const char *path, uint32_t mode,
		     char *data, size_t len)
{
	char *owned __free(kfree) = data;
	struct entry *e;

	if (path[0] != '/' || !fs_path_is_safe(path + 1))
		return -EINVAL;
	if (len > INITRAMFS_MAX_BYTES || fs->bytes + len > INITRAMFS_MAX_BYTES)
		return -EFBIG;
	path++;
	add_parents(fs, path);
	e = find(fs, path);
	if (e) {
		fs->bytes -= e->len;
		free(e->data);
		e->mode = mode;
	} else {
		e = append(fs, path, mode);
	}
	e->data = no_free_ptr(owned);
	e->len = len;
	fs->bytes += len;
	return 0;
}

int initramfs_add(struct initramfs *fs, const char *path, uint32_t mode,
		  const void *data, size_t len)
{
	char *copy = xmalloc(len);

	if (len)
		memcpy(copy, data, len);
	return add_owned(fs, path, S_IFREG | (mode & 07777), copy, len);
}

int initramfs_add_file(struct initramfs *fs, const char *path, uint32_t mode,
		       const char *from)
{
	struct strbuf data __free(strbuf) = STRBUF_INIT;
	size_t len;
	int r;

	r = fs_read_file(from, INITRAMFS_MAX_BYTES, &data);
	if (r)
		return r;
	len = data.len;
	return add_owned(fs, path, S_IFREG | (mode & 07777),
			 strbuf_detach(&data), len);
}

int initramfs_add_dir(struct initramfs *fs, const char *path)
{
	if (path[0] != '/' || !fs_path_is_safe(path + 1))
		return -EINVAL;
	add_parents(fs, path + 1);
	if (!find(fs, path + 1))
		append(fs, path + 1, S_IFDIR | 0755);
	return 0;
}

/* A directory sorts before what is in it, as the kernel needs it. */
static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path,
		      ((const struct entry *)b)->path);
}

static int put(FILE *f, const void *data, size_t len)
{
	return len && fwrite(data, 1, len, f) != len ? -EIO : 0;
}

static int put_padding(FILE *f, size_t len)
{
	return put(f, "\0\0\0", -len & 3);
}

static int put_entry(FILE *f, uint32_t ino, const struct entry *e)
{
	size_t name_len = strlen(e->path) + 1;
	char head[128];
	int r;

	snprintf(head, sizeof(head),
		 "070701%08X%08X%08X%08X%08X%08X%08zX%08X%08X%08X%08X%08zX%08X",
		 ino, e->mode, 0, 0, S_ISDIR(e->mode) ? 2 : 1, 0, e->len, 0, 0,
		 e->rdev_major, e->rdev_minor, name_len, 0);
	r = put(f, head, 110);
	if (!r)
		r = put(f, e->path, name_len);
	if (!r)
		r = put_padding(f, 110 + name_len);
	if (!r)
		r = put(f, e->data, e->len);
	return r ? r : put_padding(f, e->len);
}

int initramfs_write(struct initramfs *fs, const char *path)
{
	struct entry trailer = { .path = (char *)"TRAILER!!!" };
	FILE *f;
	int r = 0;

	/*
	 * Not compressed: an emulated guest takes minutes to unpack what QEMU
	 * puts into its memory at once.
	 */
	f = fopen(path, "wbe");
	if (!f)
		return -errno;
	qsort(fs->entries, fs->n, sizeof(*fs->entries), by_path);
	for (size_t i = 0; i < fs->n && !r; i++)
		r = put_entry(f, (uint32_t)i + 1, &fs->entries[i]);
	if (!r)
		r = put_entry(f, 0, &trailer);
	if (fclose(f) && !r)
		r = -errno;
	return r;
}
