/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_KERNEL_SERIES_SUBJECT_H
#define MMCI_KERNEL_SERIES_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct subject - a subject line taken apart
 * @title: what is left without Re: and brackets
 * @tokens: words of the brackets in order, without PATCH; NULL-terminated
 * @is_reply: begins with Re:, Aw:, Fwd: or the like
 * @is_patch: PATCH stands in a bracket, or an n/m does
 * @is_pull: GIT PULL or PULL in a bracket
 * @version: of v3 or V3; 0 if none is given
 * @has_number: an n/m was found
 * @number: n, 0 is the cover
 * @total: m
 */
struct subject {
	char *title;
	char **tokens;
	bool is_reply, is_patch, is_pull;
	unsigned int version;
	bool has_number;
	unsigned int number, total;
};

/** subject_parse() - take apart @text (decoded UTF-8); release with the below */
void subject_parse(const char *text, struct subject *ret);
/** subject_release() - free what @s holds */
void subject_release(struct subject *s);
/**
 * subject_is_prefix() - is @token a prefix, and not n/m or a version?
 *
 * True for RFC, RESEND, tree and list names.
 */
bool subject_is_prefix(const char *token);

#endif
