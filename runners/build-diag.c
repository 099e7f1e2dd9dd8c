/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/build-diag.h"

#include "lib/cleanup.h"

/* How tools announce what follows; longer words stand before their tails. */
static const struct {
	const char *word;
	enum diag_severity severity;
	const char *tool;
} severities[] = {
	{ "internal compiler error: ", DIAG_ERROR, NULL },
	{ "sorry, unimplemented: ", DIAG_ERROR, NULL },
	{ "fatal error: ", DIAG_ERROR, NULL },
	{ "error: ", DIAG_ERROR, NULL },
	{ "warning: ", DIAG_WARNING, NULL },
	{ "note: ", DIAG_NOTE, NULL },
	{ "remark: ", DIAG_NOTE, NULL },
	{ "Fatal error: ", DIAG_ERROR, "as" },
	{ "Error: ", DIAG_ERROR, "as" },
	{ "Warning: ", DIAG_WARNING, "as" },
	{ "Info: ", DIAG_NOTE, "as" },
	{ "ERROR (", DIAG_ERROR, "dtc" },
	{ "Warning (", DIAG_WARNING, "dtc" },
};

/* What ld says without a word of severity: always an error. */
static const char *const link_errors[] = {
	"undefined reference to ",
	"multiple definition of ",
	"relocation truncated to fit",
	"more undefined references to ",
};

/* The wording of scripts/kernel-doc, which prints places without columns. */
static const char *const kernel_doc_words[] = {
	" not described in ",
	"expecting prototype for ",
	"Excess ",
	"No description found for ",
	"This comment starts with '/**'",
	"wrong kernel-doc identifier",
	"missing initial short description",
	"annot understand ",
	"annot parse ",
	"Incorrect use of kernel-doc",
	"duplicate section name",
	"contents before sections",
	"bad line: ",
	"no structured comments found",
	"Unknown kernel-doc",
};

/* Lines that only repeat that something failed. */
static const char *const vague_messages[] = {
	"some warnings being treated as errors",
	"all warnings being treated as errors",
	"linker command failed",
	"ld returned ",
	"aborting due to ",
	"ld terminated with ",
};

static bool has_any(struct span s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (span_find(s, words[i]) >= 0)
			return true;
	return false;
}

static bool is_path_char(char c)
{
	return is_word_char(c) || strchr("/.-+,{}<>@~=", c);
}

bool diag_read_place(struct span *s, struct span *file, unsigned int *line,
		     unsigned int *col)
{
	struct span rest = *s;
	size_t i = 0;

	*line = 0;
	*col = 0;
	/* as names its own input with a blank in it */
	if (span_starts(rest, "{standard input}"))
		i = strlen("{standard input}");
	while (i < rest.n && rest.p[i] && is_path_char(rest.p[i]))
		i++;
	if (!i || i >= rest.n || rest.p[i] != ':')
		return false;
	*file = span_to(rest, i);
	rest = span_from(rest, i + 1);
	if (span_uint(&rest, line)) {
		/* dtc: LINE.COL-COL or LINE.COL-LINE.COL */
		if (rest.n && rest.p[0] == '.') {
			rest = span_from(rest, 1);
			span_uint(&rest, col);
			while (rest.n && (is_digit(*rest.p) || *rest.p == '-' ||
					  *rest.p == '.'))
				rest = span_from(rest, 1);
		}
		if (!rest.n || rest.p[0] != ':')
			return false;
		rest = span_from(rest, 1);
		if (!*col && span_uint(&rest, col)) {
			if (!rest.n || rest.p[0] != ':')
				return false;
			rest = span_from(rest, 1);
		}
	} else if (span_starts(rest, "(")) {
		ssize_t end = span_find(rest, "):");

		if (end < 0)
			return false;
		rest = span_from(rest, (size_t)end + 2);
	}
	*s = span_ltrim(rest);
	return true;
}

static bool read_severity(struct span *s, struct diag_head *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(severities); i++) {
		struct span word = span_rtrim(span_of(severities[i].word));
		struct span at = span_to(*s, word.n);

		/* "error:" at the end of the line has no blank after it */
		if (!span_is(at, word))
			continue;
		d->severity = severities[i].severity;
		if (severities[i].tool)
			d->tool = severities[i].tool;
		*s = span_ltrim(span_from(*s, word.n));
		return true;
	}
	return false;
}

