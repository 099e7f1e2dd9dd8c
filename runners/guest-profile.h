/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_GUEST_PROFILE_H
#define MMCI_RUNNERS_GUEST_PROFILE_H

#include <jansson.h>
#include <stdint.h>

#include "lib/strbuf.h"

/**
 * struct guest_profile - what a guest has
 * @memory_mib: memory of all nodes together
 * @cpus: virtual CPUs
 * @nodes: NUMA nodes; memory and CPUs are shared out evenly
 * @hugepages: huge pages of the default size to reserve before the tests
 * @swap_mib: size of the swap disk, 0: none
 */
struct guest_profile {
	unsigned int memory_mib;
	unsigned int cpus;
	unsigned int nodes;
	unsigned int hugepages;
	unsigned int swap_mib;
};

/**
 * guest_profile_read() - from "profile" of job.json
 * @v: the object, or NULL for a small guest without anything
 * @ret: what is not given has the default: 512 MiB, one CPU, one node
 * @why: on failure one line that names the member
 *
 * Return: 0 or -EINVAL.
 */
int guest_profile_read(const json_t *v, struct guest_profile *ret,
		       struct strbuf *why);
/**
 * guest_disk_make() - a swap area as a sparse file
 * @path: is replaced
 * @size_mib: its size
 *
 * The layout is that of mkswap(8): the header on the first page, of 4096
 * bytes, in the host's byte order, which kernels of either read.
 *
 * Return: 0 or -errno.
 */
int guest_disk_make(const char *path, unsigned int size_mib);

#endif
