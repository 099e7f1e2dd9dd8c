/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/cleanup.h"
#include "lib/json.h"
#include "runners/build-diag.h"

/*
 * Which lines tell a person why the build stopped. Three grades: a tool that
 * names what is wrong, a line that only looks like a complaint, and make
 * saying that a recipe failed. The best grade present is shown alone.
 */
enum {
	CAUSE_NONE,
	CAUSE_MAKE,
	CAUSE_WEAK,
	CAUSE_STRONG,
};

static const char *const strong_anywhere[] = {
	": undefined reference to ",
	": multiple definition of ",
	": more undefined references to ",
	"*** No rule to make target ",
	": Error: ",
	": fatal error: ",
	": Fatal error: ",
	": internal compiler error: ",
	": Assembler messages",
};

static const char *const weak_anywhere[] = {
	": not found",
	"command not found",
	"error: ",
	"ERROR: ",
	"Error: ",
	"FAILED",
	"*** Error ",
	": No such file or directory",
	": Permission denied",
	": syntax error",
	"fatal: ",
};

/* The machine or a limit ended it; none of it is about the source. */
static const char *const infra_anywhere[] = {
	"Killed signal terminated program",
	"Terminated signal terminated program",
	"killed by signal 9",
	"terminated with signal 9",
	"signal: 9, SIGKILL",
	"fatal error: Killed",
	"*** The source tree is not clean",
	"virtual memory exhausted",
	"out of memory",
	"memory exhausted",
	"Cannot allocate memory",
	"No space left on device",
	"Disk quota exceeded",
	"Input/output error",
	"Stale file handle",
	"Read-only file system",
	"Too many open files",
	"Resource temporarily unavailable",
	"LLVM ERROR: IO failure",
};

/* How make names the death of a recipe. */
static const char *const infra_make_ends[] = {
	"] Killed",
	"] Terminated",
	"] Error 137",
	"] Error 143",
};

static const char *const source_ends[] = {
	".c", ".h", ".S", ".s", ".rs", ".cpp", ".cc", ".hpp", ".lds", ".dts",
	".dtsi", ".y", ".l",
};

void build_cause_init(struct build_cause *c)
{
	*c = (struct build_cause){ .lines = json_array(),
				   .numbers = json_array() };
}

void build_cause_release(struct build_cause *c)
{
	json_decref(c->lines);
	json_decref(c->numbers);
	free(c->guilty);
	free(c->infra);
	*c = (struct build_cause){ 0 };
}

static bool has_any(struct span s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (span_find(s, words[i]) >= 0)
			return true;
	return false;
}

static bool is_make_line(struct span s)
{
	return (span_starts(s, "make") || span_starts(s, "gmake")) &&
	       span_find(s, ": *** ") >= 0;
}

static bool is_infra(struct span s, const struct diag_head *d)
{
	if (d && d->severity != DIAG_ERROR)
		return false;
	if (is_make_line(s))
		for (size_t i = 0; i < ARRAY_SIZE(infra_make_ends); i++)
			if (span_ends(span_rtrim(s), infra_make_ends[i]))
				return true;
	return has_any(s, infra_anywhere, ARRAY_SIZE(infra_anywhere));
}

static int strength_of_head(const struct diag_head *d)
{
	if (d->severity != DIAG_ERROR)
		return CAUSE_NONE;
	if (d->vague)
		return CAUSE_WEAK;
	if (d->file.n || d->tool)
		return CAUSE_STRONG;
	return CAUSE_WEAK;
}

static int strength_of(struct span s, const struct diag_head *d)
{
	if (d)
		return strength_of_head(d);
	if (has_any(s, strong_anywhere, ARRAY_SIZE(strong_anywhere)))
		return CAUSE_STRONG;
	if (is_make_line(s))
		return span_find(s, "Waiting for unfinished jobs") >= 0 ?
			       CAUSE_NONE :
			       CAUSE_MAKE;
	if (is_blank(s.p[0]))
		return CAUSE_NONE;
	if (has_any(s, weak_anywhere, ARRAY_SIZE(weak_anywhere)))
		return CAUSE_WEAK;
	return CAUSE_NONE;
}

