// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/table.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lib/clock.h"
#include "lib/json.h"
#include "server/cmd.h"

#define MAX_COLUMNS 12
#define GAP 2
#define LEAST_WRAP 20

/* One character of UTF-8; a byte that begins none counts as one. */
static uint32_t next_char(const char **s)
{
	const unsigned char *p = (const unsigned char *)*s;
	int more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
	uint32_t ch = more ? p[0] & (0x3f >> more) : p[0];
	int i;

	for (i = 1; i <= more && (p[i] & 0xc0) == 0x80; i++)
		ch = ch << 6 | (p[i] & 0x3f);
	*s += i;
	return ch;
}

/* East Asian Wide and Fullwidth, and marks that stand over the one before. */
static size_t char_width(uint32_t ch)
{
	if ((ch >= 0x300 && ch <= 0x36f) || (ch >= 0x200b && ch <= 0x200f) ||
	    (ch >= 0xfe00 && ch <= 0xfe0f))
		return 0;
	return (ch >= 0x1100 && ch <= 0x115f) ||
	       (ch >= 0x2e80 && ch <= 0xa4cf) ||
	       (ch >= 0xac00 && ch <= 0xd7a3) ||
	       (ch >= 0xf900 && ch <= 0xfaff) ||
	       (ch >= 0xfe30 && ch <= 0xfe6f) ||
	       (ch >= 0xff00 && ch <= 0xff60) ||
	       (ch >= 0x1f300 && ch <= 0x1faff) ||
	       (ch >= 0x20000 && ch <= 0x3fffd) ? 2 : 1;
}

size_t text_width(const char *s)
{
	size_t width = 0;

	while (*s)
		width += char_width(next_char(&s));
	return width;
}

void text_cut(struct strbuf *out, const char *s, size_t width)
{
	size_t have = 0;

	if (text_width(s) <= width) {
		strbuf_addstr(out, s);
		return;
	}
	while (*s) {
		const char *from = s;
		size_t w = char_width(next_char(&s));

		if (have + w + 1 > width)
			break;
		strbuf_add(out, from, (size_t)(s - from));
		have += w;
	}
	strbuf_addstr(out, "…");
	for (have++; have < width; have++)
		strbuf_addch(out, ' ');
}

static void add_age(struct strbuf *sb, int64_t s)
{
	if (s < 60)
		strbuf_addf(sb, "%" PRId64 " s", max(s, (int64_t)0));
	else if (s < 3600)
		strbuf_addf(sb, "%" PRId64 " min", s / 60);
	else if (s < 2 * 86400)
		strbuf_addf(sb, "%" PRId64 " h", s / 3600);
	else
		strbuf_addf(sb, "%" PRId64 " d", s / 86400);
}

static char *cell_text(const json_t *row, const struct column *c, int64_t now_s)
{
	const json_t *v = json_object_get(row, c->key);
	struct strbuf sb = STRBUF_INIT;

	if (c->other && (!json_is_integer(v) && !json_string_length(v)))
		v = json_object_get(row, c->other);
	if (c->kind == COL_AGE && json_integer_value(v))
		add_age(&sb, now_s - json_integer_value(v));
	else if (json_is_integer(v) && c->kind != COL_AGE)
		strbuf_addf(&sb, "%" JSON_INTEGER_FORMAT,
			    json_integer_value(v));
	else if (json_is_string(v) && c->kind == COL_COMMIT)
		strbuf_addf(&sb, "%.12s", json_string_value(v));
	else if (json_is_string(v))
		strbuf_addstr(&sb, json_string_value(v));
	else if (json_is_boolean(v))
		strbuf_addstr(&sb, json_is_true(v) ? "yes" : "no");
	if (!sb.len)
		strbuf_addch(&sb, '-');
	for (size_t i = 0; i < sb.len; i++) {
		if (sb.buf[i] == '\n' || sb.buf[i] == '\t' || sb.buf[i] == '\r')
			sb.buf[i] = ' ';
	}
	return strbuf_detach(&sb);
}

static size_t fixed_width(const size_t *widths, const bool *hidden, size_t n,
			  size_t wrap)
{
	size_t sum = 0, shown = 0;

	for (size_t i = 0; i < n; i++) {
		if (hidden[i])
			continue;
		sum += i == wrap ? 0 : widths[i];
		sum += shown++ ? GAP : 0;
	}
	return sum;
}

/* Leave columns out from the right, but the first two and COL_WRAP. */
static void fit(size_t *widths, bool *hidden, const struct column *cols,
		size_t n, size_t width)
{
	size_t wrap = n, least = 0, fixed, i;

	if (!width)
		return;
	for (i = 0; i < n; i++) {
		if (cols[i].kind == COL_WRAP)
			wrap = i;
	}
	if (wrap < n)
		least = min(widths[wrap], (size_t)LEAST_WRAP);
	fixed = fixed_width(widths, hidden, n, wrap);
	for (i = n; i-- > 2 && fixed + least > width;) {
		hidden[i] = i != wrap;
		fixed = fixed_width(widths, hidden, n, wrap);
	}
	if (wrap < n)
		widths[wrap] = min(widths[wrap], width > fixed + 1 ?
				   width - fixed : 1);
}

static void add_line(struct strbuf *out, char **cells, size_t n,
		     const size_t *widths, const bool *hidden,
		     const struct column *cols)
{
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		size_t w = text_width(cells[i]);
		int pad = w < widths[i] ? (int)(widths[i] - w) : 0;

		if (hidden[i])
			continue;
		if (!first)
			strbuf_addstr(out, "  ");
		first = false;
		if (cols[i].kind == COL_NUMBER)
			strbuf_addf(out, "%*s", pad, "");
		text_cut(out, cells[i], widths[i]);
		if (cols[i].kind != COL_NUMBER)
			strbuf_addf(out, "%*s", pad, "");
	}
	strbuf_rtrim(out);
	strbuf_addch(out, '\n');
}

void table_add(struct strbuf *out, const json_t *rows,
	       const struct column *cols, size_t width, int64_t now_s)
{
	size_t widths[MAX_COLUMNS], n = 0, i, k;
	bool hidden[MAX_COLUMNS] = { false };
	size_t n_rows = json_array_size(rows);
	char **cells;

	while (cols[n].title && n < MAX_COLUMNS)
		n++;
	cells = xcalloc((n_rows + 1) * n, sizeof(*cells));
	for (k = 0; k < n; k++) {
		cells[k] = xstrdup(cols[k].title);
		widths[k] = text_width(cols[k].title);
	}
	for (i = 0; i < n_rows; i++) {
		for (k = 0; k < n; k++) {
			char *text = cell_text(json_array_get(rows, i),
					       &cols[k], now_s);

			cells[(i + 1) * n + k] = text;
			widths[k] = max(widths[k], text_width(text));
		}
	}
	fit(widths, hidden, cols, n, width);
	for (i = 0; i <= n_rows; i++)
		add_line(out, &cells[i * n], n, widths, hidden, cols);
	for (i = 0; i < (n_rows + 1) * n; i++)
		free(cells[i]);
	free(cells);
}

size_t table_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;

	if (!isatty(1))
		return 0;
	if (columns && atoi(columns) > 0)
		return (size_t)atoi(columns);
	return ioctl(1, TIOCGWINSZ, &ws) || !ws.ws_col ? 80 : ws.ws_col;
}

void table_print(const json_t *rows, const struct column *cols)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	table_add(&out, rows, cols, table_width(), clock_now_s());
	print_text("%s", out.buf);
}
