/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_RUNNERS_SOURCE_H
#define MMCI_RUNNERS_SOURCE_H

#include "runners/workspace.h"

/* What one patch may touch: far beyond any that a person reads. */
#define SOURCE_MAX_FILES 20000
#define SOURCE_MAX_BYTES (64u << 20)

/** struct source_file - one path that a commit changes */
struct source_file {
	char *path;
	char *blob;
	bool deleted;
	bool is_new;
	bool executable;
	size_t offset;
	size_t len;
};

/**
 * struct source_change - what one commit does to a tree
 * @files: paths in git's order, @n of them
 * @data: contents of all files, one after another
 */
struct source_change {
	struct source_file *files;
	size_t n;
	struct strbuf data;
};

/** SOURCE_REFUSED - the commit does what no patch here may do: a fact about it */
#define SOURCE_REFUSED 1

/**
 * source_export() - have the sources of the base in src_dir, and hold them
 *
 * The first job that needs them exports the commit, the others wait. On success
 * @ws->src_lock keeps them from being removed.
 *
 * Return: 0; -ETIMEDOUT; -errno, @why says what.
 */
int source_export(struct workspace *ws, struct strbuf *why);
/**
 * source_change_read() - what changes from commit @prev to @commit
 * @ret: on success the change, source_change_free() releases it
 *
 * Return: 0; %SOURCE_REFUSED for symbolic links, submodules, unsafe paths or
 * too much, @why names it; -errno.
 * Source: raw output format of git-diff-tree(1), --batch of git-cat-file(1).
 */
int source_change_read(struct job *job, const char *prev, const char *commit,
		       struct source_change **ret, struct strbuf *why);
/** source_change_free() - release a change; NULL is fine */
void source_change_free(struct source_change *c);
DEFINE_FREE(source_change, struct source_change *, source_change_free(_T))
/**
 * source_write() - make the change, inside of the sandbox and in /src
 *
 * Return: 0, or 1 after a line on stderr.
 */
int source_write(const struct source_change *c);
/**
 * source_apply() - make the change in /src of the workspace
 *
 * Every written file gets the present time, which is what make goes by.
 *
 * Return: 0 or -errno.
 */
int source_apply(struct workspace *ws, const struct source_change *c,
		 struct strbuf *why);

#endif
