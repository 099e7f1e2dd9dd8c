// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-series/parse.h"
#include "kernel-series/tests/corpora.h"
#include "lib/json.h"

/*
 * Every value of the corpora of mails and series, asserted or derived. One
 * case for each file. Where this project decides otherwise, the field is named
 * below and argued in docs/decisions.md.
 */
static const struct {
	const char *file, *field;
} differences[] = {
#include "kernel-series/tests/differences.inc"
};

struct corpus_case {
	const char *folder;
	json_t *line;
	char *name;
};

static bool is_difference(const char *file, const char *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(differences); i++)
		if (!strcmp(differences[i].file, file) &&
		    !strcmp(differences[i].field, field))
			return true;
	return false;
}

static unsigned int failures;

static void complain(const char *field, const json_t *want, const json_t *have)
{
	char *w = want ? json_dumps(want, JSON_ENCODE_ANY) : NULL;
	char *h = have ? json_dumps(have, JSON_ENCODE_ANY) : NULL;

	print_error("# %s: want %.1500s have %.1500s\n", field, w ? w : "-",
		    h ? h : "nothing");
	free(w);
	free(h);
	failures++;
}

static void compare(const char *file, const char *field, const json_t *want,
		    const json_t *have);

/* Some titles may be read in two ways. */
static bool title_ok(const json_t *want, const json_t *have, const char *key)
{
	const json_t *also = json_object_get(want, "title_also_ok");
	size_t i;
	json_t *v;

	if (strcmp(key, "title"))
		return false;
	json_array_foreach(also, i, v)
		if (json_equal(v, json_object_get(have, "title")))
			return true;
	return json_is_string(also) &&
	       json_equal(also, json_object_get(have, "title"));
}

static void compare_members(const char *file, const char *field,
			    const json_t *want, const json_t *have)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)want, key, v) {
		char *name __free(kfree) = xasprintf("%s.%s", field, key);

		if (!strcmp(key, "title_also_ok") || title_ok(want, have, key))
			continue;

		compare(file, name, v, json_object_get(have, key));
	}
}

/* Objects may have more members than wanted, arrays no more elements. */
static void compare(const char *file, const char *field, const json_t *want,
		    const json_t *have)
{
	size_t i;
	json_t *v;

	if (is_difference(file, field))
		return;
	if (json_is_object(want) && json_is_object(have)) {
		compare_members(file, field, want, have);
		return;
	}
	if (json_is_array(want) && json_is_array(have) &&
	    json_array_size(want) == json_array_size(have)) {
		json_array_foreach(want, i, v) {
			char *name __free(kfree) =
				xasprintf("%s[%zu]", field, i);

			compare(file, name, v, json_array_get(have, i));
		}
		return;
	}
	if (!json_equal(want, have))
		complain(field, want, have);
}

static bool contains(const json_t *text, const json_t *part)
{
	return strstr(json_string_value(text) ? json_string_value(text) : "",
		      json_string_value(part));
}

static int64_t count(const char *text, const char *part)
{
	int64_t n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* Expectations that are no field but say something about one. */
static bool special(const char *key, const json_t *want,
		    const json_t *have, const json_t *want_all)
{
	const json_t *diff = json_object_get(have, "diff"), *v;
	const char *k;
	size_t i;

	if (!strcmp(key, "diff_starts_with")) {
		if (!starts_with(json_string_value(diff),
				 json_string_value(want)))
			complain(key, want, diff);
	} else if (!strcmp(key, "diff_contains") ||
		   !strcmp(key, "diff_not_contains")) {
		json_array_foreach(want, i, v)
			if (contains(diff, v) != (key[5] == 'c'))
				complain(key, v, diff);
	} else if (!strcmp(key, "diff_count")) {
		json_object_foreach((json_t *)want, k, v)
			if (count(json_string_value(diff), k) !=
			    json_integer_value(v))
				complain(key, want, diff);
	} else if (!strcmp(key, "message_not_contains")) {
		json_array_foreach(want, i, v)
			if (contains(json_object_get(have, "message"), v))
				complain(key, v,
					 json_object_get(have, "message"));
	} else if (!strcmp(key, "body_contains")) {
		json_array_foreach(want, i, v)
			if (!contains(json_object_get(have, "body"), v))
				complain(key, v,
					 json_object_get(have, "body"));
	} else if (!strcmp(key, "from_name_contains")) {
		if (!contains(json_object_get(have, "from_name"), want))
			complain(key, want, json_object_get(have, "from_name"));
	} else {
		return !strcmp(key, "op") || !strcmp(key, "in_reply") ||
		       !strcmp(key, "title_also_ok") ||
		       title_ok(want_all, have, key);
	}
	return true;
}

/* The two peers mean different lists by "prefixes". */
static const char *field_name(const char *file, const char *key)
{
	if (!strcmp(key, "prefixes") && starts_with(file, "pw-subject-"))
		return "tokens";
	return key;
}

static void check_fields(const char *file, const json_t *want,
			 const json_t *have)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)want, key, v)
		if (!is_difference(file, key) && !special(key, v, have, want))
			compare(file, key, v,
				json_object_get(have, field_name(file, key)));
}

