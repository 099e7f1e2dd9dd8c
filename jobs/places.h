/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_PLACES_H
#define MMCI_JOBS_PLACES_H

#include <jansson.h>

#include "lib/strbuf.h"

/**
 * places_say() - where one finding was seen, in words
 * @places: [{arch, kconfig, toolchain}]
 * @out: "x86_64, arm64 and s390 (small, gcc)" is appended; places that differ
 *	in config or toolchain are parted by ";"
 */
void places_say(const json_t *places, struct strbuf *out);
/**
 * places_silent() - which toolchains did not say it
 * @places: where it was seen
 * @all: [{arch, kconfig, toolchain}] where it could have been seen
 *
 * Return: new array of the names of toolchains that were run on an architecture
 * and config of @places and are in none of them.
 */
json_t *places_silent(const json_t *places, const json_t *all);

#endif
