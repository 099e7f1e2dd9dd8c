/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_DERIVE_H
#define MMCI_KERNEL_SERIES_DERIVE_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * derive_configs() - the configs that a change asks for
 * @request: {repo, base_commit, patches: [{number, commit}], arch,
 *	kconfig_text: the parent's fragment or whole .config,
 *	cache_dir: where what the headers say is kept, or null,
 *	max_configs, max_symbols: caps}
 * @ret: {symbols: [{symbol, value: "y"|"n" in the parent, file, line, reason,
 *		config: index into configs or null, why: it has none}],
 *	symbols_left: how many the cap left out,
 *	configs: [{text: fragment to append to the parent's .config,
 *		symbols: [names]}],
 *	lines: {FILE: [[line, anchor]]} changed lines of the last patch that give
 *		code, see struct cpp_line,
 *	lines_left: how many the cap of 4000 left out}
 * @why: on failure one line
 *
 * A symbol is asked for when it stands in an #if around or within a touched
 * function or macro, decides in a Makefile whether a touched file is built,
 * or switches between two definitions of a name that a touched line uses. The
 * most direct come first; each gets its other value in the first config in
 * which that contradicts nothing.
 *
 * Return: 0 or -errno.
 */
int derive_configs(const json_t *request, json_t **ret, struct strbuf *why);

#endif
