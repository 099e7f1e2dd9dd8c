/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_TRAILERS_H
#define MMCI_KERNEL_SERIES_TRAILERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum trailer_type {
	TRAILER_UNKNOWN,
	TRAILER_PERSON,	 /* Reviewed-by: Name <address> */
	TRAILER_UTILITY, /* Link:, Fixes:, ... */
};

/**
 * struct trailer - "Name: value"
 * @name: as written
 * @value: unfolded, trimmed
 * @extinfo: a following line "[text]" that belongs to it, or NULL
 * @type: what kind of value
 * @addr_name: display name of a person, "" if none; NULL if no person
 * @addr_email: address of a person, or NULL
 */
struct trailer {
	char *name, *value, *extinfo;
	enum trailer_type type;
	char *addr_name, *addr_email;
};

struct trailers {
	struct trailer *v;
	size_t nr;
};

/** trailer_parse() - take one line apart; false if it is no trailer */
bool trailer_parse(const char *line, size_t len, struct trailer *ret);
/** trailers_of_message() - trailers at the end of a commit message */
void trailers_of_message(const char *text, size_t len, struct trailers *ret);
/** trailers_of_reply() - trailers anywhere in the unquoted text of a reply */
void trailers_of_reply(const char *text, size_t len, struct trailers *ret);
/** trailers_add() - append "@name: @value" */
void trailers_add(struct trailers *t, const char *name, const char *value);
/** trailers_release() - free what @t holds */
void trailers_release(struct trailers *t);
/** trailer_release() - free what @t holds */
void trailer_release(struct trailer *t);
/** trailers_to_json() - [{name, value, type, extinfo}] */
json_t *trailers_to_json(const struct trailers *t);
/** trailer_type_name() - "person", "utility", "unknown" */
const char *trailer_type_name(enum trailer_type type);

#endif