static json_t *parse(const char *kind, const struct strbuf *in,
		     const json_t *options)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *ret = NULL;
	int r = parse_file_json(kind, in->buf, in->len, options, &ret, &why);

	if (r)
		print_error("# parse_file_json: %d %s\n", r, why.buf);
	assert_int_equal(r, 0);
	return ret;
}

static void to_crlf(const struct strbuf *in, struct strbuf *out)
{
	for (size_t i = 0; i < in->len; i++) {
		if (in->buf[i] == '\n')
			strbuf_addch(out, '\r');
		strbuf_addch(out, in->buf[i]);
	}
}

/* The same values from CRLF, in which the body then has CRLF too. */
static void check_crlf(const struct corpus_case *c, const char *kind,
		       const struct strbuf *in, const json_t *options,
		       json_t *want)
{
	struct strbuf crlf __free(strbuf) = STRBUF_INIT;
	json_t *have __free(json) = NULL;
	json_t *expected __free(json) = json_deep_copy(want);
	struct strbuf body __free(strbuf) = STRBUF_INIT, b = STRBUF_INIT;
	const char *text = json_string_value(json_object_get(want, "body"));

	to_crlf(in, &crlf);
	have = parse(kind, &crlf, options);
	if (text) {
		strbuf_addstr(&b, text);
		to_crlf(&b, &body);
		strbuf_release(&b);
		json_object_set_new(expected, "body", json_string(body.buf));
	}
	check_fields(json_get_str(c->line, "file", ""), expected, have);
}

static json_t *options_of(const struct corpus_case *c, const json_t *variant,
			  const json_t *want)
{
	json_t *o = json_object();

	if (json_object_get(c->line, "options"))
		json_object_update(o, json_object_get(c->line, "options"));
	if (variant)
		json_object_update(o, (json_t *)variant);
	if (json_object_get(want, "me"))
		json_object_set(o, "me", json_object_get(want, "me"));
	json_object_set(o, "format", json_object_get(c->line, "format"));
	return o;
}

static void check_variants(const struct corpus_case *c,
			   const struct strbuf *in, const json_t *want)
{
	size_t i;
	json_t *v;

	json_array_foreach(json_object_get(want, "variants"), i, v) {
		json_t *options __free(json) =
			options_of(c, json_object_get(v, "options"), want);
		json_t *have __free(json) = NULL;
		json_t *ready = json_object_get(v, "patches_ready_to_apply");

		if (!ready)
			continue;
		have = parse("series", in, options);
		compare(json_get_str(c->line, "file", ""),
			json_get_str(v, "name", ""), ready,
			json_object_get(have, "patches_ready_to_apply"));
	}
}

/* Mails without a patch that say PATCH are series to one of the peers. */
static void merge_empty(json_t *have)
{
	json_t *all = json_array(), *s, *e;
	json_t *list = json_object_get(have, "series");
	json_t *empty = json_object_get(have, "empty_series");
	json_t *msgs = json_object_get(have, "messages");
	size_t i, k;
	json_t *m;

	json_array_foreach(msgs, i, m) {
		json_t *id = json_object_get(m, "message_id");

		json_array_foreach(list, k, s)
			if (json_equal(json_object_get(s, "root"), id))
				json_array_append(all, s);
		json_array_foreach(empty, k, e)
			if (json_equal(json_object_get(e, "root"), id))
				json_array_append(all, e);
	}
	json_set_int(have, "series_count", (int64_t)json_array_size(all));
	json_object_set_new(have, "series", all);
}

static void check_series(const struct corpus_case *c, const struct strbuf *in,
			 json_t *want)
{
	/* what needs a tree is tested where trees are */
	static const char *const elsewhere[] = {
		"variants", "base", "tree_after", "me", "apply",
		"followup_trailers",
	};
	json_t *options __free(json) = options_of(c, NULL, want);
	json_t *have __free(json) = parse("series", in, options);
	json_t *copy __free(json) = json_deep_copy(want);
	size_t i;
	json_t *s;

	check_variants(c, in, want);
	for (i = 0; i < ARRAY_SIZE(elsewhere); i++)
		json_object_del(copy, elsewhere[i]);
	json_array_foreach(json_object_get(copy, "series"), i, s) {
		json_object_del(s, "apply");
		/* a display form of the peer, and free wording */
		json_object_del(s, "peer_name");
	}
	if (!strcmp(json_get_str(want, "op", ""), "series-usable"))
		merge_empty(have);
	check_fields(json_get_str(c->line, "file", ""), copy, have);
}

