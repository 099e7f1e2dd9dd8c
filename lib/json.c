// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/json.h"

#include <errno.h>
#include <string.h>

#include "lib/fs.h"

json_t *json_textn(const char *s, size_t len)
{
	struct strbuf clean __free(strbuf) = STRBUF_INIT;

	if (!s)
		return json_null();
	strbuf_add_utf8(&clean, s, len);
	return json_stringn_nocheck(clean.buf, clean.len);
}

json_t *json_text(const char *s)
{
	return json_textn(s, s ? strlen(s) : 0);
}

void json_set_text(json_t *o, const char *key, const char *s)
{
	json_object_set_new(o, key, json_text(s));
}

void json_set_int(json_t *o, const char *key, int64_t v)
{
	json_object_set_new(o, key, json_integer(v));
}

void json_set_bool(json_t *o, const char *key, bool v)
{
	json_object_set_new(o, key, json_boolean(v));
}

const char *json_get_str(const json_t *o, const char *key, const char *dflt)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : dflt;
}

int64_t json_get_int(const json_t *o, const char *key, int64_t dflt)
{
	const json_t *v = json_object_get(o, key);

	return json_is_integer(v) ? json_integer_value(v) : dflt;
}

bool json_get_bool(const json_t *o, const char *key, bool dflt)
{
	const json_t *v = json_object_get(o, key);

	return json_is_boolean(v) ? json_is_true(v) : dflt;
}

int json_read_file(const char *path, size_t max_bytes, json_t **ret,
		   struct strbuf *why)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	json_error_t err;
	int r;

	r = fs_read_file(path, max_bytes, &text);
	if (r) {
		strbuf_setf(why, "%s: %s", path, strerror(-r));
		return r;
	}
	*ret = json_loadb(text.buf, text.len, JSON_REJECT_DUPLICATES, &err);
	if (!*ret) {
		strbuf_setf(why, "%s:%d:%d: %s", path, err.line, err.column,
			    err.text);
		return -EINVAL;
	}
	return 0;
}

int json_write_file(const char *path, const json_t *v)
{
	char *text __free(kfree) = json_dumps(v, JSON_INDENT(1));

	if (!text)
		return -EINVAL;
	return fs_write_atomic(path, text, strlen(text));
}
