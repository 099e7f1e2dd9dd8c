/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_TEMPLATE_H
#define MMCI_WEB_TEMPLATE_H

#include <jansson.h>
#include <stddef.h>

#include "lib/strbuf.h"

/*
 * Templates in the manner of mustache, over one JSON value.
 *
 *	{{name}}		the value, escaped for HTML text and attributes
 *	{{a.b}}			member b of a; the innermost object that has an
 *				"a" counts
 *	{{.}}			the current item
 *	{{name|FILTER}}		url	as one component of a URL
 *				age	seconds since the epoch as "4 min"
 *				time	the same as "2026-11-30T23:05:23Z"
 *				date	the same as "30 Nov 2026"
 *				short	first 12 characters, for commit ids
 *				span	a number of seconds as "4 min"
 *	{{#name}}..{{/name}}	once per element of an array, once with the
 *				value as context when it is an object or true;
 *				never for null, false, "", 0, [] and absent
 *	{{^name}}..{{/name}}	when the above would not show
 *	{{>name}}		another template with the same context
 *	{{! text}}		nothing
 *
 * There is no way to put a value out unescaped. A tag that is alone on its
 * line takes the line with it.
 */

/** struct template_file - one file of web/templates/, made at build time */
struct template_file {
	const char *name;	/* without ".html" */
	const char *text;
};

extern const struct template_file template_files[];
extern const size_t n_template_files;

struct template_set;

/**
 * template_set_new() - compile templates, which may include one another
 * @files: borrowed until template_set_free()
 * @why: on failure, the template, its line and what is wrong there
 *
 * Return: 0 and @ret, which any number of threads may use; -EINVAL.
 */
int template_set_new(const struct template_file *files, size_t n,
		     struct template_set **ret, struct strbuf *why);
/** template_set_free() - NULL is fine */
void template_set_free(struct template_set *set);
DEFINE_FREE(template_set, struct template_set *, template_set_free(_T))

/**
 * template_render() - append template @name, filled from @value, to @out
 *
 * Return: 0; -ENOENT for an unknown @name; -ELOOP when sections and partials
 * nest more than 32 deep.
 */
int template_render(const struct template_set *set, const char *name,
		    const json_t *value, struct strbuf *out);

/**
 * template_escape() - append @len bytes of UTF-8 text, harmless in HTML
 *
 * Escapes & < > " and '. Control bytes other than tab and newline become
 * their pictures (U+2400..), invisible characters that turn the direction of
 * text become their number, so that a line reads as it is stored.
 */
void template_escape(struct strbuf *out, const char *s, size_t len);
/** template_escape_url() - append @s as one component of a URL (RFC 3986) */
void template_escape_url(struct strbuf *out, const char *s, size_t len);
/** template_age() - append a number of seconds as "4 min", "2 h", "3 d" */
void template_age(struct strbuf *out, int64_t seconds);

#endif
