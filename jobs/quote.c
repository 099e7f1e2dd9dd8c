// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/quote.h"

#include <string.h>

struct span {
	const char *start;
	size_t len;
};

static struct span next_line(const char **at)
{
	const char *end = strchrnul(*at, '\n');
	struct span s = { *at, (size_t)(end - *at) };

	*at = *end ? end + 1 : end;
	return s;
}

static bool span_starts(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.len >= n && !memcmp(s.start, prefix, n);
}

static void add_quoted(struct strbuf *out, struct span s)
{
	strbuf_addstr(out, s.len ? "> " : ">");
	strbuf_add(out, s.start, s.len);
	strbuf_addch(out, '\n');
}

/* "@@ -a,b +c,d @@": c and d; a missing count is 1 */
static bool hunk_range(struct span s, int64_t *first, int64_t *count)
{
	const char *plus = memchr(s.start, '+', s.len);
	char *end;

	if (!span_starts(s, "@@ -") || !plus)
		return false;
	*first = strtoll(plus + 1, &end, 10);
	*count = *end == ',' ? strtoll(end + 1, NULL, 10) : 1;
	return *first >= 0 && *count >= 0 && *count < 10000000;
}

static bool names_file(struct span s, const char *file)
{
	size_t n = strlen(file);

	return span_starts(s, "+++ b/") && s.len >= 6 + n &&
	       !memcmp(s.start + 6, file, n) &&
	       (s.len == 6 + n || s.start[6 + n] == '\t' ||
		s.start[6 + n] == '\r');
}

static void quote(const char *body, const char *end, unsigned int context,
		  struct strbuf *out)
{
	const char *from = end;
	unsigned int n = 0;

	/* back by @context lines, but not above the hunk's first */
	while (from > body && n <= context) {
		from--;
		while (from > body && from[-1] != '\n')
			from--;
		n++;
	}
	if (from > body)
		strbuf_addstr(out, "> [ ... ]\n");
	while (from < end)
		add_quoted(out, next_line(&from));
}

/* Walks one hunk; is @line of the new file in it, and where does it end? */
static bool find_in_hunk(const char **at, int64_t number, int64_t count,
			 int64_t line, const char **end)
{
	int64_t last = number + count;

	while (**at) {
		const char *here = *at;
		struct span s = next_line(at);
		char c = s.len ? s.start[0] : ' ';

		if (c == '-' || c == '\\')
			continue;
		if ((c != ' ' && c != '+') || number >= last) {
			*at = here;
			return false;
		}
		if (number++ == line) {
			*end = *at;
			return true;
		}
	}
	return false;
}

bool quote_line(const char *mail_text, const char *file, int64_t line,
		unsigned int context, struct strbuf *out)
{
	const char *at = mail_text;
	struct span header = { NULL, 0 };
	bool in_file = false;

	while (*at) {
		struct span s = next_line(&at);
		int64_t first, count;
		const char *body, *end;

		if (span_starts(s, "diff --git "))
			in_file = false;
		if (names_file(s, file)) {
			in_file = true;
			header = s;
		}
		if (!in_file || !hunk_range(s, &first, &count))
			continue;
		body = at;
		if (!find_in_hunk(&at, first, count, line, &end))
			continue;
		add_quoted(out, header);
		add_quoted(out, s);
		quote(body, end, context, out);
		return true;
	}
	return false;
}
