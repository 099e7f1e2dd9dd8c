// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/cpp-scan.h"

#include <ctype.h>
#include <string.h>

#define MAX_NEST 64
#define MAX_ITEMS 1000000

/** struct nest - an open #if: its branch, and the depth before it */
struct nest {
	int branch;
	int outer;
	int braces, parens;
};

/** struct scan - where the scan is */
struct scan {
	struct cpp_file *f;
	struct nest nest[MAX_NEST];
	unsigned int depth, too_deep;
	int branch, braces, parens;
	unsigned int line, paren_line, statement_line;
	int block; /* open one, -1: none */
	bool in_comment, in_macro, in_directive;
	unsigned int macro_line;
	char name[128]; /* first name with parentheses in the statement */
};

#define ADD(array, n, alloc)                                               \
	({                                                                 \
		if ((n) == (alloc)) {                                      \
			(alloc) = max((alloc) * 2, (size_t)64);            \
			(array) = xrealloc_array((array), (alloc),         \
						 sizeof(*(array)));        \
		}                                                          \
		memset(&(array)[n], 0, sizeof(*(array)));                  \
		&(array)[(n)++];                                           \
	})

static bool is_word(int c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool cpp_symbol_next(const char **p, const char *end, char name[static 128])
{
	static const char prefix[] = "CONFIG_", module[] = "_MODULE";
	const char *s = *p;

	while ((s = memmem(s, (size_t)(end - s), prefix, strlen(prefix)))) {
		const char *from = s + strlen(prefix), *to = from;
		size_t n;

		while (to < end && is_word(*to))
			to++;
		n = (size_t)(to - from);
		if (!n || n > 127 || (s > *p && is_word(s[-1]))) {
			s = to;
			continue;
		}
		memcpy(name, from, n);
		name[n] = '\0';
		if (n > strlen(module) && ends_with(name, module))
			name[n - strlen(module)] = '\0';
		*p = to;
		return true;
	}
	*p = end;
	return false;
}

/* "!" or "!defined(" or "!IS_ENABLED(" in front of the symbol at @at. */
static bool is_negated(const char *start, const char *at)
{
	while (at > start && (isspace((unsigned char)at[-1]) || at[-1] == '('))
		at--;
	while (at > start && is_word(at[-1]))
		at--;
	while (at > start && (isspace((unsigned char)at[-1]) || at[-1] == '('))
		at--;
	return at > start && at[-1] == '!';
}

static void read_condition(struct cpp_branch *b, const char *p,
			   const char *end, bool negated)
{
	const char *start = p;
	char name[128];

	while (b->n < CPP_MAX_SYMBOLS && cpp_symbol_next(&p, end, name)) {
		const char *at = p - strlen(name);

		while (at > start && strncmp(at, "CONFIG_", 7))
			at--;
		b->on[b->n] = is_negated(start, at) == negated;
		b->symbols[b->n++] = xstrdup(name);
	}
}

static struct cpp_branch *new_branch(struct scan *s, int parent)
{
	struct cpp_file *f = s->f;
	struct cpp_branch *b = ADD(f->branches, f->n_branches,
				   f->branches_alloc);

	b->parent = parent;
	b->line = s->line;
	s->branch = (int)f->n_branches - 1;
	return b;
}

static void open_branch(struct scan *s, const char *p, const char *end,
			bool negated)
{
	if (s->depth == MAX_NEST) {
		s->too_deep++;
		return;
	}
	s->nest[s->depth].outer = s->branch;
	s->nest[s->depth].braces = s->braces;
	s->nest[s->depth].parens = s->parens;
	read_condition(new_branch(s, s->branch), p, end, negated);
	s->nest[s->depth++].branch = s->branch;
}

/* #else: what the branches before it ask for, the other way round. */
static void other_branch(struct scan *s, const char *p, const char *end)
{
	struct nest *n;
	struct cpp_branch *old, *b;
	int before;

	if (!s->depth || s->too_deep)
		return;
	n = &s->nest[s->depth - 1];
	before = n->branch;
	b = new_branch(s, n->outer);
	old = &s->f->branches[before];
	old->end = s->line;
	for (size_t i = 0; i < old->n; i++) {
		b->on[b->n] = !old->on[i];
		b->symbols[b->n++] = xstrdup(old->symbols[i]);
	}
	read_condition(b, p, end, false);
	n->branch = s->branch;
	s->braces = n->braces;
	s->parens = n->parens;
}

static void close_branch(struct scan *s)
{
	if (s->too_deep) {
		s->too_deep--;
		return;
	}
	if (!s->depth)
		return;
	s->depth--;
	s->f->branches[s->nest[s->depth].branch].end = s->line;
	s->branch = s->nest[s->depth].outer;
}

static void add_def(struct scan *s, const char *name, size_t len)
{
	struct cpp_file *f = s->f;
	struct cpp_def *d;

	if (f->n_defs == MAX_ITEMS)
		return;
	d = ADD(f->defs, f->n_defs, f->defs_alloc);
	d->name = xstrndup(name, len);
	d->line = s->line;
	d->branch = s->branch;
}

static void open_block(struct scan *s, const char *name, bool is_macro,
		       unsigned int start)
{
	struct cpp_file *f = s->f;
	struct cpp_block *b;

	if (f->n_blocks == MAX_ITEMS)
		return;
	b = ADD(f->blocks, f->n_blocks, f->blocks_alloc);
	b->name = xstrdup(name);
	b->is_macro = is_macro;
	b->start = start;
	b->end = s->line;
	s->block = (int)f->n_blocks - 1;
	for (unsigned int i = start; i < s->line; i++)
		f->lines[i - 1].block = s->block;
}

static void close_block(struct scan *s)
{
	if (s->block >= 0)
		s->f->blocks[s->block].end = s->line;
	s->block = -1;
}

static void define(struct scan *s, const char *p, const char *end)
{
	char name[128];
	size_t n = 0;

	while (p < end && isspace((unsigned char)*p))
		p++;
	while (p + n < end && is_word(p[n]) && n < sizeof(name) - 1)
		n++;
	if (!n)
		return;
	memcpy(name, p, n);
	name[n] = '\0';
	add_def(s, name, n);
	s->in_macro = true;
	s->macro_line = s->line;
	if (s->block < 0)
		open_block(s, name, true, s->line);
}

static void directive(struct scan *s, const char *p, const char *end)
{
	const char *word;
	size_t n;

	while (p < end && (isspace((unsigned char)*p) || *p == '#'))
		p++;
	word = p;
	while (p < end && is_word(*p))
		p++;
	n = (size_t)(p - word);
	s->in_macro = false;
#define IS(name) (n == strlen(name) && !memcmp(word, name, n))
	if (IS("if") || IS("ifdef"))
		open_branch(s, p, end, false);
	else if (IS("ifndef"))
		open_branch(s, p, end, true);
	else if (IS("elif") || IS("else"))
		other_branch(s, p, end);
	else if (IS("endif"))
		close_branch(s);
	else if (IS("define"))
		define(s, p, end);
#undef IS
}

static const char *skip_quoted(const char *p, const char *end)
{
	char quote = *p++;

	while (p < end && *p != quote)
		p += *p == '\\' ? 2 : 1;
	return p < end ? p + 1 : end;
}

static void brace(struct scan *s, bool opens)
{
	if (opens) {
		if (!s->braces++ && s->block < 0)
			open_block(s, s->name, false,
				   s->statement_line ? s->statement_line :
						       s->line);
		return;
	}
	if (s->braces > 0 && !--s->braces) {
		close_block(s);
		s->parens = 0;
		s->statement_line = 0;
		s->name[0] = '\0';
	}
}

/* Words that stand before parentheses without being declared. */
static bool is_keyword(const char *p, size_t n)
{
	static const char *const words[] = {
		"int", "void", "char", "long", "short", "unsigned", "signed",
		"bool", "if", "while", "for", "switch", "return", "sizeof",
		"typeof", "__typeof__", "__attribute__", "defined", "__printf",
		"__aligned", "asm", "_Static_assert", "static_assert",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i]) == n && !memcmp(words[i], p, n))
			return true;
	}
	return false;
}

