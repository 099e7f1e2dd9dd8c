// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/vmtests.h"

#include <ctype.h>
#include <string.h>

#define MAX_TESTS 512
#define MAX_LINE 2048
#define MAX_VARS 256

/** struct var - NAME=word of the script; both borrowed from its text */
struct var {
	const char *name;
	size_t name_len;
	const char *value;
	size_t value_len;
};

struct script {
	struct var vars[MAX_VARS];
	size_t n_vars;
	long hugepages;
	struct vmtests *tests;
};

/* What the script computes; the size is in MiB, from the huge pages it has. */
static const struct var known[] = {
	{ "half_ufd_size_MB", 16, "32", 2 },
	{ "SPLIT_HUGE_PAGE_TEST_XFS_PATH", 29, "", 0 },
};

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t name_len(const char *s)
{
	size_t n = 0;

	while (is_name(s[n]))
		n++;
	return n;
}

static const struct var *find_in(const struct var *vars, size_t n,
				 const char *name, size_t len)
{
	/* the last assignment counts */
	while (n--) {
		if (vars[n].name_len == len && !memcmp(vars[n].name, name, len))
			return &vars[n];
	}
	return NULL;
}

static const struct var *find_var(const struct script *s, const char *name,
				  size_t len)
{
	const struct var *v = find_in(known, ARRAY_SIZE(known), name, len);

	return v ? v : find_in(s->vars, s->n_vars, name, len);
}

/* NAME=word, alone on its line; anything else makes the name unknown. */
static void take_assignment(struct script *s, const char *line)
{
	size_t n = name_len(line), len;
	struct var v = { line, n, NULL, 0 };

	if (!n || line[n] != '=' || s->n_vars == MAX_VARS)
		return;
	v.value = line + n + 1;
	len = strcspn(v.value, "\n");
	while (len && isspace((unsigned char)v.value[len - 1]))
		len--;
	v.value_len = len;
	if (strcspn(v.value, "$`\"'();&|<> \t\n") < len)
		v.value = NULL;
	s->vars[s->n_vars++] = v;
}

/**
 * struct words - a command line in pieces
 * @v: the words, @n of them, malloc()ed
 * @missing: name of the first variable that is not known
 */
struct words {
	char *v[VMTEST_MAX_ARGS + 2];
	size_t n;
	char *missing;
};

static void words_release(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->missing);
}
DEFINE_FREE(words, struct words, words_release(&_T))

/* At a '$': append what it stands for, return what follows it. */
static const char *expand(const struct script *s, const char *p,
			  struct strbuf *word, struct words *w)
{
	bool brace = p[1] == '{';
	const char *name = p + 1 + brace;
	size_t n = name_len(name);
	const struct var *v = find_var(s, name, n);

	if (n && v && v->value && (!brace || name[n] == '}')) {
		strbuf_add(word, v->value, v->value_len);
	} else {
		if (!w->missing)
			w->missing = n ? xasprintf("$%.*s", (int)n, name) :
					 xstrdup("$");
		strbuf_addch(word, '$');
		strbuf_add(word, name, n);
	}
	return name + n + (brace && name[n] == '}');
}

/* Words up to the end of the command; quotes group, comments end it. */
static void split(const struct script *s, const char *p, struct words *w)
{
	while (w->n < ARRAY_SIZE(w->v)) {
		struct strbuf word __free(strbuf) = STRBUF_INIT;
		char quote = 0;

		p += strspn(p, " \t");
		if (!*p || strchr("#;&|<>)", *p))
			return;
		while (*p && (quote || !strchr(" \t;&|<>)", *p))) {
			if (*p == quote) {
				quote = 0;
				p++;
			} else if (!quote && (*p == '"' || *p == '\'')) {
				quote = *p++;
			} else if (*p == '$' && quote != '\'') {
				p = expand(s, p, &word, w);
			} else {
				strbuf_addch(&word, *p++);
			}
		}
		if (word.len || p[-1] == '"' || p[-1] == '\'')
			w->v[w->n++] = strbuf_detach(&word);
	}
}

static void drop_words(struct words *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(w->v[i]);
	memmove(w->v, w->v + n, (w->n - n) * sizeof(w->v[0]));
	w->n -= n;
}

/* "sudo -u nobody ./x", and "sh -c ./x": both can be done without the tool. */
static bool unwrap(struct words *w)
{
	bool nobody = w->n > 3 && !strcmp(w->v[0], "sudo") &&
		      !strcmp(w->v[1], "-u") && !strcmp(w->v[2], "nobody");

	if (nobody)
		drop_words(w, 3);
	if (w->n == 3 && !strcmp(w->v[0], "sh") && !strcmp(w->v[1], "-c") &&
	    !strchr(w->v[2], ' '))
		drop_words(w, 2);
	return nobody;
}

static const char *plain(const char *s)
{
	return starts_with(s, "./") ? s + 2 : s;
}

static char *title_of(const struct words *w)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	for (size_t i = 0; i < w->n; i++) {
		strbuf_addstr(&sb, i ? " " : "");
		strbuf_add_utf8(&sb, plain(w->v[i]), strlen(plain(w->v[i])));
	}
	return strbuf_detach(&sb);
}