/* "[-Wfoo]", "[-Werror=foo]", "[-Werror,-Wfoo]" at the end of the message */
static void cut_option(struct diag_head *d)
{
	struct span m = span_rtrim(d->message);
	const char *open;
	struct span opt;
	ssize_t comma;

	d->message = m;
	if (!m.n || m.p[m.n - 1] != ']')
		return;
	open = memrchr(m.p, '[', m.n);
	if (!open)
		return;
	opt = (struct span){ open + 1, (size_t)(m.p + m.n - 1 - open - 1) };
	if (!span_starts(opt, "-W"))
		return;
	comma = span_chr(opt, ',');
	if (comma >= 0)
		opt = span_from(opt, (size_t)comma + 1);
	d->option = opt;
	d->message = span_rtrim(span_to(m, (size_t)(open - m.p)));
}

bool diag_quoted(struct span *s, struct span *word)
{
	for (;;) {
		ssize_t open = span_chr(*s, '\'');
		size_t i = 0;

		if (open < 0)
			return false;
		*s = span_from(*s, (size_t)open + 1);
		while (i < s->n && is_word_char(s->p[i]))
			i++;
		if (i && i < s->n && s->p[i] == '\'') {
			*word = span_to(*s, i);
			*s = span_from(*s, i + 1);
			return true;
		}
	}
}

static struct span identifier_at(struct span s)
{
	size_t i = 0;

	while (i < s.n && (is_word_char(s.p[i]) || s.p[i] == '.'))
		i++;
	return span_to(s, i);
}

static struct span identifier_after(struct span s, const char *word)
{
	ssize_t at = span_find(s, word);

	if (at < 0)
		return SPAN("");
	s = span_ltrim(span_from(s, (size_t)at + strlen(word)));
	span_skip(&s, "'");
	return identifier_at(s);
}

static void name_documented(struct diag_head *d)
{
	d->tool = "kernel-doc";
	d->function = identifier_after(d->message, "not described in ");
	if (!d->function.n)
		d->function = identifier_after(d->message, " prototype for ");
	if (!d->function.n)
		d->function = identifier_after(d->message, "description in ");
	if (!d->function.n)
		d->function = identifier_after(d->message, "return value of ");
}

static struct span base_name(struct span file)
{
	const char *slash = file.n ? memrchr(file.p, '/', file.n) : NULL;

	if (!slash)
		return file;
	return span_from(file, (size_t)(slash - file.p) + 1);
}

static bool is_kconfig_file(struct span file)
{
	struct span base = base_name(file);

	return span_starts(base, "Kconfig") || span_ends(base, "defconfig") ||
	       span_ends(base, ".config");
}

static bool is_makefile(struct span file)
{
	struct span base = base_name(file);

	return span_starts(base, "Makefile") || span_starts(base, "Kbuild") ||
	       span_ends(base, ".mk");
}

/* Who wrote a line that begins with a place? */
static void name_tool(struct diag_head *d)
{
	if (is_kconfig_file(d->file))
		d->tool = "kconfig";
	else if (is_makefile(d->file))
		d->tool = "make";
	else if (span_skip(&d->message, "objtool: "))
		d->tool = "objtool";
	else if (!d->col && !d->tool &&
		 has_any(d->message, kernel_doc_words,
			 ARRAY_SIZE(kernel_doc_words)))
		name_documented(d);
	if (d->tool && !strcmp(d->tool, "objtool"))
		d->function = identifier_at(d->message);
}

/* FILE:LINE:COL: SEVERITY: MESSAGE, and ld's FILE:LINE: undefined reference */
static bool read_located(struct span s, struct diag_head *d)
{
	if (!diag_read_place(&s, &d->file, &d->line, &d->col))
		return false;
	/* "gcc: error:" is a program, "x.o: warning:" a file */
	if (!d->line && span_chr(d->file, '.') < 0)
		return false;
	if (read_severity(&s, d)) {
		d->message = s;
		name_tool(d);
		return true;
	}
	d->message = s;
	d->severity = DIAG_ERROR;
	for (size_t i = 0; i < ARRAY_SIZE(link_errors); i++) {
		if (!span_starts(s, link_errors[i]))
			continue;
		d->tool = "ld";
		return true;
	}
	if (!d->line)
		return false;
	if (span_starts(s, "*** ") && is_makefile(d->file)) {
		d->tool = "make";
		d->message = span_from(s, 4);
		return true;
	}
	if (is_kconfig_file(d->file) && s.n) {
		d->tool = "kconfig";
		return true;
	}
	return false;
}

