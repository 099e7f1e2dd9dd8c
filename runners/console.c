/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/console.h"

#include "lib/cleanup.h"
#include "lib/json.h"
#include "runners/console-report.h"
#include "runners/console-scan.h"

#define MAX_BEFORE 2

/* A place in the console where a family's word stands, and its rule. */
struct hit {
	size_t at;		/* offset of the word */
	size_t line_start;	/* offset of the line */
	const struct con_family *family;
	const struct con_rule *rule;	/* by the first line alone */
	struct span start;
	uint32_t ctx;
};

/* The line around @at; of a line without an end only what is near. */
static struct span line_at(struct span text, size_t at, size_t *start)
{
	size_t low = at > CON_MAX_LINE ? at - CON_MAX_LINE : 0;
	size_t high = min(text.n, at + 2 * CON_MAX_LINE);
	const char *nl = memrchr(text.p + low, '\n', at - low);
	size_t from = nl ? (size_t)(nl - text.p) + 1 : low;
	const char *end = memchr(text.p + at, '\n', high - at);
	struct span line = { text.p + from,
			     (end ? (size_t)(end - text.p) : high) - from };

	*start = from;
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	return line;
}

/* "BIN_INFO: ", "DEBUG: " are other words */
static bool is_word_start(struct span text, size_t at)
{
	return !at || !is_word_char(text.p[at - 1]);
}

/* Firmware and loaders print before a kernel does; nothing else does at first. */
static bool booted_before(struct span text, size_t line_start)
{
	static const char *const firmware[] = {
		"SeaBIOS", "iPXE", "Booting from", "early console", "BdsDxe",
		"Decompressing", "Press ", "input_data", "input_len", "output",
		"UEFI", "Booting the", "KASLR", "Loading",
	};
	struct span rest = span_to(text, line_start), line;

	for (int i = 0; i < 300 && span_line(&rest, &line); i++) {
		struct span s = span_trim(line);
		bool known = !s.n;

		for (size_t k = 0; k < ARRAY_SIZE(firmware); k++)
			known |= span_starts(s, firmware[k]);
		if (!known)
			return true;
	}
	return false;
}

static bool is_reboot(const struct hit *h)
{
	return !strcmp(h->rule->type, "REBOOT");
}

/* Where in @line a rule begins of which only the rarest part was looked for. */
static bool find_start(struct hit *h, struct span line, const char *pattern)
{
	size_t n = strcspn(pattern, "%");
	const char *at = memmem(line.p, line.n, pattern, n);

	if (!at)
		return false;
	h->start = span_from(line, (size_t)(at - line.p));
	return true;
}

/* Is the line at this word a report? Decoys say no. */
static bool read_hit(struct span text, size_t at,
		     const struct con_family *family, struct hit *h)
{
	struct span cap[CON_MAX_CAPTURES];
	struct span line, before;

	line = line_at(text, at, &h->line_start);
	h->at = at;
	h->family = family;
	h->ctx = con_read_line(line).ctx;
	h->start = span_to(span_from(line, at - h->line_start), CON_MAX_LINE);
	if (family->word[0] >= 'A' && family->word[0] <= 'Z' &&
	    !is_word_start(text, at))
		return false;
	for (const struct con_rule *r = family->rules; r->first; r++) {
		if (family->anywhere && !find_start(h, line, r->first))
			continue;
		if (!con_match(h->start, r->first, cap))
			continue;
		h->rule = r;
		if (r->flags & CON_NO_REPORT)
			return false;
		before = con_read_line(span_to(line, at - h->line_start)).text;
		if (is_reboot(h))
			return !span_trim(before).n &&
			       booted_before(text, h->line_start);
		return true;
	}
	return false;
}

static bool next_hit(struct span text, size_t from, struct hit *h)
{
	const struct con_family *family;
	ssize_t at = (ssize_t)from;

	while ((at = con_scan(text, (size_t)at, &family)) >= 0) {
		if (read_hit(text, (size_t)at, family, h))
			return true;
		at++;
	}
	return false;
}

bool console_has_report(const void *data, size_t len)
{
	struct hit h;

	return next_hit((struct span){ data, len }, 0, &h);
}

/* --- where a report ends ------------------------------------------------- */

