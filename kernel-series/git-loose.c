// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/git-loose.h"

#include <errno.h>
#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/strbuf.h"

struct loose {
	git_odb_backend base; /* first: libgit2 knows only this */
	char *dir;
};

/* The header and the object in one zlib stream that is not compressed. */
static int add_stored(const char *head, size_t head_len, const void *data,
		      size_t len, struct strbuf *out)
{
	z_stream z = { 0 };
	int r;

	if (deflateInit(&z, Z_NO_COMPRESSION) != Z_OK)
		return -1;
	strbuf_grow(out, deflateBound(&z, head_len + len));
	z.next_out = (unsigned char *)out->buf;
	z.avail_out = (unsigned int)deflateBound(&z, head_len + len);
	z.next_in = (unsigned char *)head;
	z.avail_in = (unsigned int)head_len;
	r = deflate(&z, Z_NO_FLUSH);
	if (r == Z_OK) {
		z.next_in = (unsigned char *)data;
		z.avail_in = (unsigned int)len;
		r = deflate(&z, Z_FINISH);
	}
	out->len = z.total_out;
	deflateEnd(&z);
	return r == Z_STREAM_END ? 0 : -1;
}

static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Under its name it is whole, or not there. */
static int store(const char *dir, const char *hex, const struct strbuf *text)
{
	char *sub __free(kfree) = xasprintf("%s/%.2s", dir, hex);
	char *path __free(kfree) = xasprintf("%s/%s", sub, hex + 2);
	char *tmp __free(kfree) = xasprintf("%s/tmp_obj_XXXXXX", sub);
	int fd __free(fd) = -1;

	if (mkdir(sub, 0777) && errno != EEXIST)
		return -1;
	fd = mkstemp(tmp);
	if (fd < 0)
		return -1;
	if (!write_all(fd, text->buf, text->len) && !fchmod(fd, 0444) &&
	    !rename(tmp, path))
		return 0;
	unlink(tmp);
	return -1;
}

static int loose_write(git_odb_backend *b, const git_oid *oid, const void *data,
		       size_t len, git_object_t type)
{
	struct loose *l = (struct loose *)b;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	char hex[GIT_OID_HEXSZ + 1], head[64];
	int n = snprintf(head, sizeof(head), "%s %zu",
			 git_object_type2string(type), len) + 1;

	git_oid_tostr(hex, sizeof(hex), oid);
	if (!len || len > UINT32_MAX / 2 ||
	    add_stored(head, (size_t)n, data, len, &text) ||
	    store(l->dir, hex, &text)) {
		git_error_set_str(GIT_ERROR_ODB, "object cannot be stored");
		/* the next backend is asked */
		return GIT_PASSTHROUGH;
	}
	return 0;
}

static void loose_free(git_odb_backend *b)
{
	struct loose *l = (struct loose *)b;

	free(l->dir);
	free(l);
}

struct git_odb_backend *loose_backend(const char *dir)
{
	struct loose *l = xcalloc(1, sizeof(*l));

	git_odb_init_backend(&l->base, GIT_ODB_BACKEND_VERSION);
	l->base.write = loose_write;
	l->base.free = loose_free;
	l->dir = xstrdup(dir);
	return &l->base;
}
