// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "db/mail.h"
#include "db/version.h"
#include "lib/clock.h"
#include "lib/json.h"

/* Which versions are one piece of work, and which of them is the newest? */

static struct db *fresh(void)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct db *db = NULL;

	clock_fake(1700000000000);
	assert_int_equal(db_open(":memory:", &db, &why), 0);
	return db;
}

static void add_mail(struct db *db, const char *id)
{
	json_t *f __free(json) = json_pack("{s:s,s:s}", "message_id", id,
					   "kind", "patch");
	struct mail_id ret;

	assert_int_equal(db_mail_add(db, (struct source_id){ 0 }, false, f,
				     "raw", 3, &ret), 0);
}

/* One patch of that name, by Dev, sent at 1000 * @version. */
static json_t *series(const char *key, int version, const char *title)
{
	return json_pack("{s:s, s:i, s:i, s:s, s:{s:s, s:s}, s:b, s:i,"
			 " s:[{s:i, s:s, s:s}]}",
			 "key", key, "version", version, "total", 1, "title",
			 title, "author", "name", "Dev", "email",
			 "dev@example.org", "complete", 1, "date_s",
			 1000 * version, "patches", "number", 1, "message_id",
			 key, "title", title);
}

static struct version_id sync_one(struct db *db, json_t *s)
{
	struct version_sync how = { .settle_s = 10, .incomplete_s = 100 };
	json_t *owned __free(json) = s;
	const json_t *p = json_array_get(json_object_get(s, "patches"), 0);
	struct version_id id = { 0 };

	if (!json_get_int(p, "from_version", 0))
		add_mail(db, json_get_str(p, "message_id", ""));
	assert_int_equal(db_version_sync(db, &how, owned, &id), 0);
	return id;
}

static int64_t column(struct db *db, struct version_id id, const char *name)
{
	json_t *row __free(json) = NULL;

	assert_int_equal(db_version_get(db, id, &row), 0);
	return json_get_int(row, name, -1);
}

static void assert_same(struct db *db, struct version_id a,
			struct version_id b, bool same)
{
	if (same)
		assert_int_equal(column(db, a, "topic_id"),
				 column(db, b, "topic_id"));
	else
		assert_int_not_equal(column(db, a, "topic_id"),
				     column(db, b, "topic_id"));
}

static bool is_superseded(struct db *db, struct version_id id)
{
	json_t *row __free(json) = NULL;

	assert_int_equal(db_version_get(db, id, &row), 0);
	return !strcmp(json_get_str(row, "state", ""), "superseded");
}

static void a_title_with_another_comma_is_the_same(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id a = sync_one(db, series("a", 1, "mm: fix, twice"));
	struct version_id b = sync_one(db, series("b", 2, "mm: Fix twice"));
	struct version_id c = sync_one(db, series("c", 1, "mm: other"));

	assert_same(db, a, b, true);
	assert_same(db, a, c, false);
}

static void supersedes_joins_what_was_renamed(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id a = sync_one(db, series("a", 1, "mm: old name"));
	json_t *s = series("b", 2, "mm: another name");
	struct version_id b;

	json_object_set_new(s, "supersedes", json_pack("[s]", "a"));
	b = sync_one(db, s);
	assert_same(db, a, b, true);
	assert_int_equal(db_version_supersede(db, b), 0);
	assert_true(is_superseded(db, a));
}

static void a_stranger_supersedes_nothing(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id a = sync_one(db, series("a", 1, "mm: old name"));
	json_t *s = series("b", 2, "mm: old name");
	struct version_id b;

	json_object_set_new(s, "supersedes", json_pack("[s]", "a"));
	json_object_set_new(s, "same_work", json_pack("[s]", "a"));
	json_object_set_new(s, "author", json_pack("{s:s, s:s}", "name", "Dev",
						   "email", "eve@example.org"));
	b = sync_one(db, s);
	assert_same(db, a, b, false);
	assert_int_equal(db_version_supersede(db, b), 0);
	assert_false(is_superseded(db, a));
}

static void a_change_id_outlives_title_and_thread(void **state)
{
	struct db *db __free(db) = fresh();
	json_t *s = series("a", 1, "mm: old name");
	json_t *n = series("b", 2, "mm: another name");
	struct version_id a, b;

	json_set_text(s, "change_id", "20261101-thing-1234");
	json_set_text(n, "change_id", "20261101-thing-1234");
	a = sync_one(db, s);
	b = sync_one(db, n);
	assert_same(db, a, b, true);
}

