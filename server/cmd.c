// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/cmd.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "kernel-series/net.h"

static void complain(const char *fmt, va_list ap, const char *more)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	strbuf_vaddf(&text, fmt, ap);
	fprintf(stderr, "mmci: %s%s\n", text.buf, more);
}

int cmd_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap, " (mmci --help lists the commands)");
	va_end(ap);
	return CMD_USAGE;
}

int cmd_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap, "");
	va_end(ap);
	return CMD_NO;
}

static const struct option_arg *find_option(const struct option_arg *opts,
					    const char *arg)
{
	size_t len = strcspn(arg, "=");

	for (; opts->name; opts++) {
		if (strlen(opts->name) == len && !strncmp(opts->name, arg, len))
			return opts;
	}
	return NULL;
}

int cmd_options(int *argc, char **argv, const struct option_arg *opts)
{
	int n = 0;

	for (int i = 0; i < *argc; i++) {
		const struct option_arg *o;

		if (!starts_with(argv[i], "--")) {
			argv[n++] = argv[i];
			continue;
		}
		o = find_option(opts, argv[i]);
		if (!o)
			return cmd_usage("unknown option %s", argv[i]);
		if (strchr(argv[i], '='))
			*o->value = strchr(argv[i], '=') + 1;
		else if (i + 1 < *argc)
			*o->value = argv[++i];
		else
			return cmd_usage("%s needs a value", argv[i]);
	}
	argv[n] = NULL;
	*argc = n;
	return 0;
}

int print_json(const json_t *v)
{
	json_dumpf(v, stdout, JSON_INDENT(2) | JSON_ENCODE_ANY);
	putchar('\n');
	return CMD_YES;
}

void print_text(const char *fmt, ...)
{
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&raw, fmt, ap);
	va_end(ap);
	strbuf_add_utf8(&text, raw.buf, raw.len);
	for (size_t i = 0; i < text.len; i++) {
		unsigned char ch = text.buf[i];
		/* U+0080 to U+009F, control characters too, begin with C2 */
		bool c1 = ch == 0xc2 && (unsigned char)text.buf[i + 1] < 0xa0;

		if (c1)
			i++;
		if (c1 || ch == 0x7f || (ch < 0x20 && ch != '\n' && ch != '\t'))
			ch = '?';
		putchar(ch);
	}
}

void print_age(int64_t at_s, char buf[32])
{
	time_t t = at_s;
	struct tm tm;

	if (!at_s || !gmtime_r(&t, &tm) ||
	    !strftime(buf, 32, "%Y-%m-%d %H:%M UTC", &tm))
		strcpy(buf, "-");
}

void query_add(struct strbuf *path, const char *name, const char *value)
{
	if (!value)
		return;
	strbuf_addf(path, "%c%s=", strchr(path->buf, '?') ? '&' : '?', name);
	net_add_url_escaped(path, value);
}
