// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/kconfig.h"

#include <ctype.h>
#include <string.h>

#include "kernel-series/kconfig-private.h"
#include "lib/json.h"

#define MAX_FILES 5000
#define MAX_NEST 128
#define MAX_SOURCE_DEPTH 32

/** struct kread - where the reader is, over all files */
struct kread {
	struct kconfig *k;
	int (*get)(void *arg, const char *path, struct strbuf *text);
	void *arg;
	int depends[MAX_NEST]; /* of if, menu and choice, each with the outer */
	int depth;
	int entry; /* open config block, -1: none */
	bool in_choice_or_menu;
	unsigned int files, source_depth;
};

int kconfig_find(const struct kconfig *k, const char *name)
{
	return (int)json_get_int(k->index, name, -1);
}

int kconfig_symbol(struct kconfig *k, const char *name)
{
	int i = kconfig_find(k, name);

	if (i >= 0)
		return i;
	if (k->n_symbols >= KCONFIG_MAX_ITEMS)
		return 0;
	i = KADD(k->symbols, k->n_symbols, k->symbols_alloc);
	k->symbols[i] = (struct ksymbol){
		.name = xstrdup(name), .entries = -1, .last_entry = -1,
		.selectors = -1, .answer = -1,
	};
	json_set_int(k->index, name, i);
	return i;
}

static void open_entry(struct kread *s, const char *name)
{
	struct kconfig *k = s->k;
	struct ksymbol *sym;
	int symbol, i;

	s->entry = -1;
	if (k->n_entries >= KCONFIG_MAX_ITEMS || !*name)
		return;
	symbol = kconfig_symbol(k, name);
	i = KADD(k->entries, k->n_entries, k->entries_alloc);
	k->entries[i] = (struct kentry){
		.symbol = symbol, .next = -1,
		.depends = s->depends[s->depth], .prompt_if = -1,
		.defaults = -1, .last_default = -1,
	};
	sym = &k->symbols[symbol];
	if (sym->last_entry >= 0)
		k->entries[sym->last_entry].next = i;
	else
		sym->entries = i;
	sym->last_entry = i;
	s->entry = i;
}

static void push(struct kread *s, int depends)
{
	int outer = s->depends[s->depth];

	if (s->depth + 1 < MAX_NEST)
		s->depth++;
	s->depends[s->depth] = kexpr_and(s->k, outer, depends);
	s->entry = -1;
}

static void pop(struct kread *s)
{
	if (s->depth)
		s->depth--;
	s->entry = -1;
}

/* Cuts "X if COND" after the first "if" outside of quotes. */
static int cut_if(struct kread *s, char *text)
{
	char quote = '\0';

	for (char *p = text; *p; p++) {
		if (quote) {
			if (*p == '\\' && p[1])
				p++;
			else if (*p == quote)
				quote = '\0';
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
		} else if (!strncmp(p, "if ", 3) && p > text &&
			   (isspace((unsigned char)p[-1]) || p[-1] == quote ||
			    p[-1] == '"')) {
			*p = '\0';
			return kexpr_parse(s->k, p + 3);
		}
	}
	return -1;
}

static void add_default(struct kread *s, char *text)
{
	struct kconfig *k = s->k;
	struct kentry *e = &k->entries[s->entry];
	int cond = cut_if(s, text), value = kexpr_parse(k, text), i;

	if (k->n_defaults >= KCONFIG_MAX_ITEMS)
		return;
	i = KADD(k->defaults, k->n_defaults, k->defaults_alloc);
	k->defaults[i] = (struct kdefault){ value, cond, -1 };
	if (e->last_default >= 0)
		k->defaults[e->last_default].next = i;
	else
		e->defaults = i;
	e->last_default = i;
}

