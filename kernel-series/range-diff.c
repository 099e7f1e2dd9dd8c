// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/range-diff.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "kernel-series/git-program.h"
#include "lib/json.h"

#define MAX_OUTPUT ((size_t)16 << 20)
#define RANGE_DIFF_TIMEOUT_MS 60000

static bool is_id(const char *s)
{
	return strlen(s) == 40 && strspn(s, "0123456789abcdef") == 40;
}

/* "12:" or "-:" at the start of a field; 0 for "-", -1 if it is neither */
static long field_number(const char **p)
{
	long v = 0;

	*p += strspn(*p, " ");
	if (**p == '-') {
		++*p;
	} else {
		if (!isdigit((unsigned char)**p))
			return -1;
		while (isdigit((unsigned char)**p) && v < 1000000)
			v = v * 10 + (*(*p)++ - '0');
	}
	if (**p != ':')
		return -1;
	++*p;
	*p += strspn(*p, " ");
	*p += strspn(*p, "0123456789abcdef-");
	*p += strspn(*p, " ");
	return v;
}

static const char *state_name(char mark)
{
	switch (mark) {
	case '=':
		return "unchanged";
	case '!':
		return "changed";
	case '<':
		return "dropped";
	case '>':
		return "new";
	}
	return NULL;
}

/* " 1:  ID ! 2:  ID title"; NULL if the line is none of these */
static json_t *pair_line(const char *line, size_t len)
{
	char *copy __free(kfree) = xstrndup(line, len);
	const char *p = copy, *state;
	long old, new;
	json_t *o;

	old = field_number(&p);
	state = old < 0 ? NULL : state_name(*p);
	if (!state)
		return NULL;
	p++;
	new = field_number(&p);
	if (new < 0)
		return NULL;
	o = json_object();
	json_set_text(o, "state", state);
	json_object_set_new(o, "old", old ? json_integer(old) : json_null());
	json_object_set_new(o, "new", new ? json_integer(new) : json_null());
	json_set_text(o, "title", p);
	return o;
}

static void end_pair(json_t *list, json_t *pair, struct strbuf *diff)
{
	if (!pair)
		return;
	json_object_set_new(pair, "diff", json_textn(diff->buf, diff->len));
	json_array_append_new(list, pair);
	strbuf_reset(diff);
}

json_t *range_diff_parse(const char *text)
{
	struct strbuf diff __free(strbuf) = STRBUF_INIT;
	json_t *list = json_array(), *pair = NULL;
	const char *p = text;

	while (*p) {
		const char *end = strchrnul(p, '\n');
		size_t len = (size_t)(end - p);
		json_t *next = NULL;

		/* lines of the diff of diffs are indented by four blanks */
		if (strncmp(p, "    ", 4) || !pair)
			next = pair_line(p, len);
		if (next) {
			end_pair(list, pair, &diff);
			pair = next;
		} else if (pair) {
			size_t cut = min(len, (size_t)4);

			strbuf_add(&diff, p + cut, len - cut);
			strbuf_addch(&diff, '\n');
		}
		p = *end ? end + 1 : end;
	}
	end_pair(list, pair, &diff);
	return list;
}

int range_diff(const char *repo, const char *old_base, const char *old_tip,
	       const char *new_base, const char *new_tip, json_t **ret,
	       struct strbuf *why)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	char *old __free(kfree) = xasprintf("%s..%s", old_base, old_tip);
	char *new __free(kfree) = xasprintf("%s..%s", new_base, new_tip);
	const char *argv[] = { "range-diff", "--no-color", "--abbrev=40", old,
			       new, NULL };
	struct git_program g = { .repo = repo, .argv = argv,
				 .max_bytes = MAX_OUTPUT,
				 .timeout_ms = RANGE_DIFF_TIMEOUT_MS };
	int r;

	if (!is_id(old_base) || !is_id(old_tip) || !is_id(new_base) ||
	    !is_id(new_tip)) {
		strbuf_addstr(why, "range-diff needs four commit ids");
		return -EINVAL;
	}
	r = git_program_ok(&g, &out, why);
	if (!r)
		*ret = range_diff_parse(out.buf);
	return r;
}
