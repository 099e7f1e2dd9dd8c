// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/chart.h"

#include <math.h>
#include <string.h>

#include "lib/json.h"
#include "lib/strbuf.h"
#include "web/words.h"

#define MARGIN 8
#define CHANGED_PERCENT 0.5

static double value_of(const json_t *p)
{
	double value = (double)json_get_int(p, "value", 0);
	double work = (double)json_get_int(p, "work", 0);

	return work > 0 ? value / work : value;
}

static void range_of(const json_t *points, double *low, double *high)
{
	json_t *p;
	size_t i;

	json_array_foreach((json_t *)points, i, p) {
		double v = value_of(p);

		*low = i ? fmin(*low, v) : v;
		*high = i ? fmax(*high, v) : v;
	}
	/* what moves by less than a percent is drawn as nearly level */
	if (*high - *low < *high / 100) {
		double middle = (*high + *low) / 2, half = *high / 200;

		*low = middle - half;
		*high = middle + half;
	}
	if (*high <= *low)
		*high = *low + 1;
}

static char *number(double v)
{
	return xasprintf(v < 10000 ? "%.1f" : "%.0f", v);
}

static void add_text(json_t *dot, const json_t *p, double v, double before)
{
	const char *where = json_get_str(p, "describe", "");
	char *text __free(kfree) = number(v);
	char *percent __free(kfree) = NULL;
	char *title __free(kfree) = NULL;

	if (before > 0) {
		double change = 100 * (v - before) / before;

		percent = words_percent(change);
		json_set_bool(dot, "changed", fabs(change) >= CHANGED_PERCENT);
	}
	if (!*where)
		where = json_get_str(p, "commit", "");
	title = xasprintf("%s on %s %.40s%s%s", text,
			  json_get_str(p, "tree", "a base"), where,
			  percent ? ", " : "", percent ? percent : "");
	json_set_text(dot, "text", title);
}

/* What the height of the drawing stands for, which has no axis. */
static void add_caption(json_t *c, const json_t *points)
{
	size_t n = json_array_size(points), i;
	char *from __free(kfree) = NULL;
	char *to __free(kfree) = NULL;
	char *text __free(kfree) = NULL;
	double low = 0, high = 0;
	json_t *p;

	json_array_foreach((json_t *)points, i, p) {
		low = i ? fmin(low, value_of(p)) : value_of(p);
		high = i ? fmax(high, value_of(p)) : value_of(p);
	}
	from = number(low);
	to = number(high);
	if (n < 2)
		text = xasprintf("one base so far");
	else if (!strcmp(from, to))
		text = xasprintf("%s on all %zu bases", from, n);
	else
		text = xasprintf("%zu bases, %s to %s", n, from, to);
	json_set_text(c, "caption", text);
}

void chart_add(json_t *c)
{
	const json_t *points = json_object_get(c, "points");
	size_t n = json_array_size(points), i;
	struct strbuf line __free(strbuf) = STRBUF_INIT;
	double low = 0, high = 0, before = 0, v = 0;
	json_t *dots = json_array(), *p;
	char *text;

	range_of(points, &low, &high);
	json_array_foreach((json_t *)points, i, p) {
		int x = MARGIN + (n < 2 ? 0 : (int)((CHART_WIDTH - 2 * MARGIN) *
						    i / (n - 1)));
		json_t *dot = json_object();
		int y;

		v = value_of(p);
		y = CHART_HEIGHT - MARGIN -
		    (int)((CHART_HEIGHT - 2 * MARGIN) * (v - low) / (high - low));
		strbuf_addf(&line, "%s%d,%d", i ? " " : "", x, y);
		json_set_int(dot, "x", x);
		json_set_int(dot, "y", y);
		json_object_set(dot, "job_id", json_object_get(p, "job_id"));
		add_text(dot, p, v, before);
		json_array_append_new(dots, dot);
		before = v;
	}
	json_set_text(c, "line", line.len ? line.buf : NULL);
	json_object_set_new(c, "dots", dots);
	text = number(v);
	json_set_text(c, "last_text", text);
	add_caption(c, points);
	free(text);
}
