// SPDX-License-Identifier: GPL-2.0-or-later
/* What a series page says of findings: whose, where, and how to see them. */
#include <inttypes.h>
#include <string.h>

#include "jobs/places.h"
#include "jobs/report-private.h"
#include "lib/json.h"
#include "web/lines.h"
#include "web/series.h"

#define QUOTE_PREFIX 2	/* "> " */

/* "x86_64 and arm64" of the places of a finding */
static char *places_text(const json_t *places)
{
	json_t *seen __free(json) = json_object(), *p, *n;
	struct strbuf sb = STRBUF_INIT;
	const char *arch;
	size_t i;

	json_array_foreach((json_t *)places, i, p) {
		arch = json_get_str(p, "arch", "");
		n = json_object_get(seen, arch);
		json_set_int(seen, arch, json_integer_value(n) + 1);
	}
	json_object_foreach(seen, arch, n) {
		strbuf_addf(&sb, "%s%s", sb.len ? ", " : "", arch);
		if (json_integer_value(n) > 1)
			strbuf_addf(&sb, " (%d runs)",
				    (int)json_integer_value(n));
	}
	return strbuf_detach(&sb);
}

/* "gcc: silent" */
static char *silent_text(const json_t *v, const json_t *f)
{
	json_t *silent __free(json) = NULL, *name;
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	if (strcmp(json_get_str(f, "stage", ""), "build"))
		return NULL;
	silent = places_silent(json_object_get(f, "places"),
			       json_object_get(v, "compiled_at"));
	json_array_foreach(silent, i, name)
		strbuf_addf(&sb, "%s%s: silent", i ? ", " : "",
			    json_string_value(name));
	return sb.len ? strbuf_detach(&sb) : NULL;
}

/* "2/3", or whose fix-up a number behind the patches is. */
static char *patch_text(const json_t *v, int64_t number)
{
	int64_t total = json_get_int(v, "total", 0);
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(v, "fixups"), i, f) {
		if (number > total && json_get_int(f, "number", 0) == number)
			return xasprintf("the fix-up of %s",
					 json_get_str(f, "from_name", "?"));
	}
	if (!number)
		return xstrdup("the series");
	return xasprintf("%" PRId64 "/%" PRId64, number, total);
}

/*
 * Commands for a shell, as the reply has them. A config that was derived from
 * the change has answers of its own: the script of the job knows them.
 */
static void add_repeat(const json_t *v, json_t *f)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *ctx __free(json) = NULL;

	if (strchr(json_get_str(f, "kconfig", "+"), '+') ||
	    !strcmp(json_get_str(f, "stage", ""), "bench"))
		return;
	ctx = json_pack("{s:{s:s}}", "version", "key",
			json_get_str(v, "key", ""));
	if (!ctx)
		return;
	report_repeat(ctx, f, &sb);
	json_set_text(f, "repeat", sb.buf);
}

static void add_words(const json_t *v, json_t *f)
{
	json_t *places = json_object_get(f, "places");
	char *text __free(kfree) = places_text(places);
	bool error = !strcmp(json_get_str(f, "severity", ""), "error");
	int64_t until = json_get_int(f, "until_number", 0);
	char *at __free(kfree) = patch_text(v, json_get_int(f, "number", 0));
	char *silent __free(kfree) = silent_text(v, f);
	char *by __free(kfree) = until ? patch_text(v, until) : NULL;
	json_t *quote = lines_of(json_get_str(f, "quote", ""), QUOTE_PREFIX);

	json_set_text(f, "at", at);
	json_set_text(f, "cured_by", by);
	json_set_bool(f, "follows_one", json_get_int(f, "follows", 0) == 1);
	json_set_text(f, "places_text", text);
	json_set_text(f, "silent_text", silent);
	json_set_text(f, "mark", error ? "broken" : "warns");
	json_object_set(f, "job", json_array_get(places, 0));
	json_set_bool(f, "has_quote", json_array_size(quote) > 0);
	json_object_set_new(f, "quote_lines", quote);
}

/* Repaired behind the last patch: by what somebody answered */
static bool is_cured(const json_t *v, const json_t *f)
{
	return json_get_int(f, "until_number", 0) > json_get_int(v, "total", 0);
}

void series_findings(json_t *v)
{
	json_t *ours = json_array(), *cured = json_array();
	json_t *others = json_array(), *f;
	size_t i;

	json_array_foreach(json_object_get(v, "findings"), i, f) {
		bool series = !strcmp(json_get_str(f, "blame", ""), "series");

		add_words(v, f);
		json_set_bool(f, "not_series", !series);
		if (series)
			add_repeat(v, f);
		json_array_append(!series ? others : is_cured(v, f) ? cured :
					    ours, f);
	}
	json_set_bool(v, "blamed", json_array_size(ours) +
				   json_array_size(cured) > 0);
	json_object_set_new(v, "ours", ours);
	json_object_set_new(v, "cured", cured);
	json_object_set_new(v, "others", others);
}