static void add_select(struct kread *s, char *text)
{
	struct kconfig *k = s->k;
	int cond = cut_if(s, text), to, i;

	text[strcspn(text, " \t")] = '\0';
	if (!*text || k->n_selects >= KCONFIG_MAX_ITEMS)
		return;
	to = kconfig_symbol(k, text);
	i = KADD(k->selects, k->n_selects, k->selects_alloc);
	k->selects[i] = (struct kselect){
		k->entries[s->entry].symbol, to, cond, k->symbols[to].selectors
	};
	k->symbols[to].selectors = i;
}

static void set_prompt(struct kread *s, char *text)
{
	struct kentry *e = &s->k->entries[s->entry];
	int cond;

	if (!*text)
		return;
	cond = cut_if(s, text);
	/* parsing may have moved nothing of the entries: they are an array */
	e->prompt = true;
	e->prompt_if = cond;
}

static void attribute(struct kread *s, const char *word, char *rest)
{
	struct kconfig *k = s->k;
	struct ksymbol *sym;

	if (!strcmp(word, "depends") && starts_with(rest, "on")) {
		int e = kexpr_parse(k, rest + 2);

		if (s->entry >= 0)
			k->entries[s->entry].depends = kexpr_and(
				k, k->entries[s->entry].depends, e);
		else if (s->in_choice_or_menu)
			s->depends[s->depth] = kexpr_and(
				k, s->depends[s->depth], e);
		return;
	}
	if (s->entry < 0)
		return;
	sym = &k->symbols[k->entries[s->entry].symbol];
	if (!strcmp(word, "bool") || !strcmp(word, "def_bool"))
		sym->is_bool = true;
	else if (!strcmp(word, "tristate") || !strcmp(word, "def_tristate"))
		sym->is_tristate = true;
	if (!strcmp(word, "bool") || !strcmp(word, "tristate") ||
	    !strcmp(word, "prompt"))
		set_prompt(s, rest);
	else if (!strcmp(word, "def_bool") || !strcmp(word, "def_tristate") ||
		 !strcmp(word, "default"))
		add_default(s, rest);
	else if (!strcmp(word, "select"))
		add_select(s, rest);
}

static void read_file(struct kread *s, const char *path);

static void read_source(struct kread *s, char *rest)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;

	for (const char *p = rest; *p; p++) {
		if (starts_with(p, "$(SRCARCH)")) {
			strbuf_addstr(&path, s->k->srcarch);
			p += strlen("$(SRCARCH)") - 1;
		} else if (*p != '"' && *p != '\'') {
			strbuf_addch(&path, *p);
		}
	}
	strbuf_rtrim(&path);
	s->entry = -1;
	if (s->source_depth == MAX_SOURCE_DEPTH || s->files++ > MAX_FILES)
		return;
	s->source_depth++;
	read_file(s, path.buf);
	s->source_depth--;
}

static void statement(struct kread *s, char *line)
{
	size_t n = strcspn(line, " \t\"'");
	char word[32] = "", *rest = line + n;

	memcpy(word, line, min(n, sizeof(word) - 1));
	rest += strspn(rest, " \t");
	if (!strcmp(word, "config") || !strcmp(word, "menuconfig")) {
		open_entry(s, rest);
		s->in_choice_or_menu = false;
	} else if (!strcmp(word, "if")) {
		push(s, kexpr_parse(s->k, rest));
		s->in_choice_or_menu = false;
	} else if (!strcmp(word, "menu") || !strcmp(word, "choice")) {
		push(s, -1);
		s->in_choice_or_menu = true;
	} else if (!strcmp(word, "endif") || !strcmp(word, "endmenu") ||
		   !strcmp(word, "endchoice")) {
		pop(s);
		s->in_choice_or_menu = false;
	} else if (!strcmp(word, "source")) {
		s->in_choice_or_menu = false;
		read_source(s, rest);
	} else if (!strcmp(word, "comment") || !strcmp(word, "mainmenu")) {
		s->entry = -1;
		s->in_choice_or_menu = false;
	} else {
		attribute(s, word, rest);
	}
}

static size_t indent_of(const char *p, const char *end)
{
	size_t n = 0;

	for (; p < end && (*p == ' ' || *p == '\t'); p++)
		n = *p == '\t' ? (n | 7) + 1 : n + 1;
	return n;
}