/* The prefix goes wherever it stands in the line, with the slash after it. */
static char *without_prefix(struct span s, const char *prefix)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	size_t n = prefix ? strlen(prefix) : 0;

	while (n && prefix[n - 1] == '/')
		n--;
	while (n && s.n) {
		const char *at = memmem(s.p, s.n, prefix, n);

		if (!at || at + n >= s.p + s.n || at[n] != '/')
			break;
		strbuf_add(&sb, s.p, (size_t)(at - s.p));
		s = span_from(s, (size_t)(at - s.p) + n + 1);
	}
	strbuf_add(&sb, s.p, s.n);
	return strbuf_detach(&sb);
}

static bool holds(const json_t *list, const json_t *text)
{
	size_t i;
	json_t *v;

	json_array_foreach(list, i, v)
		if (json_equal(v, text))
			return true;
	return false;
}

void build_cause_line(struct build_cause *c, struct span line, int number,
		      const struct build_log_options *o)
{
	struct span s = span_rtrim(line);
	struct diag_head d;
	bool head;
	char *text __free(kfree) = NULL;
	json_t *v __free(json) = NULL;
	int strength;

	if (!s.n)
		return;
	head = diag_read_head(s, &d);
	if (!c->infra && is_infra(s, head ? &d : NULL) && !is_blank(s.p[0]))
		c->infra = xstrndup(s.p, s.n);
	strength = strength_of(s, head ? &d : NULL);
	if (strength == CAUSE_NONE || strength < c->strength)
		return;
	if (strength > c->strength) {
		json_array_clear(c->lines);
		json_array_clear(c->numbers);
		c->strength = strength;
	}
	if (json_array_size(c->lines) >= BUILD_LOG_MAX_CAUSES)
		return;
	text = without_prefix(s, o ? o->src_prefix : NULL);
	v = json_text(text);
	if (holds(c->lines, v))
		return;
	json_array_append(c->lines, v);
	json_array_append_new(c->numbers, json_integer(number));
}

static bool is_source_name(struct span w)
{
	for (size_t i = 0; i < ARRAY_SIZE(source_ends); i++)
		if (span_ends(w, source_ends[i]))
			return true;
	return false;
}

/* A relative path with a directory; of an object its source. */
static char *source_in(struct span line, const struct build_log_options *o)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	size_t i = 0;

	while (i < line.n) {
		size_t start = i;
		struct span w;

		while (i < line.n && line.p[i] &&
		       (is_word_char(line.p[i]) || strchr("/.-+", line.p[i])))
			i++;
		if (i == start) {
			i++;
			continue;
		}
		w = (struct span){ line.p + start, i - start };
		w = diag_path(w, o);
		while (w.n && w.p[w.n - 1] == '.')
			w.n--;
		if (!w.n || w.p[0] == '/' || span_chr(w, '/') < 0)
			continue;
		if (is_source_name(w)) {
			strbuf_reset(&path);
			diag_add_path(&path, w, NULL);
			return strbuf_detach(&path);
		}
		if (span_ends(w, ".o"))
			return xasprintf("%.*sc", (int)(w.n - 1), w.p);
	}
	return NULL;
}

void build_cause_finish(struct build_cause *c,
			const struct build_log_options *o)
{
	size_t i;
	json_t *v;

	json_array_foreach(c->lines, i, v) {
		struct span s = span_of(json_string_value(v));
		struct diag_head d;

		if (c->strength == CAUSE_MAKE)
			break;
		c->guilty = source_in(s, o);
		if (c->guilty)
			return;
		/* a file at the top of the tree has no directory to know it by */
		if (diag_read_head(s, &d) && d.line && d.file.n) {
			struct span f = diag_path(d.file, o);

			if (f.p[0] != '/' && is_source_name(f))
				c->guilty = xstrndup(f.p, f.n);
		}
		if (c->guilty)
			return;
	}
}
