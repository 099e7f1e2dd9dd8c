// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "jobs/report-private.h"
#include "lib/json.h"

/* Rows of a table that nobody reads to its end help nobody. */
#define MAX_ROWS 24

static bool is_changed(const json_t *b)
{
	return json_get_bool(b, "changed", false);
}

/* "2/3", or "1-2/3" where the kernel in between could not be counted. */
static void add_steps(const json_t *b, struct strbuf *out)
{
	const json_t *steps = json_object_get(b, "steps"), *s;
	size_t i;

	json_array_foreach(steps, i, s) {
		int64_t after = json_get_int(s, "after", -1);

		strbuf_addstr(out, i ? ", " : "");
		if (after >= 0)
			strbuf_addf(out, "%" PRId64 "-", after + 1);
		strbuf_addf(out, "%" PRId64, json_get_int(s, "number", 0));
	}
}

static void add_row(const json_t *b, struct strbuf *out)
{
	double before = (double)json_get_int(b, "base", 0);
	double after = (double)json_get_int(b, "series", 0);
	double work = (double)json_get_int(b, "work", 0);
	struct strbuf steps __free(strbuf) = STRBUF_INIT;

	if (work < 1.0)
		work = 1.0;
	add_steps(b, &steps);
	strbuf_addf(out, "%-22s %-6s %10.2f %10.2f %+9.2f %+8.3f %%  %s\n",
		    json_get_str(b, "name", ""), json_get_str(b, "arch", ""),
		    before / work, after / work, (after - before) / work,
		    before > 0 ? (after - before) / before * 100 : 0.0,
		    steps.buf);
}

/* Places in which something was counted, "x86_64/small/gcc (41 of 47)". */
static void add_places(const json_t *list, struct strbuf *out)
{
	json_t *counted __free(json) = json_object();
	json_t *all __free(json) = json_object(), *v;
	const char *key;
	const json_t *b;
	size_t i, n = 0;

	json_array_foreach(list, i, b) {
		char *place __free(kfree) =
			xasprintf("%s/%s/%s", json_get_str(b, "arch", ""),
				  json_get_str(b, "kconfig", ""),
				  json_get_str(b, "toolchain", ""));

		json_set_int(all, place, json_get_int(all, place, 0) + 1);
		json_set_int(counted, place,
			     json_get_int(counted, place, 0) +
				     json_is_integer(
					     json_object_get(b, "difference")));
	}
	json_object_foreach(all, key, v) {
		strbuf_addf(out, "%s  %s: %" PRId64 " of %" PRId64,
			    n++ ? ",\n" : "", key,
			    json_get_int(counted, key, 0),
			    (int64_t)json_integer_value(v));
	}
	strbuf_addstr(out, ".\n");
}

/* Of a series that does not build to its end the last kernel was counted. */
static void say_kernel(const json_t *list, struct strbuf *out)
{
	const json_t *b;
	size_t i;

	json_array_foreach(list, i, b) {
		int64_t at = json_get_int(b, "image_patch", 0);
		int64_t total = json_get_int(b, "total", 0);

		if (!json_is_integer(json_object_get(b, "difference")) ||
		    !at || at == total)
			continue;
		if (at < total)
			strbuf_addf(out, "\nCounted at %" PRId64 "/%" PRId64
					 ", the last kernel that builds.\n",
				    at, total);
		else
			strbuf_addstr(out, "\nCounted with the fix-up.\n");
		return;
	}
}

void report_bench(const json_t *judgement, struct strbuf *out)
{
	const json_t *list = json_object_get(judgement, "benchmarks"), *b;
	size_t i, rows = 0, counted = 0;

	json_array_foreach(list, i, b) {
		counted += json_is_integer(json_object_get(b, "difference"));
		rows += is_changed(b);
	}
	if (!counted)
		return;
	say_kernel(list, out);
	if (rows)
		strbuf_addf(out,
			    "\nInstructions per operation, counted:\n\n"
			    "%-22s %-6s %10s %10s %9s %10s  %s\n",
			    "", "", "before", "after", "diff", "", "patch");
	else
		strbuf_addstr(out, "\nNo benchmark takes more or fewer "
				   "instructions than before.\n");
	rows = 0;
	json_array_foreach(list, i, b) {
		if (is_changed(b) && rows++ < MAX_ROWS)
			add_row(b, out);
	}
	if (rows > MAX_ROWS)
		strbuf_addf(out, "... and %zu more\n", rows - MAX_ROWS);
	strbuf_addstr(out,
		      "\nA difference of up to 1e-6, or 2 instructions, is "
		      "the floor and not shown.\n"
		      "Counting does not see caches, TLB misses or "
		      "contention. Counted on both sides:\n");
	add_places(list, out);
}