/* The text under "help" goes on as long as it is indented as its first line. */
static const char *skip_help(const char *p, const char *end)
{
	size_t first = 0;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end, *text = p;
		size_t n = indent_of(p, stop);

		while (text < stop && isspace((unsigned char)*text))
			text++;
		if (text < stop) {
			if (!first)
				first = n;
			if (!n || n < first)
				return p;
		}
		p = nl ? nl + 1 : end;
	}
	return end;
}

static void cut_comment(struct strbuf *line)
{
	char quote = '\0';

	for (size_t i = 0; i < line->len; i++) {
		char c = line->buf[i];

		if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '#') {
			strbuf_setlen(line, i);
			break;
		}
	}
	strbuf_rtrim(line);
}

static void read_text(struct kread *s, const char *p, const char *end)
{
	struct strbuf line __free(strbuf) = STRBUF_INIT;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;
		char *text;

		strbuf_add(&line, p, (size_t)(stop - p));
		p = nl ? nl + 1 : end;
		if (line.len && line.buf[line.len - 1] == '\\') {
			strbuf_setlen(&line, line.len - 1);
			continue;
		}
		cut_comment(&line);
		text = line.buf + strspn(line.buf, " \t");
		if (!strcmp(text, "help") || !strcmp(text, "---help---"))
			p = skip_help(p, end);
		else if (*text)
			statement(s, text);
		strbuf_reset(&line);
	}
}

static void read_file(struct kread *s, const char *path)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	if (!s->get(s->arg, path, &text))
		read_text(s, text.buf, text.buf + text.len);
}

struct kconfig *kconfig_read(const char *srcarch,
			     int (*get)(void *arg, const char *path,
					struct strbuf *text),
			     void *arg)
{
	struct kconfig *k = xcalloc(1, sizeof(*k));
	struct kread s = { .k = k, .get = get, .arg = arg, .entry = -1 };

	k->srcarch = xstrdup(srcarch);
	k->index = json_object();
	k->others = json_object();
	s.depends[0] = -1;
	read_file(&s, "Kconfig");
	return k;
}

void kconfig_free(struct kconfig *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n_symbols; i++)
		free(k->symbols[i].name);
	for (size_t i = 0; i < k->n_exprs; i++)
		free(k->exprs[i].text);
	free(k->symbols);
	free(k->exprs);
	free(k->entries);
	free(k->defaults);
	free(k->selects);
	json_decref(k->index);
	json_decref(k->others);
	free(k->srcarch);
	free(k);
}

static void answer(struct kconfig *k, char *name, const char *value)
{
	int i;

	if (!starts_with(name, "CONFIG_"))
		return;
	i = kconfig_find(k, name + strlen("CONFIG_"));
	if (i < 0)
		return;
	k->symbols[i].answer = !strcmp(value, "y") ? KCONFIG_Y :
			       !strcmp(value, "m") ? KCONFIG_M : KCONFIG_N;
	if (!k->symbols[i].is_bool && !k->symbols[i].is_tristate)
		json_set_text(k->others, k->symbols[i].name, value);
}

void kconfig_set_config(struct kconfig *k, const char *text)
{
	char *copy __free(kfree) = xstrdup(text), *save = NULL;

	for (size_t i = 0; i < k->n_symbols; i++)
		k->symbols[i].answer = -1;
	json_object_clear(k->others);
	for (char *l = strtok_r(copy, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		char *eq = strchr(l, '=');

		if (*l == '#' || !eq)
			continue;
		*eq = '\0';
		answer(k, l, eq + 1);
	}
	kconfig_evaluate(k);
}

enum kconfig_value kconfig_value(struct kconfig *k, const char *name)
{
	int i = kconfig_find(k, name);

	if (i < 0 || (!k->symbols[i].is_bool && !k->symbols[i].is_tristate))
		return KCONFIG_UNKNOWN;
	return (enum kconfig_value)k->symbols[i].value;
}
