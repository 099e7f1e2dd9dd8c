/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_GIT_H
#define MMCI_KERNEL_SERIES_GIT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"

/*
 * Objects and refs of one repository, in this process. All of libgit2 that the
 * project uses is behind this header.
 */

#define GIT_HEX_LEN 40

/** REPO_NONE - there is no such thing in the repository */
#define REPO_NONE 1
/** REPO_AMBIGUOUS - more than one object begins like this */
#define REPO_AMBIGUOUS 2
/** REPO_CONFLICT - the merge needs a person */
#define REPO_CONFLICT 3

/** struct git_id - SHA-1 of an object */
struct git_id {
	unsigned char raw[20];
};

/** enum git_mode - the modes that a tree entry may have */
enum git_mode {
	GIT_MODE_NONE = 0,
	GIT_MODE_TREE = 0040000,
	GIT_MODE_FILE = 0100644,
	GIT_MODE_EXEC = 0100755,
	GIT_MODE_LINK = 0120000,
	GIT_MODE_SUBMODULE = 0160000,
};

struct git_repo;

/**
 * repo_open() - open a repository
 * @why: one line on failure
 *
 * Return: 0; %REPO_NONE if there is none at @path; -errno.
 */
int repo_open(const char *path, struct git_repo **ret, struct strbuf *why);
/** repo_free() - close; NULL is fine */
void repo_free(struct git_repo *repo);
DEFINE_FREE(repo, struct git_repo *, repo_free(_T))
/** repo_path() - the path it was opened with, for the git program */
const char *repo_path(const struct git_repo *repo);

/** git_id_hex() - 40 hex digits; return: @hex */
char *git_id_hex(const struct git_id *id, char hex[static GIT_HEX_LEN + 1]);
/** git_id_parse() - read exactly 40 hex digits; return: 0 or -EINVAL */
int git_id_parse(const char *hex, struct git_id *ret);
/** git_id_equal() - the same object? */
bool git_id_equal(const struct git_id *a, const struct git_id *b);
/**
 * git_id_has_prefix() - does @id begin with these hex digits?
 * @hex: 4 to 40 hex digits in either case; anything else is no prefix
 */
bool git_id_has_prefix(const struct git_id *id, const char *hex);
/** git_id_of_blob() - the id these bytes have as a blob */
int git_id_of_blob(const void *data, size_t len, struct git_id *ret);

/** repo_ref_get() - the object a ref names; 0, %REPO_NONE or -EIO */
int repo_ref_get(struct git_repo *repo, const char *ref, struct git_id *ret);
/** repo_ref_set() - create or move a ref; 0 or -EIO with @why */
int repo_ref_set(struct git_repo *repo, const char *ref,
		const struct git_id *id, struct strbuf *why);
/** repo_ref_delete_below() - remove every ref that begins with @prefix */
int repo_ref_delete_below(struct git_repo *repo, const char *prefix);

/**
 * repo_commit_find() - the commit that a name of 7 to 40 hex digits means
 *
 * Return: 0; %REPO_NONE; %REPO_AMBIGUOUS; -EIO.
 */
int repo_commit_find(struct git_repo *repo, const char *hex,
		    struct git_id *ret);
/** repo_commit_tree() - tree of a commit; 0, %REPO_NONE or -EIO */
int repo_commit_tree(struct git_repo *repo, const struct git_id *commit,
		    struct git_id *tree);
/** repo_commit_message() - append the message; 0, %REPO_NONE or -EIO */
int repo_commit_message(struct git_repo *repo, const struct git_id *commit,
		       struct strbuf *ret);

/**
 * struct git_commit_spec - a commit to be written
 * @tree: its tree
 * @parent: its only parent
 * @author_name: as it shall stand there; "<", ">", newlines are dropped
 * @author_email: likewise
 * @date_s: author date, and date of the fixed committer mmci
 * @tz_min: offset of the author's time zone from UTC in minutes
 * @message: whole message
 */
struct git_commit_spec {
	struct git_id tree;
	struct git_id parent;
	const char *author_name;
	const char *author_email;
	int64_t date_s;
	int tz_min;
	const char *message;
};

