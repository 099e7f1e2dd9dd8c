/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/build-log.h"

#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/json.h"
#include "runners/build-diag.h"

#define MAX_SYMBOLS 64
#define MAX_OUTPUT_LINES 20
#define MAX_CHAIN 16

/*
 * What the lines of one target have in common. gcc prints the function and the
 * include chain only when they change, so both outlive a diagnostic.
 */
struct unit_state {
	json_t *unit;		/* borrowed from the result */
	json_t *diags;
	json_t *open;		/* diagnostic or note that takes detail lines */
	unsigned int open_lines;
	json_t *last;		/* diagnostic that takes notes */
	struct strbuf function;
	json_t *chain;
	struct strbuf chain_file;
	bool chain_open;
	json_t *inlined;
	bool sparse;
	struct strbuf output;	/* lines that belong to no diagnostic */
	unsigned int output_lines;
	json_t *missing;	/* set of symbols reported as missing */
	json_t *places;		/* set of FILE:LINE with such an error */
	json_t *messages;	/* set of normalised error messages */
};

struct build_log {
	const struct build_log_options *o;
	json_t *units;
	json_t *index;		/* target -> position in units */
	struct unit_state u;
	struct build_cause cause;
	size_t diagnostics;
	int64_t dropped;
	int line_number;
};

static void forget_errors(struct unit_state *u)
{
	json_object_clear(u->missing);
	json_object_clear(u->places);
	json_object_clear(u->messages);
	u->open = NULL;
	u->last = NULL;
}

static void state_reset(struct unit_state *u)
{
	forget_errors(u);
	strbuf_reset(&u->function);
	strbuf_reset(&u->chain_file);
	strbuf_reset(&u->output);
	u->output_lines = 0;
	json_array_clear(u->chain);
	json_array_clear(u->inlined);
	u->chain_open = false;
	u->sparse = false;
}

static void select_unit(struct build_log *b, struct span target)
{
	json_t *key __free(json) = NULL;
	const json_t *pos;
	const char *name;
	json_t *unit;

	target = diag_path(target, b->o);
	/* a JSON key must be UTF-8 */
	key = json_textn(target.p, target.n);
	name = json_string_value(key);
	pos = json_object_get(b->index, name);
	if (pos) {
		unit = json_array_get(b->units,
				      (size_t)json_integer_value(pos));
	} else if (json_array_size(b->units) >= BUILD_LOG_MAX_UNITS) {
		b->dropped++;
		unit = json_array_get(b->units, 0);
	} else {
		unit = json_object();
		json_object_set(unit, "target", key);
		json_set_text(unit, "outcome", "built");
		json_object_set_new(unit, "diagnostics", json_array());
		json_object_set_new(b->index, name,
				    json_integer((json_int_t)json_array_size(
					    b->units)));
		json_array_append_new(b->units, unit);
	}
	b->u.unit = unit;
	b->u.diags = json_object_get(unit, "diagnostics");
}

static void enter_unit(struct build_log *b, struct span target)
{
	state_reset(&b->u);
	select_unit(b, target);
}

/* "  CC [M]  mm/zsmalloc.o": two blanks, a word in capitals, a target */
static bool read_quiet(struct span s, struct span *word, struct span *target)
{
	size_t i = 0;

	if (!span_skip(&s, "  ") || !s.n || s.p[0] < 'A' || s.p[0] > 'Z')
		return false;
	while (i < s.n && ((s.p[i] >= 'A' && s.p[i] <= 'Z') ||
			   is_digit(s.p[i]) || s.p[i] == '_' || s.p[i] == '+'))
		i++;
	if (i < 2 || i >= s.n || !is_blank(s.p[i]))
		return false;
	*word = span_to(s, i);
	s = span_ltrim(span_from(s, i));
	/* [M], [U], or one letter as rust's objects have it */
	if (span_starts(s, "[") || (s.n > 1 && is_blank(s.p[1])))
		s = span_ltrim(span_from(s, span_word(s).n));
	*target = span_word(s);
	return target->n && !span_trim(span_from(s, target->n)).n;
}

static bool is_compiler(struct span prog)
{
	const char *slash = prog.n ? memrchr(prog.p, '/', prog.n) : NULL;

	if (slash)
		prog = span_from(prog, (size_t)(slash - prog.p) + 1);
	return span_ends(prog, "gcc") || span_is(prog, SPAN("cc")) ||
	       span_starts(prog, "clang") || span_ends(prog, "-gcc-12");
}

