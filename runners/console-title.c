/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/cleanup.h"
#include "runners/console-report.h"

#define MAX_TITLE 160

/* Headings after which a stack is that of somebody else. */
static const char *const other_stacks[] = {
	"Allocated by task",	"Freed by task",     "allocated by task",
	"freed by task",	"Uninit was ",	     "Local variable ",
	"Showing all locks",	"Last potentially related work",
	"Second to last ",	"The buggy address belongs",
	"Sending NMI",		"page_owner tracks", "page last free",
	"Reported by Kernel",	"Memory state around", "Object at ",
	"Allocated:",		"Freed:",	     "Showing busy workqueues",
	"which lock already",	"which would create", "irq event stamp",
	"the existing dependency chain",
};

static const char *const trace_words[] = {
	"Call Trace:", "Call trace:", "Backtrace:", "backtrace:", "backtrace (",
	"Call Trace", "backtrace from",
};

static bool starts_any(struct span s, const char *const *words, size_t n)
{
	s = span_ltrim(s);
	for (size_t i = 0; i < n; i++)
		if (span_starts(s, words[i]))
			return true;
	return false;
}

void con_frames_of(struct con_report *r)
{
	uint32_t ctx = r->nr_lines ? r->lines[0].ctx : 0;
	bool other = false;

	r->frames = xcalloc(CON_MAX_FRAMES, sizeof(*r->frames));
	for (size_t i = 0; i < r->nr_lines; i++) {
		struct con_line *l = &r->lines[i];
		struct con_frame f;

		if (span_find(l->raw, "printk messages dropped") >= 0)
			r->dropped = true;
		if (ctx && l->ctx != ctx && r->rule->source != SRC_WORK)
			continue;
		if (!i)
			continue;
		if (starts_any(l->text, trace_words, ARRAY_SIZE(trace_words))) {
			r->traces++;
			/* lockdep prints the stack that counts at the end */
			other = false;
			continue;
		}
		if (starts_any(l->text, other_stacks,
			       ARRAY_SIZE(other_stacks))) {
			other = true;
			continue;
		}
		if (other || r->nr_frames >= CON_MAX_FRAMES ||
		    !con_read_frame(l->text, &f))
			continue;
		f.line = i;
		r->frames[r->nr_frames++] = f;
	}
}

/* --- which function ------------------------------------------------------ */

static const struct {
	const char *start;
	const char *family;
} family_names[] = {
	{ "smp_call_function", "smp_call_function" },
	{ "synchronize_rcu", "synchronize_rcu" },
	{ "synchronize_sched", "synchronize_rcu" },
	{ "synchronize_srcu", "synchronize_rcu" },
	{ "__synchronize_srcu", "synchronize_rcu" },
	{ "__synchronize_rcu", "synchronize_rcu" },
};

static const struct {
	const char *prefix;
	const char *keep;
} call_prefixes[] = {
	{ "__x64_compat_sys_", "compat_sys_" },
	{ "__ia32_compat_sys_", "" },
	{ "__arm64_compat_sys_", "" },
	{ "__x64_sys_", "sys_" },
	{ "__ia32_sys_", "sys_" },
	{ "__arm64_sys_", "sys_" },
	{ "__riscv_sys_", "sys_" },
	{ "__s390x_sys_", "sys_" },
	{ "__s390_sys_", "sys_" },
	{ "__powerpc_sys_", "sys_" },
	{ "compat_SyS_", "" },
	{ "compat_sys_", "" },
	{ "__do_compat_sys_", "" },
	{ "__se_compat_sys_", "" },
	{ "__do_sys_", "" },
	{ "__se_sys_", "" },
	{ "SYSC_", "" },
	{ "C_SYSC_", "" },
	{ "SyS_", "sys_" },
};

struct span con_system_call(struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(call_prefixes); i++) {
		struct span s = name;

		if (!span_skip(&s, call_prefixes[i].prefix) || !s.n)
			continue;
		/* "sys_" is the tail of the prefix and stays in the span */
		return (struct span){
			s.p - strlen(call_prefixes[i].keep),
			s.n + strlen(call_prefixes[i].keep)
		};
	}
	return SPAN("");
}

struct span con_family_name(struct span name)
{
	struct span call = con_system_call(name);

	if (call.n)
		return call;
	for (size_t i = 0; i < ARRAY_SIZE(family_names); i++)
		if (span_starts(name, family_names[i].start))
			return span_of(family_names[i].family);
	return name;
}

static bool usable(const struct con_report *r, const struct con_frame *f)
{
	return f->certain && !con_is_noise(f->name, r->rule->skip);
}

static struct span first_useful(const struct con_report *r)
{
	for (size_t i = 0; i < r->nr_frames; i++)
		if (usable(r, &r->frames[i]))
			return r->frames[i].name;
	return SPAN("");
}

/* The innermost thing that was asked for: what an entry point called. */
static struct span work_done(const struct con_report *r)
{
	for (size_t i = 0; i < r->nr_frames; i++)
		if (r->frames[i].certain &&
		    span_starts(r->frames[i].name, "smp_call_function"))
			return r->frames[i].name;
	for (size_t i = 1; i < r->nr_frames; i++) {
		if (!r->frames[i].certain ||
		    !con_is_entry(r->frames[i].name))
			continue;
		for (size_t k = i; k-- > 0;) {
			const struct con_frame *f = &r->frames[k];

			if (!f->certain)
				continue;
			if (usable(r, f) && !con_is_entry(f->name))
				return f->name;
		}
	}
	return SPAN("");
}