static void two_topics_become_one(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id a = sync_one(db, series("a", 1, "mm: first name"));
	struct version_id b = sync_one(db, series("b", 2, "mm: second name"));
	json_t *s = series("c", 3, "mm: third name");
	struct version_id c;

	assert_same(db, a, b, false);
	json_object_set_new(s, "same_work", json_pack("[s]", "a"));
	json_object_set_new(s, "supersedes", json_pack("[s]", "b"));
	c = sync_one(db, s);
	assert_same(db, a, b, true);
	assert_same(db, a, c, true);
	/* and what comes next under the second name belongs there */
	assert_same(db, a, sync_one(db, series("d", 4, "mm: second name")),
		    true);
}

static void a_resend_replaces_what_it_repeats(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id a = sync_one(db, series("a", 1, "mm: thing"));
	json_t *s = series("b", 1, "mm: thing");
	struct version_id b;

	json_set_int(s, "date_s", 5000);
	b = sync_one(db, s);
	assert_int_equal(db_version_supersede(db, a), 0);
	assert_false(is_superseded(db, b));
	assert_int_equal(db_version_supersede(db, b), 0);
	assert_true(is_superseded(db, a));
}

static void a_higher_number_sent_before_ends_nothing(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id a = sync_one(db, series("a", 2, "mm: thing"));
	json_t *s = series("b", 3, "mm: thing");
	struct version_id b;
	int64_t newer;

	json_set_int(s, "date_s", 500);
	b = sync_one(db, s);
	assert_int_equal(db_version_supersede(db, b), 0);
	assert_false(is_superseded(db, a));
	assert_int_equal(db_version_newer(db, a, &newer), DB_NONE);
}

static void an_old_version_read_late_knows_the_newer_one(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id b = sync_one(db, series("b", 2, "mm: thing"));
	struct version_id a = sync_one(db, series("a", 1, "mm: thing"));
	int64_t newer = 0;

	/* it may still turn out to be incomplete */
	assert_int_equal(db_version_newer(db, a, &newer), DB_NONE);
	assert_int_equal(db_version_set(db, b, VERSION_READY, NULL), 0);
	assert_int_equal(db_version_newer(db, a, &newer), 0);
	assert_int_equal(newer, 2);
	assert_int_equal(db_version_newer(db, b, &newer), DB_NONE);
}

/* v2 has one patch of its own and took the other from v1, as v1's mail. */
static void a_partial_resend_is_a_version_of_its_own(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id a = sync_one(db, series("a", 1, "mm: thing")), b, got;
	json_t *s = series("b", 2, "mm: thing");

	add_mail(db, "b");
	json_object_set_new(s, "patches",
			    json_pack("[{s:i,s:s,s:s,s:i}, {s:i,s:s,s:s}]",
				      "number", 1, "message_id", "a", "title",
				      "one", "from_version", 1, "number", 2,
				      "message_id", "b", "title", "two"));
	b = sync_one(db, s);
	assert_int_not_equal(a.v, b.v);
	assert_int_equal(column(db, a, "version"), 1);
	assert_int_equal(db_version_find(db, "a", &got), 0);
	assert_int_equal(got.v, a.v);
	assert_int_equal(sync_one(db, series("a2", 3, "mm: thing")).v, 3);
}

static void patches_that_come_late_take_the_verdict_back(void **state)
{
	struct db *db __free(db) = fresh();
	json_t *s = series("a", 1, "mm: thing"), *row __free(json) = NULL;
	struct version_id a;

	json_set_int(s, "total", 2);
	a = sync_one(db, json_incref(s));
	assert_int_equal(db_version_verdict(db, a, "incomplete", "2/2"), 0);
	assert_int_equal(db_version_set(db, a, VERSION_DONE, ""), 0);
	add_mail(db, "b");
	json_array_append_new(json_object_get(s, "patches"),
			      json_pack("{s:i,s:s,s:s}", "number", 2,
					"message_id", "b", "title", "two"));
	assert_int_equal(db_version_sync(db, &(struct version_sync){
					.settle_s = 10 }, s, &a), 0);
	json_decref(s);
	assert_int_equal(db_version_get(db, a, &row), 0);
	assert_string_equal(json_get_str(row, "state", ""), "assembling");
	assert_string_equal(json_get_str(row, "verdict", "?"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_title_with_another_comma_is_the_same),
		cmocka_unit_test(supersedes_joins_what_was_renamed),
		cmocka_unit_test(a_stranger_supersedes_nothing),
		cmocka_unit_test(a_change_id_outlives_title_and_thread),
		cmocka_unit_test(two_topics_become_one),
		cmocka_unit_test(a_resend_replaces_what_it_repeats),
		cmocka_unit_test(a_higher_number_sent_before_ends_nothing),
		cmocka_unit_test(an_old_version_read_late_knows_the_newer_one),
		cmocka_unit_test(a_partial_resend_is_a_version_of_its_own),
		cmocka_unit_test(patches_that_come_late_take_the_verdict_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
