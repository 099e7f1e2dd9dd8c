// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/links.h"

#include <string.h>

#include "lib/json.h"

static void add_pair(struct strbuf *q, const char *key, const char *value)
{
	strbuf_addch(q, q->len ? '&' : '?');
	template_escape_url(q, key, strlen(key));
	strbuf_addch(q, '=');
	template_escape_url(q, value, strlen(value));
}

char *links_with(const struct request *rq, const char *key, const char *value)
{
	struct strbuf q = STRBUF_INIT;
	const char *name;
	json_t *v;

	json_object_foreach(rq->query, name, v) {
		if (strcmp(name, "cursor") && strcmp(name, key) &&
		    json_string_length(v))
			add_pair(&q, name, json_string_value(v));
	}
	if (value && *value)
		add_pair(&q, key, value);
	if (!q.len)
		strbuf_addch(&q, '?');
	return strbuf_detach(&q);
}

void links_next(const struct request *rq, json_t *v)
{
	const char *next = json_get_str(v, "next", NULL);
	char *href __free(kfree) = next ? links_with(rq, "cursor", next) : NULL;

	if (href)
		json_set_text(v, "next_href", href);
}

static bool add_choice(json_t *list, const char *value, const char *word,
		       const char *have)
{
	bool on = have && !strcmp(have, value);
	json_t *o = json_object();

	json_set_text(o, "value", value);
	json_set_text(o, "word", word);
	json_set_bool(o, "on", on);
	json_array_append_new(list, o);
	return on;
}

json_t *links_choices(const struct request *rq, const char *key,
		      const char *const *values, const char *(*words)(const char *))
{
	const char *have = request_query(rq, key);
	json_t *list = json_array();
	bool found = !have;

	for (; *values; values++)
		found |= add_choice(list, *values,
				    words ? words(*values) : *values, have);
	if (!found)
		add_choice(list, have, have, have);
	return list;
}

json_t *links_names(const struct request *rq, const char *key,
		    const json_t *rows)
{
	const char *have = request_query(rq, key), *name;
	json_t *list = json_array(), *row;
	bool found = !have;
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		name = json_get_str(row, "name", "");
		found |= add_choice(list, name, name, have);
	}
	if (!found)
		add_choice(list, have, have, have);
	return list;
}
