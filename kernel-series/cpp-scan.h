/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_CPP_SCAN_H
#define MMCI_KERNEL_SERIES_CPP_SCAN_H

/* Which configuration symbols decide what becomes of each line of a C file. */

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/* More in one condition than anyone could read. */
#define CPP_MAX_SYMBOLS 8

/**
 * struct cpp_branch - one branch of an #if, #ifdef, #ifndef, #elif or #else
 * @parent: the branch it stands in, -1: none
 * @line: where its directive stands
 * @end: line of the directive that ends it, 0: none does
 * @symbols: names in its condition without CONFIG_, @n of them
 * @on: whether the branch is taken where the symbol is set, as far as a look
 *	at the "!" before it tells
 */
struct cpp_branch {
	int parent;
	unsigned int line, end;
	char *symbols[CPP_MAX_SYMBOLS];
	bool on[CPP_MAX_SYMBOLS];
	size_t n;
};

/** struct cpp_block - a function, a macro or another definition with a body */
struct cpp_block {
	char *name;
	unsigned int start, end;
	bool is_macro;
};

/** struct cpp_def - a name that is declared or defined outside of all bodies */
struct cpp_def {
	char *name;
	unsigned int line;
	int branch;
};

/**
 * struct cpp_line - one line
 * @offset: of its first byte in the text
 * @anchor: line where the preprocessor puts its tokens: the first of a macro
 *	or of what stands within parentheses
 * @branch: innermost branch, -1: none
 * @block: index of the block it is part of, -1: none
 * @is_code: it gives tokens or defines a macro; not so blank lines, comments
 *	and other directives
 */
struct cpp_line {
	size_t offset;
	unsigned int anchor;
	int branch;
	int block;
	bool is_code;
};

/** struct cpp_file - a scanned file; lines[0] is line 1 */
struct cpp_file {
	struct cpp_line *lines;
	size_t n_lines, lines_alloc;
	struct cpp_branch *branches;
	size_t n_branches, branches_alloc;
	struct cpp_block *blocks;
	size_t n_blocks, blocks_alloc;
	struct cpp_def *defs;
	size_t n_defs, defs_alloc;
};

/**
 * cpp_scan() - read a C file
 * @text: content, @len bytes
 * @ret: overwritten; give it to cpp_file_release()
 *
 * In one pass, without expanding anything. Branches nested deeper than 64 are
 * taken for part of the one around them.
 */
void cpp_scan(const char *text, size_t len, struct cpp_file *ret);
/** cpp_file_release() - free what it holds */
void cpp_file_release(struct cpp_file *f);
DEFINE_FREE(cpp_file, struct cpp_file, cpp_file_release(&_T))
/**
 * cpp_symbol_next() - the next CONFIG_ symbol in a piece of text
 * @p: where to look, moved behind it
 * @end: end of the text
 * @name: its name without CONFIG_, also of CONFIG_X_MODULE
 *
 * Return: false if there is none.
 */
bool cpp_symbol_next(const char **p, const char *end, char name[static 128]);

#endif
