/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/console-line.h"

#include "lib/cleanup.h"

/* "[    1.234567]", "[T123]", "[    C1]": @caller says which of the two */
static size_t read_bracket(struct span s, bool *caller)
{
	bool digit = false, dot = false, letter = false;
	size_t i = 1;

	if (s.n < 3 || s.p[0] != '[')
		return 0;
	for (; i < s.n && i < 32 && s.p[i] != ']'; i++) {
		char c = s.p[i];

		if (is_digit(c))
			digit = true;
		else if (c == '.')
			dot = true;
		else if ((c == 'T' || c == 'C') && !letter && !digit)
			letter = true;
		else if (!is_blank(c))
			return 0;
	}
	if (i >= s.n || s.p[i] != ']' || !digit || dot == letter)
		return 0;
	*caller = letter;
	return i + 1;
}

static uint32_t hash_of(struct span s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ' ')
			h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h ? h : 1;
}

struct con_line con_read_line(struct span raw)
{
	struct con_line l = { .raw = raw };
	struct span s = span_to(raw, CON_MAX_LINE);
	bool caller, any = false;
	size_t n;

	if (s.n > 3 && s.p[0] == '<' && is_digit(s.p[1])) {
		ssize_t end = span_chr(span_to(s, 5), '>');

		if (end > 0)
			s = span_from(s, (size_t)end + 1);
	}
	while ((n = read_bracket(s, &caller))) {
		/* the stamp comes first; a lone "[C1]" is text */
		if (caller && !any)
			break;
		if (caller)
			l.ctx = hash_of(span_to(s, n));
		any = true;
		s = span_from(s, n);
	}
	if (any && s.n && s.p[0] == ' ')
		s = span_from(s, 1);
	l.text = s;
	return l;
}

/* "[<ffffffff810a376f>] ", "[<00000000abe26b8e>]     " */
static void skip_addresses(struct span *s)
{
	for (;;) {
		struct span t = span_ltrim(*s);
		size_t i = 2;

		if (!span_starts(t, "[<"))
			break;
		while (i < t.n && is_xdigit(t.p[i]))
			i++;
		if (i + 1 >= t.n || t.p[i] != '>' || t.p[i + 1] != ']')
			break;
		*s = span_from(t, i + 2);
	}
	*s = span_ltrim(*s);
}

static bool is_name_char(char c)
{
	return is_word_char(c) || c == '.' || c == '$';
}

static bool is_address(struct span s)
{
	size_t i = 0;

	while (i < s.n && is_xdigit(s.p[i]))
		i++;
	return i == s.n && i >= 8;
}

bool con_function(struct span *s, struct span *name)
{
	struct span t = *s;
	size_t i = 0;

	skip_addresses(&t);
	if (span_skip(&t, "("))
		t = span_ltrim(t);
	while (i < t.n && is_name_char(t.p[i]))
		i++;
	if (!i || is_digit(t.p[0]) || t.p[0] == '.' || is_address(span_to(t, i)))
		return false;
	*name = span_to(t, i);
	t = span_from(t, i);
	if (span_starts(t, "+0x")) {
		i = 3;
		while (i < t.n && (is_xdigit(t.p[i]) || t.p[i] == '/' ||
				   t.p[i] == 'x'))
			i++;
		t = span_from(t, i);
	}
	/* foo.isra.0, foo.part.12, foo.cold, foo.llvm.123 are all foo */
	for (i = 1; i < name->n; i++)
		if (name->p[i] == '.')
			*name = span_to(*name, i);
	*s = t;
	return true;
}

static bool match_any(struct span *s, const char *rest, struct span *cap)
{
	size_t n = strcspn(rest, "%");
	const char *at;

	*cap = *s;
	if (!n) {
		*s = span_from(*s, s->n);
		return true;
	}
	at = memmem(s->p, s->n, rest, n);
	if (!at)
		return false;
	*cap = span_to(*s, (size_t)(at - s->p));
	*s = span_from(*s, cap->n);
	return true;
}

static bool match_class(struct span *s, char what, struct span *cap)
{
	size_t i = 0;

	switch (what) {
	case 'f':
		return con_function(s, cap);
	case 'd':
		while (i < s->n && is_digit(s->p[i]))
			i++;
		break;
	case 'x':
		while (i < s->n && (is_xdigit(s->p[i]) || s->p[i] == 'x'))
			i++;
		break;
	default:
		while (i < s->n && !is_blank(s->p[i]))
			i++;
		*cap = span_to(*s, i);
		break;
	}
	*s = span_from(*s, i);
	return i > 0;
}

