/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_APPLY_PATCH_H
#define MMCI_KERNEL_SERIES_APPLY_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/*
 * The patch as git apply reads it. diff.h reads diffs to show and to count, and
 * is generous; this one is for changing files and leaves everything that is
 * not plain to git itself.
 */

/**
 * struct patch_hunk - one hunk
 * @old_start: line the header states, counted from 1, 0 for an empty file
 * @new_start: likewise, after the patch
 * @text: its lines with their first characters, in the patch
 * @len: bytes of @text
 * @leading: lines of context before the first change
 * @trailing: lines of context after the last one
 * @line: line of the patch where the hunk begins, counted from 1
 * @changed: it adds or removes something
 * @old_no_newline: its last old line is the end of a file without newline
 */
struct patch_hunk {
	unsigned long old_start, new_start;
	const char *text;
	size_t len;
	unsigned long leading, trailing;
	unsigned long line;
	bool changed, old_no_newline;
};

/**
 * struct patch_file - one file of a patch
 * @old_path: NULL for a new file
 * @new_path: NULL for a removed one
 * @old_blob: hex digits of the index line, "" if there is none
 * @new_blob: likewise
 * @old_mode: 0 if not stated
 * @new_mode: 0 if not stated
 * @is_new: creates the file
 * @is_delete: removes the file
 * @is_rename: rename from/to
 * @is_copy: copy from/to
 * @hunks: in order
 * @nr_hunks: their number
 * @added: lines added
 * @removed: lines removed
 */
struct patch_file {
	char *old_path, *new_path;
	char old_blob[41], new_blob[41];
	unsigned int old_mode, new_mode;
	bool is_new, is_delete, is_rename, is_copy;
	struct patch_hunk *hunks;
	size_t nr_hunks;
	unsigned long added, removed;
};

/**
 * struct patch - a parsed patch
 * @files: in order
 * @nr: their number
 * @plain: everything in it is of a kind that place.h and the merge of apply.h
 *	do exactly as git does; if not, git must apply it. @files is filled as
 *	far as it could be read either way.
 */
struct patch {
	struct patch_file *files;
	size_t nr;
	bool plain;
};

/**
 * patch_parse() - read a patch
 * @text: bytes; must stay as long as @ret is used
 * @len: how many
 * @ret: filled; give it to patch_release() in any case
 *
 * Source: git-apply(1) and git-diff(1), "Generating patch text with -p".
 */
void patch_parse(const char *text, size_t len, struct patch *ret);
/** patch_release() - free what @p holds */
void patch_release(struct patch *p);
/**
 * patch_paths() - every path a patch names
 *
 * Return: a NULL-terminated array, the caller frees the array; the strings
 * belong to @p.
 */
const char **patch_paths(const struct patch *p);

#endif
