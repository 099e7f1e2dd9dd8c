// SPDX-License-Identifier: GPL-2.0-or-later
#include "runners/bench.h"

#include <inttypes.h>
#include <string.h>

#include "lib/json.h"

#define MARK "mmci-bench "
#define LINE_MAX_BYTES 8192

/* Copy what is right in @v; what the guest says is data like any other. */
static bool take_line(json_t *o, const json_t *v)
{
	const json_t *samples = json_object_get(v, "samples"), *s;
	const char *na = json_get_str(v, "not_applicable", NULL);
	json_t *copy;
	size_t i;

	if (na) {
		char *why __free(kfree) = xasprintf("not applicable: %s", na);

		json_set_text(o, "why", why);
		return true;
	}
	if (!json_array_size(samples) ||
	    json_array_size(samples) > BENCH_MAX_SAMPLES)
		return false;
	copy = json_object_get(o, "samples");
	json_array_foreach(samples, i, s) {
		if (!json_is_integer(s) || json_integer_value(s) <= 0) {
			json_array_clear(copy);
			return false;
		}
		json_array_append(copy, (json_t *)s);
	}
	json_set_int(o, "work", json_get_int(v, "work", 0));
	json_object_set_new(o, "why", json_null());
	return true;
}

json_t *bench_parse(const char *name, const struct strbuf *out,
		    const char *failed)
{
	json_t *o = json_object();
	const char *p;

	json_set_text(o, "name", name);
	json_set_int(o, "work", 0);
	json_object_set_new(o, "samples", json_array());
	json_set_text(o, "why", failed ? failed : "it printed no result");

	p = strstr(out->buf, MARK);
	if (p && (p == out->buf || p[-1] == '\n')) {
		size_t len = strcspn(p + strlen(MARK), "\n");
		json_t *v __free(json) = NULL;

		if (len < LINE_MAX_BYTES)
			v = json_loadb(p + strlen(MARK), len, 0, NULL);
		if (v)
			take_line(o, v);
	}
	if (failed && json_array_size(json_object_get(o, "samples"))) {
		json_array_clear(json_object_get(o, "samples"));
		json_set_text(o, "why", failed);
	}
	return o;
}

size_t bench_reached(const int64_t *samples, size_t n, int64_t value)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += samples[i] - value <= BENCH_ROUNDING &&
			value - samples[i] <= BENCH_ROUNDING;
	return same;
}

/*
 * A count that few rounds come to is one of many that the kernel's state at
 * boot picks from: two boots may agree on it and the next two on another.
 */
static size_t often_enough(size_t n)
{
	return max((size_t)3, n / 5);
}

static void take_least(const int64_t *from, size_t n, const int64_t *a,
		       size_t n_a, const int64_t *b, size_t n_b, int64_t *ret,
		       bool *found)
{
	for (size_t i = 0; i < n; i++) {
		if ((*found && from[i] >= *ret) ||
		    bench_reached(a, n_a, from[i]) < often_enough(n_a) ||
		    bench_reached(b, n_b, from[i]) < often_enough(n_b))
			continue;
		*ret = from[i];
		*found = true;
	}
}

bool bench_level(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
		 int64_t *ret)
{
	bool found = false;

	/* of both, so that it does not matter which boot came first */
	take_least(a, n_a, a, n_a, b, n_b, ret, &found);
	take_least(b, n_b, a, n_a, b, n_b, ret, &found);
	return found;
}

static size_t samples_of(const json_t *o, int64_t *ret)
{
	const json_t *a = json_object_get(o, "samples"), *v;
	size_t i, n = 0;

	json_array_foreach(a, i, v)
		if (n < BENCH_MAX_SAMPLES)
			ret[n++] = json_integer_value(v);
	return n;
}

static void set_spread(json_t *row, const int64_t *s, size_t n)
{
	int64_t lo = s[0], hi = s[0];
	char *why __free(kfree) = NULL;

	for (size_t i = 1; i < n; i++) {
		lo = min(lo, s[i]);
		hi = max(hi, s[i]);
	}
	why = xasprintf("not countable: no count that two boots of one image "
			"repeat; %" PRId64 " to %" PRId64 ", a spread of %.2e",
			lo, hi, (double)(hi - lo) / (double)lo);
	json_set_text(row, "why", why);
}

static void set_value(json_t *row, const json_t *a, const json_t *b)
{
	int64_t s[2 * BENCH_MAX_SAMPLES], value = 0;
	size_t n_a = samples_of(a, s), n_b = samples_of(b, s + n_a);

	if (bench_level(s, n_a, s + n_a, n_b, &value))
		json_set_int(row, "value", value);
	else
		set_spread(row, s, n_a + n_b);
}

json_t *bench_combine(const json_t *a, const json_t *b)
{
	json_t *sa = json_object_get(a, "samples");
	json_t *sb = json_object_get(b, "samples");
	json_t *row = json_object(), *all = json_array();

	json_array_extend(all, sa);
	json_array_extend(all, sb);
	json_set_text(row, "name", json_get_str(a, "name", ""));
	json_set_text(row, "unit", "instructions");
	json_object_set_new(row, "value", json_null());
	json_set_int(row, "work", json_get_int(a, "work", 0));
	json_object_set_new(row, "samples", all);
	json_object_set_new(row, "why", json_null());

	if (!json_array_size(sa))
		json_set_text(row, "why", json_get_str(a, "why", ""));
	else if (!json_array_size(sb))
		json_set_text(row, "why", json_get_str(b, "why", ""));
	else
		set_value(row, a, b);
	return row;
}