static char *why_not(const struct words *w)
{
	const char *program = plain(w->v[0]);

	if (w->missing)
		return xasprintf("its arguments come from the suite's shell:"
				 " %s", w->missing);
	if (!strcmp(program, "bash") || !strcmp(program, "sh") ||
	    ends_with(program, ".sh"))
		return xstrdup("a shell script, and the guest has no shell");
	if (!strcmp(program, "sudo"))
		return xstrdup("it is run through sudo, which the guest has"
			       " not");
	if (!*program || strchr(program, '/'))
		return xstrdup("not a program of the suite");
	if (w->n > VMTEST_MAX_ARGS)
		return xstrdup("too many arguments");
	return NULL;
}

static bool is_known(const struct vmtests *t, const char *title)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!strcmp(t->v[i].title, title))
			return true;
	}
	return false;
}

static void add_test(const struct script *s, const char *category,
		     size_t category_len, const char *command)
{
	struct words w __free(words) = { .n = 0 };
	struct vmtests *t = s->tests;
	char *title __free(kfree) = NULL;
	struct vmtest *v;

	split(s, command, &w);
	if (!w.n || t->n == MAX_TESTS)
		return;
	title = title_of(&w);
	if (is_known(t, title))
		return;
	t->v = xrealloc_array(t->v, t->n + 1, sizeof(*t->v));
	v = &t->v[t->n++];
	memset(v, 0, sizeof(*v));
	v->category = xasprintf("%.*s", (int)category_len, category);
	v->title = no_free_ptr(title);
	v->hugepages = s->hugepages;
	v->as_nobody = unwrap(&w);
	v->skip = why_not(&w);
	if (v->skip)
		return;
	v->program = xstrdup(plain(w.v[0]));
	for (size_t i = 1; i < w.n; i++) {
		v->argv[i - 1] = w.v[i];
		w.v[i] = NULL;
	}
}

/* Assignments before a command; the value of CATEGORY is what we want. */
static const char *skip_environment(const char *p, const char **category,
				    size_t *len)
{
	for (;;) {
		size_t n = name_len(p);
		const char *v = p + n + 1;
		bool quoted;

		if (!n || p[n] != '=')
			return p;
		quoted = *v == '"';
		v += quoted;
		if (n == 8 && !memcmp(p, "CATEGORY", 8)) {
			*category = v;
			*len = strcspn(v, quoted ? "\"" : " \t");
		}
		p = v + strcspn(v, quoted ? "\"" : " \t");
		p += quoted && *p;
		p += strspn(p, " \t");
	}
}

/* "echo 8 > /proc/sys/vm/nr_hugepages", or a value that only a shell knows. */
static void take_setting(struct script *s, const char *line)
{
	static const char file[] = "> /proc/sys/vm/nr_hugepages";
	const char *to = strstr(line, file);
	char *end;
	long n;

	if (!to || strncmp(line, "echo ", 5))
		return;
	n = strtol(line + 5, &end, 10);
	end += strspn(end, " \t");
	s->hugepages = end == to && n >= 0 && n <= 65536 ? n : -1;
}

static void take_line(struct script *s, const char *line)
{
	static const char run[] = "run_test";
	const char *category = "", *p;
	size_t len = 0;

	line += strspn(line, " \t");
	take_setting(s, line);
	p = skip_environment(line, &category, &len);
	if (!strncmp(p, run, sizeof(run) - 1) &&
	    (p[sizeof(run) - 1] == ' ' || p[sizeof(run) - 1] == '\t'))
		add_test(s, category, len, p + sizeof(run));
}

/*
 * The script's text, line by line; a line that ends in a backslash goes on.
 * Assignments point into @text, which outlives them.
 */
void vmtests_parse(const char *text, size_t len, struct vmtests *ret)
{
	struct strbuf whole __free(strbuf) = STRBUF_INIT;
	struct strbuf line __free(strbuf) = STRBUF_INIT;
	struct script s = { .tests = ret, .hugepages = -1 };
	const char *p, *end;

	strbuf_add(&whole, text, strnlen(text, len));
	for (p = whole.buf; *p; p = *end ? end + 1 : end) {
		size_t n;

		end = p + strcspn(p, "\n");
		n = (size_t)(end - p);
		if (!line.len)
			take_assignment(&s, p + strspn(p, " \t"));
		if (line.len + n <= MAX_LINE)
			strbuf_add(&line, p, n);
		if (n && p[n - 1] == '\\' && line.len) {
			strbuf_setlen(&line, line.len - 1);
			continue;
		}
		take_line(&s, line.buf);
		strbuf_reset(&line);
	}
}

void vmtests_release(struct vmtests *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct vmtest *v = &t->v[i];

		free(v->category);
		free(v->title);
		free(v->program);
		free(v->skip);
		for (size_t k = 0; v->argv[k]; k++)
			free(v->argv[k]);
	}
	free(t->v);
	t->v = NULL;
	t->n = 0;
}