static bool is_linker(struct span prog)
{
	prog = base_name(prog);
	return span_is(prog, SPAN("ld")) || span_ends(prog, "-ld") ||
	       span_ends(prog, "ld.lld") || span_ends(prog, "ld.bfd") ||
	       span_ends(prog, "ld.gold") || span_is(prog, SPAN("lld"));
}

/* "ld: ...", "aarch64-linux-gnu-ld: FILE:LINE: undefined reference ..." */
static bool read_linker(struct span s, struct diag_head *d)
{
	ssize_t colon = span_find(s, ": ");

	if (colon <= 0 || !is_linker(span_to(s, (size_t)colon)))
		return false;
	s = span_from(s, (size_t)colon + 2);
	if (read_severity(&s, d)) {
		d->message = s;
	} else if (!read_located(s, d)) {
		/* "in function 'x':" only says where the next lines belong */
		if (span_find(s, "in function ") >= 0 || !s.n)
			return false;
		d->severity = DIAG_ERROR;
		d->message = s;
	}
	d->tool = "ld";
	return true;
}

/* "WARNING: modpost: ...", "ERROR: modpost: ...", and the forms before 5.19 */
static bool read_modpost(struct span s, struct diag_head *d)
{
	ssize_t at;

	if (span_skip(&s, "WARNING: "))
		d->severity = DIAG_WARNING;
	else if (span_skip(&s, "ERROR: ") || span_skip(&s, "FATAL: "))
		d->severity = DIAG_ERROR;
	else
		return false;
	if (!span_skip(&s, "modpost: ") && !span_ends(s, "undefined!") &&
	    span_find(s, "ection mismatch") < 0)
		return false;
	d->tool = "modpost";
	d->message = s;
	at = span_chr(s, '[');
	if (at >= 0 && span_ends(s, "] undefined!"))
		d->file = (struct span){ s.p + at + 1,
					 s.n - (size_t)at - 1 -
						 strlen("] undefined!") };
	d->function = identifier_after(s, "in reference: ");
	return true;
}

/* "Warning: FILE:LINE message" of the newer kernel-doc, "Error: FILE:..." */
static bool read_severity_first(struct span s, struct diag_head *d)
{
	struct span word;

	if (span_starts(s, "WARNING: unmet direct dependencies")) {
		d->tool = "kconfig";
		d->severity = DIAG_WARNING;
		d->message = span_from(s, strlen("WARNING: "));
		return true;
	}
	if (span_skip(&s, "Warning: "))
		d->severity = DIAG_WARNING;
	else if (span_skip(&s, "Error: "))
		d->severity = DIAG_ERROR;
	else
		return false;
	word = span_word(s);
	d->tool = "other";
	d->message = s;
	if (span_chr(word, ':') > 0 && is_digit(word.p[word.n - 1])) {
		size_t colon = (size_t)span_chr(word, ':');
		struct span line = span_from(word, colon + 1);

		d->file = span_to(word, colon);
		span_uint(&line, &d->line);
		d->message = span_ltrim(span_from(s, word.n));
		if (d->severity == DIAG_WARNING)
			name_documented(d);
		else if (span_find(d->file, ".dts") >= 0)
			d->tool = "dtc";
	}
	return true;
}

static bool read_make(struct span s, struct diag_head *d)
{
	size_t depth = 0;

	if (!span_skip(&s, "make") && !span_skip(&s, "gmake"))
		return false;
	if (s.n && s.p[0] == '[') {
		while (depth < s.n && s.p[depth] != ']')
			depth++;
		s = span_from(s, depth + 1);
	}
	if (!span_skip(&s, ": *** ") || !span_starts(s, "No rule to make"))
		return false;
	d->tool = "make";
	d->severity = DIAG_ERROR;
	d->message = s;
	return true;
}

