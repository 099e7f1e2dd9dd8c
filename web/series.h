/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_SERIES_H
#define MMCI_WEB_SERIES_H

#include <jansson.h>

/**
 * series_findings() - sort the findings of a series for its page
 * @v: value of view_series(); gets "ours", "cured" (by a fix-up), "others" and
 *	"blamed"; each finding gets its words, "quote_lines" and "repeat"
 */
void series_findings(json_t *v);

#endif
