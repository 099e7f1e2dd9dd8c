// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/gather.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/json.h"

/* A thread does not give more to one patch. */
#define MAX_GATHERED 200

bool gather_same(const json_t *a, const json_t *b)
{
	return !strcasecmp(json_get_str(a, "name", ""),
			   json_get_str(b, "name", "")) &&
	       !strcasecmp(json_get_str(a, "value", ""),
			   json_get_str(b, "value", ""));
}

static bool contains(const json_t *list, const json_t *t)
{
	size_t i;
	json_t *have;

	json_array_foreach(list, i, have)
		if (gather_same(have, t))
			return true;
	return false;
}

/* Is the word of @len bytes at @w one of the words of @text? */
static bool has_word(const char *text, const char *w, size_t len)
{
	while (*text) {
		size_t n = strcspn(text, " ,.");

		if (n == len && !strncasecmp(text, w, len))
			return true;
		text += n;
		text += strspn(text, " ,.");
	}
	return false;
}

static int count_words(const char *text)
{
	int words = 0;

	while (*text) {
		text += strspn(text, " ,.");
		words += *text != '\0';
		text += strcspn(text, " ,.");
	}
	return words;
}

/* "Last, First" is "First Last"; one word alone says nothing. */
static bool same_name(const char *a, const char *b)
{
	if (count_words(a) < 2 || count_words(a) != count_words(b))
		return false;
	for (const char *p = a; *p;) {
		size_t n = strcspn(p, " ,.");

		if (n && !has_word(b, p, n))
			return false;
		p += n;
		p += strspn(p, " ,.");
	}
	return true;
}

static bool is_sender(const json_t *reply, const json_t *t)
{
	const char *email = json_get_str(t, "addr_email", NULL);

	if (!email)
		return true;
	return !strcasecmp(email, json_get_str(reply, "from_email", "")) ||
	       same_name(json_get_str(t, "addr_name", ""),
			 json_get_str(reply, "from_name", ""));
}

static void reject(const json_t *reply, const json_t *t, json_t *rejected)
{
	json_t *o;
	char *from;

	if (contains(rejected, t))
		return;
	from = xasprintf("%s <%s>", json_get_str(reply, "from_name", ""),
			 json_get_str(reply, "from_email", ""));
	o = json_object();
	json_object_set(o, "name", json_object_get(t, "name"));
	json_object_set(o, "value", json_object_get(t, "value"));
	json_set_text(o, "reply_from", from);
	json_array_append_new(rejected, o);
	free(from);
}

void gather_trailers(const json_t *reply, const json_t *own, json_t *extra,
		     json_t *rejected)
{
	const json_t *list = json_object_get(reply, "trailers");
	size_t i;
	json_t *t, *copy;

	json_array_foreach(list, i, t) {
		if (contains(own, t) || contains(extra, t) ||
		    json_array_size(extra) >= MAX_GATHERED)
			continue;
		if (!is_sender(reply, t)) {
			reject(reply, t, rejected);
			continue;
		}
		copy = json_copy(t);
		json_object_set(copy, "from_email",
				json_object_get(reply, "from_email"));
		json_array_append_new(extra, copy);
	}
}

json_t *gather_join(const json_t *own, const json_t *extra)
{
	json_t *all = json_array();

	json_array_extend(all, (json_t *)own);
	json_array_extend(all, (json_t *)extra);
	return all;
}
