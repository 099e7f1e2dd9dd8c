// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "runners/derived.h"
#include "runners/derived-private.h"
#include "runners/kbuild.h"

#define LINES_NAME ".mmci-lines.mk"

/* Once more through the preprocessor, with #define left in. */
static int lines_rules(void *arg)
{
	struct derived *d = arg;
	struct strbuf mk __free(strbuf) = STRBUF_INIT;
	json_t *u;
	size_t i;

	strbuf_addstr(&mk, "pound := \\#\n.PHONY: lines\nlines: ;\n");
	json_array_foreach(d->enabled, i, u) {
		const char *o = json_string_value(u);
		char *command __free(kfree) = derived_unit_command(o);
		char *syntax = command ? strstr(command, " -fsyntax-only") :
					 NULL;
		char *rule __free(kfree) = NULL;

		if (!syntax)
			continue;
		*syntax = '\0';
		rule = xasprintf("%s -E -dD -w%s -o %.*s.mmci-lines", command,
				 syntax + strlen(" -fsyntax-only"),
				 (int)strlen(o) - 2, o);
		derived_add_rule(&mk, "lines", o, "CPP", rule);
	}
	return fs_write_atomic(WORKSPACE_BUILD "/" LINES_NAME, mk.buf,
			       mk.len) ? 1 : 0;
}

static int lines_inside(void *arg)
{
	struct derived *d = arg;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	json_t *seen __free(json) = json_object(), *list, *pair, *u;
	const char *path;
	size_t i;

	json_array_foreach(d->enabled, i, u) {
		char hex[65];

		if (derived_text(json_string_value(u), "mmci-lines", &text))
			derived_tokens(text.buf, text.len, d->lines, seen,
				       hex);
	}
	json_object_foreach(d->lines, path, list) {
		json_t *there = json_object_get(seen, path);

		json_array_foreach(list, i, pair) {
			long long anchor = json_integer_value(
				json_array_get(pair, 1));
			char key[24];

			snprintf(key, sizeof(key), "%lld", anchor);
			if (json_object_get(there, key))
				printf("%lld %s\n",
				       (long long)json_integer_value(
					       json_array_get(pair, 0)), path);
		}
	}
	return fflush(stdout) ? 1 : 0;
}

int derived_measure(struct derived *d, struct strbuf *why)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	struct kbuild_result res = KBUILD_RESULT_INIT;
	json_t *compiled = json_object();
	char *save = NULL;
	int r;

	if (!json_object_size(d->lines) || !json_array_size(d->enabled))
		return 0;
	job_stage(d->ws->job, "lines");
	r = derived_in_sandbox(d->ws, lines_rules, d, &out, why);
	if (!r)
		r = kbuild_make_file(d->ws, WORKSPACE_BUILD "/" LINES_NAME,
				     "lines", &res, why);
	/* a unit that does not compile compiles no line, which is no failure */
	if (!r && (res.r < 0 || res.r == JOB_TIMED_OUT))
		r = res.r;
	kbuild_result_release(&res);
	strbuf_reset(&out);
	if (!r)
		r = derived_in_sandbox(d->ws, lines_inside, d, &out, why);
	job_stage_end(d->ws->job, r);
	for (char *l = r ? NULL : strtok_r(out.buf, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		char *path = strchr(l, ' ');
		json_t *list;

		if (!path)
			continue;
		list = json_object_get(compiled, ++path);
		if (!list) {
			list = json_array();
			json_object_set_new(compiled, path, list);
		}
		json_array_append_new(list, json_integer(strtoll(l, NULL,
								 10)));
	}
	job_set(d->ws->job, "lines", compiled);
	return r;
}
