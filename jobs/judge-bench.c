// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/judge-bench.h"

#include <string.h>

#include "jobs/judge-private.h"
#include "lib/json.h"
#include "lib/cleanup.h"

#define FLOOR_INSTRUCTIONS 2
#define FLOOR_PER_MILLION 1
/* A kernel per patch of a long series would keep the machine for hours. */
#define MAX_KERNELS 16

int64_t bench_floor_of(int64_t value)
{
	return max((int64_t)FLOOR_INSTRUCTIONS,
		   value / 1000000 * FLOOR_PER_MILLION);
}

bool bench_differs(int64_t a, int64_t b)
{
	int64_t differ = a > b ? a - b : b - a;

	return differ > bench_floor_of(max(a, b));
}

/* Did any round of @row take @value? */
static bool was_seen(const json_t *row, int64_t value)
{
	const json_t *s;
	size_t i;

	json_array_foreach(json_object_get(row, "samples"), i, s) {
		if (!bench_differs(json_integer_value(s), value))
			return true;
	}
	return false;
}

bool bench_is_change(const json_t *before, const json_t *after)
{
	const json_t *a = json_object_get(before, "value");
	const json_t *b = json_object_get(after, "value");

	return json_is_integer(a) && json_is_integer(b) &&
	       bench_differs(json_integer_value(a), json_integer_value(b)) &&
	       !was_seen(before, json_integer_value(b)) &&
	       !was_seen(after, json_integer_value(a));
}

static const json_t *row_of(const json_t *result, const char *name)
{
	const json_t *b;
	size_t i;

	json_array_foreach(json_object_get(result, "benchmarks"), i, b) {
		if (!strcmp(json_get_str(b, "name", ""), name))
			return b;
	}
	return NULL;
}

/* Instructions of @name in @result, NULL: not counted there. */
static const json_t *value_of(const json_t *result, const char *name)
{
	const json_t *v = json_object_get(row_of(result, name), "value");

	return json_is_integer(v) ? v : NULL;
}

/**
 * struct point - one kernel of a series, as far as it was counted
 * @upto: number of patches in it, 0: the base
 * @result: what was counted, NULL: nothing could be
 * @open: it is being built or run
 */
struct point {
	int64_t upto;
	const json_t *result;
	bool open;
};

/* The kernels in order: the base, those in between, the series. */
static size_t points_of(const json_t *run, struct point *p, size_t max_points)
{
	const json_t *bisect = json_object_get(run, "bisect"), *b;
	int64_t last = json_get_int(run, "image_patch", 0);
	size_t n = 0, i;

	p[n++] = (struct point){ 0, judge_result(run, "control"), false };
	json_array_foreach(bisect, i, b) {
		int64_t at = json_get_int(b, "upto", 0);

		if (at <= 0 || at >= last || n + 1 >= max_points)
			continue;
		p[n++] = (struct point){ at, judge_result(b, "results"),
					 json_get_bool(b, "open", false) };
	}
	p[n++] = (struct point){ last, judge_result(run, "results"), false };
	return n;
}

static void add_step(json_t *steps, const struct point *from,
		     const struct point *to, const char *name)
{
	json_t *s = json_object();

	json_set_int(s, "number", to->upto);
	if (to->upto - from->upto > 1)
		json_set_int(s, "after", from->upto);
	json_object_set(s, "from", (json_t *)value_of(from->result, name));
	json_object_set(s, "to", (json_t *)value_of(to->result, name));
	json_array_append_new(steps, s);
}

/* Where, between the base and the series, does the count of @name change? */
static json_t *steps_of(const json_t *run, const char *name)
{
	struct point p[MAX_KERNELS + 2];
	size_t n = points_of(run, p, ARRAY_SIZE(p));
	const struct point *last = NULL;
	json_t *steps = json_array();

	for (size_t i = 0; i < n; i++) {
		if (!value_of(p[i].result, name))
			continue;
		if (last && bench_is_change(row_of(last->result, name),
					    row_of(p[i].result, name)))
			add_step(steps, last, &p[i], name);
		last = &p[i];
	}
	return steps;
}

static void set_values(const json_t *run, const char *name,
		       const json_t *before, const json_t *after, json_t *row)
{
	int64_t base = json_get_int(before, "value", 0);
	int64_t series = json_get_int(after, "value", 0);
	bool changed = bench_is_change(before, after);

	json_set_int(row, "difference", series - base);
	json_set_int(row, "floor", bench_floor_of(max(base, series)));
	json_set_bool(row, "changed", changed);
	if (changed)
		json_object_set_new(row, "steps", steps_of(run, name));
}

static json_t *value_or_null(const json_t *v)
{
	return v ? json_incref((json_t *)v) : json_null();
}

void judge_bench(const json_t *run, json_t *out)
{
	const json_t *result = judge_result(run, "results"), *b;
	const json_t *control = judge_result(run, "control");
	size_t i;

	json_array_foreach(json_object_get(result, "benchmarks"), i, b) {
		const char *name = json_get_str(b, "name", "");
		const json_t *after = value_of(result, name);
		const json_t *before = value_of(control, name);
		const char *why = json_get_str(b, "why", "");
		json_t *row = judge_place(run);

		if (!*why && !before)
			why = json_get_str(row_of(control, name), "why",
					   "the base was not counted");
		json_set_text(row, "name", name);
		json_object_set(row, "image_patch",
				json_object_get(run, "image_patch"));
		json_object_set(row, "total", json_object_get(run, "total"));
		json_set_text(row, "unit", json_get_str(b, "unit", ""));
		json_set_int(row, "work", json_get_int(b, "work", 0));
		json_object_set_new(row, "base", value_or_null(before));
		json_object_set_new(row, "series", value_or_null(after));
		if (before && after)
			set_values(run, name, row_of(control, name), b, row);
		json_set_text(row, "why", why);
		json_array_append_new(json_object_get(out, "benchmarks"), row);
	}
}

/* Does any benchmark that both kernels can count change between them? */
static bool differ(const struct point *a, const struct point *b)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(b->result, "benchmarks"), i, row) {
		const char *name = json_get_str(row, "name", "");

		if (bench_is_change(row_of(a->result, name), row))
			return true;
	}
	return false;
}

static bool is_among(const struct point *p, size_t n, int64_t upto)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].upto == upto)
			return true;
	return false;
}

/* The kernel nearest to the middle of (@lo, @hi) that was not tried. */
static int64_t middle(const struct point *p, size_t n, int64_t lo, int64_t hi)
{
	int64_t mid = lo + (hi - lo) / 2;

	for (int64_t d = 0; d < hi - lo; d++) {
		if (mid + d < hi && !is_among(p, n, mid + d))
			return mid + d;
		if (mid - d > lo && !is_among(p, n, mid - d))
			return mid - d;
	}
	return 0;
}

int64_t judge_bench_next(const json_t *run)
{
	struct point p[MAX_KERNELS + 2];
	size_t n = points_of(run, p, ARRAY_SIZE(p));
	const struct point *last = NULL;

	if (n >= ARRAY_SIZE(p))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (p[i].open)
			return 0;
	for (size_t i = 0; i < n; i++) {
		int64_t at = 0;

		if (!p[i].result)
			continue;
		if (last && differ(last, &p[i]))
			at = middle(p, n, last->upto, p[i].upto);
		if (at)
			return at;
		last = &p[i];
	}
	return 0;
}
