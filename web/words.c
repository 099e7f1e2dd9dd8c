// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/json.h"

#define NBSP "\u00a0"

static const struct {
	const char *state, *word;
} words[] = {
	{ "clean", "ok" },
	{ "no-base", "no base" },
	{ "conflict", "does not apply" },
	{ "na", "not run" },
	{ "timed-out", "timed out" },
	{ "not-tried", "not tried" },
	{ "upstream", "already there" },
};

const char *words_state(const char *state)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(words[i].state, state))
			return words[i].word;
	}
	return state;
}

const char *words_goes(const char *state)
{
	if (!strcmp(state, "sent"))
		return "went to";
	if (!strcmp(state, "rejected"))
		return "would have gone to";
	return strcmp(state, "held") ? "goes to" : "would go to";
}

char *words_count(int64_t n, const char *what)
{
	return xasprintf("%" PRId64 " %s%s", n, what, n == 1 ? "" : "s");
}

char *words_percent(double percent)
{
	if (fabs(percent) < 0.005)
		return xstrdup("0 %");
	return xasprintf(fabs(percent) < 0.1 ? "%+.2f %%" : "%+.1f %%",
			 percent);
}

/* A narrow cell may break between the two, not within. */
static char *count_together(int64_t n, const char *what)
{
	return xasprintf("%" PRId64 NBSP "%s%s", n, what, n == 1 ? "" : "s");
}

/* At least one of the two is not 0. */
static char *words_found(int64_t errors, int64_t warnings)
{
	char *w __free(kfree) = count_together(warnings, "warning");
	char *e __free(kfree) = count_together(errors, "error");

	if (!errors)
		return no_free_ptr(w);
	if (!warnings)
		return no_free_ptr(e);
	return xasprintf("%s, %s", e, w);
}

void words_cell(json_t *cell)
{
	const char *state = json_get_str(cell, "state", "na");
	int64_t errors = json_get_int(cell, "errors", 0);
	int64_t warnings = json_get_int(cell, "warnings", 0);
	int64_t total = json_get_int(cell, "total", 0);
	json_t *percent = json_object_get(cell, "percent");
	char *word __free(kfree) = NULL;

	if (errors || warnings)
		word = words_found(errors, warnings);
	else if (percent)
		word = words_percent(json_number_value(percent));
	else if (!strcmp(state, "running") && total)
		word = xasprintf("%" PRId64 " %%",
				 100 * json_get_int(cell, "ended", 0) / total);
	json_set_text(cell, "word", word ? word : words_state(state));
	json_set_text(cell, "mark", state);
	json_set_bool(cell, "is_na", !strcmp(state, "na"));
}

static char *per_work(int64_t value, int64_t work)
{
	if (work > 0)
		return xasprintf("%.1f", (double)value / (double)work);
	return xasprintf("%" PRId64, value);
}

void words_measure(json_t *m)
{
	json_t *value = json_object_get(m, "value");
	json_t *base = json_object_get(m, "base_value");
	int64_t work = json_get_int(m, "work", 0), v, b;
	char *text __free(kfree) = NULL, *base_text __free(kfree) = NULL;
	char *percent __free(kfree) = NULL, *delta __free(kfree) = NULL;
	char *all __free(kfree) = NULL;

	if (json_is_integer(value)) {
		text = per_work(json_integer_value(value), work);
		json_set_text(m, "value_text", text);
	}
	if (json_is_integer(base)) {
		base_text = per_work(json_integer_value(base),
				     json_get_int(m, "base_work", 0));
		json_set_text(m, "base_text", base_text);
	}
	if (!text || !base_text)
		return;
	v = json_integer_value(value);
	b = json_integer_value(base);
	if (!b || work != json_get_int(m, "base_work", 0))
		return; /* nothing to compare with */
	percent = words_percent(100.0 * (double)(v - b) / (double)b);
	delta = per_work(v - b, work);
	all = v == b ? xstrdup("0, exactly the same") :
		       xasprintf("%s%s (%s)", v > b ? "+" : "", delta, percent);
	json_set_text(m, "delta_text", all);
}
