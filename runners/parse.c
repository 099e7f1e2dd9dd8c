/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/parse.h"

#include <errno.h>
#include <string.h>

#include "lib/json.h"
#include "runners/build-log.h"
#include "runners/console.h"
#include "runners/ktap.h"

static json_t *parse_build_log(const void *data, size_t len,
			       const json_t *options)
{
	struct build_log_options o = {
		.src_prefix = json_get_str(options, "source_prefix", NULL),
		.obj_prefix = json_get_str(options, "object_prefix", NULL),
		.toolchain = json_get_str(options, "toolchain", NULL),
	};

	return build_log_parse(data, len, &o);
}

static json_t *parse_ktap(const void *data, size_t len,
			  const json_t *options)
{
	return ktap_parse(data, len);
}

static json_t *parse_console(const void *data, size_t len,
			     const json_t *options)
{
	json_t *ret = console_parse(data, len);

	if (json_get_bool(options, "all", false))
		json_object_set_new(ret, "reports",
				    console_parse_all(data, len));
	return ret;
}

static const struct {
	const char *kind;
	json_t *(*parse)(const void *data, size_t len, const json_t *options);
} kinds[] = {
	{ "build-log", parse_build_log },
	{ "console", parse_console },
	{ "ktap", parse_ktap },
};

int runner_parse_json(const char *kind, const void *data, size_t len,
		      const json_t *options, json_t **ret, struct strbuf *why)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kind, kinds[i].kind))
			continue;
		*ret = kinds[i].parse(data, len, options);
		return 0;
	}
	strbuf_addf(why, "%s: not a kind of text that can be parsed", kind);
	return -EINVAL;
}
