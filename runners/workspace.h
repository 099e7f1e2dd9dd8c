/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_WORKSPACE_H
#define MMCI_RUNNERS_WORKSPACE_H

/*
 * Where a build happens: the sources of the base and the objects of the warm
 * base, both under a writable layer of the job and always seen as /src and
 * /build, so that recorded commands and time stamps stay true.
 */

#include "runners/job.h"
#include "runners/sandbox.h"

#define WORKSPACE_SRC "/src"
#define WORKSPACE_BUILD "/build"
#define WORKSPACE_OUT "/out"
#define WORKSPACE_CONFIG "/config"

/**
 * struct workspace - the directories of one base or build job
 * @job: borrowed
 * @work: scratch directory, removed by workspace_free()
 * @src_layer: layer over @job->src_dir
 * @build_layer: layer over the objects of the warm base; NULL while the warm
 *	base is being built and /build is its obj/ itself
 * @obj: object directory of the warm base
 * @out: directory that is /out
 * @config: file with the kconfig fragment
 * @src_lock: shared lock on the sources, held as long as they are in use
 * @warm_lock: the same for the warm base; exclusive while it is built
 */
struct workspace {
	struct job *job;
	char *work;
	char *src_layer;
	char *build_layer;
	char *obj;
	char *out;
	char *config;
	int src_lock;
	int warm_lock;
};

/**
 * workspace_new() - make the scratch directories of a job
 * @ret: on success the workspace, workspace_free() releases it
 *
 * Takes no lock yet. Return: 0 or -errno, @why says where.
 */
int workspace_new(struct job *job, struct workspace **ret, struct strbuf *why);
/** workspace_free() - drop locks, remove scratch files; NULL is fine */
void workspace_free(struct workspace *ws);
DEFINE_FREE(workspace, struct workspace *, workspace_free(_T))

/**
 * workspace_lock() - lock @path.lock, waiting until the job's time is up
 * @operation: LOCK_SH or LOCK_EX
 * @ret: the descriptor that holds the lock
 *
 * Return: 0; -ETIMEDOUT; -errno.
 */
int workspace_lock(struct job *job, const char *path, int operation, int *ret,
		   struct strbuf *why);
/**
 * workspace_hold_base() - take shared locks on a finished base
 *
 * Return: 0; -ENOENT when it is not finished; as workspace_lock().
 */
int workspace_hold_base(struct workspace *ws, struct strbuf *why);
/** workspace_own_dir() - mkdir -p, owned by the uid of the sandbox */
int workspace_own_dir(const struct job *job, const char *path,
		      struct strbuf *why);
/** workspace_complete() - does @dir have its mark ".complete"? */
bool workspace_complete(const char *dir);
/** workspace_mark_complete() - set that mark; 0 or -errno */
int workspace_mark_complete(const char *dir);

/**
 * workspace_spec() - what every command in this workspace sees and may use
 * @spec: overwritten; output goes to the job's log
 */
void workspace_spec(struct workspace *ws, struct sandbox_spec *spec);

#endif
