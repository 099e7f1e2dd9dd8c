/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_KCONFIG_H
#define MMCI_KERNEL_SERIES_KCONFIG_H

/*
 * A light reader of the kernel's Kconfig language: enough to know what a
 * bool or tristate symbol needs and who selects it. What the tree's own
 * olddefconfig makes of an answer is what counts; this only finds good answers.
 *
 * Source: Documentation/kbuild/kconfig-language.rst of the kernel.
 */

#include <jansson.h>
#include <stdbool.h>

#include "lib/strbuf.h"

struct kconfig;

/**
 * kconfig_read() - read the Kconfig files of a tree
 * @srcarch: directory below arch/
 * @get: appends the content of a file to @text; not 0: there is none, which is
 *	passed over
 * @arg: handed to @get
 *
 * Files, symbols and expressions are limited far beyond what a kernel has; what
 * is over the limit is left out.
 */
struct kconfig *kconfig_read(const char *srcarch,
			     int (*get)(void *arg, const char *path,
					struct strbuf *text),
			     void *arg);
/** kconfig_free() - NULL is fine */
void kconfig_free(struct kconfig *k);
DEFINE_FREE(kconfig, struct kconfig *, kconfig_free(_T))

/**
 * kconfig_set_config() - take the answers of a configuration
 * @text: lines CONFIG_X=V and "# CONFIG_X is not set"; what is not named is n,
 *	as in allnoconfig
 */
void kconfig_set_config(struct kconfig *k, const char *text);

/** enum kconfig_value - values of bool and tristate symbols */
enum kconfig_value {
	KCONFIG_UNKNOWN = -1, /* no such symbol, or of another type */
	KCONFIG_N = 0,
	KCONFIG_M = 1,
	KCONFIG_Y = 2,
};

/** kconfig_value() - what the answers make of a symbol, without CONFIG_ */
enum kconfig_value kconfig_value(struct kconfig *k, const char *name);

/**
 * kconfig_flip() - find further answers that give a symbol another value
 * @name: without CONFIG_
 * @on: wanted: on or off
 * @answers: object of names and values "y" or "n"; what is in there holds and
 *	is not asked for otherwise. On success the new ones are added
 * @why: on failure one line
 *
 * A symbol without prompt is turned off by turning off what selects it, and on
 * through one that does.
 *
 * Return: 0; -ENOENT if nothing was found.
 */
int kconfig_flip(struct kconfig *k, const char *name, bool on, json_t *answers,
		 struct strbuf *why);

#endif
