// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/base-signals.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/fs.h"
#include "lib/json.h"

#define MAX_TEXT ((size_t)1 << 20)

/* The value of the first line that begins with @name, or NULL. */
static char *line_value(const struct strbuf *sb, const char *name)
{
	size_t n = strlen(name);
	const char *p = sb->buf;

	while (p) {
		if (!strncmp(p, name, n)) {
			p += n;
			p += strspn(p, " \t");
			return xstrndup(p, strcspn(p, " \t\r\n"));
		}
		p = strchr(p, '\n');
		if (p)
			p++;
	}
	return NULL;
}

static bool is_hex(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF");

	return n >= 12 && n <= GIT_HEX_LEN && !s[n];
}

static void find_base_commit(struct base_signals *b, const struct strbuf *text)
{
	char *v;

	if (b->base_commit)
		return;
	v = line_value(text, "base-commit:");
	if (v && is_hex(v))
		b->base_commit = v;
	else
		free(v);
}

static int read_cover(const char *path, const char *scratch,
		      struct base_signals *ret, struct strbuf *why)
{
	struct strbuf drop __free(strbuf) = STRBUF_INIT;
	struct apply_mail m;
	int r = apply_mail_read(path, scratch, &m, &drop);

	if (r < 0) {
		strbuf_addf(why, "cover: %s", drop.buf);
	} else {
		strbuf_addbuf(&ret->text, &m.message);
		strbuf_addbuf(&ret->text, &m.diff);
	}
	apply_mail_release(&m);
	return r < 0 ? r : 0;
}

int base_signals_read(const json_t *request, const struct apply_patch *own,
		      size_t nr, const char *scratch, struct base_signals *ret,
		      struct strbuf *why)
{
	const char *cover = json_get_str(request, "cover", NULL);
	size_t i;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	strbuf_init(&ret->text);
	ret->prefix = json_get_str(request, "prefix", "");
	ret->title = json_get_str(request, "title", "");
	if (cover)
		r = read_cover(cover, scratch, ret, why);
	if (r)
		return r;
	if (!cover && nr) {
		const struct strbuf *d = &own[0].mail.diff;
		const char *diff = strstr(d->buf, "\ndiff --git ");

		strbuf_addbuf(&ret->text, &own[0].mail.message);
		strbuf_add(&ret->text, d->buf,
			   diff ? (size_t)(diff - d->buf) : 0);
	}
	find_base_commit(ret, &ret->text);
	for (i = 0; i < nr; i++)
		find_base_commit(ret, &own[i].mail.diff);
	if (ret->text.len > MAX_TEXT)
		strbuf_setlen(&ret->text, MAX_TEXT);
	return 0;
}

void base_signals_release(struct base_signals *b)
{
	free(b->base_commit);
	strbuf_release(&b->text);
	memset(b, 0, sizeof(*b));
}

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '/';
}

/* Is @word a word of the first @len bytes of @text? "v6.12" names "6.12". */
static bool has_word(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word), i;

	for (i = 0; n && i + n <= len; i++) {
		bool left, right;

		if (strncasecmp(text + i, word, n))
			continue;
		left = !i || !(word_char(text[i - 1]) || text[i - 1] == '.') ||
		       (isdigit((unsigned char)*word) &&
			(text[i - 1] | 32) == 'v' &&
			(i == 1 || !word_char(text[i - 2])));
		right = i + n == len || !word_char(text[i + n]) ||
			(text[i + n] == '/' && i + n + 1 < len);
		/* 6.1 is not named by 6.1.5 or 6.12 */
		if (right && i + n + 1 < len && text[i + n] == '.' &&
		    isalnum((unsigned char)text[i + n + 1]))
			right = false;
		if (left && right)
			return true;
	}
	return false;
}

static bool speaks_of_base(const char *line, size_t len)
{
	static const char *const phrases[] = {
		"based on", "on top of", "against", "applies to",
		"apply to", "applies on", "rebased", "base:", "baseline",
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(phrases); i++)
		for (j = 0; j + strlen(phrases[i]) <= len; j++)
			if (!strncasecmp(line + j, phrases[i],
					 strlen(phrases[i])))
				return true;
	return false;
}

const char *base_signals_name(const struct base_signals *b, const char *name)
{
	const char *p = b->text.buf;

	if (has_word(b->prefix, strlen(b->prefix), name))
		return "the subject names this tree";
	while (*p) {
		const char *end = strchrnul(p, '\n');
		size_t len = (size_t)(end - p);

		if (*p != '>' && speaks_of_base(p, len) &&
		    has_word(p, len, name))
			return "the text says it is based on this tree";
		p = *end ? end + 1 : end;
	}
	return NULL;
}
