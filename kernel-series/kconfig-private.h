/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_KCONFIG_PRIVATE_H
#define MMCI_KERNEL_SERIES_KCONFIG_PRIVATE_H

#include "kernel-series/kconfig.h"

/* A kernel has 20000 symbols; a stranger's tree may not have more of anything. */
#define KCONFIG_MAX_ITEMS 400000

enum kexpr_op {
	KEXPR_CONST,	/* @a is its value */
	KEXPR_SYMBOL,	/* @a */
	KEXPR_NOT,
	KEXPR_AND,
	KEXPR_OR,
	KEXPR_EQUAL,	/* @a is a symbol, @text the value it is held against */
	KEXPR_UNEQUAL,
};

/** struct kexpr - a node; @a and @b are nodes, -1 stands for "y" */
struct kexpr {
	enum kexpr_op op;
	int a, b;
	char *text;
};

/** struct kentry - one "config" block; @next is the symbol's next one */
struct kentry {
	int symbol, next;
	int depends;
	bool prompt;
	int prompt_if;
	int defaults; /* first of struct kdefault, -1: none */
	int last_default;
};

struct kdefault {
	int value, cond, next;
};

/** struct kselect - @from selects @to; @next is the next that selects @to */
struct kselect {
	int from, to, cond, next;
};

struct ksymbol {
	char *name;
	bool is_bool, is_tristate;
	int entries, last_entry;
	int selectors;
	int answer; /* -1: none */
	int value;
};

struct kconfig {
	char *srcarch;
	json_t *index; /* name -> symbol */
	struct ksymbol *symbols;
	size_t n_symbols, symbols_alloc;
	struct kexpr *exprs;
	size_t n_exprs, exprs_alloc;
	struct kentry *entries;
	size_t n_entries, entries_alloc;
	struct kdefault *defaults;
	size_t n_defaults, defaults_alloc;
	struct kselect *selects;
	size_t n_selects, selects_alloc;
	json_t *others; /* values of symbols that are no tristates */
};

#define KADD(array, n, alloc)                                              \
	({                                                                 \
		if ((n) == (alloc)) {                                      \
			(alloc) = max((alloc) * 2, (size_t)256);           \
			(array) = xrealloc_array((array), (alloc),         \
						 sizeof(*(array)));        \
		}                                                          \
		memset(&(array)[n], 0, sizeof(*(array)));                  \
		(int)(n)++;                                                \
	})

/** kconfig_symbol() - index of a symbol, made if need be */
int kconfig_symbol(struct kconfig *k, const char *name);
/** kconfig_find() - index of a symbol, -1 if there is none */
int kconfig_find(const struct kconfig *k, const char *name);
/** kexpr_parse() - the expression in @text; -1, which is "y", when it is none */
int kexpr_parse(struct kconfig *k, const char *text);
/** kexpr_and() - both; -1 is neutral */
int kexpr_and(struct kconfig *k, int a, int b);
/** kexpr_eval() - value with the present values of the symbols */
int kexpr_eval(const struct kconfig *k, int expr);
/** kconfig_evaluate() - values of all symbols from the answers */
void kconfig_evaluate(struct kconfig *k);

#endif
