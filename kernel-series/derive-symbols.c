// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "kernel-series/derive-private.h"
#include "lib/json.h"

#define MAX_MAKEFILE_BYTES (1u << 20)
#define MAX_COMPOSITE 4

void derive_ask(struct derive *d, const char *symbol, int score,
		const char *file, unsigned int line, const char *fmt, ...)
{
	json_t *o = json_object_get(d->symbols, symbol);
	struct strbuf reason __free(strbuf) = STRBUF_INIT;
	va_list ap;

	if (o) {
		int64_t best = json_get_int(o, "best", 0);

		if (score == SCORE_OBJECT)
			json_set_bool(o, "object", true);
		json_set_int(o, "score", json_get_int(o, "score", 0) + score);
		if (best >= score)
			return;
	} else {
		o = json_object();
		json_object_set_new(d->symbols, symbol, o);
		json_set_int(o, "score", score);
		json_set_bool(o, "object", score == SCORE_OBJECT);
	}
	va_start(ap, fmt);
	strbuf_vaddf(&reason, fmt, ap);
	va_end(ap);
	json_set_int(o, "best", score);
	json_set_text(o, "file", file);
	json_set_int(o, "line", line);
	json_set_text(o, "reason", reason.buf);
}

static void look_around(struct derive *d, const char *path,
			const struct cpp_file *f, unsigned int line)
{
	for (int b = f->lines[line - 1].branch; b >= 0;
	     b = f->branches[b].parent) {
		const struct cpp_branch *br = &f->branches[b];

		for (size_t k = 0; k < br->n; k++)
			derive_ask(d, br->symbols[k], SCORE_AROUND, path, line,
				   "%s:%u is inside #if%s CONFIG_%s of line %u",
				   path, line, br->on[k] ? "def" : "ndef",
				   br->symbols[k], br->line);
	}
}

static void look_within(struct derive *d, const char *path,
			const struct strbuf *text, const struct cpp_file *f,
			const struct cpp_block *b, unsigned int touched)
{
	for (unsigned int i = b->start; i <= b->end && i <= f->n_lines; i++) {
		const char *p = text->buf + f->lines[i - 1].offset;
		const char *end = memchr(p, '\n', text->len -
					 f->lines[i - 1].offset);
		char name[128];

		if (!end)
			end = text->buf + text->len;
		while (cpp_symbol_next(&p, end, name))
			derive_ask(d, name, SCORE_WITHIN, path, i,
				   "%s:%u uses CONFIG_%s in %s, touched at line"
				   " %u", path, i, name,
				   *b->name ? b->name : "a definition",
				   touched);
	}
}

static void look_name(struct derive *d, const char *path, unsigned int line,
		      const char *name, json_t *done)
{
	json_t *o = json_object_get(d->index, name), *v;
	const char *symbol;

	if (!o || json_object_get(done, name))
		return;
	json_set_bool(done, name, true);
	json_object_foreach(o, symbol, v) {
		const char *in = json_string_value(json_array_get(v, 1));

		derive_ask(d, symbol, SCORE_NAME, path, line,
			   "%s:%u uses %s, which CONFIG_%s switches in %s",
			   path, line, name, symbol, in ? in : "a header");
	}
}

static void look_names(struct derive *d, const char *path,
		       const struct strbuf *text, const struct cpp_file *f,
		       unsigned int line, json_t *done)
{
	const char *p = text->buf + f->lines[line - 1].offset;
	const char *end = text->buf + text->len;

	while (p < end && *p != '\n') {
		char name[128];
		size_t n = 0;

		if (!isalpha((unsigned char)*p) && *p != '_') {
			p++;
			continue;
		}
		while (p + n < end &&
		       (isalnum((unsigned char)p[n]) || p[n] == '_'))
			n++;
		if (n < sizeof(name)) {
			memcpy(name, p, n);
			name[n] = '\0';
			look_name(d, path, line, name, done);
		}
		p += n;
	}
}

