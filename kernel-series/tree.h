/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_TREE_H
#define MMCI_KERNEL_SERIES_TREE_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * tree_import() - bring one kernel tree into the repository of trees
 * @request: {repo, name, kind, location, branch} and, for kind "git" only,
 *	depth (commits of history to fetch, 0 or absent: all)
 * @ret: a new reference {commit_id, describe}
 * @why: one line when the result is not 0
 *
 * Kinds: "source-dir", a directory with unpacked sources; "source-package", a
 * Debian package that carries them, fetched with the system's own apt; "git", a
 * path or URL with a branch. The repository is made if it is absent. On
 * success refs/trees/NAME is the tree; on failure it is what it was.
 *
 * The commit of a directory or package depends on its content alone: the same
 * files give the same commit id, wherever and whenever they are imported.
 *
 * Progress goes to stderr. Runs for minutes; call it in a worker process.
 *
 * Return: 0; -EINVAL for a request that makes no sense; -ENOENT if there are
 * no kernel sources at the location; -EIO when a program said no; -ETIMEDOUT;
 * -errno.
 * Source: git-fast-import(1); apt-get(8); gitformat-index for file modes.
 */
int tree_import(const json_t *request, json_t **ret, struct strbuf *why);

/**
 * tree_repo_create() - make the bare repository at @path if it is absent
 *
 * Return: 0 or -errno with @why.
 */
int tree_repo_create(const char *path, struct strbuf *why);

#endif