static struct span near_function(const struct con_report *r)
{
	struct span cap[CON_MAX_CAPTURES];

	/* "is trying to acquire lock:" has the place on the line below it */
	for (size_t i = (size_t)r->near;
	     i < r->nr_lines && i <= (size_t)r->near + 2; i++) {
		struct span s = r->lines[i].text;
		ssize_t at = span_find(s, " at: ");

		if (at >= 0 && con_match(span_from(s, (size_t)at), " at: %f", cap))
			return cap[0];
	}
	return r->cap[CON_MAX_CAPTURES];
}

void con_choose_function(struct con_report *r)
{
	struct span f = SPAN("");

	switch (r->rule->source) {
	case SRC_NONE:
		return;
	case SRC_LINE:
		f = r->cap[0];
		break;
	case SRC_NEAR:
		f = near_function(r);
		if (!f.n || con_is_noise(f, r->rule->skip))
			f = first_useful(r);
		break;
	case SRC_STACK:
		f = first_useful(r);
		break;
	case SRC_WORK:
		f = work_done(r);
		break;
	}
	r->full_function = f;
	r->function = con_family_name(f);
}

/* --- words --------------------------------------------------------------- */

/* Addresses and numbers are not the same twice. */
static void add_generic(struct strbuf *sb, struct span s)
{
	size_t start = sb->len;

	s = span_trim(s);
	while (s.n && sb->len - start < MAX_TITLE) {
		size_t i = 0;
		bool hex, word = sb->len > start &&
				 is_word_char(sb->buf[sb->len - 1]);

		if (span_starts(s, "+0x")) {
			for (i = 3; i < s.n && (is_xdigit(s.p[i]) ||
						s.p[i] == '/' || s.p[i] == 'x');)
				i++;
			s = span_from(s, i);
			continue;
		}
		hex = !word && (span_skip(&s, "0x"), true);
		while (!word && i < s.n && is_xdigit(s.p[i]))
			i++;
		if (i && i < s.n && is_word_char(s.p[i]))
			i = 0;
		if (hex && i >= 8) {
			strbuf_addstr(sb, "ADDR");
		} else if (i && is_digit(s.p[0])) {
			strbuf_addstr(sb, "NUM");
		} else {
			i = 1;
			while (i < s.n && is_word_char(s.p[i]) &&
			       is_word_char(s.p[i - 1]))
				i++;
			strbuf_add_utf8(sb, s.p, i);
		}
		s = span_from(s, i);
	}
	while (sb->len > start && strchr(" .:", sb->buf[sb->len - 1]))
		strbuf_setlen(sb, sb->len - 1);
}

/* What follows the word of the family, "BUG: " and the like */
static struct span rest_of(const struct con_report *r)
{
	struct span s = r->start;
	ssize_t at;

	span_skip(&s, "BUG: KASAN: ");
	at = span_find(s, ": ");
	return s.n != r->start.n || at < 0 ? s : span_from(s, (size_t)at + 2);
}

static void add_capture(struct strbuf *sb, const struct con_report *r, char c)
{
	struct span s;

	if (c == '*') {
		add_generic(sb, rest_of(r));
		return;
	}
	if (c < '1' || c > '8')
		return;
	s = r->cap[c - '1'];
	if (span_find(s, "(") >= 0 && span_find(s, ")") < 0)
		s = span_to(s, (size_t)span_find(s, "("));
	add_generic(sb, s);
}

void con_title(struct strbuf *sb, const struct con_report *r,
	       struct span function)
{
	for (const char *t = r->rule->title; *t; t++) {
		if (*t != '{' || !t[1] || t[2] != '}') {
			strbuf_addch(sb, *t);
			continue;
		}
		if (t[1] == 'F')
			strbuf_add_utf8(sb, function.p, function.n);
		else
			add_capture(sb, r, t[1]);
		t += 2;
	}
}

static void kasan_type(struct strbuf *sb, const struct con_report *r)
{
	struct span kind = r->cap[0];

	if (span_find(kind, "use-after-free") >= 0)
		strbuf_addstr(sb, "USE-AFTER-FREE-");
	else if (span_is(kind, SPAN("null-ptr-deref")))
		strbuf_addstr(sb, "NULL-POINTER-DEREFERENCE-");
	strbuf_addstr(sb, span_is(r->cap[4], SPAN("Write")) ? "WRITE" : "READ");
}

static void kfence_type(struct strbuf *sb, const struct con_report *r)
{
	struct span kind = r->cap[0];

	if (span_starts(kind, "invalid free")) {
		strbuf_addstr(sb, "INVALID-FREE");
		return;
	}
	if (span_starts(kind, "memory corruption")) {
		strbuf_addstr(sb, "MEMORY-CORRUPTION");
		return;
	}
	if (span_find(kind, "use-after-free") >= 0)
		strbuf_addstr(sb, "USE-AFTER-FREE-");
	strbuf_addstr(sb, span_find(kind, "write") >= 0 ? "WRITE" : "READ");
}

void con_type(struct strbuf *sb, const struct con_report *r)
{
	strbuf_addstr(sb, r->rule->type);
	if (!strcmp(r->rule->type, "KASAN-"))
		kasan_type(sb, r);
	else if (!strcmp(r->rule->type, "KFENCE-"))
		kfence_type(sb, r);
}