static bool has_trace(struct span text, const struct hit *first,
		      const struct hit *next)
{
	struct span s = span_from(span_to(text, next->at), first->at);

	return span_find(s, "Call Trace:") >= 0 ||
	       span_find(s, "Call trace:") >= 0;
}

/* What only says more about the crash that was just announced. */
static const char *const follow_words[] = {
	"Kernel panic - not syncing", " [#1]", " [#2]", "Oops: ",
	"Oops [", "Internal error: ", "Unhandled fault: ", "fatal error: ",
	"trusty: panic",
};

static bool follows(const struct hit *next)
{
	for (size_t i = 0; i < ARRAY_SIZE(follow_words); i++)
		if (!strcmp(next->family->word, follow_words[i]))
			return true;
	return false;
}

static bool continues(struct span text, const struct hit *first,
		      const struct hit *next)
{
	const char *w = next->family->word;

	if (first->family == next->family &&
	    (first->rule == next->rule || !strcmp(w, "BUG: ")))
		return false;
	/* printed between the announcement of a stall and its stack */
	if ((first->rule->flags & CON_TIMER) && !has_trace(text, first, next))
		return true;
	/* another CPU, task or program, whose lines can be told apart */
	if (first->ctx && first->ctx != next->ctx && !is_reboot(next))
		return true;
	/* a dentry, a list, a copy: the BUG or WARNING below is how it stops */
	if (first->rule->flags & CON_ALT_LINE)
		return true;
	return follows(next);
}

/* Sanitizers close their reports with a line of the kind that opened them. */
static bool closes(const struct hit *h, struct span s, size_t nr)
{
	return nr > 2 && !strcmp(h->family->word, "BUG: ") &&
	       (span_find(h->start, "KASAN") >= 0 ||
		span_find(h->start, "KMSAN") >= 0 ||
		span_find(h->start, "KCSAN") >= 0 ||
		span_find(h->start, "KFENCE") >= 0) &&
	       span_starts(s, "==========================================");
}

/* KMSAN, KCSAN and KFENCE print all of a report under one lock. */
static bool is_open_ended(struct span text, const struct hit *h, size_t at)
{
	struct span s = span_from(span_to(text, at), h->at);

	return (span_starts(h->start, "BUG: KMSAN") ||
		span_starts(h->start, "BUG: KCSAN") ||
		span_starts(h->start, "BUG: KFENCE")) &&
	       span_find(s, "=====================") < 0;
}

/* Offset behind the last line of the report that @h begins. */
static size_t report_end(struct span text, const struct hit *h,
			 struct con_report *r, size_t *resume)
{
	size_t from = h->at + 1, end = text.n;
	struct hit next;

	*resume = 0;
	while (next_hit(text, from, &next)) {
		from = next.at + 1;
		if (next.line_start == h->line_start)
			continue;
		if (continues(text, h, &next)) {
			/* someone else's crash is a report of its own */
			if (!*resume && h->ctx != next.ctx && !follows(&next))
				*resume = next.line_start;
			continue;
		}
		r->mixed = h->ctx && next.ctx == h->ctx &&
			   is_open_ended(text, h, next.at);
		end = next.line_start;
		break;
	}
	if (!*resume)
		*resume = end;
	return end;
}

static void read_lines(struct span text, const struct hit *h, size_t end,
		       struct con_report *r)
{
	struct span rest = span_from(span_to(text, end), h->line_start), raw;
	size_t alloc = 0;

	while (span_line(&rest, &raw)) {
		if (r->nr_lines >= CON_MAX_LINES) {
			r->cut = true;
			break;
		}
		if (r->nr_lines == alloc) {
			alloc = alloc ? 2 * alloc : 128;
			r->lines = xrealloc_array(r->lines, alloc,
						  sizeof(*r->lines));
		}
		r->lines[r->nr_lines++] = con_read_line(raw);
		if (closes(h, r->lines[r->nr_lines - 1].text, r->nr_lines))
			break;
	}
}

/* --- the rule that fits the whole report --------------------------------- */

