// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel-series/compare.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/apply.h"
#include "kernel-series/mail.h"
#include "kernel-series/range-diff.h"
#include "lib/fs.h"
#include "lib/json.h"

/* A diff of diffs beyond this is read by nobody on a page. */
#define MAX_DIFF_BYTES ((size_t)64 << 10)

/**
 * struct side - the commits of one version
 * @base: commit below the first, "" if there are none
 * @tip: the last
 * @numbers: of the patches that are commits, in order
 */
struct side {
	char base[GIT_HEX_LEN + 1], tip[GIT_HEX_LEN + 1];
	json_t *numbers;
};

static void take_hex(char hex[static GIT_HEX_LEN + 1], const char *text)
{
	snprintf(hex, GIT_HEX_LEN + 1, "%s", text);
}

/* From {base_commit, patches: [{number, commit_id}]} */
static void side_of(const json_t *o, struct side *s)
{
	const json_t *p;
	size_t i;

	s->numbers = json_array();
	take_hex(s->base, json_get_str(o, "base_commit", ""));
	json_array_foreach(json_object_get(o, "patches"), i, p) {
		const char *commit = json_get_str(p, "commit_id", NULL);

		if (!commit)
			continue;
		take_hex(s->tip, commit);
		json_array_append(s->numbers, json_object_get(p, "number"));
	}
}

static bool has_commits(const struct side *s)
{
	return *s->base && json_array_size(s->numbers);
}

static void take_steps(const struct apply_series *series,
		       const struct apply_result *res, struct side *s)
{
	for (size_t i = 0; i < res->nr; i++) {
		if (res->steps[i].state != APPLY_APPLIED)
			continue;
		git_id_hex(&res->steps[i].commit, s->tip);
		json_array_append_new(s->numbers,
				      json_integer(series->v[i].number));
	}
}

/* The older version on the base of the new one, as commits without a ref. */
static int apply_older(const json_t *request, const char *base,
		       const char *scratch, struct side *s)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct apply_result res = { 0 };
	struct apply_series series;
	struct git_repo *repo = NULL;
	struct git_id id;
	int r;

	r = apply_series_load(json_object_get(request, "older"), scratch,
			      &series, &why);
	if (!r)
		r = repo_open(json_get_str(request, "repo", ""), &repo, &why);
	if (!r)
		r = git_id_parse(base, &id);
	if (!r)
		r = apply_series_on(repo, &series, &id, APPLY_ANY, &res, &why);
	if (!r) {
		take_hex(s->base, base);
		take_steps(&series, &res, s);
	}
	apply_result_release(&res);
	apply_series_release(&series);
	repo_free(repo);
	return r;
}

static int apply_older_in(const json_t *request, const char *base,
			  struct side *s)
{
	char *dir __free(kfree) = xasprintf("%s.compare-XXXXXX",
					    json_get_str(request, "repo", ""));
	int r;

	if (!mkdtemp(dir))
		return -errno;
	r = apply_older(request, base, dir, s);
	fs_rm_rf(dir);
	return r;
}

/* git counts commits, people count patches. */
static void set_number(json_t *pair, const char *key, const json_t *numbers)
{
	int64_t n = json_get_int(pair, key, 0);
	json_t *number = n > 0 ? json_array_get(numbers, (size_t)n - 1) : NULL;

	if (number)
		json_object_set(pair, key, number);
}

static void cut_diff(json_t *pair)
{
	const char *diff = json_get_str(pair, "diff", "");
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	if (strlen(diff) <= MAX_DIFF_BYTES)
		return;
	strbuf_add_utf8(&sb, diff, MAX_DIFF_BYTES);
	strbuf_addf(&sb, "\n[cut at %zu of %zu bytes]\n", MAX_DIFF_BYTES,
		    strlen(diff));
	json_set_text(pair, "diff", sb.buf);
}

static int by_commits(const json_t *request, const struct side *old,
		      const struct side *new, json_t **ret,
		      struct strbuf *why)
{
	json_t *pair;
	size_t i;
	int r = range_diff(json_get_str(request, "repo", ""), old->base,
			   old->tip, new->base, new->tip, ret, why);

