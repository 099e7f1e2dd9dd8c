/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_DIFF_H
#define MMCI_KERNEL_SERIES_DIFF_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/**
 * struct diff_file - one file of a diff
 * @path: new name; the old one if the file is deleted; prefixes a/ b/ removed
 * @old_path: the name before, equal to @path if not renamed or copied
 * @old_blob: abbreviated id before, of the index line, or NULL
 * @new_blob: abbreviated id after, or NULL
 * @added: lines added
 * @removed: lines removed
 * @is_new: the diff creates the file
 * @is_deleted: the diff removes the file
 * @is_rename: rename from/to
 * @is_copy: copy from/to
 * @is_binary: "Binary files differ" or a "GIT binary patch"
 * @mode_change: old mode/new mode
 */
struct diff_file {
	char *path, *old_path;
	char *old_blob, *new_blob;
	unsigned int added, removed;
	bool is_new, is_deleted, is_rename, is_copy, is_binary, mode_change;
};

/**
 * struct diff - the diff found in a text
 * @text: its bytes, without what stands before, between and behind
 * @files: the files in order
 * @nr_files: their number
 * @damaged: a hunk holds fewer or more lines than its header says
 */
struct diff {
	struct strbuf text;
	struct diff_file *files;
	size_t nr_files;
	bool damaged;
};

/**
 * diff_find() - find the diff in a text
 * @text: a mail's text, LF line ends, @len bytes
 * @ret: filled; give it to diff_release() in any case
 * @start: offset of the first line of the diff, @len if there is none
 *
 * Quoted lines are no diff. Text between two files of one diff is left out.
 *
 * Return: true if there is one.
 * Source: git-diff(1), "Generating patch text with -p"; diff(1) unified format.
 */
bool diff_find(const char *text, size_t len, struct diff *ret, size_t *start);
/** diff_release() - free what @d holds */
void diff_release(struct diff *d);
/**
 * diff_each_change() - call @fn for each added and removed line, in order
 * @fn: gets the file, '+' or '-', the line without sign and newline, and @data
 */
void diff_each_change(const struct diff *d,
		      void (*fn)(const struct diff_file *f, char sign,
				 const char *line, size_t len, void *data),
		      void *data);
/**
 * diff_change_hash() - hash over files and changed lines, without positions
 * @hex: receives 64 hex digits; equal for two diffs that add and remove the
 *	same lines in the same files, whatever stands around them
 */
void diff_change_hash(const struct diff *d, char hex[static 65]);
/** diff_to_json() - files, renames, rename_only, ... as stored in a mail */
json_t *diff_to_json(const struct diff *d);

#endif
