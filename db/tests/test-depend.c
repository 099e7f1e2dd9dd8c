// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "db/compare.h"
#include "db/depend.h"
#include "db/mail.h"
#include "db/version.h"
#include "lib/clock.h"
#include "lib/json.h"

#define ID(c) c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c \
	c c c c c c c c

static struct db *fresh(void)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct db *db = NULL;

	clock_fake(1700000000000);
	assert_int_equal(db_open(":memory:", &db, &why), 0);
	return db;
}

static void add_patch(struct db *db, json_t *series, const char *key,
		      int number, const char *patch_id)
{
	char *id __free(kfree) = xasprintf("%s-%d@h", key, number);
	json_t *f __free(json) = json_pack("{s:s, s:s, s:s?}", "message_id",
					   id, "kind", "patch", "patch_id",
					   patch_id);
	struct mail_id mail;

	assert_int_equal(db_mail_add(db, (struct source_id){ 0 }, false, f,
				     "raw", 3, &mail), 0);
	json_array_append_new(json_object_get(series, "patches"),
			      json_pack("{s:i, s:s, s:s}", "number", number,
					"message_id", id, "title", id));
}

/* Patches with these ids, NULL-terminated; what the mails say it needs. */
static struct version_id add(struct db *db, const char *key, bool is_private,
			     const char *const *patch_ids, json_t *needs)
{
	struct version_sync how = { .is_private = is_private };
	char *email __free(kfree) = xasprintf("%s@example.org", key);
	char *first __free(kfree) = xasprintf("%s-1@h", key);
	json_t *s __free(json) = json_pack(
		"{s:s, s:i, s:s, s:{s:s, s:s}, s:b, s:i, s:[]}", "key", first,
		"version", 1, "title", first, "author", "name", "x", "email",
		email, "complete", 1, "date_s", 100, "patches");
	json_t *owned __free(json) = needs;
	struct version_id id;
	int n;

	for (n = 0; patch_ids[n]; n++)
		add_patch(db, s, key, n + 1, patch_ids[n]);
	json_set_int(s, "total", n);
	json_object_update(s, owned);
	assert_int_equal(db_version_sync(db, &how, s, &id), 0);
	return id;
}

#define PATCHES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* "a-1@h 2, b-1@h all" */
static void check(struct db *db, struct version_id id, const char *want)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *graph __free(json) = NULL, *d;
	size_t i;

	assert_int_equal(db_depend_graph(db, id, &graph), 0);
	json_array_foreach(json_object_get(graph, "needs"), i, d)
		strbuf_addf(&sb, "%s%s", i ? " " : "", json_string_value(d));
	strbuf_addstr(&sb, ":");
	json_array_foreach(json_object_get(graph, "dependencies"), i, d) {
		int64_t upto = json_get_int(d, "upto", 0);

		strbuf_addf(&sb, " %s", json_get_str(d, "key", ""));
		if (upto != INT32_MAX)
			strbuf_addf(&sb, "/%d", (int)upto);
		if (json_is_string(json_object_get(d, "broken")))
			strbuf_addstr(&sb, "!");
	}
	assert_string_equal(sb.buf, want);
}

static void patch_ids_name_the_version_that_has_most(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id v;

	add(db, "a", false, PATCHES(ID("a"), ID("b"), ID("c")), NULL);
	add(db, "b", false, PATCHES(ID("a"), ID("d")), NULL);
	v = add(db, "v", false, PATCHES(ID("e")),
		json_pack("{s:[s, s, s]}", "prerequisites", ID("a"), ID("b"),
			  ID("f")));
	check(db, v, "a-1@h " ID("f") ": a-1@h/2");
}

static void what_is_needed_needs_more(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id v;

	add(db, "a", false, PATCHES(ID("a")), NULL);
	add(db, "b", false, PATCHES(ID("b")),
	    json_pack("{s:[s]}", "depends_on", "a-1@h"));
	v = add(db, "v", false, PATCHES(ID("c")),
		json_pack("{s:[s, s], s:[s]}", "depends_on", "b-1@h",
			  "mm-unstable", "based_on", "nobody@h"));
	check(db, v, "b-1@h nobody@h: b-1@h a-1@h");
}

static void circles_end(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id v = add(db, "v", false, PATCHES(ID("c")),
				  json_pack("{s:[s, s]}", "depends_on",
					    "w-1@h", "v-1@h"));

	add(db, "w", false, PATCHES(ID("d")),
	    json_pack("{s:[s]}", "depends_on", "v-1@h"));
	check(db, v, "w-1@h: w-1@h v-1@h");
}

