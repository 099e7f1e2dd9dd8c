// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "kernel-series/derive-private.h"
#include "lib/json.h"

static int by_score(const void *a, const void *b)
{
	const json_t *x = *(const json_t *const *)a;
	const json_t *y = *(const json_t *const *)b;
	int64_t d = json_get_int(y, "score", 0) - json_get_int(x, "score", 0);

	if (d)
		return d < 0 ? -1 : 1;
	return strcmp(json_get_str(x, "symbol", ""),
		      json_get_str(y, "symbol", ""));
}

/* Those that this architecture has, the most direct first. */
static size_t sorted(struct derive *d, struct kconfig *k, json_t ***ret)
{
	json_t **v = xcalloc(json_object_size(d->symbols) + 1, sizeof(*v));
	const char *name;
	size_t n = 0;
	json_t *o;

	json_object_foreach(d->symbols, name, o) {
		enum kconfig_value now = kconfig_value(k, name);

		if (now == KCONFIG_UNKNOWN)
			continue;
		json_set_text(o, "symbol", name);
		json_set_text(o, "value", now ? "y" : "n");
		v[n++] = o;
	}
	qsort(v, n, sizeof(*v), by_score);
	*ret = v;
	return n;
}

/* Does another answer take back what a config is there for? */
static bool holds(struct kconfig *k, const json_t *config,
		  const json_t *answers)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *wanted = json_object_get(config, "wanted"), *v;
	const char *name;

	json_object_foreach(wanted, name, v) {
		json_t *copy __free(json) = json_copy((json_t *)answers);
		size_t before = json_object_size(copy);

		if (kconfig_flip(k, name, json_is_true(v), copy, &why) ||
		    json_object_size(copy) != before)
			return false;
	}
	return true;
}

/*
 * A config without a touched file says nothing about what else would change in
 * it: such answers keep to themselves.
 */
static bool hides(const json_t *symbol)
{
	return json_get_bool(symbol, "object", false) &&
	       !strcmp(json_get_str(symbol, "value", ""), "y");
}

static bool put_into(struct kconfig *k, json_t *config, const json_t *symbol)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	const char *name = json_get_str(symbol, "symbol", "");
	bool on = strcmp(json_get_str(symbol, "value", ""), "y") != 0;
	json_t *answers __free(json) =
		json_copy(json_object_get(config, "answers"));

	if (hides(symbol) != json_get_bool(config, "hides", false) ||
	    kconfig_flip(k, name, on, answers, &why) ||
	    !holds(k, config, answers))
		return false;
	json_object_set(config, "answers", answers);
	json_set_bool(json_object_get(config, "wanted"), name, on);
	json_array_append_new(json_object_get(config, "symbols"),
			      json_text(name));
	return true;
}

static void place(struct kconfig *k, json_t *symbol, json_t *configs,
		  int64_t max_configs)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *answers __free(json) = json_object(), *config;
	const char *name = json_get_str(symbol, "symbol", "");
	bool on = strcmp(json_get_str(symbol, "value", ""), "y") != 0;
	size_t i;

	json_object_set_new(symbol, "config", json_null());
	if (kconfig_flip(k, name, on, answers, &why)) {
		json_set_text(symbol, "why", why.buf);
		return;
	}
	json_array_foreach(configs, i, config) {
		if (put_into(k, config, symbol)) {
			json_set_int(symbol, "config", (int64_t)i);
			return;
		}
	}
	if ((int64_t)i >= max_configs) {
		json_set_text(symbol, "why", "no more configs than these");
		return;
	}
	config = json_pack("{s:O, s:{s:b}, s:[s], s:b}", "answers", answers,
			   "wanted", name, on, "symbols", name, "hides",
			   hides(symbol));
	json_array_append_new(configs, config);
	json_set_int(symbol, "config", (int64_t)i);
}

/* The answers as lines; what served the search goes. */
static void finish(json_t *config)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	const char *name;
	json_t *v;

	json_object_foreach(json_object_get(config, "answers"), name, v) {
		if (!strcmp(json_string_value(v), "y"))
			strbuf_addf(&text, "CONFIG_%s=y\n", name);
		else
			strbuf_addf(&text, "# CONFIG_%s is not set\n", name);
	}
	json_set_text(config, "text", text.buf);
	json_object_del(config, "answers");
	json_object_del(config, "wanted");
	json_object_del(config, "hides");
}

void derive_plan(struct derive *d, struct kconfig *k, int64_t max_configs,
		 int64_t max_symbols, json_t *out)
{
	json_t *list = json_array(), *configs = json_array(), *config;
	json_t **v __free(kfree) = NULL;
	size_t n = sorted(d, k, &v), i;

	for (i = 0; i < n && (int64_t)i < max_symbols; i++) {
		place(k, v[i], configs, max_configs);
		json_array_append(list, v[i]);
	}
	json_set_int(out, "symbols_left", (int64_t)(n - i));
	json_array_foreach(configs, i, config)
		finish(config);
	json_object_set_new(out, "symbols", list);
	json_object_set_new(out, "configs", configs);
}
