// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/json.h"
#include "runners/derived.h"

/** struct marks - where in the sources the preprocessor is */
struct marks {
	const json_t *lines;
	json_t *wanted; /* anchor -> true of the present file, or NULL */
	json_t *file_seen;
	json_t *seen;
	long long line;
};

/* "# 12 "/src/mm/a.c" 2": its file may be one of those that are asked for. */
static void read_marker(struct marks *m, const char *p, const char *end)
{
	static const char prefix[] = WORKSPACE_SRC "/";
	const char *name = memchr(p, '"', (size_t)(end - p)), *stop;
	char *path __free(kfree) = NULL;

	m->line = strtoll(p + 1, NULL, 10);
	m->wanted = m->file_seen = NULL;
	stop = name ? memchr(name + 1, '"', (size_t)(end - name - 1)) : NULL;
	if (!stop || !m->lines)
		return;
	path = xstrndup(name + 1, (size_t)(stop - name - 1));
	if (!starts_with(path, prefix))
		return;
	m->wanted = json_object_get(m->lines, path + strlen(prefix));
	if (!m->wanted)
		return;
	m->file_seen = json_object_get(m->seen, path + strlen(prefix));
	if (!m->file_seen) {
		m->file_seen = json_object();
		json_object_set_new(m->seen, path + strlen(prefix),
				    m->file_seen);
	}
}

static void see_line(struct marks *m)
{
	char key[24];

	if (!m->file_seen)
		return;
	snprintf(key, sizeof(key), "%lld", m->line);
	json_set_bool(m->file_seen, key, true);
}

static bool is_marker(const char *p, const char *end)
{
	return end - p > 3 && p[0] == '#' && p[1] == ' ' &&
	       isdigit((unsigned char)p[2]);
}

void derived_tokens(const char *text, size_t len, const json_t *lines,
		    json_t *seen, char hex[static 65])
{
	struct strbuf tokens __free(strbuf) = STRBUF_INIT;
	struct marks m = { .lines = lines, .seen = seen };
	const char *p = text, *end = text + len;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end, *first = p;

		while (first < stop && isspace((unsigned char)*first))
			first++;
		if (is_marker(p, stop)) {
			read_marker(&m, p, stop);
		} else {
			if (first < stop)
				see_line(&m);
			/* #define and #undef with -dD, #pragma always */
			if (first < stop && (*first != '#' ||
					     starts_with(first, "#pragma"))) {
				strbuf_add(&tokens, first,
					   (size_t)(stop - first));
				strbuf_addch(&tokens, '\n');
			}
			m.line++;
		}
		p = stop + 1;
	}
	hash_hex(tokens.buf, tokens.len, hex);
}

char *derived_command(const char *cmd, const char *object)
{
	const char *start = strstr(cmd, "cmd_"), *end = strchrnul(cmd, '\n');
	const char *e, *output;
	char *to __free(kfree) = xasprintf(" -o %s.i", object);
	struct strbuf sb = STRBUF_INIT;

	start = start && start < end ? strstr(start, " := ") : NULL;
	if (!start || start > end)
		return NULL;
	start += strlen(" := ");
	e = strstr(start, " -E ");
	output = strstr(start, to);
	if (!e || !output || e > output || output > end)
		return NULL;
	strbuf_add(&sb, start, (size_t)(e - start));
	strbuf_addstr(&sb, " -fsyntax-only");
	strbuf_add(&sb, e + 3, (size_t)(output - e - 3));
	output += strlen(to);
	strbuf_add(&sb, output, (size_t)(end - output));
	strbuf_setlen(&sb, strcspn(sb.buf, ";&|"));
	return strbuf_detach(&sb);
}
