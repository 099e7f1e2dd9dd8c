// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Helper of tests/apply-oracle: one JSON request {"commit", "mails": [paths],
 * "how": "any" | "git"} a line on stdin, one answer a line on stdout:
 * {"steps": [{"state", "tree", "commit", "refused", "by_git", "read_by_git",
 * "why"}]}.
 *
 *	apply-oracle REPOSITORY SCRATCH
 */
#include <stdlib.h>
#include <string.h>

#include "kernel-series/apply.h"
#include "lib/json.h"

static json_t *steps_json(struct git_repo *repo, const struct apply_series *in,
			  const struct apply_result *res)
{
	json_t *list = json_array();
	char hex[GIT_HEX_LEN + 1];
	size_t i;

	for (i = 0; i < res->nr; i++) {
		const struct apply_step *s = &res->steps[i];
		json_t *o = json_object();
		struct git_id tree;

		json_set_text(o, "state", apply_state_name(s->state));
		json_set_bool(o, "refused", s->refused);
		json_set_bool(o, "by_git", s->by_git);
		json_set_bool(o, "read_by_git", in->v[i].mail.by_git);
		json_set_text(o, "why", s->why.buf);
		if (s->state == APPLY_APPLIED &&
		    !repo_commit_tree(repo, &s->commit, &tree)) {
			json_set_text(o, "tree", git_id_hex(&tree, hex));
			json_set_text(o, "commit", git_id_hex(&s->commit, hex));
		}
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *answer(struct git_repo *repo, const char *scratch,
		      const json_t *request, struct strbuf *why)
{
	const char *how = json_get_str(request, "how", "any");
	json_t *patches __free(json) = json_array();
	json_t *mails = json_object_get(request, "mails");
	struct apply_series s = { 0 };
	struct apply_result res = { 0 };
	json_t *o = json_object();
	struct git_id base;
	size_t i;
	int r;

	for (i = 0; i < json_array_size(mails); i++) {
		json_t *p = json_object();

		json_set_int(p, "number", (int64_t)i + 1);
		json_object_set(p, "path", json_array_get(mails, i));
		json_array_append_new(patches, p);
	}
	r = git_id_parse(json_get_str(request, "commit", ""), &base);
	if (!r)
		r = apply_series_load(patches, scratch, &s, why);
	if (!r)
		r = apply_series_on(repo, &s, &base,
				    !strcmp(how, "git") ? APPLY_GIT_ONLY :
							  APPLY_ANY,
				    &res, why);
	if (r < 0)
		json_set_text(o, "error", why->len ? why->buf : "?");
	json_object_set_new(o, "steps", steps_json(repo, &s, &res));
	apply_result_release(&res);
	apply_series_release(&s);
	return o;
}

int main(int argc, char **argv)
{
	struct git_repo *repo __free(repo) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	char *line __free(kfree) = NULL;
	size_t alloc = 0;

	if (argc != 3 || repo_open(argv[1], &repo, &why)) {
		fprintf(stderr, "apply-oracle REPOSITORY SCRATCH: %s\n",
			why.buf);
		return 2;
	}
	while (getline(&line, &alloc, stdin) > 0) {
		json_t *request __free(json) = json_loads(line, 0, NULL);
		json_t *a __free(json) = NULL;

		strbuf_reset(&why);
		a = answer(repo, argv[2], request, &why);
		json_dumpf(a, stdout, JSON_COMPACT);
		putchar('\n');
		fflush(stdout);
	}
	return 0;
}
