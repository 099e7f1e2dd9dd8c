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
	"which lock already",	"which would create",
	"the existing dependency chain", "Preemption disabled at:",
	"page last allocated via",
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

/* Two reports or dumps whose lines printk let run into each other. */
static bool is_intruder(const struct con_report *r, struct span s)
{
	if (span_find(s, "FAULT_INJECTION: forcing a failure") >= 0)
		return true;
	return !r->traces && span_find(s, "FAULT_FLAG_ALLOW_RETRY missing") >= 0;
}

static void add_frame(struct con_report *r, const struct con_frame *f)
{
	if (r->nr_frames >= CON_MAX_FRAMES)
		return;
	if (f->certain && span_starts(f->name, "should_fail") && !r->lines[0].ctx)
		r->mixed_stack = true;
	/* what comes before the dump of a stack is not part of it */
	if ((r->rule->flags & CON_DUMPED) && r->nr_frames && f->certain &&
	    !r->dump_at && (span_starts(f->name, "dump_stack") ||
			   span_starts(f->name, "dump_backtrace")))
		r->dump_at = r->nr_frames;
	r->frames[r->nr_frames++] = *f;
}

void con_frames_of(struct con_report *r)
{
	uint32_t ctx = r->nr_lines ? r->lines[0].ctx : 0;
	bool other = false, first_trace = false;

	r->frames = xcalloc(CON_MAX_FRAMES, sizeof(*r->frames));
	for (size_t i = 1; i < r->nr_lines; i++) {
		struct con_line *l = &r->lines[i];
		struct con_frame f;

		if (span_find(l->raw, "printk messages dropped") >= 0)
			r->dropped = true;
		if (ctx && l->ctx != ctx && r->rule->source != SRC_WORK)
			continue;
		if (!ctx && is_intruder(r, l->text))
			r->mixed_stack = true;
		if (span_starts(l->text, "Kernel panic - not"))
			first_trace = false;
		if (starts_any(l->text, trace_words, ARRAY_SIZE(trace_words))) {
			first_trace = !r->traces++;
			/* lockdep prints the stack that counts at the end */
			other = false;
			continue;
		}
		if (starts_any(l->text, other_stacks,
			       ARRAY_SIZE(other_stacks))) {
			other = true;
			continue;
		}
		if (span_starts(l->text, "CPU: "))
			other = false;
		if (other || !con_read_frame(l->text, &f))
			continue;
		f.line = i;
		if (f.kind == FRAME_CALL && f.certain &&
		    (first_trace || !r->traces))
			r->calls++;
		add_frame(r, &f);
		if (con_read_caller(l->text, &f))
			add_frame(r, &f);
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

/* The first frame that is to blame; one that only helped if there is no other. */
static struct span first_useful(const struct con_report *r, size_t from)
{
	struct span helper = SPAN("");

	for (size_t i = from; i < r->nr_frames; i++) {
		if (!usable(r, &r->frames[i]))
			continue;
		if (!con_is_helper(r->frames[i].name))
			return r->frames[i].name;
		if (!helper.n)
			helper = r->frames[i].name;
	}
	return helper;
}

/* Frames of lines the others skip: right below line @at. */
static struct span useful_below(const struct con_report *r, ssize_t at)
{
	struct con_frame f;
	bool any = false;

	for (size_t i = (size_t)(at + 1); at >= 0 && i < r->nr_lines; i++) {
		/* programs print in between */
		if (r->lines[i].ctx != r->lines[0].ctx)
			continue;
		if (!con_read_frame(r->lines[i].text, &f)) {
			if (any)
				break;
			continue;
		}
		any = true;
		if (usable(r, &f) && !con_is_helper(f.name) &&
		    !span_is(f.name, SPAN("__alloc_skb")))
			return f.name;
	}
	return SPAN("");
}

static struct span allocated_by(const struct con_report *r)
{
	for (size_t i = 0; i < r->nr_lines; i++)
		if (span_starts(r->lines[i].text, "page last allocated via") ||
		    span_starts(r->lines[i].text, "page allocated via"))
			return useful_below(r, (ssize_t)i);
	return SPAN("");
}

struct span con_origin(const struct con_report *r)
{
	for (size_t i = 0; i < r->nr_lines; i++)
		if (span_starts(r->lines[i].text, "Uninit was created at:"))
			return useful_below(r, (ssize_t)i);
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

			if (usable(r, f) && !con_is_entry(f->name))
				return f->name;
			/* stopped in a lock or the like that it had called */
			if (f->kind == FRAME_PC && k + 4 > i)
				return f->name;
		}
	}
	return SPAN("");
}

static struct span near_function(const struct con_report *r)
{
	struct span cap[CON_MAX_CAPTURES];

	if (r->near < 0 || r->cap[CON_MAX_CAPTURES].n)
		return r->cap[CON_MAX_CAPTURES];
	/* "is trying to acquire lock:" has the place on the line below it */
	for (size_t i = (size_t)r->near;
	     i < r->nr_lines && i <= (size_t)r->near + 2; i++) {
		struct span s = r->lines[i].text;
		ssize_t at = span_find(s, " at: ");

		if (at >= 0 && con_match(span_from(s, (size_t)at), " at: %f", cap))
			return cap[0];
	}
	return SPAN("");
}

static bool cut_by_timer(const struct con_report *r)
{
	for (size_t i = 0; i < r->nr_frames; i++)
		if (con_is_timer_irq(r->frames[i].name))
			return true;
	return false;
}

bool con_is_headed(const struct con_report *r)
{
	return r->nr_lines > 2 && span_starts(r->lines[2].text, "-----");
}

static struct span wanted_function(const struct con_report *r)
{
	struct span f;

	switch (r->rule->source) {
	case SRC_NONE:
		break;
	case SRC_LINE:
		return r->cap[0];
	case SRC_NEAR:
		f = near_function(r);
		return f.n && !con_is_noise(f, r->rule->skip) ?
			       f :
			       first_useful(r, 0);
	case SRC_STACK:
		f = first_useful(r, r->dump_at);
		return f.n || !r->dump_at ? f : first_useful(r, 0);
	case SRC_AFTER:
		return useful_below(r, r->near);
	case SRC_ALLOC:
		return allocated_by(r);
	case SRC_WORK:
		return work_done(r);
	}
	return SPAN("");
}

void con_choose_function(struct con_report *r)
{
	unsigned int flags = r->rule->flags;
	struct span f = wanted_function(r);

	if (!f.n && (flags & CON_FROM_LINE) &&
	    !con_is_noise(r->cap[1], r->rule->skip))
		f = r->cap[1];
	if (r->mixed_stack || (flags & CON_NO_FRAME) ||
	    ((flags & CON_TIMER) && !cut_by_timer(r)))
		f = SPAN("");
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
		if (t[1] == 'F' && !r->function.n &&
		    (r->rule->flags & CON_BARE)) {
			strbuf_setlen(sb, sb->len - strlen(" in "));
			return;
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