/* A command printed in full, as the selftests' makefiles do */
static bool read_command(struct span s, struct span *target)
{
	struct span prog = span_word(s);
	ssize_t at;

	if (!prog.n || prog.n == s.n || !is_compiler(prog))
		return false;
	at = span_find(s, " -o ");
	if (at < 0)
		return false;
	*target = span_word(span_ltrim(span_from(s, (size_t)at + 4)));
	return target->n > 0;
}

static bool unit_line(struct build_log *b, struct span s)
{
	struct span word, target;
	struct strbuf obj __free(strbuf) = STRBUF_INIT;

	if (read_command(s, &target)) {
		enter_unit(b, target);
		return true;
	}
	if (!read_quiet(s, &word, &target))
		return false;
	/* sparse runs for the same target as the compiler */
	if (span_is(word, SPAN("CHECK")) && span_ends(target, ".c")) {
		strbuf_add(&obj, target.p, target.n - 1);
		strbuf_addch(&obj, 'o');
		enter_unit(b, (struct span){ obj.buf, obj.len });
		b->u.sparse = true;
		return true;
	}
	enter_unit(b, target);
	return true;
}

/* --- contexts that come before a diagnostic ------------------------------ */

static void chain_add(struct unit_state *u, struct span place,
		      const struct build_log_options *o)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;

	while (place.n && (place.p[place.n - 1] == ',' ||
			   place.p[place.n - 1] == ':'))
		place.n--;
	if (json_array_size(u->chain) >= MAX_CHAIN)
		return;
	diag_add_path(&path, place, o);
	/* clang starts at the outermost file, gcc at the innermost */
	if (!u->chain_open)
		json_array_clear(u->chain);
	u->chain_open = true;
	json_array_append_new(u->chain, json_textn(path.buf, path.len));
}

static bool chain_line(struct build_log *b, struct span s)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	struct unit_state *u = &b->u;
	struct span in = s;

	if (span_skip(&in, "In file included from ")) {
		/* clang: one such line for each level, outermost first */
		if (u->chain_open && json_array_size(u->chain) < MAX_CHAIN) {
			struct span p = span_rtrim(in);

			while (p.n && (p.p[p.n - 1] == ',' ||
				       p.p[p.n - 1] == ':'))
				p.n--;
			diag_add_path(&path, p, b->o);
			json_array_insert_new(u->chain, 0,
					      json_textn(path.buf, path.len));
			return true;
		}
		chain_add(u, span_rtrim(in), b->o);
		strbuf_reset(&u->chain_file);
		return true;
	}
	in = span_ltrim(s);
	if (u->chain_open && in.n < s.n && span_skip(&in, "from ")) {
		chain_add(u, span_rtrim(in), b->o);
		return true;
	}
	return false;
}

static void set_function(struct unit_state *u, struct span name)
{
	size_t i = 0;

	while (i < name.n && name.p[i] != '\'')
		i++;
	strbuf_reset(&u->function);
	strbuf_add(&u->function, name.p, i);
	json_array_clear(u->inlined);
}

/*
 * "FILE: In function 'x':", "FILE: At top level:", "In function 'x'," with
 * "inlined from 'y' at PLACE" below, ld's "FILE.o: in function 'x':"
 */
static bool function_line(struct build_log *b, struct span s)
{
	struct unit_state *u = &b->u;
	static const char *const words[] = { "In function '", "in function '",
					     "In member function '",
					     "in function `" };
	struct span in = span_ltrim(s);

	if (span_skip(&in, "inlined from '") && u->function.len) {
		json_t *note = json_object();
		ssize_t at = span_find(in, "' at ");
		struct span place = SPAN("");

		if (at >= 0)
			place = diag_path(span_from(in, (size_t)at + 5), b->o);
		json_object_set_new(note, "place",
				    json_textn(place.p, place.n));
		json_object_set_new(note, "inside",
				    json_textn(u->function.buf,
					       u->function.len));
		set_function(u, in);
		json_array_append_new(u->inlined, note);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		ssize_t at = span_find(s, words[i]);

		if (at < 0 || (at && !span_ends(span_to(s, (size_t)at), ": ")))
			continue;
		set_function(u, span_from(s, (size_t)at + strlen(words[i])));
		return true;
	}
	if (span_ends(span_rtrim(s), ": At top level:") ||
	    span_ends(span_rtrim(s), ": in global scope:")) {
		set_function(u, SPAN(""));
		return true;
	}
	return false;
}

