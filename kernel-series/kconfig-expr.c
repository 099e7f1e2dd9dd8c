// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "kernel-series/kconfig-private.h"
#include "lib/json.h"

#define MAX_DEPTH 64

/** struct kparse - an expression on its way */
struct kparse {
	struct kconfig *k;
	const char *p;
	int depth;
};

static int node(struct kconfig *k, enum kexpr_op op, int a, int b)
{
	int i;

	if (k->n_exprs >= KCONFIG_MAX_ITEMS)
		return -1;
	i = KADD(k->exprs, k->n_exprs, k->exprs_alloc);
	k->exprs[i].op = op;
	k->exprs[i].a = a;
	k->exprs[i].b = b;
	return i;
}

int kexpr_and(struct kconfig *k, int a, int b)
{
	if (a < 0)
		return b;
	if (b < 0)
		return a;
	return node(k, KEXPR_AND, a, b);
}

static void skip_space(struct kparse *s)
{
	while (isspace((unsigned char)*s->p))
		s->p++;
}

/*
 * What the build environment answers: of it only the architecture is known, a
 * question to the compiler is taken for answered with yes.
 */
static void add_macro(struct kparse *s, struct strbuf *out)
{
	int depth = 0;
	const char *from = s->p;
	size_t n;

	for (; *s->p; s->p++) {
		depth += *s->p == '(';
		if (*s->p == ')' && !--depth) {
			s->p++;
			break;
		}
	}
	n = (size_t)(s->p - from);
	if (n == 7 && !memcmp(from, "$(ARCH)", n))
		/* x86_64 is another name of x86 */
		strbuf_addstr(out, strcmp(s->k->srcarch, "x86") ?
				   s->k->srcarch : "x86_64");
	else if (n == 10 && !memcmp(from, "$(SRCARCH)", n))
		strbuf_addstr(out, s->k->srcarch);
	else
		strbuf_addstr(out, "y");
}

/* A word or a string. Return: whether it stood in quotes. */
static bool read_word(struct kparse *s, struct strbuf *out)
{
	char quote = '\0';

	skip_space(s);
	if (*s->p == '"' || *s->p == '\'')
		quote = *s->p++;
	while (*s->p) {
		if (s->p[0] == '$' && s->p[1] == '(') {
			add_macro(s, out);
		} else if (quote ? *s->p == quote :
				   !isalnum((unsigned char)*s->p) &&
				   !strchr("_-./", *s->p)) {
			break;
		} else {
			strbuf_addch(out, *s->p++);
		}
	}
	if (quote && *s->p == quote)
		s->p++;
	return quote;
}

static int value_of_word(const char *w)
{
	return !strcmp(w, "y") ? KCONFIG_Y :
	       !strcmp(w, "m") ? KCONFIG_M :
	       !strcmp(w, "n") ? KCONFIG_N : KCONFIG_UNKNOWN;
}

static int parse_or(struct kparse *s);

/* "A = B", "A != B"; less and greater are taken for true. */
static int parse_compare(struct kparse *s, const char *left, bool is_string)
{
	struct strbuf right __free(strbuf) = STRBUF_INIT;
	bool negated = s->p[0] == '!';
	int i;

	s->p += negated ? 2 : 1;
	read_word(s, &right);
	if (is_string || value_of_word(left) != KCONFIG_UNKNOWN)
		return node(s->k, KEXPR_CONST,
			    !strcmp(left, right.buf) != negated ? 2 : 0, -1);
	i = node(s->k, negated ? KEXPR_UNEQUAL : KEXPR_EQUAL,
		 kconfig_symbol(s->k, left), -1);
	if (i >= 0)
		s->k->exprs[i].text = strbuf_detach(&right);
	return i;
}