/*
 * A call goes over several lines, and only some of them may be new: its name
 * stands on the first.
 */
void derive_look(struct derive *d, const char *path, const struct strbuf *text,
		 const struct cpp_file *f, const unsigned int *lines, size_t n)
{
	json_t *done __free(json) = json_object();
	int block = -1;

	for (size_t i = 0; i < n; i++) {
		const struct cpp_line *l;

		if (!lines[i] || lines[i] > f->n_lines)
			continue;
		l = &f->lines[lines[i] - 1];
		look_around(d, path, f, lines[i]);
		look_names(d, path, text, f, lines[i], done);
		if (l->anchor != lines[i])
			look_names(d, path, text, f, l->anchor, done);
		if (l->block < 0 || l->block == block)
			continue;
		block = l->block;
		look_within(d, path, text, f, &f->blocks[block], lines[i]);
	}
}

/* Does the list of words after "=" hold @word? */
static bool has_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	while (p < end) {
		size_t len;

		while (p < end && isspace((unsigned char)*p))
			p++;
		for (len = 0; p + len < end && !isspace((unsigned char)p[len]);
		     len++)
			;
		if (len == n && !memcmp(p, word, n))
			return true;
		p += len;
	}
	return false;
}

/* @joined: one logical line of a Makefile that assigns @word something */
static void look_rule(struct derive *d, const char *path, const char *makefile,
		      const char *line, const char *word, char *composite,
		      size_t size)
{
	const char *eq = strchr(line, '='), *end = line + strlen(line), *p = line;
	size_t n = strcspn(line, " \t:+=");
	char name[128];

	if (!eq || !has_word(eq + 1, end, word))
		return;
	if (cpp_symbol_next(&p, eq, name))
		derive_ask(d, name, SCORE_OBJECT, path, 0,
			   "%s is built by CONFIG_%s in %s", word, name,
			   makefile);
	if (starts_with(line, "obj-") || starts_with(line, "lib-"))
		return;
	/* "mm-core-y := a.o": it depends on who wants mm-core.o */
	while (n && line[n - 1] != '-')
		n--;
	if (n > 1 && n + 2 < size)
		snprintf(composite, size, "%.*s.o", (int)n - 1, line);
}

static bool look_makefile(struct derive *d, const char *path, const char *dir,
			  const char *word, char *composite, size_t size)
{
	char *makefile __free(kfree) = xasprintf("%s/Makefile", dir);
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct strbuf line __free(strbuf) = STRBUF_INIT;

	*composite = '\0';
	if (derive_read(d, &d->tree, makefile, &text))
		return false;
	for (char *p = text.buf, *nl; *p; p = nl + 1) {
		nl = strchrnul(p, '\n');
		strbuf_add(&line, p, (size_t)(nl - p));
		if (line.len && line.buf[line.len - 1] == '\\' && *nl) {
			line.buf[line.len - 1] = ' ';
			continue;
		}
		look_rule(d, path, makefile, line.buf, word, composite, size);
		strbuf_reset(&line);
		if (!*nl)
			break;
	}
	return *composite;
}

void derive_makefiles(struct derive *d, const char *path)
{
	char *dir __free(kfree) = xstrdup(path);
	char word[256], next[256], *slash;

	slash = strrchr(dir, '/');
	if (!slash || !ends_with(path, ".c") || strlen(slash) > 200)
		return;
	snprintf(word, sizeof(word), "%.*s.o", (int)strlen(slash + 1) - 2,
		 slash + 1);
	*slash = '\0';
	for (int i = 0; i < MAX_COMPOSITE; i++) {
		if (!look_makefile(d, path, dir, word, next, sizeof(next)))
			break;
		memcpy(word, next, sizeof(word));
	}
	while ((slash = strrchr(dir, '/'))) {
		if (strlen(slash) > 200)
			return;
		snprintf(word, sizeof(word), "%s/", slash + 1);
		*slash = '\0';
		look_makefile(d, path, dir, word, next, sizeof(next));
	}
}