static bool find_second(struct con_report *r, const char *pattern)
{
	char lit[64];
	size_t n = strcspn(pattern, "%");

	for (size_t i = 1; i < r->nr_lines && i < 200; i++) {
		struct span s = r->lines[i].text;

		if (n && n < sizeof(lit)) {
			ssize_t at;

			memcpy(lit, pattern, n);
			lit[n] = '\0';
			at = span_find(s, lit);
			if (at < 0)
				continue;
			s = span_from(s, (size_t)at);
		}
		if (con_match(s, pattern, r->cap + CON_MAX_CAPTURES)) {
			r->near = (ssize_t)i;
			return true;
		}
	}
	for (size_t i = 0; i < CON_MAX_CAPTURES; i++)
		r->cap[CON_MAX_CAPTURES + i] = SPAN("");
	return false;
}

static void choose_rule(const struct hit *h, struct con_report *r)
{
	r->near = -1;
	for (size_t i = CON_MAX_CAPTURES; i < 2 * CON_MAX_CAPTURES; i++)
		r->cap[i] = SPAN("");
	for (const struct con_rule *c = h->family->rules; c->first; c++) {
		if (!con_match(h->start, c->first, r->cap))
			continue;
		r->rule = c;
		if ((c->flags & CON_HEADED) && !con_is_headed(r))
			continue;
		if (!c->second || find_second(r, c->second))
			return;
	}
	/* the last one that matched its first line stays */
	con_match(h->start, r->rule->first, r->cap);
}

/* --- judgement ----------------------------------------------------------- */

static const char *why_corrupted(const struct con_report *r)
{
	const struct con_rule *rule = r->rule;

	if (rule->flags & CON_CORRUPTED)
		return "the report is incomplete";
	if (rule->source != SRC_NONE && !r->function.n)
		return "no usable function in the stack";
	if (r->dropped)
		return "printk dropped lines of it";
	if ((rule->flags & CON_STACK) && !r->calls)
		return "no stack";
	if (r->mixed_stack || r->mixed)
		return "another report was printed into it";
	return NULL;
}

static bool is_suppressed(const struct con_report *r, struct span before)
{
	if (span_find(before, "INIT: PANIC:") >= 0)
		return true;
	/* a test program that overran its own stack, over and over */
	if (*r->rule->title &&
	    span_find(before, "*** stack smashing detected ***: terminated") >= 0)
		return true;
	return r->rule->flags & CON_SUPPRESSED;
}

static const char *arch_of(const struct con_report *r)
{
	static const struct {
		const char *word;
		const char *arch;
	} marks[] = {
		{ "RIP: 0", "x86_64" },	      { "RIP: e0", "x86_64" },
		{ "EIP: ", "i386" },	      { "Krnl PSW", "s390" },
		{ "User PSW", "s390" },	      { "pstate: ", "arm64" },
		{ "PC is at ", "arm" },	      { "epc : ", "riscv" },
		{ "NIP: ", "powerpc" },	      { "era: ", "loongarch" },
		{ "entry_SYSCALL_64", "x86_64" }, { "el0_svc", "arm64" },
		{ "el0t_64_sync", "arm64" },
	};

	for (size_t i = 0; i < r->nr_lines; i++)
		for (size_t k = 0; k < ARRAY_SIZE(marks); k++)
			if (span_find(r->lines[i].text, marks[k].word) >= 0)
				return marks[k].arch;
	return NULL;
}

/* "syz.3.584" as a command name: process 3 of the fuzzer, its program 584 */
static char *executor_of(const struct con_report *r)
{
	for (size_t i = 0; i < r->nr_lines && i < 200; i++) {
		struct span s = r->lines[i].text;
		ssize_t at = span_find(s, "Comm: syz.");
		unsigned int proc, id;

		if (at < 0)
			continue;
		s = span_from(s, (size_t)at + strlen("Comm: syz."));
		if (!span_uint(&s, &proc) || !span_skip(&s, ".") ||
		    !span_uint(&s, &id))
			continue;
		return xasprintf("proc=%u, id=%u", proc, id);
	}
	return NULL;
}

