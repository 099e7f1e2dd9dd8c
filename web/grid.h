/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_GRID_H
#define MMCI_WEB_GRID_H

#include <jansson.h>

/**
 * grid_add() - add "grid", patches x runs, to the value of view_series()
 *
 * {archs: [{arch, span}], columns: [{kind, arch, kconfig, toolchain, label,
 * job_id}], rows: [{number, title, cells: [{state, errors, warnings, percent,
 * job_id}]}]}. Row 0 is the base. A state is one of clean, warns, broken,
 * running, waiting, canceled, unknown and na (nothing was to run there).
 */
void grid_add(json_t *series);

#endif