/** repo_commit_write() - write it; equal specs give equal ids; 0 or -EIO */
int repo_commit_write(struct git_repo *repo, const struct git_commit_spec *spec,
		     struct git_id *ret);

/**
 * repo_path_lookup() - what a tree has at a path
 * @mode: one of enum git_mode
 *
 * Return: 0; %REPO_NONE, also when a part of the path is a file; -EIO.
 */
int repo_path_lookup(struct git_repo *repo, const struct git_id *tree,
		    const char *path, unsigned int *mode, struct git_id *ret);
/**
 * repo_blob_read() - append the content of a blob
 * @max_bytes: larger ones are not read
 *
 * Return: 0; %REPO_NONE; -EFBIG; -EIO.
 */
int repo_blob_read(struct git_repo *repo, const struct git_id *id,
		  size_t max_bytes, struct strbuf *ret);
/** repo_blob_write() - store bytes as a blob; 0 or -EIO */
int repo_blob_write(struct git_repo *repo, const void *data, size_t len,
		   struct git_id *ret);
/**
 * repo_blob_find() - the blob whose id begins with @hex (4 to 40 digits)
 *
 * Return: 0; %REPO_NONE; %REPO_AMBIGUOUS, also if one of the candidates is no
 * blob; -EIO.
 */
int repo_blob_find(struct git_repo *repo, const char *hex, struct git_id *ret);

/**
 * struct git_change - one path of a tree that changes
 * @path: relative to the top
 * @mode: new mode, %GIT_MODE_NONE removes the path
 * @id: new blob
 */
struct git_change {
	const char *path;
	unsigned int mode;
	struct git_id id;
};

/**
 * repo_tree_edit() - write a tree that differs from @base in some paths
 *
 * Directories that become empty vanish.
 *
 * Return: 0; -EEXIST when a file would have to be a directory as well; -EIO.
 */
int repo_tree_edit(struct git_repo *repo, const struct git_id *base,
		  const struct git_change *changes, size_t nr,
		  struct git_id *ret);

/**
 * git_merge_content() - three-way merge of one file's content
 * @out: the merged content, only when the result is 0
 *
 * Return: 0; %REPO_CONFLICT, also for binary content; -EIO.
 * Source: the same xdiff merge as git-merge-file(1), default settings.
 */
int git_merge_content(const struct strbuf *ancestor, const struct strbuf *ours,
		    const struct strbuf *theirs, struct strbuf *out);

/**
 * repo_first_parent() - the first parent of a commit
 *
 * Return: 0; %REPO_NONE for a root, also where a shallow history ends; -EIO.
 */
int repo_first_parent(struct git_repo *repo, const struct git_id *commit,
		     struct git_id *ret);

/**
 * repo_is_ancestor() - is @ancestor reachable from @commit, or equal to it?
 *
 * Return: 0 if so, %REPO_NONE if not, -EIO.
 */
int repo_is_ancestor(struct git_repo *repo, const struct git_id *ancestor,
		    const struct git_id *commit);

/**
 * repo_tree_diff() - the files that differ between two trees
 * @from: tree before, NULL: an empty one
 * @to: tree after
 * @cb: called for each path; @old or @new is NULL where it is not there; a
 *	result that is not 0 ends the walk
 * @arg: handed to @cb
 *
 * Return: 0, what @cb gave, %REPO_NONE or -EIO.
 */
int repo_tree_diff(struct git_repo *repo, const struct git_id *from,
		   const struct git_id *to,
		   int (*cb)(void *arg, const char *path,
			     const struct git_id *old,
			     const struct git_id *new),
		   void *arg);

/**
 * repo_blob_changes() - the lines of a file that a change touches
 * @old: blob before, NULL: there was none
 * @new: blob after
 * @cb: called for each line that @new has and @old has not, in order, with its
 *	number from 1; for lines that only went away, with the line behind them
 * @arg: handed to @cb
 *
 * Binary files have no lines. Return: 0, %REPO_NONE or -EIO.
 */
int repo_blob_changes(struct git_repo *repo, const struct git_id *old,
		      const struct git_id *new,
		      void (*cb)(void *arg, unsigned int line), void *arg);

#endif