/* --- the result ---------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(json_string_value(*(json_t *const *)a),
		      json_string_value(*(json_t *const *)b));
}

static void add_name(json_t **names, size_t *nr, json_t *v)
{
	for (size_t i = 0; i < *nr; i++)
		if (json_equal(names[i], v)) {
			json_decref(v);
			return;
		}
	names[(*nr)++] = v;
}

static void add_alt(json_t **names, size_t *nr, const struct con_report *r,
		    struct span f)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	const char *alt = r->rule->alt;

	con_title(&sb, r, f);
	add_name(names, nr, json_textn(sb.buf, sb.len));
	if (!alt)
		return;
	if (!strcmp(r->rule->type, "KFENCE-") &&
	    span_starts(r->cap[0], "invalid free"))
		alt = "invalid-free";
	if (!strcmp(alt, "KMSAN origin"))
		f = con_origin(r);
	if (!f.n)
		return;
	strbuf_reset(&sb);
	strbuf_addf(&sb, "%s in ", alt);
	strbuf_add_utf8(&sb, f.p, f.n);
	add_name(names, nr, json_textn(sb.buf, sb.len));
}

static void add_unmount_alt(json_t **names, size_t *nr,
			    const struct con_report *r)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	ssize_t at = span_chr(r->start, '[');

	if (!(r->rule->flags & CON_ALT_LINE) || at < 0)
		return;
	strbuf_addstr(&sb, "BUG: Dentry still in use ");
	strbuf_add_utf8(&sb, r->start.p + at, r->start.n - (size_t)at);
	add_name(names, nr, json_textn(sb.buf, sb.len));
}

static json_t *alt_titles(const struct con_report *r, struct span function,
			  const char *title)
{
	struct span full = r->full_function, call = con_system_call(full);
	json_t *ret = json_array(), *names[12];
	json_t *main_title __free(json) = json_text(title);
	size_t nr = 0;

	if (r->rule->source != SRC_NONE && strstr(r->rule->title, "{F}") &&
	    (r->function.n || !(r->rule->flags & CON_BARE))) {
		add_alt(names, &nr, r, function);
		if (full.n)
			add_alt(names, &nr, r, full);
		/* __se_sys_x is inlined into sys_x or not, as the compiler likes */
		if (call.n && !span_starts(call, "sys_") &&
		    span_find(full, "sys_") >= 0) {
			struct span sys = span_from(
				full, (size_t)span_find(full, "sys_"));

			add_alt(names, &nr, r, sys);
		}
	}
	add_unmount_alt(names, &nr, r);
	qsort(names, nr, sizeof(names[0]), by_text);
	for (size_t i = 0; i < nr; i++) {
		if (json_equal(names[i], main_title))
			json_decref(names[i]);
		else
			json_array_append_new(ret, names[i]);
	}
	return ret;
}

static json_t *frames_json(const struct con_report *r)
{
	json_t *ret = json_array();

	for (size_t i = r->dump_at; i < r->nr_frames &&
				    json_array_size(ret) < CONSOLE_MAX_FRAMES; i++)
		if (r->frames[i].certain)
			json_array_append_new(
				ret, json_textn(r->frames[i].name.p,
						r->frames[i].name.n));
	return ret;
}

/* Lines of programs that share the console are not the kernel's. */
static bool is_kernel_line(const struct con_line *l, bool stamped)
{
	return !stamped || l->text.p != l->raw.p;
}

static size_t before_start(struct span text, size_t start, bool stamped)
{
	for (int i = 0; i < MAX_BEFORE && start; i++) {
		size_t from;
		struct span raw = line_at(text, start - 1, &from);
		struct con_line l = con_read_line(raw);

		if (!is_kernel_line(&l, stamped) || !stamped)
			break;
		start = from;
	}
	return start;
}

static bool report_text(struct span text, const struct hit *h,
			const struct con_report *r, struct strbuf *sb)
{
	bool stamped = r->lines[0].text.p != r->lines[0].raw.p;
	bool traced = false;
	size_t from = before_start(text, h->line_start, stamped);
	struct span rest = span_from(span_to(text, h->line_start), from), raw;

	while (span_line(&rest, &raw)) {
		struct con_line l = con_read_line(raw);

		strbuf_add_utf8(sb, l.text.p, l.text.n);
		strbuf_addch(sb, '\n');
	}
	for (size_t i = 0; i < r->nr_lines; i++) {
		const struct con_line *l = &r->lines[i];
		struct con_frame f;

		if (i && traced && span_starts(l->text, "Kernel panic - not"))
			break;
		if (!is_kernel_line(l, stamped))
			continue;
		/* what is only left over on the stack says nothing */
		if (con_read_frame(l->text, &f) && f.kind == FRAME_CALL) {
			if (!f.certain)
				continue;
			traced = true;
		}
		if (sb->len + l->text.n > CONSOLE_MAX_REPORT_BYTES)
			return true;
		strbuf_add_utf8(sb, l->text.p, l->text.n);
		strbuf_addch(sb, '\n');
	}
	return r->cut;
}

