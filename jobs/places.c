// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/places.h"

#include <string.h>

#include "lib/json.h"

static bool same(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(json_get_str(a, key, ""), json_get_str(b, key, ""));
}

static bool same_setup(const json_t *a, const json_t *b)
{
	return same(a, b, "kconfig") && same(a, b, "toolchain");
}

static bool has_text(const json_t *list, const char *text)
{
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e) {
		if (!strcmp(json_string_value(e), text))
			return true;
	}
	return false;
}

/* The architectures of all places with the config and toolchain of @like. */
static json_t *archs_like(const json_t *places, const json_t *like)
{
	json_t *archs = json_array();
	const json_t *p;
	size_t i;

	json_array_foreach(places, i, p) {
		const char *arch = json_get_str(p, "arch", "");

		if (same_setup(p, like) && !has_text(archs, arch))
			json_array_append_new(archs, json_text(arch));
	}
	return archs;
}

static bool is_first(const json_t *places, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (same_setup(json_array_get(places, i),
			       json_array_get(places, at)))
			return false;
	}
	return true;
}

void places_say(const json_t *places, struct strbuf *out)
{
	bool any = false;
	const json_t *p;
	size_t i;

	json_array_foreach(places, i, p) {
		json_t *archs __free(json) = NULL;
		size_t n;

		if (!is_first(places, i))
			continue;
		archs = archs_like(places, p);
		n = json_array_size(archs);
		if (any)
			strbuf_addstr(out, "; ");
		for (size_t k = 0; k < n; k++)
			strbuf_addf(out, "%s%s", !k ? "" :
				    k == n - 1 ? " and " : ", ",
				    json_string_value(json_array_get(archs,
								     k)));
		strbuf_addf(out, " (%s, %s)", json_get_str(p, "kconfig", ""),
			    json_get_str(p, "toolchain", ""));
		any = true;
	}
}

json_t *places_silent(const json_t *places, const json_t *all)
{
	json_t *silent = json_array();
	const json_t *p, *q;
	size_t i, k;

	json_array_foreach(all, i, p) {
		const char *toolchain = json_get_str(p, "toolchain", "");
		bool near = false, said = false;

		json_array_foreach(places, k, q) {
			near |= same(p, q, "arch") && same(p, q, "kconfig");
			said |= same(p, q, "toolchain");
		}
		if (near && !said && !has_text(silent, toolchain))
			json_array_append_new(silent, json_text(toolchain));
	}
	return silent;
}