static int parse_atom(struct kparse *s)
{
	struct strbuf w __free(strbuf) = STRBUF_INIT;
	bool is_string;
	int r;

	skip_space(s);
	if (*s->p == '!' && s->p[1] != '=') {
		s->p++;
		if (++s->depth > MAX_DEPTH)
			return -1;
		r = parse_atom(s);
		s->depth--;
		return node(s->k, KEXPR_NOT, r, -1);
	}
	if (*s->p == '(') {
		s->p++;
		if (++s->depth > MAX_DEPTH)
			return -1;
		r = parse_or(s);
		s->depth--;
		skip_space(s);
		if (*s->p == ')')
			s->p++;
		return r;
	}
	is_string = read_word(s, &w);
	skip_space(s);
	if (*s->p == '=' || (s->p[0] == '!' && s->p[1] == '='))
		return parse_compare(s, w.buf, is_string);
	if (*s->p == '<' || *s->p == '>') {
		s->p += strspn(s->p, "<>=");
		strbuf_reset(&w);
		read_word(s, &w);
		return node(s->k, KEXPR_CONST, KCONFIG_Y, -1);
	}
	if (!w.len)
		return -1;
	r = value_of_word(w.buf);
	if (r != KCONFIG_UNKNOWN)
		return node(s->k, KEXPR_CONST, r, -1);
	return node(s->k, KEXPR_SYMBOL, kconfig_symbol(s->k, w.buf), -1);
}

static int parse_and(struct kparse *s)
{
	int a = parse_atom(s);

	for (skip_space(s); s->p[0] == '&' && s->p[1] == '&'; skip_space(s)) {
		s->p += 2;
		a = kexpr_and(s->k, a, parse_atom(s));
	}
	return a;
}

static int parse_or(struct kparse *s)
{
	int a = parse_and(s);

	for (skip_space(s); s->p[0] == '|' && s->p[1] == '|'; skip_space(s)) {
		s->p += 2;
		a = node(s->k, KEXPR_OR, a, parse_and(s));
	}
	return a;
}

int kexpr_parse(struct kconfig *k, const char *text)
{
	struct kparse s = { k, text, 0 };

	return parse_or(&s);
}

static bool is_equal(const struct kconfig *k, const struct kexpr *e)
{
	const struct ksymbol *s = &k->symbols[e->a];
	int v = value_of_word(e->text), other;

	if (v == KCONFIG_UNKNOWN) {
		other = kconfig_find(k, e->text);
		if (other >= 0 && k->symbols[other].entries >= 0)
			return s->value == k->symbols[other].value;
		return !strcmp(json_get_str(k->others, s->name, ""), e->text);
	}
	return s->value == v;
}

static int clamp_to(int v, int floor, int ceiling)
{
	return v < floor ? floor : v > ceiling ? ceiling : v;
}

/*
 * Depth: parentheses are limited by the parser; a long chain of && or || leans
 * to the left, which is walked in a loop.
 */
int kexpr_eval(const struct kconfig *k, int expr)
{
	const struct kexpr *e;
	int floor = 0, ceiling = 2;

	while (expr >= 0) {
		int v;

		e = &k->exprs[expr];
		switch (e->op) {
		case KEXPR_CONST:
			v = e->a;
			break;
		case KEXPR_SYMBOL:
			v = k->symbols[e->a].value;
			break;
		case KEXPR_NOT:
			v = 2 - kexpr_eval(k, e->a);
			break;
		case KEXPR_EQUAL:
			v = is_equal(k, e) ? 2 : 0;
			break;
		case KEXPR_UNEQUAL:
			v = is_equal(k, e) ? 0 : 2;
			break;
		case KEXPR_AND:
			/* min(a, b) within [floor, ceiling] */
			ceiling = clamp_to(kexpr_eval(k, e->b), floor, ceiling);
			expr = e->a;
			continue;
		case KEXPR_OR:
			floor = clamp_to(kexpr_eval(k, e->b), floor, ceiling);
			expr = e->a;
			continue;
		default:
			v = 0;
		}
		return clamp_to(v, floor, ceiling);
	}
	return ceiling;
}