static void a_private_series_is_not_there_for_others(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id v, p;

	add(db, "a", true, PATCHES(ID("a")), NULL);
	v = add(db, "v", false, PATCHES(ID("c")),
		json_pack("{s:[s], s:[s]}", "depends_on", "a-1@h",
			  "prerequisites", ID("a")));
	check(db, v, ID("a") " a-1@h:");
	p = add(db, "p", true, PATCHES(ID("d")),
		json_pack("{s:[s]}", "depends_on", "a-1@h"));
	check(db, p, "a-1@h: a-1@h");
}

static void one_with_gaps_is_not_used(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id a = add(db, "a", false, PATCHES(ID("a")), NULL), v;

	assert_int_equal(db_version_verdict(db, a, "incomplete", ""), 0);
	v = add(db, "v", false, PATCHES(ID("c")),
		json_pack("{s:[s]}", "depends_on", "a-1@h"));
	check(db, v, "a-1@h: a-1@h!");
}

static void a_part_of_a_series_takes_no_need_away(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id v = add(db, "v", false, PATCHES(ID("a"), ID("b")),
				  json_pack("{s:[s]}", "depends_on", "x@h"));
	json_t *part __free(json) = json_pack(
		"{s:s, s:i, s:i, s:s, s:b, s:[{s:i, s:s, s:s}]}", "key",
		"v-1@h", "version", 1, "total", 2, "title", "v-1@h",
		"complete", 0, "patches", "number", 2, "message_id", "v-2@h",
		"title", "two");

	assert_int_equal(db_version_sync(db, &(struct version_sync){ 0 }, part,
					 &v), 0);
	check(db, v, "x@h:");
}

static void what_lacked_it_is_tried_again(void **state)
{
	struct db *db __free(db) = fresh();
	json_t *answer __free(json) = json_pack(
		"[{s:s, s:s}]", "key", ID("a"), "state", "missing");
	struct version_id v = add(db, "v", false, PATCHES(ID("c")), NULL);
	struct version_id other = add(db, "o", false, PATCHES(ID("d")), NULL);
	struct version_id a;
	json_t *row __free(json) = NULL, *still __free(json) = NULL;

	assert_int_equal(db_dependencies_store(db, v, answer), 0);
	assert_int_equal(db_version_set(db, v, VERSION_CONFLICT, ""), 0);
	assert_int_equal(db_version_set(db, other, VERSION_CONFLICT, ""), 0);
	a = add(db, "a", false, PATCHES(ID("a")), NULL);
	assert_int_equal(db_depend_retry(db, a), 0);
	assert_int_equal(db_version_get(db, v, &row), 0);
	assert_string_equal(json_get_str(row, "state", ""), "ready");
	assert_int_equal(db_version_get(db, other, &still), 0);
	assert_string_equal(json_get_str(still, "state", ""), "conflict");
}

/* v1 that was never run: nothing is new because of it. */
static void only_a_judged_version_has_findings_before(void **state)
{
	struct db *db __free(db) = fresh();
	json_t *n = json_pack("{s:i, s:i, s:[s]}", "version", 2, "date_s", 200,
			      "supersedes", "a-1@h");
	struct version_id a = add(db, "a", false, PATCHES(ID("a")), NULL);
	struct version_id b, older;
	json_t *rows = NULL;

	json_object_set_new(n, "author", json_pack("{s:s}", "email",
						   "a@example.org"));
	b = add(db, "b", false, PATCHES(ID("b")), n);
	assert_int_equal(db_version_verdict(db, a, "no-base", ""), 0);
	assert_int_equal(db_findings_before(db, b, &older, &rows), 0);
	assert_int_equal(older.v, 0);
	json_decref(rows);
	assert_int_equal(db_version_verdict(db, a, "warns", ""), 0);
	assert_int_equal(db_findings_before(db, b, &older, &rows), 0);
	assert_int_equal(older.v, a.v);
	json_decref(rows);
	assert_int_equal(db_findings_before(db, a, &older, &rows), 0);
	assert_int_equal(older.v, 0);
	json_decref(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patch_ids_name_the_version_that_has_most),
		cmocka_unit_test(what_is_needed_needs_more),
		cmocka_unit_test(circles_end),
		cmocka_unit_test(a_private_series_is_not_there_for_others),
		cmocka_unit_test(one_with_gaps_is_not_used),
		cmocka_unit_test(a_part_of_a_series_takes_no_need_away),
		cmocka_unit_test(what_lacked_it_is_tried_again),
		cmocka_unit_test(only_a_judged_version_has_findings_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
