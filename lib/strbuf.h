/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_STRBUF_H
#define MMCI_LIB_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/cleanup.h"

/**
 * struct strbuf - a growing byte string, always NUL-terminated
 * @buf: the bytes; never NULL, may contain NUL bytes of its own
 * @len: bytes in use, without the final NUL
 * @alloc: bytes allocated, 0 while @buf is the shared empty string
 *
 * Running out of memory ends the process: a service that cannot hold a line of
 * text cannot report it either, and its supervisor restarts it.
 */
struct strbuf {
	char *buf;
	size_t len;
	size_t alloc;
};

extern char strbuf_slopbuf[1];

#define STRBUF_INIT { strbuf_slopbuf, 0, 0 }

/** strbuf_init() - make @sb an empty string that owns nothing */
void strbuf_init(struct strbuf *sb);
/** strbuf_release() - free the bytes; @sb is then empty and usable again */
void strbuf_release(struct strbuf *sb);
DEFINE_FREE(strbuf, struct strbuf, strbuf_release(&_T))

/** strbuf_reset() - cut to length 0, keep the allocation */
void strbuf_reset(struct strbuf *sb);
/** strbuf_setlen() - cut to @len bytes; @len must not exceed the length */
void strbuf_setlen(struct strbuf *sb, size_t len);
/** strbuf_grow() - make room for @extra more bytes */
void strbuf_grow(struct strbuf *sb, size_t extra);
/** strbuf_add() - append @len bytes of @data */
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
/** strbuf_addstr() - append a C string; NULL appends nothing */
void strbuf_addstr(struct strbuf *sb, const char *s);
/** strbuf_addch() - append one byte */
void strbuf_addch(struct strbuf *sb, int c);
/** strbuf_addbuf() - append @other */
void strbuf_addbuf(struct strbuf *sb, const struct strbuf *other);
/** strbuf_addf() - append printf()-style text */
__attribute__((format(printf, 2, 3)))
void strbuf_addf(struct strbuf *sb, const char *fmt, ...);
/** strbuf_add_count() - append @n and its noun: "1 patch", "2 patches" */
void strbuf_add_count(struct strbuf *sb, size_t n, const char *one,
		      const char *many);
/** strbuf_vaddf() - append vprintf()-style text */
__attribute__((format(printf, 2, 0)))
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap);
/** strbuf_setf() - replace the content by printf()-style text */
__attribute__((format(printf, 2, 3)))
void strbuf_setf(struct strbuf *sb, const char *fmt, ...);
/** strbuf_rtrim() - drop white space at the end */
void strbuf_rtrim(struct strbuf *sb);
/**
 * strbuf_detach() - take the bytes out as a malloc()ed C string
 *
 * Return: the string, the caller frees it; @sb is empty afterwards.
 */
char *strbuf_detach(struct strbuf *sb);
/**
 * strbuf_read() - append everything up to end of file from @fd
 * @max_bytes: stop there
 *
 * Return: 0 at end of file, -EFBIG when @max_bytes were not enough, -errno.
 */
int strbuf_read(struct strbuf *sb, int fd, size_t max_bytes);

/** starts_with() - does @s begin with @prefix? */
bool starts_with(const char *s, const char *prefix);
/** ends_with() - does @s end in @suffix? */
bool ends_with(const char *s, const char *suffix);
/** xstrdup() - strdup() that keeps NULL and ends the process without memory */
char *xstrdup(const char *s);
/** xstrndup() - the same for at most @n bytes */
char *xstrndup(const char *s, size_t n);
/** xmalloc() - malloc() that ends the process without memory */
void *xmalloc(size_t size);
/** xcalloc() - calloc() that ends the process without memory */
void *xcalloc(size_t n, size_t size);
/** xrealloc_array() - realloc() to @n elements, overflow checked */
void *xrealloc_array(void *p, size_t n, size_t size);
/** xasprintf() - a malloc()ed printf()-style string */
__attribute__((format(printf, 1, 2)))
char *xasprintf(const char *fmt, ...);

/**
 * strbuf_add_utf8() - append text of unknown encoding as valid UTF-8
 *
 * A byte that is not part of a valid sequence, and NUL, becomes U+FFFD, so that
 * the result can be stored as SQLite text and as a JSON string (RFC 8259
 * section 8.1).
 */
void strbuf_add_utf8(struct strbuf *sb, const void *data, size_t len);

#endif