/* --- followers ----------------------------------------------------------- */

static const char *const missing_words[] = {
	"undeclared",
	"implicit declaration",
	"unknown type name",
	"has no member named",
	"no member named",
	"incomplete type",
	"storage size of",
	"undefined reference to",
	"undefined symbol",
};

/* Words in quotes that are in half of all messages. */
static const char *const common_words[] = {
	"int", "char", "long", "short", "unsigned", "signed", "void", "struct",
	"union", "enum", "const", "static", "inline", "bool", "float", "double",
	"u8", "u16", "u32", "u64", "size_t", "extern", "return",
};

static bool is_common(struct span w)
{
	for (size_t i = 0; i < ARRAY_SIZE(common_words); i++)
		if (span_is(w, span_of(common_words[i])))
			return true;
	return false;
}

static bool set_has(const json_t *set, struct span w)
{
	char key[128];

	if (w.n >= sizeof(key))
		return false;
	memcpy(key, w.p, w.n);
	key[w.n] = '\0';
	return json_object_get(set, key);
}

static void set_add(json_t *set, struct span w)
{
	char key[128];

	if (w.n >= sizeof(key) || json_object_size(set) >= MAX_SYMBOLS)
		return;
	memcpy(key, w.p, w.n);
	key[w.n] = '\0';
	json_object_set_new(set, key, json_true());
}

static bool names_missing(struct span m)
{
	for (size_t i = 0; i < ARRAY_SIZE(missing_words); i++)
		if (span_find(m, missing_words[i]) >= 0)
			return true;
	return false;
}

/* The symbol a message is about; for a member it is the last of two. */
static bool missing_symbol(struct span m, struct span *ret)
{
	ssize_t member = span_find(m, "member named");

	if (member >= 0)
		m = span_from(m, (size_t)member);
	return diag_quoted(&m, ret) && !is_common(*ret);
}

static bool mentions_missing(const struct unit_state *u, struct span m)
{
	struct span w;

	for (int i = 0; i < 16 && diag_quoted(&m, &w); i++)
		if (set_has(u->missing, w))
			return true;
	return false;
}

static bool is_follower(struct unit_state *u, const struct diag_head *d,
			struct span file)
{
	struct strbuf place __free(strbuf) = STRBUF_INIT;
	struct strbuf msg __free(strbuf) = STRBUF_INIT;
	struct span at, text, sym;
	bool follows;

	strbuf_addf(&place, "%.*s:%u", (int)min(file.n, (size_t)100), file.p,
		    d->line);
	diag_add_normal(&msg, span_to(d->message, 120));
	at = (struct span){ place.buf, place.len };
	/* keys must be UTF-8 without NUL for the sets: cut at the first other */
	text = (struct span){ msg.buf, 0 };
	while (text.n < msg.len && msg.buf[text.n] > 0)
		text.n++;
	follows = d->vague || mentions_missing(u, d->message) ||
		  (d->line && set_has(u->places, at)) ||
		  (d->severity == DIAG_ERROR && set_has(u->messages, text));
	if (d->severity == DIAG_ERROR)
		set_add(u->messages, text);
	/* an implicit declaration is a warning where C still allows it */
	if (d->severity != DIAG_NOTE && names_missing(d->message)) {
		if (d->line)
			set_add(u->places, at);
		if (missing_symbol(d->message, &sym))
			set_add(u->missing, sym);
	}
	return follows;
}

/* --- diagnostics --------------------------------------------------------- */

static const char *severity_name(enum diag_severity s)
{
	switch (s) {
	case DIAG_ERROR:
		return "error";
	case DIAG_WARNING:
		return "warning";
	case DIAG_NOTE:
		return "note";
	}
	return "note";
}

static const char *compiler_of(const struct build_log *b)
{
	const char *t = b->o ? b->o->toolchain : NULL;

	if (b->u.sparse)
		return "sparse";
	return t && starts_with(t, "clang") ? "clang" : "gcc";
}

static void set_span(json_t *o, const char *key, struct span s)
{
	json_object_set_new(o, key, s.n ? json_textn(s.p, s.n) : json_null());
}