bool con_match(struct span s, const char *pattern,
	       struct span cap[CON_MAX_CAPTURES])
{
	size_t nr = 0;

	for (size_t i = 0; i < CON_MAX_CAPTURES; i++)
		cap[i] = SPAN("");
	while (*pattern) {
		struct span c = SPAN("");
		char what = pattern[1];

		if (*pattern != '%') {
			if (!s.n || s.p[0] != *pattern)
				return false;
			s = span_from(s, 1);
			pattern++;
			continue;
		}
		pattern += 2;
		if (!(what == '*' ? match_any(&s, pattern, &c) :
				    match_class(&s, what, &c)))
			return false;
		if (what != 'd' && what != 'x' && nr < CON_MAX_CAPTURES)
			cap[nr++] = c;
	}
	return true;
}

/* --- frames -------------------------------------------------------------- */

static const char *const pc_words[] = {
	"RIP: 0010:", "RIP: e030:", "RIP: e033:", "PC is at ", "EIP: ", "EIP is at ",
	"pc : ",      "epc : ",	    "epc: ",	  "IP: ",      "NIP ",
	"era: ",      "pc: ",
};

static bool read_pc(struct span s, struct con_frame *ret)
{
	struct span t = span_ltrim(s);
	ssize_t at;

	ret->kind = FRAME_PC;
	ret->certain = true;
	for (size_t i = 0; i < ARRAY_SIZE(pc_words); i++) {
		struct span in = t;

		if (!span_skip(&in, pc_words[i]))
			continue;
		/* powerpc: NIP [c000000000012345] func+0x.. */
		if (span_starts(in, "[c") && span_chr(in, ']') > 0)
			in = span_ltrim(span_from(
				in, (size_t)span_chr(in, ']') + 1));
		return con_function(&in, &ret->name) && span_find(t, "+0x") > 0;
	}
	/* s390: "Krnl PSW : 0704c00180000000 000000000012 (func+0x12/0x34)" */
	if (span_starts(t, "Krnl PSW : ")) {
		at = span_chr(t, '(');
		t = at > 0 ? span_from(t, (size_t)at + 1) : SPAN("");
		return con_function(&t, &ret->name);
	}
	return false;
}

/* arm: "[<addr>] (func) from [<addr>] (caller+0x1/0x2)", "func from caller" */
static bool read_from(struct span s, struct con_frame *ret)
{
	struct span t = s;
	ssize_t at = span_find(s, " from ");

	if (at <= 0 || !con_function(&t, &ret->name))
		return false;
	return span_find(span_from(s, (size_t)at), "+0x") > 0;
}

bool con_read_caller(struct span text, struct con_frame *ret)
{
	ssize_t at = span_find(text, " from ");
	struct span s;

	if (at <= 0)
		return false;
	s = span_from(text, (size_t)at + strlen(" from "));
	ret->kind = FRAME_CALL;
	ret->certain = true;
	return con_function(&s, &ret->name);
}

/* "func file.c:12 [inline]", as a symbolizer adds them */
static bool read_inline(struct span s, struct con_frame *ret)
{
	struct span t = s;

	return span_ends(span_rtrim(s), " [inline]") &&
	       con_function(&t, &ret->name);
}

bool con_read_frame(struct span text, struct con_frame *ret)
{
	struct span s = span_ltrim(text), t;
	ssize_t off;

	if (!s.n || (s.n == text.n && s.p[0] != '['  && span_find(s, " from ") < 0) ||
	    s.p[0] == '#')
		return read_pc(text, ret);
	ret->kind = FRAME_CALL;
	ret->certain = true;
	if (span_starts(s, "[<") || span_starts(s, "[c")) {
		ssize_t end = span_chr(s, ']');

		if (end < 0)
			return false;
		/* powerpc: "[c0001] [c0002] func+0x1/0x2 (unreliable)" */
		while (end >= 0 && span_starts(s, "[")) {
			s = span_ltrim(span_from(s, (size_t)end + 1));
			end = span_chr(s, ']');
		}
	}
	if (span_skip(&s, "? ")) {
		ret->certain = false;
		s = span_ltrim(s);
		skip_addresses(&s);
	}
	if (read_from(s, ret) || read_inline(s, ret))
		return true;
	t = s;
	off = span_find(s, "+0x");
	if (off <= 0 || !con_function(&t, &ret->name))
		return read_pc(text, ret);
	/* the offset must belong to the first word */
	if (span_word(s).n < (size_t)off)
		return read_pc(text, ret);
	return true;
}