static int64_t count_lines(struct span s)
{
	int64_t n = 0;
	struct span line;

	while (span_line(&s, &line))
		n++;
	return n;
}

static json_t *no_report(void)
{
	static const char *const nulls[] = { "title", "type", "frame",
					     "corrupted_why", "executor",
					     "arch", "report" };
	json_t *o = json_object();

	json_set_bool(o, "has_report", false);
	json_object_set_new(o, "alt_titles", json_array());
	json_object_set_new(o, "frames", json_array());
	for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
		json_set_text(o, nulls[i], NULL);
	json_set_bool(o, "corrupted", false);
	json_set_bool(o, "suppressed", false);
	json_set_bool(o, "panicked", false);
	json_set_int(o, "start_line", 0);
	json_set_int(o, "end_line", 0);
	json_set_bool(o, "report_cut", false);
	return o;
}

static void set_names(json_t *o, const struct con_report *r)
{
	struct strbuf title __free(strbuf) = STRBUF_INIT;
	struct strbuf type __free(strbuf) = STRBUF_INIT;
	struct span f = r->function.n ? r->function : SPAN("corrupted");

	con_title(&title, r, f);
	con_type(&type, r);
	json_set_text(o, "title", title.buf);
	json_set_text(o, "type", type.buf);
	json_object_set_new(o, "alt_titles", alt_titles(r, f, title.buf));
	json_object_set_new(o, "frame",
			    r->function.n ? json_textn(r->function.p,
						       r->function.n) :
					    json_null());
}

static json_t *report_json(struct span text, const struct hit *h,
			   const struct con_report *r)
{
	struct strbuf report __free(strbuf) = STRBUF_INIT;
	char *executor __free(kfree) = executor_of(r);
	const char *why = why_corrupted(r);
	json_t *o = no_report();
	int64_t start = count_lines(span_to(text, h->line_start)) + 1;
	bool cut = report_text(text, h, r, &report);

	json_set_bool(o, "has_report", true);
	set_names(o, r);
	json_object_set_new(o, "frames", frames_json(r));
	json_set_bool(o, "corrupted", why != NULL);
	json_set_text(o, "corrupted_why", why);
	json_set_bool(o, "suppressed",
		      is_suppressed(r, span_to(text, h->line_start)));
	json_set_bool(o, "panicked",
		      span_find(span_from(text, h->line_start),
				"Kernel panic - not syncing") >= 0);
	json_set_text(o, "executor", executor);
	json_set_text(o, "arch", arch_of(r));
	json_set_int(o, "start_line", start);
	json_set_int(o, "end_line", start + (int64_t)r->nr_lines - 1);
	json_object_set_new(o, "report", json_textn(report.buf, report.len));
	json_set_bool(o, "report_cut", cut);
	return o;
}

/* Takes the report at @h; @end is where the search for the next goes on. */
static json_t *take_report(struct span text, const struct hit *h, size_t *end)
{
	struct con_report r = { 0 };
	json_t *o;

	read_lines(text, h, report_end(text, h, &r, end), &r);
	r.start = h->start;
	choose_rule(h, &r);
	con_frames_of(&r);
	con_choose_function(&r);
	o = report_json(text, h, &r);
	free(r.frames);
	free(r.lines);
	return o;
}

json_t *console_parse(const void *data, size_t len)
{
	struct span text = { data, len };
	struct hit h;
	size_t end;

	if (!next_hit(text, 0, &h))
		return no_report();
	return take_report(text, &h, &end);
}

json_t *console_parse_all(const void *data, size_t len)
{
	struct span text = { data, len };
	json_t *ret = json_array();
	size_t from = 0;
	struct hit h;

	while (json_array_size(ret) < CONSOLE_MAX_REPORTS &&
	       next_hit(text, from, &h))
		json_array_append_new(ret, take_report(text, &h, &from));
	return ret;
}
