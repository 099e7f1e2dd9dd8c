// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/base-maintainers.h"

#include <fnmatch.h>
#include <string.h>

/* Does an F: pattern fit? One that ends in a slash is all below. */
static bool pattern_fits(const char *pattern, const char *path)
{
	size_t n = strlen(pattern);

	if (n && pattern[n - 1] == '/' && !strpbrk(pattern, "*?["))
		return starts_with(path, pattern);
	if (n && pattern[n - 1] == '/') {
		char *deep = xasprintf("%s*", pattern);
		bool ok = !fnmatch(deep, path, FNM_LEADING_DIR);

		free(deep);
		return ok;
	}
	return !fnmatch(pattern, path, FNM_PATHNAME);
}

/**
 * struct section - one entry of MAINTAINERS while it is read
 * @trees: its T: lines
 * @best: characters of its best pattern, 0: none fits
 * @excluded: an X: pattern fits
 */
struct section {
	struct strbuf trees;
	size_t best;
	bool excluded;
};

static void section_line(struct section *s, const char *line, size_t len,
			 const char *path)
{
	char *value;

	if (len < 3 || line[1] != ':')
		return;
	value = xstrndup(line + 2, len - 2);
	memmove(value, value + strspn(value, " \t"),
		strlen(value + strspn(value, " \t")) + 1);
	if (*line == 'T')
		strbuf_addf(&s->trees, "%s\n", value);
	else if (*line == 'F' && strlen(value) > s->best &&
		 pattern_fits(value, path))
		s->best = strlen(value);
	else if (*line == 'X' && pattern_fits(value, path))
		s->excluded = true;
	free(value);
}

static void section_end(struct section *s, size_t *best, struct strbuf *ret)
{
	if (s->best > *best && !s->excluded && s->trees.len) {
		*best = s->best;
		strbuf_reset(ret);
		strbuf_addbuf(ret, &s->trees);
	}
	strbuf_reset(&s->trees);
	s->best = 0;
	s->excluded = false;
}

void base_maintainers_trees(const struct strbuf *text, const char *path,
			    struct strbuf *ret)
{
	struct strbuf found __free(strbuf) = STRBUF_INIT;
	struct section s = { .trees = STRBUF_INIT };
	const char *p = text->buf;
	size_t best = 0;

	while (*p) {
		const char *end = strchrnul(p, '\n');

		if (end == p)
			section_end(&s, &best, &found);
		else
			section_line(&s, p, (size_t)(end - p), path);
		p = *end ? end + 1 : end;
	}
	section_end(&s, &best, &found);
	strbuf_release(&s.trees);
	strbuf_addbuf(ret, &found);
}

bool base_maintainers_match(const struct strbuf *trees, const char *name)
{
	size_t n = strlen(name);
	const char *p = trees->buf;

	while (n && (p = strstr(p, name))) {
		char before = p == trees->buf ? ' ' : p[-1];

		if (strchr(" /:\n", before) &&
		    (strchr(" \n", p[n]) || starts_with(p + n, ".git")))
			return true;
		p++;
	}
	return false;
}