static void check_ingest_many(const char *file, const struct strbuf *in,
			      const json_t *want)
{
	json_t *have __free(json) = parse("series", in, NULL);

	compare(file, "kept", json_object_get(want, "kept"),
		json_object_get(have, "counts"));
}

/* Only that it ends, and well; outcome and reason are the peer's, derived. */
static void check_ingest(const struct corpus_case *c, const struct strbuf *in,
			 const json_t *want)
{
	const char *file = json_get_str(c->line, "file", "");
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	const char *outcome = json_get_str(want, "outcome", "");
	bool derived = json_get_bool(c->line, "derived", false);
	json_t *have __free(json) = NULL;
	int r;

	if (json_object_get(want, "kept")) {
		check_ingest_many(file, in, want);
		return;
	}
	r = parse_file_json("mail", in->buf, in->len, NULL, &have, &why);
	assert_true(r == 0 || r == PARSE_REFUSED);
	if (r || derived)
		return;
	if (strcmp(outcome, json_get_str(have, "outcome", "")))
		complain("outcome", json_object_get(want, "outcome"),
			 json_object_get(have, "outcome"));
}

static const char *kind_of(const char *folder, const char *op)
{
	if (!strcmp(op, "extract-diff"))
		return "diff";
	if (!strcmp(op, "first-command") || !strcmp(op, "form-reply"))
		return "commands";
	return "mail";
}

static void check_case(void **state)
{
	const struct corpus_case *c = *state;
	const char *file = json_get_str(c->line, "file", "");
	struct strbuf in __free(strbuf) = STRBUF_INIT;
	json_t *want = json_object_get(c->line, "expected");
	const char *op = json_get_str(want, "op", ""), *kind;
	json_t *options __free(json) = NULL, *have __free(json) = NULL;

	failures = 0;
	assert_int_equal(corpora_read(c->folder, file, &in), 0);
	if (!strcmp(c->folder, "series")) {
		check_series(c, &in, want);
	} else if (!strcmp(op, "ingest")) {
		check_ingest(c, &in, want);
	} else {
		kind = kind_of(c->folder, op);
		options = options_of(c, NULL, want);
		have = parse(kind, &in, options);
		json_object_del(want, "must_not_crash");
		check_fields(file, want, have);
		if (json_get_bool(c->line, "crlf_variant_same", false))
			check_crlf(c, kind, &in, options, want);
	}
	assert_int_equal(failures, 0);
}

/*
 * cmocka's skip() prints "not ok", which meson takes for a failure: a case
 * that does not run says so in its name, after the "#" of a TAP directive.
 */
static void not_run(void **state)
{
	(void)state;
}

/* The corpora of the runners' tests read the others. */
static bool is_ours(const json_t *line)
{
	return strcmp(json_get_str(json_object_get(line, "expected"), "op", ""),
		      "parse-console");
}

int main(void)
{
	static const char *const folders[] = { "mail", "mail-commands", "fuzz",
					       "series" };
	struct CMUnitTest *tests = NULL;
	struct corpus_case *cases = NULL;
	size_t nr = 0, i;
	int r;
	json_t *line;

	for (size_t f = 0; f < ARRAY_SIZE(folders); f++) {
		json_t *lines __free(json) = corpora_lines(folders[f]);

		json_array_foreach(lines, i, line) {
			if (!is_ours(line))
				continue;
			cases = xrealloc_array(cases, nr + 1, sizeof(*cases));
			cases[nr].folder = folders[f];
			cases[nr].line = json_incref(line);
			cases[nr].name = xasprintf("%s/%s", folders[f],
						   json_get_str(line, "file",
								"?"));
			nr++;
		}
	}
	if (!nr) {
		const struct CMUnitTest none[] = {
			{ .name = "mail, mail-commands, fuzz, series # SKIP "
				  "no corpora (MMCI_CORPORA)",
			  .test_func = not_run },
		};

		return cmocka_run_group_tests(none, NULL, NULL);
	}
	tests = xcalloc(nr, sizeof(*tests));
	for (i = 0; i < nr; i++)
		tests[i] = (struct CMUnitTest){ .name = cases[i].name,
						.test_func = check_case,
						.initial_state = &cases[i] };
	r = _cmocka_run_group_tests("corpora", tests, nr, NULL, NULL);
	for (i = 0; i < nr; i++) {
		json_decref(cases[i].line);
		free(cases[i].name);
	}
	free(cases);
	free(tests);
	return r;
}
