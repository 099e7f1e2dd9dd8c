/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_WORDS_H
#define MMCI_WEB_WORDS_H

#include <jansson.h>
#include <stdint.h>

/** words_state() - what a person would call a state: "no-base" is "no base" */
const char *words_state(const char *state);
/** words_goes() - "would go to", by the state of a reply */
const char *words_goes(const char *state);
/** words_count() - "1 error", "6 errors"; the caller frees it */
char *words_count(int64_t n, const char *what);
/** words_percent() - "+1.7 %", "0 %"; the caller frees it */
char *words_percent(double percent);
/**
 * words_cell() - set "word" of a cell {state, errors, warnings, percent} and
 * "mark", the class that gives its shape and colour
 */
void words_cell(json_t *cell);
/** words_measure() - set base_text, value_text, delta_text of a measure */
void words_measure(json_t *m);

#endif