static json_t *option_json(struct span opt)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	if (!opt.n)
		return json_null();
	if (span_skip(&opt, "-Werror="))
		strbuf_addstr(&sb, "-W");
	strbuf_add(&sb, opt.p, opt.n);
	return json_textn(sb.buf, sb.len);
}

static void add_inlined(const struct unit_state *u, json_t *notes,
			const char *tool)
{
	size_t i;
	json_t *v;

	json_array_foreach(u->inlined, i, v) {
		struct span place = span_of(json_get_str(v, "place", ""));
		struct span file = SPAN("");
		json_t *note = json_object();
		unsigned int line = 0, col = 0;

		if (json_array_size(notes) >= BUILD_LOG_MAX_NOTES) {
			json_decref(note);
			break;
		}
		diag_read_place(&place, &file, &line, &col);
		json_set_text(note, "tool", tool);
		json_set_text(note, "severity", "note");
		set_span(note, "file", file);
		json_set_int(note, "line", line);
		json_set_int(note, "col", col);
		json_object_set(note, "function", json_object_get(v, "inside"));
		json_set_text(note, "message", "inlined from here");
		json_set_text(note, "detail", "");
		json_array_append_new(notes, note);
	}
}

static json_t *new_diag(struct build_log *b, const struct diag_head *d,
			struct span file)
{
	const char *tool = d->tool ? d->tool : compiler_of(b);
	struct unit_state *u = &b->u;
	bool cc = !d->tool || !strcmp(d->tool, "ld");
	json_t *o = json_object();

	json_set_text(o, "tool", tool);
	json_set_text(o, "severity", severity_name(d->severity));
	json_object_set_new(o, "option", option_json(d->option));
	set_span(o, "file", file);
	json_set_int(o, "line", d->line);
	json_set_int(o, "col", d->col);
	if (d->function.n || !cc || !d->file.n)
		set_span(o, "function", d->function);
	else
		set_span(o, "function",
			 (struct span){ u->function.buf, u->function.len });
	json_object_set_new(o, "message",
			    json_textn(d->message.p, d->message.n));
	json_set_text(o, "detail", "");
	json_set_int(o, "log_line", b->line_number);
	return o;
}

static void attach_note(struct build_log *b, json_t *note)
{
	json_t *notes = json_object_get(b->u.last, "notes");

	/* a second copy of the same note says nothing new */
	if (!notes || json_array_size(notes) >= BUILD_LOG_MAX_NOTES) {
		json_decref(note);
		b->u.open = NULL;
		return;
	}
	json_array_append_new(notes, note);
	b->u.open = note;
	b->u.open_lines = 0;
	b->u.chain_open = false;
}

/* The include chain that was printed last is this file's, or it is not. */
static json_t *chain_for(struct unit_state *u, struct span file)
{
	if (u->chain_open) {
		strbuf_reset(&u->chain_file);
		strbuf_add(&u->chain_file, file.p, file.n);
		u->chain_open = false;
	}
	if (file.n == u->chain_file.len &&
	    !memcmp(file.p, u->chain_file.buf, file.n))
		return json_copy(u->chain);
	return json_array();
}

static void add_diag(struct build_log *b, const struct diag_head *d)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	struct unit_state *u = &b->u;
	json_t *chain, *o, *notes;
	struct span file;

	diag_add_path(&path, d->file, b->o);
	file = (struct span){ path.buf, path.len };

	if (d->severity == DIAG_NOTE && u->last) {
		attach_note(b, new_diag(b, d, file));
		return;
	}
	/* "N errors generated" in other words: nothing a person could fix */
	if (d->vague && json_array_size(u->diags)) {
		u->open = NULL;
		return;
	}
	if (b->diagnostics >= BUILD_LOG_MAX_DIAGNOSTICS ||
	    json_array_size(u->diags) >= BUILD_LOG_MAX_UNIT_DIAGNOSTICS) {
		b->dropped++;
		u->open = NULL;
		u->last = NULL;
		return;
	}
	chain = chain_for(u, file);
	o = new_diag(b, d, file);
	notes = json_array();
	if (!d->tool)
		add_inlined(u, notes, compiler_of(b));
	json_object_set_new(o, "notes", notes);
	json_object_set_new(o, "include_chain", chain);
	json_set_bool(o, "follows", is_follower(u, d, file));
	json_array_append_new(u->diags, o);
	b->diagnostics++;
	u->open = o;
	u->open_lines = 0;
	u->last = o;
}

