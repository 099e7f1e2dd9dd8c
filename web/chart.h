/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_CHART_H
#define MMCI_WEB_CHART_H

#include <jansson.h>

#define CHART_WIDTH 640
#define CHART_HEIGHT 90

/**
 * chart_add() - what a template needs to draw a chart (SVG 1.1)
 * @c: one element of view_benchmarks(); gets "line" (the points of a polyline),
 *	"dots": [{x, y, text, job_id, changed}], "last_text" and "caption" (how
 *	many bases, and the lowest and highest value of them). A point is changed
 *	when it differs from the one before by half a percent or more.
 */
void chart_add(json_t *c);

#endif