static const struct {
	const char *start;
	const char *tool;
	enum diag_severity severity;
} openings[] = {
	{ "error: ", NULL, DIAG_ERROR },
	{ "warning: ", NULL, DIAG_WARNING },
	{ "error[E", "rustc", DIAG_ERROR },
	{ "FAILED unresolved symbol ", "btf", DIAG_ERROR },
	{ "FAILED: load BTF", "btf", DIAG_ERROR },
	{ "Failed to generate BTF", "btf", DIAG_ERROR },
	{ "BTF: ", "btf", DIAG_ERROR },
	{ "LLVM ERROR: ", "clang", DIAG_ERROR },
};

/* Lines without a place: "cc1: error: ...", "error: ...", "error[E0599]: ..." */
static bool read_bare(struct span s, struct diag_head *d)
{
	struct span rest = s, prog;
	ssize_t colon = span_find(s, ": ");

	for (size_t i = 0; i < ARRAY_SIZE(openings); i++) {
		if (!span_starts(s, openings[i].start))
			continue;
		d->tool = openings[i].tool;
		d->severity = openings[i].severity;
		d->message = s;
		if (!d->tool)
			d->message = span_from(s, strlen(openings[i].start));
		return true;
	}
	if (colon <= 0)
		return false;
	prog = span_to(s, (size_t)colon);
	if (span_chr(prog, ' ') >= 0)
		return false;
	rest = span_from(s, (size_t)colon + 2);
	if (!read_severity(&rest, d) || (d->tool && !strcmp(d->tool, "as")))
		return false;
	if (span_find(prog, "clang") >= 0)
		d->tool = "clang";
	else if (span_ends(prog, "gcc") || span_starts(prog, "cc1"))
		d->tool = "gcc";
	else if (span_is(prog, SPAN("collect2")))
		d->tool = "ld";
	else
		d->tool = "other";
	d->message = rest;
	return true;
}

bool diag_read_head(struct span line, struct diag_head *ret)
{
	static bool (*const readers[])(struct span, struct diag_head *) = {
		read_linker,	     read_modpost, read_make,
		read_severity_first, read_located, read_bare,
	};

	if (!line.n || is_blank(line.p[0]))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		*ret = (struct diag_head){ .option = SPAN(""),
					   .file = SPAN(""),
					   .function = SPAN(""),
					   .message = SPAN("") };
		if (!readers[i](line, ret))
			continue;
		cut_option(ret);
		ret->vague = !ret->line &&
			     has_any(ret->message, vague_messages,
				     ARRAY_SIZE(vague_messages));
		return true;
	}
	return false;
}

static bool skip_dir(struct span *s, const char *dir)
{
	size_t n = dir ? strlen(dir) : 0;

	while (n && dir[n - 1] == '/')
		n--;
	if (!n || s->n <= n || memcmp(s->p, dir, n) || s->p[n] != '/')
		return false;
	*s = span_from(*s, n);
	while (s->n && *s->p == '/')
		*s = span_from(*s, 1);
	return true;
}

struct span diag_path(struct span file, const struct build_log_options *o)
{
	if (o && !skip_dir(&file, o->src_prefix))
		skip_dir(&file, o->obj_prefix);
	while (span_skip(&file, "./") || span_skip(&file, "../"))
		;
	return file;
}

void diag_add_path(struct strbuf *sb, struct span file,
		   const struct build_log_options *o)
{
	struct span rest = diag_path(file, o);
	size_t start = sb->len;

	while (rest.n) {
		ssize_t slash = span_chr(rest, '/');
		struct span part = span_to(
			rest, slash < 0 ? rest.n : (size_t)slash + 1);
		size_t cut = sb->len;

		rest = span_from(rest, part.n);
		if (span_is(part, SPAN("./")))
			continue;
		if (!span_is(part, SPAN("../")) || cut <= start + 1) {
			strbuf_add(sb, part.p, part.n);
			continue;
		}
		for (cut--; cut > start && sb->buf[cut - 1] != '/'; cut--)
			;
		strbuf_setlen(sb, cut);
	}
}

void diag_add_normal(struct strbuf *sb, struct span m)
{
	size_t i = 0;

	while (i < m.n) {
		size_t start = i;

		if (!is_digit(m.p[i]) || (i && is_word_char(m.p[i - 1]))) {
			strbuf_addch(sb, m.p[i++]);
			continue;
		}
		while (i < m.n && is_word_char(m.p[i]))
			i++;
		/* 0x10, 12ul and 42 are numbers; 3rd is as good as one */
		strbuf_addstr(sb, i > start ? "N" : "");
	}
}