static void append_detail(struct unit_state *u, struct span s)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	if (u->open_lines >= BUILD_LOG_MAX_DETAIL_LINES)
		return;
	if (u->open_lines++) {
		strbuf_addstr(&sb, json_get_str(u->open, "detail", ""));
		strbuf_addch(&sb, '\n');
	}
	strbuf_add_utf8(&sb, s.p, min(s.n, (size_t)400));
	json_set_text(u->open, "detail", sb.buf);
}

/* "1 warning generated." is clang's; gcc counts nothing. */
static bool summary_line(struct build_log *b, struct span s)
{
	struct span in = span_rtrim(s);
	unsigned int n;
	size_t i;
	json_t *d;

	if (span_is(in, SPAN("compilation terminated.")))
		return true;
	if (!span_uint(&in, &n) || !span_ends(in, " generated."))
		return false;
	if (span_find(in, "warning") < 0 && span_find(in, "error") < 0)
		return false;
	json_array_foreach(b->u.diags, i, d) {
		size_t k;
		json_t *note;

		if (strcmp(json_get_str(d, "tool", ""), "gcc"))
			continue;
		json_set_text(d, "tool", "clang");
		json_array_foreach(json_object_get(d, "notes"), k, note)
			json_set_text(note, "tool", "clang");
	}
	b->u.open = NULL;
	return true;
}

/* "make[3]: *** [scripts/Makefile.build:243: mm/mprotect.o] Error 1" */
static bool failed_target(struct span s, struct span *target, struct span *how)
{
	ssize_t at, end, sep;

	if (!span_starts(s, "make") && !span_starts(s, "gmake"))
		return false;
	at = span_find(s, ": *** [");
	if (at < 0)
		return false;
	s = span_from(s, (size_t)at + strlen(": *** ["));
	end = span_find(s, "] ");
	if (end < 0)
		return false;
	*how = span_trim(span_from(s, (size_t)end + 2));
	*target = span_to(s, (size_t)end);
	sep = span_find(*target, ": ");
	if (sep >= 0)
		*target = span_from(*target, (size_t)sep + 2);
	return target->n > 0;
}

static bool is_artefact(struct span target)
{
	const char *slash = memrchr(target.p, '/', target.n);

	if (slash)
		target = span_from(target, (size_t)(slash - target.p) + 1);
	return span_chr(target, '.') >= 0 || span_starts(target, "vmlinux");
}

static bool has_error(const json_t *diags)
{
	size_t i;
	json_t *d;

	json_array_foreach(diags, i, d)
		if (!strcmp(json_get_str(d, "severity", ""), "error"))
			return true;
	return false;
}

/* A failure must never be silent: without a diagnostic, show what was printed. */
static void explain_failure(struct build_log *b, struct span how)
{
	struct strbuf msg __free(strbuf) = STRBUF_INIT;
	struct strbuf output __free(strbuf) = STRBUF_INIT;
	struct diag_head d = { .tool = "make", .option = SPAN(""),
			       .file = SPAN(""), .function = SPAN("") };

	if (has_error(b->u.diags))
		return;
	strbuf_addstr(&msg, "the recipe failed: ");
	strbuf_add(&msg, how.p, how.n);
	strbuf_addbuf(&output, &b->u.output);
	d.message = (struct span){ msg.buf, msg.len };
	add_diag(b, &d);
	if (b->u.last)
		json_object_set_new(b->u.last, "detail",
				    json_textn(output.buf, output.len));
	b->u.open = NULL;
}

static bool make_line(struct build_log *b, struct span s)
{
	struct span target, how, rel;
	json_t *key __free(json) = NULL;
	bool same;

	if (!failed_target(s, &target, &how)) {
		if (!span_starts(s, "make") || span_find(s, ": ") < 0)
			return false;
		b->u.open = NULL;
		/* "No rule to make target" is a diagnostic of its own */
		return span_find(s, "No rule to make") < 0;
	}
	b->u.open = NULL;
	rel = diag_path(target, b->o);
	key = json_textn(rel.p, rel.n);
	same = json_equal(key, json_object_get(b->u.unit, "target"));
	if (!same && !json_object_get(b->index, json_string_value(key)) &&
	    !is_artefact(rel))
		return true;
	if (!same)
		enter_unit(b, target);
	json_set_text(b->u.unit, "outcome", "failed");
	explain_failure(b, how);
	return true;
}