static const char *read_word(struct scan *s, const char *p, const char *end)
{
	const char *from = p, *next;

	while (p < end && is_word(*p))
		p++;
	for (next = p; next < end && isspace((unsigned char)*next); next++)
		;
	if (s->braces || s->parens || next == end || *next != '(' ||
	    isdigit((unsigned char)*from) ||
	    is_keyword(from, (size_t)(p - from)))
		return p;
	add_def(s, from, (size_t)(p - from));
	if (!s->name[0] && p - from < (ptrdiff_t)sizeof(s->name)) {
		memcpy(s->name, from, (size_t)(p - from));
		s->name[p - from] = '\0';
	}
	return p;
}

static const char *read_token(struct scan *s, const char *p, const char *end)
{
	if (!s->braces && !s->statement_line)
		s->statement_line = s->line;
	if (is_word(*p))
		return read_word(s, p, end);
	switch (*p) {
	case '"':
	case '\'':
		return skip_quoted(p, end);
	case '(':
		if (!s->parens++)
			s->paren_line = s->line;
		break;
	case ')':
		if (s->parens)
			s->parens--;
		break;
	case '{':
		/* a statement in parentheses is still within them */
		brace(s, true);
		break;
	case '}':
		brace(s, false);
		break;
	case ';':
		if (!s->braces) {
			s->parens = 0;
			s->statement_line = 0;
			s->name[0] = '\0';
		}
		break;
	}
	return p + 1;
}

