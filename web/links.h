/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_LINKS_H
#define MMCI_WEB_LINKS_H

#include "web/request.h"

/**
 * links_with() - the query of @rq with one parameter changed, as "?a=b&c=d"
 * @key: what changes
 * @value: its new value; NULL or "": without it
 *
 * A cursor is left out: it belongs to the list as it was. Return: what the
 * caller frees; "?" where nothing is asked for.
 */
char *links_with(const struct request *rq, const char *key, const char *value);
/** links_next() - set "next_href" of a list that has "next", the next part */
void links_next(const struct request *rq, json_t *v);
/**
 * links_choices() - what a form may ask for under @key
 * @values: NULL-terminated
 * @words: of each value what a person reads, or NULL: the value
 *
 * Return: array of {value, word, on}; the current value is one of them even
 * where it is not in @values.
 */
json_t *links_choices(const struct request *rq, const char *key,
		      const char *const *values, const char *(*words)(const char *));
/** links_names() - the same of the "name" of each of @rows */
json_t *links_names(const struct request *rq, const char *key,
		    const json_t *rows);

#endif
