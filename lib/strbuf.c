// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/strbuf.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

char strbuf_slopbuf[1];

static void *alloc_or_die(void *p)
{
	if (!p) {
		static const char msg[] = "mmci: out of memory\n";

		(void)!write(2, msg, sizeof(msg) - 1);
		abort();
	}
	return p;
}

void *xmalloc(size_t size)
{
	return alloc_or_die(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return alloc_or_die(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc_array(void *p, size_t n, size_t size)
{
	return alloc_or_die(reallocarray(p, n ? n : 1, size));
}

char *xstrdup(const char *s)
{
	return s ? alloc_or_die(strdup(s)) : NULL;
}

char *xstrndup(const char *s, size_t n)
{
	return s ? alloc_or_die(strndup(s, n)) : NULL;
}

char *xasprintf(const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	return strbuf_detach(&sb);
}

void strbuf_init(struct strbuf *sb)
{
	sb->buf = strbuf_slopbuf;
	sb->len = 0;
	sb->alloc = 0;
}

void strbuf_release(struct strbuf *sb)
{
	if (sb->alloc)
		free(sb->buf);
	strbuf_init(sb);
}

void strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t want = sb->len + extra + 1;

	if (want <= sb->len)
		alloc_or_die(NULL);
	if (want <= sb->alloc)
		return;

	want = max(want, sb->alloc + sb->alloc / 2);
	want = max(want, (size_t)64);
	sb->buf = xrealloc_array(sb->alloc ? sb->buf : NULL, want, 1);
	sb->alloc = want;
	sb->buf[sb->len] = '\0';
}

void strbuf_setlen(struct strbuf *sb, size_t len)
{
	if (len > sb->len || !sb->alloc)
		return;
	sb->len = len;
	sb->buf[len] = '\0';
}

void strbuf_reset(struct strbuf *sb)
{
	strbuf_setlen(sb, 0);
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	if (!len)
		return;
	strbuf_grow(sb, len);
	memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

void strbuf_addstr(struct strbuf *sb, const char *s)
{
	if (s)
		strbuf_add(sb, s, strlen(s));
}

void strbuf_addch(struct strbuf *sb, int c)
{
	char ch = (char)c;

	strbuf_add(sb, &ch, 1);
}

void strbuf_addbuf(struct strbuf *sb, const struct strbuf *other)
{
	strbuf_add(sb, other->buf, other->len);
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		return;

	strbuf_grow(sb, (size_t)len);
	vsnprintf(sb->buf + sb->len, (size_t)len + 1, fmt, ap);
	sb->len += (size_t)len;
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_add_count(struct strbuf *sb, size_t n, const char *one,
		      const char *many)
{
	strbuf_addf(sb, "%zu %s", n, n == 1 ? one : many);
}

void strbuf_setf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	strbuf_reset(sb);
	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_rtrim(struct strbuf *sb)
{
	size_t len = sb->len;

	while (len && isspace((unsigned char)sb->buf[len - 1]))
		len--;
	strbuf_setlen(sb, len);
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s;

	strbuf_grow(sb, 0);
	s = sb->buf;
	strbuf_init(sb);
	return s;
}

int strbuf_read(struct strbuf *sb, int fd, size_t max_bytes)
{
	size_t start = sb->len;

	for (;;) {
		ssize_t n;

		if (sb->len - start > max_bytes) {
			strbuf_setlen(sb, start + max_bytes);
			return -EFBIG;
		}
		strbuf_grow(sb, 16384);
		n = read(fd, sb->buf + sb->len, 16384);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return 0;
		sb->len += (size_t)n;
		sb->buf[sb->len] = '\0';
	}
}

bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool ends_with(const char *s, const char *suffix)
{
	size_t a = strlen(s), b = strlen(suffix);

	return a >= b && !strcmp(s + a - b, suffix);
}

/*
 * Length of the valid UTF-8 sequence at @p, 0 if there is none. Overlong
 * forms, surrogates and values above U+10FFFF are invalid: RFC 3629 section 4.
 */
static size_t utf8_sequence(const unsigned char *p, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	uint32_t cp;

	if (n == 1)
		return p[0] ? 1 : 0;
	if (p[0] < 0xc2 || p[0] > 0xf4 || left < n)
		return 0;

	cp = p[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (p[i] & 0x3f);
	}
	if (cp < least[n] || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		return 0;
	return n;
}

/*
 * Most text is ASCII: eight bytes of it at once. Adding 0x7f sets the high bit
 * of each byte but NUL, and carries into no other as long as all are ASCII.
 */
static size_t ascii_run(const unsigned char *p, size_t len)
{
	const uint64_t high = 0x8080808080808080u;
	size_t i = 0;

	for (; i + 8 <= len; i += 8) {
		uint64_t v;

		memcpy(&v, p + i, 8);
		if (v & high || ((v + 0x7f7f7f7f7f7f7f7fu) & high) != high)
			break;
	}
	return i;
}

void strbuf_add_utf8(struct strbuf *sb, const void *data, size_t len)
{
	const unsigned char *p = data;
	size_t run = 0;

	for (size_t i = ascii_run(p, len); i < len;) {
		size_t n = utf8_sequence(p + i, len - i);

		if (n) {
			i += n;
			if (n > 1 || p[i - 1] == '\n')
				i += ascii_run(p + i, len - i);
			continue;
		}
		strbuf_add(sb, p + run, i - run);
		strbuf_addstr(sb, "\xef\xbf\xbd");
		run = ++i;
	}
	strbuf_add(sb, p + run, len - run);
}
