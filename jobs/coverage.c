// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/coverage.h"

#include <string.h>

#include "jobs/judge-private.h"
#include "lib/json.h"

#define MAX_TOLD 100

/* "FILE" -> {line: compiled anywhere?}, from every architecture's analysis */
static json_t *changed_lines(const json_t *derived)
{
	json_t *all = json_object(), *d, *list, *pair;
	const char *path;
	size_t i, k;

	json_array_foreach((json_t *)derived, i, d) {
		json_t *answer = json_object_get(d, "answer");

		json_object_foreach(json_object_get(answer, "lines"), path,
				    list) {
			json_t *file = json_object_get(all, path);

			if (!file) {
				file = json_object();
				json_object_set_new(all, path, file);
			}
			json_array_foreach(list, k, pair) {
				char key[24];

				snprintf(key, sizeof(key), "%lld",
					 (long long)json_integer_value(
						 json_array_get(pair, 0)));
				json_set_bool(file, key, false);
			}
		}
	}
	return all;
}

static int64_t mark_run(json_t *all, const json_t *lines)
{
	const char *path;
	json_t *list, *line;
	int64_t n = 0;
	size_t i;

	json_object_foreach((json_t *)lines, path, list) {
		json_t *file = json_object_get(all, path);

		json_array_foreach(list, i, line) {
			char key[24];

			snprintf(key, sizeof(key), "%lld",
				 (long long)json_integer_value(line));
			if (!json_object_get(file, key))
				continue;
			json_set_bool(file, key, true);
			n++;
		}
	}
	return n;
}

static void tell(json_t *told, const char *path, int64_t first, int64_t last)
{
	char *s __free(kfree) = NULL;

	if (!first || json_array_size(told) == MAX_TOLD)
		return;
	s = first == last ? xasprintf("%s:%lld", path, (long long)first) :
			    xasprintf("%s:%lld-%lld", path, (long long)first,
				      (long long)last);
	json_array_append_new(told, json_text(s));
}

/* In the order of the analysis, which is that of the lines. */
static void sum_up(const json_t *all, json_t *out)
{
	json_t *told = json_array(), *file, *v;
	int64_t lines = 0, compiled = 0;
	const char *path, *key;

	json_object_foreach((json_t *)all, path, file) {
		int64_t first = 0, last = 0;

		json_object_foreach(file, key, v) {
			int64_t line = strtoll(key, NULL, 10);

			lines++;
			compiled += json_is_true(v);
			if (json_is_true(v))
				continue;
			if (!first || line != last + 1) {
				tell(told, path, first, last);
				first = line;
			}
			last = line;
		}
		tell(told, path, first, last);
	}
	json_set_int(out, "lines", lines);
	json_set_int(out, "compiled", compiled);
	json_object_set_new(out, "uncompiled", told);
}

json_t *coverage_of(const json_t *derived, const json_t *runs)
{
	json_t *all __free(json) = changed_lines(derived);
	json_t *out = json_object(), *places = json_array(), *run;
	size_t i;

	json_object_set_new(out, "places", places);
	json_array_foreach((json_t *)runs, i, run) {
		const json_t *result = judge_result(run, "results");
		const json_t *lines = json_object_get(result, "lines");
		json_t *place;

		if (!json_is_object(lines))
			continue;
		place = judge_place(run);
		json_set_int(place, "compiled", mark_run(all, lines));
		json_array_append_new(places, place);
	}
	if (!json_array_size(places)) {
		json_decref(out);
		return json_null();
	}
	sum_up(all, out);
	return out;
}