/* Return: whether anything but white space and comments is on the line. */
static bool read_tokens(struct scan *s, const char *p, const char *end,
			bool count)
{
	bool any = false;

	while (p < end) {
		if (s->in_comment) {
			const char *stop = memmem(p, (size_t)(end - p), "*/",
						  2);

			if (!stop)
				return any;
			s->in_comment = false;
			p = stop + 2;
		} else if (p + 1 < end && p[0] == '/' && p[1] == '*') {
			s->in_comment = true;
			p += 2;
		} else if (p + 1 < end && p[0] == '/' && p[1] == '/') {
			return any;
		} else if (isspace((unsigned char)*p)) {
			p++;
		} else {
			any |= *p != '\\' || p + 1 < end;
			if (count)
				p = read_token(s, p, end);
			else
				p = *p == '"' ? skip_quoted(p, end) : p + 1;
		}
	}
	return any;
}

static void read_line(struct scan *s, const char *text, const char *p,
		      const char *end)
{
	struct cpp_line *l = ADD(s->f->lines, s->f->n_lines,
				 s->f->lines_alloc);
	bool continued = end > p && end[-1] == '\\', code = false;
	bool was_paren = s->parens > 0;
	const char *first = p;
	size_t at = s->f->n_lines - 1;

	s->line = (unsigned int)s->f->n_lines;
	l->offset = (size_t)(p - text);
	l->anchor = s->line;
	l->block = s->block;
	l->branch = s->branch;
	while (first < end && isspace((unsigned char)*first))
		first++;
	if (s->in_directive) {
		code = read_tokens(s, p, end, false) && s->in_macro;
	} else if (!s->in_comment && first < end && *first == '#') {
		directive(s, first, end);
		s->in_directive = true;
		read_tokens(s, first, end, false);
		code = s->in_macro;
	} else {
		code = read_tokens(s, p, end, true);
		s->in_macro = false;
	}
	l = &s->f->lines[at];
	if (s->in_directive && s->in_macro)
		l->anchor = s->macro_line;
	else if (!s->in_directive && was_paren)
		l->anchor = s->paren_line;
	l->is_code = code;
	if (s->block >= 0)
		l->block = s->block;
	if (s->in_directive && !continued) {
		s->in_directive = false;
		if (s->in_macro && s->block >= 0 &&
		    s->f->blocks[s->block].is_macro)
			close_block(s);
		s->in_macro = false;
	}
}

void cpp_scan(const char *text, size_t len, struct cpp_file *ret)
{
	struct scan s = { .f = ret, .branch = -1, .block = -1 };
	const char *p = text, *end = text + len;

	memset(ret, 0, sizeof(*ret));
	while (p < end && ret->n_lines < MAX_ITEMS) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;

		read_line(&s, text, p, stop);
		p = stop + 1;
	}
}

void cpp_file_release(struct cpp_file *f)
{
	for (size_t i = 0; i < f->n_branches; i++) {
		for (size_t k = 0; k < f->branches[i].n; k++)
			free(f->branches[i].symbols[k]);
	}
	for (size_t i = 0; i < f->n_blocks; i++)
		free(f->blocks[i].name);
	for (size_t i = 0; i < f->n_defs; i++)
		free(f->defs[i].name);
	free(f->branches);
	free(f->blocks);
	free(f->defs);
	free(f->lines);
	memset(f, 0, sizeof(*f));
}
