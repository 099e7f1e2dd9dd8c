/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_CGROUP_H
#define MMCI_RUNNERS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/cleanup.h"

/**
 * struct cgroup - control groups of one sandbox; empty where none is writable
 * @memory_dir: directory of the memory controller, or NULL
 * @pids_dir: directory of the pids controller, or NULL; with cgroup v2 the
 *	same as @memory_dir
 * @v2: unified hierarchy
 */
struct cgroup {
	char *memory_dir;
	char *pids_dir;
	bool v2;
};

/**
 * cgroup_new() - make control groups with limits
 * @memory_bytes: resident memory, 0: unlimited
 * @processes: processes and threads, 0: unlimited
 *
 * A controller that this host does not let us use is left out: see the
 * members. Return: never NULL; cgroup_free() removes the groups.
 */
struct cgroup *cgroup_new(int64_t memory_bytes, int64_t processes);
/** cgroup_free() - kill what is left inside and remove the groups */
void cgroup_free(struct cgroup *cg);
DEFINE_FREE(cgroup, struct cgroup *, cgroup_free(_T))
/** cgroup_enter() - move @pid, and so all its future children, inside */
int cgroup_enter(const struct cgroup *cg, pid_t pid);
/** cgroup_oom_kills() - processes killed for memory so far */
int64_t cgroup_oom_kills(const struct cgroup *cg);
/** cgroup_forks_refused() - did the limit of processes refuse one? */
bool cgroup_forks_refused(const struct cgroup *cg);

#endif
