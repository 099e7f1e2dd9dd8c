// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/guest-profile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/json.h"

#define PAGE_BYTES 4096u

/** struct limit - one member of "profile": name, default and bounds */
struct limit {
	const char *name;
	unsigned int by_default;
	unsigned int min;
	unsigned int max;
};

static const struct limit limits[] = {
	{ "memory_mib", 512, 64, 16384 },
	{ "cpus", 1, 1, 16 },
	{ "nodes", 1, 1, 8 },
	{ "hugepages", 0, 0, 8192 },
	{ "swap_mib", 0, 0, 4096 },
};

static int read_one(const json_t *v, const struct limit *l, unsigned int *ret,
		    struct strbuf *why)
{
	const json_t *m = json_object_get(v, l->name);
	json_int_t n = m ? json_integer_value(m) : l->by_default;

	if ((m && !json_is_integer(m)) || n < l->min || n > l->max) {
		strbuf_setf(why, "job.json: \"profile\": \"%s\" must be a number"
				 " from %u to %u", l->name, l->min, l->max);
		return -EINVAL;
	}
	*ret = (unsigned int)n;
	return 0;
}

int guest_profile_read(const json_t *v, struct guest_profile *ret,
		       struct strbuf *why)
{
	unsigned int *members[] = { &ret->memory_mib, &ret->cpus, &ret->nodes,
				    &ret->hugepages, &ret->swap_mib };
	int r = 0;

	if (v && !json_is_object(v)) {
		strbuf_setf(why, "job.json: \"profile\" must be an object");
		return -EINVAL;
	}
	for (size_t i = 0; !r && i < ARRAY_SIZE(limits); i++)
		r = read_one(v, &limits[i], members[i], why);
	if (!r && ret->nodes > ret->cpus) {
		strbuf_setf(why, "job.json: \"profile\": %u nodes need as many"
				 " CPUs", ret->nodes);
		return -EINVAL;
	}
	return r;
}

/** struct swap_header - include/linux/swap.h, union swap_header, "info" */
struct swap_header {
	char bootbits[1024];
	uint32_t version;
	uint32_t last_page;
	uint32_t nr_badpages;
};

int guest_disk_make(const char *path, unsigned int size_mib)
{
	static const char magic[] = "SWAPSPACE2";
	char page[PAGE_BYTES] = { 0 };
	off_t size = (off_t)size_mib << 20;
	struct swap_header h = { .version = 1 };
	int fd __free(fd) = -1;

	h.last_page = (uint32_t)(size / PAGE_BYTES - 1);
	memcpy(page, &h, sizeof(h));
	memcpy(page + PAGE_BYTES - (sizeof(magic) - 1), magic,
	       sizeof(magic) - 1);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (pwrite(fd, page, sizeof(page), 0) != (ssize_t)sizeof(page) ||
	    ftruncate(fd, size))
		return errno ? -errno : -EIO;
	return 0;
}
