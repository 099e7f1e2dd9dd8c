// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/lines.h"

#include <string.h>

#include "lib/json.h"

static const char *class_of(const char *line, size_t len, size_t skip)
{
	if (len <= skip)
		return "";
	line += skip;
	len -= skip;
	if (len > 2 && !memcmp(line, "@@", 2))
		return "at";
	if (len > 3 && (!memcmp(line, "+++ ", 4) || !memcmp(line, "--- ", 4)))
		return "at";
	return *line == '+' ? "add" : *line == '-' ? "del" : "";
}

json_t *lines_of(const char *text, size_t skip)
{
	json_t *list = json_array();

	while (*text) {
		size_t len = strcspn(text, "\n");
		json_t *o = json_object();

		json_object_set_new(o, "text", json_textn(text, len));
		json_set_text(o, "c", class_of(text, len, skip));
		json_array_append_new(list, o);
		text += len + (text[len] == '\n');
	}
	return list;
}