/* The unit a place belongs to when targets are mixed: where its .c goes. */
static void follow_source(struct build_log *b, const struct diag_head *d)
{
	struct span file = diag_path(d->file, b->o);
	struct strbuf obj __free(strbuf) = STRBUF_INIT;
	const json_t *chain = b->u.chain;
	size_t n = json_array_size(chain);

	if (d->tool && strcmp(d->tool, "kernel-doc"))
		return;
	if (b->u.chain_open && n) {
		struct span root = span_of(
			json_string_value(json_array_get(chain, n - 1)));
		ssize_t colon = span_chr(root, ':');

		file = colon < 0 ? root : span_to(root, (size_t)colon);
	}
	if (!span_ends(file, ".c"))
		return;
	strbuf_add_utf8(&obj, file.p, file.n - 1);
	strbuf_addch(&obj, 'o');
	if (!json_object_get(b->index, obj.buf) ||
	    !strcmp(obj.buf, json_get_str(b->u.unit, "target", "")))
		return;
	forget_errors(&b->u);
	select_unit(b, (struct span){ obj.buf, obj.len });
}

/* sparse and rustc go on with "FILE:LINE:COL:    expected ..." or "-->" */
static bool continuation(struct build_log *b, struct span s)
{
	struct span in = s, file;
	unsigned int line, col;
	json_t *o = b->u.open;
	ssize_t at;

	if (!o)
		return false;
	if (!strcmp(json_get_str(o, "tool", ""), "rustc") &&
	    span_skip(&in, " ")) {
		in = span_ltrim(in);
		if (!span_skip(&in, "--> ") || json_get_int(o, "line", 0))
			return false;
		at = span_chr(in, ':');
		if (at < 0)
			return false;
		file = diag_path(span_to(in, (size_t)at), b->o);
		set_span(o, "file", file);
		in = span_from(in, (size_t)at + 1);
		if (span_uint(&in, &line))
			json_set_int(o, "line", line);
		in = span_from(in, 1);
		if (span_uint(&in, &col))
			json_set_int(o, "col", col);
		return true;
	}
	if (!b->u.sparse || !diag_read_place(&in, &file, &line, &col))
		return false;
	append_detail(&b->u, in);
	return true;
}

static void output_line(struct unit_state *u, struct span s)
{
	if (u->open) {
		append_detail(u, span_rtrim(s));
		return;
	}
	if (!span_trim(s).n || u->output_lines >= MAX_OUTPUT_LINES)
		return;
	u->output_lines++;
	if (u->output.len)
		strbuf_addch(&u->output, '\n');
	strbuf_add_utf8(&u->output, s.p, min(s.n, (size_t)400));
}

static void one_line(struct build_log *b, struct span s)
{
	struct diag_head d;

	build_cause_line(&b->cause, s, b->line_number, b->o);
	if (unit_line(b, s) || make_line(b, s) || chain_line(b, s) ||
	    function_line(b, s) || summary_line(b, s))
		return;
	if (diag_read_head(s, &d)) {
		follow_source(b, &d);
		add_diag(b, &d);
		return;
	}
	if (!continuation(b, s))
		output_line(&b->u, s);
}

/* Typographic quotes become plain ones, colours go, NUL becomes visible. */
static void plain_line(struct strbuf *sb, struct span s)
{
	strbuf_reset(sb);
	s = span_to(s, BUILD_LOG_MAX_LINE);
	while (s.n) {
		if (span_starts(s, "\xe2\x80\x98") ||
		    span_starts(s, "\xe2\x80\x99")) {
			strbuf_addch(sb, '\'');
			s = span_from(s, 3);
		} else if (span_starts(s, "\x1b[")) {
			size_t i = 2;

			while (i < s.n && (is_digit(s.p[i]) || s.p[i] == ';'))
				i++;
			s = span_from(s, i + 1);
		} else {
			strbuf_addch(sb, *s.p ? *s.p : '?');
			s = span_from(s, 1);
		}
	}
}

static void build_log_init(struct build_log *b,
			   const struct build_log_options *o)
{
	*b = (struct build_log){ .o = o, .units = json_array(),
				 .index = json_object() };
	b->u.chain = json_array();
	b->u.inlined = json_array();
	b->u.missing = json_object();
	b->u.places = json_object();
	b->u.messages = json_object();
	strbuf_init(&b->u.function);
	strbuf_init(&b->u.chain_file);
	strbuf_init(&b->u.output);
	build_cause_init(&b->cause);
	enter_unit(b, SPAN(""));
}