	if (r)
		return r;
	json_array_foreach(*ret, i, pair) {
		set_number(pair, "old", old->numbers);
		set_number(pair, "new", new->numbers);
		cut_diff(pair);
	}
	return 0;
}

/* number, title and patch_id of mails; what cannot be read is left out */
static json_t *read_heads(const json_t *list)
{
	json_t *heads = json_array(), *p;
	size_t i;

	json_array_foreach((json_t *)list, i, p) {
		struct strbuf raw __free(strbuf) = STRBUF_INIT;
		struct strbuf why __free(strbuf) = STRBUF_INIT;
		struct mail *mail __free(mail) = NULL;
		json_t *f __free(json) = NULL;

		if (fs_read_file(json_get_str(p, "path", ""), MAIL_MAX_BYTES,
				 &raw) ||
		    mail_parse(raw.buf, raw.len, &mail, &why))
			continue;
		f = mail_to_json(mail);
		json_array_append_new(
			heads, json_pack("{s:O, s:O, s:O?}", "number",
					 json_object_get(p, "number"), "title",
					 json_object_get(f, "title"),
					 "patch_id",
					 json_object_get(f, "patch_id")));
	}
	return heads;
}

/* The first of @list that has the same @key and no partner yet. */
static json_t *partner(json_t *list, const json_t *of, const char *key)
{
	const char *want = json_get_str(of, key, "");
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (*want && !json_object_get(o, "taken") &&
		    !strcmp(json_get_str(o, key, ""), want))
			return o;
	}
	return NULL;
}

static void add_pair(json_t *out, const char *state, const json_t *old,
		     const json_t *new)
{
	json_t *o = json_object();

	json_set_text(o, "state", state);
	json_object_set_new(o, "old", old ?
			    json_incref(json_object_get(old, "number")) :
			    json_null());
	json_object_set_new(o, "new", new ?
			    json_incref(json_object_get(new, "number")) :
			    json_null());
	json_set_text(o, "title", json_get_str(new ? new : old, "title", ""));
	json_set_text(o, "diff", "");
	json_array_append_new(out, o);
}

static json_t *by_heads(const json_t *request)
{
	json_t *old __free(json) =
		read_heads(json_object_get(request, "older"));
	json_t *new __free(json) =
		read_heads(json_object_get(request, "patches"));
	json_t *out = json_array(), *o, *n;
	size_t i;

	json_array_foreach(new, i, n) {
		bool same;

		o = partner(old, n, "patch_id");
		same = o && !strcmp(json_get_str(o, "title", ""),
				    json_get_str(n, "title", ""));
		if (!o)
			o = partner(old, n, "title");
		if (o)
			json_set_bool(o, "taken", true);
		add_pair(out, same ? "unchanged" : o ? "changed" : "new", o,
			 n);
	}
	json_array_foreach(old, i, o) {
		if (!json_object_get(o, "taken"))
			add_pair(out, "dropped", o, NULL);
	}
	return out;
}

void compare_versions(const json_t *request, json_t *answer)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct side old = { 0 }, new = { 0 };
	json_t *list = NULL;
	int r = -ENOENT;

	if (!json_array_size(json_object_get(request, "older")))
		return;
	side_of(json_object_get(request, "compare"), &old);
	side_of(answer, &new);
	if (has_commits(&new) && !has_commits(&old)) {
		json_array_clear(old.numbers);
		r = apply_older_in(request, new.base, &old);
	}
	if (has_commits(&new) && has_commits(&old))
		r = by_commits(request, &old, &new, &list, &why);
	else if (!has_commits(&new))
		strbuf_setf(&why, "this version does not apply");
	else
		strbuf_setf(&why, "the older version does not apply");
	if (r || !list) {
		list = by_heads(request);
		strbuf_addstr(&why, ": compared by patch id and title alone");
	}
	json_object_set_new(answer, "range_diff", list);
	json_set_text(answer, "compare_why", why.buf);
	json_decref(old.numbers);
	json_decref(new.numbers);
}
