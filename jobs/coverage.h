/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_JOBS_COVERAGE_H
#define MMCI_JOBS_COVERAGE_H

#include <jansson.h>

/**
 * coverage_of() - which changed lines some config compiles
 * @derived: [{arch, kconfig, answer: of the worker "derive"}]
 * @runs: as judge() has them; those with "lines" in their result count
 *
 * Return: a new {lines, compiled: their numbers, uncompiled: ["FILE:LINE"] or
 * ["FILE:FIRST-LAST"], places: [{arch, kconfig, toolchain, compiled}]}; JSON
 * null when it was measured nowhere.
 */
json_t *coverage_of(const json_t *derived, const json_t *runs);

#endif
