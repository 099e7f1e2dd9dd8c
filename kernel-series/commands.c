// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/commands.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "lib/json.h"

#define MAX_COMMANDS 50
#define MAX_ARGS_LEN 2000

/* ARGS_LINE: one line, the next one if the first is empty. */
#define ARGS_LINE -1
#define ARGS_REST 0 /* what is left on the line, if anything */

/*
 * "word:" is looked up first, then "word" with and without the colon. The
 * verbs beyond our own are those that list users know from other robots.
 */
static const struct verb {
	const char *word, *command;
	int args;
} verbs[] = {
	{ "test:", "test", 2 },
	{ "test", "test", ARGS_REST },
	{ "fix", "fix", ARGS_LINE },
	{ "dup", "dup", ARGS_LINE },
	{ "set", "set", ARGS_LINE },
	{ "unset", "unset", ARGS_LINE },
	{ "invalid", "invalid", ARGS_REST },
	{ "undup", "undup", ARGS_REST },
	{ "upstream", "upstream", ARGS_REST },
	{ "uncc", "uncc", ARGS_REST },
	{ "regenerate", "regenerate", ARGS_REST },
	{ "reject", "reject", ARGS_REST },
	{ "unreject", "unreject", ARGS_REST },
	{ "rerun", "rerun", ARGS_REST },
	{ "cancel", "cancel", ARGS_REST },
	{ "base", "base", ARGS_LINE },
	{ "not", "not", ARGS_REST },
	{ "stop", "stop", ARGS_REST },
	{ "help", "help", ARGS_REST },
	/* wrapped arguments in general, for the tests */
	{ "test_5_arg_cmd", "test_5_arg_cmd", 5 },
};

struct scan {
	const char *text;
	size_t len, at;
	const char *prefix;
};

static size_t line_end(const struct scan *s, size_t at)
{
	const char *nl = memchr(s->text + at, '\n', s->len - at);

	return nl ? (size_t)(nl - s->text) : s->len;
}

/* Offset behind "#prefix " at @at, or 0: it needs a separator and a word. */
static size_t behind_prefix(const struct scan *s, size_t at, size_t end)
{
	size_t n = strlen(s->prefix), p = at + n;

	if (end - at <= n || memcmp(s->text + at, s->prefix, n))
		return 0;
	while (p < end && strchr(" \t:-", s->text[p]) && s->text[p])
		p++;
	if (p == at + n || p >= end || isspace((unsigned char)s->text[p]))
		return 0;
	return p;
}

static const struct verb *find_verb(const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(verbs[i].word, word))
			return &verbs[i];
	if (!n || word[n - 1] != ':')
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (strlen(verbs[i].word) == n - 1 &&
		    !memcmp(verbs[i].word, word, n - 1))
			return &verbs[i];
	return NULL;
}

static void add_trimmed(struct strbuf *out, const char *p, size_t len)
{
	while (len && isspace((unsigned char)*p)) {
		p++;
		len--;
	}
	strbuf_add(out, p, min(len, (size_t)MAX_ARGS_LEN));
	strbuf_rtrim(out);
}

/* Up to @want words, over line ends, but not into another command or quote. */
static void read_words(struct scan *s, int want, struct strbuf *out)
{
	while (want && s->at < s->len) {
		size_t end = line_end(s, s->at), p = s->at;

		while (want && p < end) {
			size_t w;

			while (p < end && isspace((unsigned char)s->text[p]))
				p++;
			w = p;
			while (p < end && !isspace((unsigned char)s->text[p]))
				p++;
			if (p == w || out->len > MAX_ARGS_LEN)
				break;
			if (out->len)
				strbuf_addch(out, ' ');
			strbuf_add(out, s->text + w, p - w);
			want--;
		}
		s->at = min(end + 1, s->len);
		if (s->at < s->len &&
		    (s->text[s->at] == '>' ||
		     behind_prefix(s, s->at, line_end(s, s->at))))
			return;
	}
}

static void read_args(struct scan *s, int args, struct strbuf *out)
{
	size_t end = line_end(s, s->at);

	if (args > 0) {
		read_words(s, args, out);
		return;
	}
	if (args == ARGS_LINE) {
		add_trimmed(out, s->text + s->at, end - s->at);
		if (!out->len && end < s->len) {
			s->at = end + 1;
			end = line_end(s, s->at);
			if (s->at < s->len && s->text[s->at] != '>')
				add_trimmed(out, s->text + s->at,
					    end - s->at);
		}
	} else {
		add_trimmed(out, s->text + s->at, end - s->at);
	}
	s->at = min(end + 1, s->len);
}

/* One command whose word begins at @word. */
static json_t *read_command(struct scan *s, size_t word, int line)
{
	struct strbuf args __free(strbuf) = STRBUF_INIT;
	size_t end = line_end(s, word), p = word;
	char *w __free(kfree) = NULL;
	const struct verb *v;
	json_t *o = json_object();

	while (p < end && !isspace((unsigned char)s->text[p]))
		p++;
	w = xstrndup(s->text + word, min(p - word, (size_t)200));
	v = find_verb(w);
	s->at = p;
	if (v)
		read_args(s, v->args, &args);
	else
		s->at = min(end + 1, s->len);
	/* verbs without arguments ignore what stands behind them */
	json_set_text(o, "command", v ? v->command : "unknown");
	json_set_text(o, "word", w);
	json_set_text(o, "args", args.buf);
	json_set_int(o, "line", line);
	return o;
}

/* "Re: #mmci rerun" as a subject; the prefix may stand behind anything. */
static void scan_subject(const char *subject, const char *prefix,
			 json_t *list)
{
	const char *p = subject ? strstr(subject, prefix) : NULL;
	struct scan s = { .prefix = prefix };
	size_t word;

	if (!p || (p > subject && p[-1] != ' '))
		return;
	s.text = p;
	s.len = strlen(p);
	word = behind_prefix(&s, 0, s.len);
	if (word)
		json_array_append_new(list, read_command(&s, word, -1));
}

json_t *commands_find(const char *subject, const char *text, size_t len,
		      const char *prefix)
{
	struct scan s = { .text = text, .len = len, .prefix = prefix };
	json_t *list = json_array();
	size_t counted = 0;
	int line = 0;

	scan_subject(subject, prefix, list);
	while (s.at < s.len && json_array_size(list) < MAX_COMMANDS) {
		size_t end = line_end(&s, s.at);
		size_t word = behind_prefix(&s, s.at, end);

		if (!word) {
			s.at = min(end + 1, s.len);
			continue;
		}
		for (; counted < s.at; counted++)
			line += text[counted] == '\n';
		json_array_append_new(list, read_command(&s, word, line));
	}
	return list;
}

void commands_reply(const char *text, size_t len, const char *prefix,
		    const char *reply, struct strbuf *out)
{
	struct scan s = { .text = text, .len = len, .prefix = prefix };
	struct strbuf answer __free(strbuf) = STRBUF_INIT;
	bool answered = false;

	strbuf_addstr(&answer, reply);
	strbuf_rtrim(&answer);
	while (s.at < s.len) {
		size_t end = line_end(&s, s.at);
		size_t n = end - s.at;

		strbuf_addstr(out, !n || text[s.at] == '>' ? ">" : "> ");
		strbuf_add(out, text + s.at, n);
		strbuf_addch(out, '\n');
		if (!answered && behind_prefix(&s, s.at, end)) {
			strbuf_addf(out, "\n%s\n\n", answer.buf);
			answered = true;
		}
		s.at = min(end + 1, s.len);
	}
	if (!answered)
		strbuf_addf(out, "\n%s\n\n", answer.buf);
}
