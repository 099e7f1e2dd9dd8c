/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_DERIVE_PRIVATE_H
#define MMCI_KERNEL_SERIES_DERIVE_PRIVATE_H

#include "kernel-series/cpp-scan.h"
#include "kernel-series/derive.h"
#include "kernel-series/git.h"
#include "kernel-series/kconfig.h"

#define DERIVE_MAX_FILE_BYTES (8u << 20)

/* How directly a symbol touches the change. */
enum {
	SCORE_NAME = 10,
	SCORE_OBJECT = 20,
	SCORE_WITHIN = 40,
	SCORE_AROUND = 100,
};

/**
 * struct derive - one analysis on its way
 * @srcarch: directory below arch/
 * @base: tree of the base
 * @tree: tree of the patch that is looked at
 * @index: name -> {symbol: [file, line]}: what switches definitions
 * @symbols: symbol -> {score, file, line, reason}
 * @lines: see derive_configs()
 */
struct derive {
	struct git_repo *repo;
	const char *srcarch;
	struct git_id base, tree;
	json_t *index;
	json_t *symbols;
	json_t *lines;
	int64_t n_lines, lines_left;
};

/** derive_read() - append a file of @tree; 0, %REPO_NONE, -EFBIG or -EIO */
int derive_read(struct derive *d, const struct git_id *tree, const char *path,
		struct strbuf *text);
/**
 * derive_index() - have @d->index
 * @cache_dir: kept there under the ids of the trees it is made from; NULL
 *
 * Return: 0 or -errno.
 */
int derive_index(struct derive *d, const char *cache_dir);
/** derive_index_file() - add what one file says, for headers of the series */
void derive_index_file(struct derive *d, const char *path,
		       const struct cpp_file *f);
/** derive_ask() - note that a symbol is asked for; reasons add up */
__attribute__((format(printf, 6, 7)))
void derive_ask(struct derive *d, const char *symbol, int score,
		const char *file, unsigned int line, const char *fmt, ...);
/**
 * derive_look() - what the touched lines of one file ask for
 * @lines: their numbers, @n of them
 */
void derive_look(struct derive *d, const char *path, const struct strbuf *text,
		 const struct cpp_file *f, const unsigned int *lines, size_t n);
/** derive_makefiles() - what decides whether the object of @path is built */
void derive_makefiles(struct derive *d, const char *path);
/**
 * derive_plan() - the symbols of @d become configs
 * @out: gets "symbols", "symbols_left" and "configs"
 */
void derive_plan(struct derive *d, struct kconfig *k, int64_t max_configs,
		 int64_t max_symbols, json_t *out);

#endif