static void build_log_release(struct build_log *b)
{
	json_decref(b->units);
	json_decref(b->index);
	json_decref(b->u.chain);
	json_decref(b->u.inlined);
	json_decref(b->u.missing);
	json_decref(b->u.places);
	json_decref(b->u.messages);
	strbuf_release(&b->u.function);
	strbuf_release(&b->u.chain_file);
	strbuf_release(&b->u.output);
	build_cause_release(&b->cause);
}

static bool fails_build(const json_t *d)
{
	const char *tool = json_get_str(d, "tool", "");

	/* sparse, kernel-doc and kconfig complain and let the build go on */
	return !strcmp(json_get_str(d, "severity", ""), "error") &&
	       strcmp(tool, "sparse") && strcmp(tool, "kernel-doc") &&
	       strcmp(tool, "kconfig") && strcmp(tool, "other");
}

/*
 * Functions that are declared after their first use: one mistake of order, of
 * which every function gives an error of its own.
 */
static void fold_late_declarations(json_t *diags)
{
	json_t *late __free(json) = json_object();
	const char *leader = NULL;
	struct span sym;
	size_t i;
	json_t *d;

	json_array_foreach(diags, i, d) {
		struct span m = span_of(json_get_str(d, "message", ""));

		if ((span_starts(m, "conflicting types for '") ||
		     span_starts(m, "static declaration of '")) &&
		    diag_quoted(&m, &sym))
			set_add(late, sym);
	}
	if (!json_object_size(late))
		return;
	json_array_foreach(diags, i, d) {
		struct span m = span_of(json_get_str(d, "message", ""));
		const char *file = json_get_str(d, "file", "");

		if (!span_starts(m, "implicit declaration of ") &&
		    !span_starts(m, "call to undeclared function "))
			continue;
		if (!diag_quoted(&m, &sym) || !set_has(late, sym))
			continue;
		if (!leader)
			leader = file;
		else if (!strcmp(leader, file))
			json_set_bool(d, "follows", true);
	}
}

static void judge_units(json_t *units)
{
	size_t i, k;
	json_t *unit, *d;

	json_array_foreach(units, i, unit)
		fold_late_declarations(json_object_get(unit, "diagnostics"));
	json_array_foreach(units, i, unit)
		json_array_foreach(json_object_get(unit, "diagnostics"), k, d)
			if (fails_build(d)) {
				json_set_text(unit, "outcome", "failed");
				break;
			}
	unit = json_array_get(units, 0);
	/* the unit of no target only stands there when it has something to say */
	if (!json_array_size(json_object_get(unit, "diagnostics")))
		json_array_remove(units, 0);
}

json_t *build_log_parse(const void *data, size_t len,
			const struct build_log_options *o)
{
	struct span text = { data, len }, line;
	struct strbuf plain __free(strbuf) = STRBUF_INIT;
	struct build_log b;
	json_t *ret = json_object();

	build_log_init(&b, o);
	while (span_line(&text, &line)) {
		b.line_number++;
		plain_line(&plain, line);
		one_line(&b, (struct span){ plain.buf, plain.len });
	}
	build_cause_finish(&b.cause, o);
	judge_units(b.units);
	json_object_set(ret, "units", b.units);
	json_set_bool(ret, "has_error", json_array_size(b.cause.lines) > 0);
	json_object_set(ret, "error_lines", b.cause.lines);
	json_object_set(ret, "error_line_numbers", b.cause.numbers);
	json_set_text(ret, "guilty_file", b.cause.guilty);
	json_set_bool(ret, "infra_error", b.cause.infra != NULL);
	json_set_text(ret, "infra_line", b.cause.infra);
	json_set_int(ret, "dropped", b.dropped);
	build_log_release(&b);
	return ret;
}

char *diag_fingerprint(const json_t *d)
{
	static const char *const keys[] = { "tool", "option", "file",
					    "function", "message" };
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	char *hex = xmalloc(HASH_HEX_LEN + 1);

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct span v = span_of(json_get_str(d, keys[i], ""));

		if (i + 1 == ARRAY_SIZE(keys))
			diag_add_normal(&sb, v);
		else
			strbuf_add(&sb, v.p, v.n);
		strbuf_addch(&sb, '\n');
	}
	hash_hex(sb.buf, sb.len, hex);
	return hex;
}
