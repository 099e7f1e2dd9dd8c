// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/strbuf.h"

static enum log_level log_max = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
	log_max = level;
}

/*
 * One write() a line keeps lines of several processes whole. Control bytes of
 * a stranger's text must not reach a terminal or forge a second line.
 */
void log_line(enum log_level level, const char *fmt, ...)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	struct strbuf line __free(strbuf) = STRBUF_INIT;
	va_list ap;

	if (level > log_max)
		return;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	strbuf_rtrim(&text);

	if (getenv("JOURNAL_STREAM"))
		strbuf_addf(&line, "<%d>", (int)level);
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.buf[i];

		if (c < 0x20 || c == 0x7f)
			strbuf_addf(&line, "\\x%02x", c);
		else
			strbuf_addch(&line, c);
	}
	strbuf_addch(&line, '\n');
	(void)!write(STDERR_FILENO, line.buf, line.len);
}
