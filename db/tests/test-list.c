// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "db/finding.h"
#include "db/job.h"
#include "db/list-jobs.h"
#include "db/list-series.h"
#include "db/migrations.h"
#include "lib/fs.h"
#include "lib/json.h"

/* The migration that brought the lists, counted from 0. */
static size_t search_migration(void)
{
	for (size_t i = 0; i < db_n_migrations; i++) {
		if (ends_with(db_migrations[i].name, "-search.sql"))
			return i;
	}
	fail_msg("no migration is called search");
	return 0;
}

static void run(struct db *db, const char *sql)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	if (stmt_run(st))
		fail_msg("%s: %s", sql, db_error(db));
}

static int64_t number(struct db *db, const char *sql)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	assert_int_equal(stmt_step(st), DB_ROW);
	return stmt_int64(st, "n");
}

static const char *const rows[] = {
	"INSERT INTO source (id, name, kind, location) VALUES"
	" (1, 'linux-mm', 'mbox', 'x'), (2, 'other', 'mbox', 'y')",
	"INSERT INTO tree (id, name, kind, location) VALUES"
	" (1, 'mm-unstable', 'git', 'x'), (2, 'v6.12', 'git', 'y')",
	"INSERT INTO topic VALUES (1, 't', 'a@example.org', 1)",
	"INSERT INTO version (id, topic_id, key, source_id, total, title,"
	" author_name, author_email, date_s, last_mail_s, state, tree_id,"
	" verdict, private, created_s, changed_s) VALUES"
	" (1, 1, 'one@example.org', 1, 1, 'mm/mprotect: batch the folios',"
	"  'Ann Author', 'ann@example.org', 1, 1, 'done', 1, 'broken', 0, 1,"
	"  100),"
	" (2, 1, 'two@example.org', 2, 1, 'hugetlb: close a race',"
	"  'Bj\xc3\xb6rn B.', 'bjorn@example.com', 1, 1, 'done', 2, 'clean', 0,"
	"  1, 100),"
	" (3, 1, 'three@example.org', 1, 1, 'zswap: less memory',"
	"  'Ann Author', 'Ann@example.org', 1, 1, 'running', 1, '', 0, 1, 300),"
	" (4, 1, 'four@example.org', 1, 1, 'secret mprotect work',"
	"  'Ann Author', 'ann@example.org', 1, 1, 'done', 1, 'clean', 1, 1,"
	"  400),"
	" (5, 1, 'five@example.org', 1, 1, 'vmscan: do it early',"
	"  'C. Coder', 'c@example.org', 1, 1, 'running', 1, 'warns', 0, 1,"
	"  50)",
	"INSERT INTO mail (id, message_id, received_s, kind, from_email,"
	" fields, raw) VALUES"
	" (1, 'p1@example.org', 1, 'patch', 'ann@example.org',"
	"  '{\"files\":[\"mm/mprotect.c\",\"include/linux/pgtable.h\"]}', x''),"
	" (2, 'r1@example.org', 1, 'comment', 'Bjorn@example.com', 'no', x'')",
	"INSERT INTO patch (version_id, number, mail_id, title) VALUES"
	" (1, 1, 1, 'use modify_prot_start_ptes() for batches'),"
	" (2, 1, NULL, 'take the lock')",
	"INSERT INTO comment (mail_id, version_id) VALUES (2, 1)",
	"INSERT INTO job (id, key, version_id, kind, base_commit, arch, kconfig,"
	" toolchain, state, created_s, changed_s) VALUES"
	" (1, 'c1', NULL, 'base', 'b', 'x86_64', 'small', 'gcc', 'passed', 1, 1),"
	" (2, 'j2', 1, 'build', 'b', 'x86_64', 'small', 'gcc', 'failed', 1, 1),"
	" (3, 'j3', 1, 'build', 'b', 'arm64', 'small', 'gcc', 'passed', 1, 1),"
	" (4, 'j4', 2, 'build', 'b', 's390', 'small', 'clang-19', 'passed', 1,"
	"  1),"
	" (5, 'j5', 4, 'build', 'b', 's390', 'small', 'gcc', 'passed', 1, 1),"
	" (6, 'j6', 5, 'check', 'b', 'arm64', 'small+1', 'gcc', 'running', 1,"
	"  1)",
	"INSERT INTO attempt (id, job_id, number, state, dir, started_s) VALUES"
	" (1, 2, 1, 'failed', 'x', 1), (2, 6, 1, 'failed', 'x', 1)",
	"INSERT INTO finding (id, version_id, job_id, attempt_id, number, stage,"
	" blame, tool, severity, file, function, message, fingerprint,"
	" created_s) VALUES"
	" (1, 1, 2, 1, 1, 'build', 'series', 'gcc', 'error', 'mm/mprotect.c',"
	"  'change_pte_range', 'implicit declaration of function foo_bar', 'f1',"
	"  1),"
	" (2, 1, 2, 1, 0, 'build', 'base', 'gcc', 'warning', 'mm/slub.c', '',"
	"  'an old thing', 'f2', 1),"
	" (3, 5, 6, 2, 1, 'build', 'series', 'gcc', 'warning', 'mm/vmscan.c',"
	"  '', 'unused variable', 'f3', 1)",
};

static struct db *fresh(void)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct db *db = NULL;

	assert_int_equal(db_open(":memory:", &db, &why), 0);
	assert_int_equal(db_begin(db), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		run(db, rows[i]);
	assert_int_equal(db_commit(db), 0);
	return db;
}

/* Ids of an answer as "3 1 2" */
static const char *ids(const json_t *o)
{
	static char text[256];
	size_t i, n = 0;
	json_t *item;

	text[0] = '\0';
	json_array_foreach(json_object_get(o, "items"), i, item)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRId64,
				      i ? " " : "", json_get_int(item, "id", 0));
	return text;
}

static const char *series(struct db *db, const struct view_series_filter *f,
			  bool see_private)
{
	struct view_page page = { .see_private = see_private };
	json_t *o __free(json) = NULL;

	if (view_series_list(db, f, &page, &o))
		fail_msg("%s", db_error(db));
	return ids(o);
}

#define SERIES(...) \
	series(db, &(struct view_series_filter){ __VA_ARGS__ }, false)

static void each_filter_finds_its_series(void **state)
{
	struct db *db __free(db) = fresh();

	assert_string_equal(SERIES(0), "3 2 1 5");
	assert_string_equal(SERIES(.state = "broken"), "1");
	assert_string_equal(SERIES(.state = "clean"), "2");
	/* also what has a verdict already */
	assert_string_equal(SERIES(.state = "running"), "3 5");
	assert_string_equal(SERIES(.state = "warns"), "5");
	assert_string_equal(SERIES(.state = "nonsense"), "");
	assert_string_equal(SERIES(.tree = "mm-unstable"), "3 1 5");
	assert_string_equal(SERIES(.tree = "nonsense"), "");
	assert_string_equal(SERIES(.list = "other"), "2");
	assert_string_equal(SERIES(.arch = "s390"), "2");
	assert_string_equal(SERIES(.arch = "arm64"), "1 5");
	assert_string_equal(SERIES(.arch = "arm64", .state = "broken"), "");
	assert_string_equal(SERIES(.arch = "arm64", .findings = 1), "5");
	assert_string_equal(SERIES(.findings = 1), "1 5");
	assert_string_equal(SERIES(.findings = -1), "3 2");
	assert_string_equal(SERIES(.author = "ann"), "3 1");
	assert_string_equal(SERIES(.author = "Bjorn"), "2");
	assert_string_equal(SERIES(.author = "ann@example.org"), "3 1");
	assert_string_equal(SERIES(.author = "@"), "");
	assert_string_equal(SERIES(.mine = "ANN@example.org"), "3 1");
	assert_string_equal(SERIES(.mine = "bjorn@example.com"), "2 1");
	assert_string_equal(SERIES(.mine = "ann"), "");
	assert_string_equal(SERIES(.text = "p1@example.org"), "1");
	assert_string_equal(SERIES(.text = "<five@example.org>"), "5");
	assert_string_equal(SERIES(.text = "four@example.org"), "");
	assert_string_equal(series(db, &(struct view_series_filter){
		.text = "four@example.org" }, true), "4");
}

static void words_are_found_where_they_stand(void **state)
{
	struct db *db __free(db) = fresh();

	assert_string_equal(SERIES(.text = "mprotect"), "1");
	assert_string_equal(series(db, &(struct view_series_filter){
		.text = "MPROT" }, true), "4 1");
	assert_string_equal(SERIES(.text = "mm/mprotect.c"), "1");
	assert_string_equal(SERIES(.text = "modify_prot_st"), "1");
	assert_string_equal(SERIES(.text = "pgtable.h folios"), "1");
	assert_string_equal(SERIES(.text = "implicit foo_bar"), "1");
	assert_string_equal(SERIES(.text = "foo_bar ann race"), "");
	/* what the base says is nobody's */
	assert_string_equal(SERIES(.text = "slub"), "");
	assert_string_equal(SERIES(.text = "\"close a race\""), "2");
	assert_string_equal(SERIES(.text = "\"a close\""), "");
	assert_string_equal(SERIES(.text = "\"clos\""), "");
	assert_string_equal(SERIES(.text = "clos"), "2");
	assert_string_equal(SERIES(.text = "s:mprotect"), "1");
	assert_string_equal(SERIES(.text = "s:pgtable"), "");
	assert_string_equal(SERIES(.text = "dfn:pgtable"), "1");
	assert_string_equal(SERIES(.text = "f:bjorn"), "2");
	assert_string_equal(SERIES(.text = "e:implicit"), "1");
	assert_string_equal(SERIES(.text = "e:folios"), "");
	assert_string_equal(SERIES(.text = "race", .author = "bj\xc3\xb6rn"),
			    "2");
}

/* None of these may be a mistake in the statement. */
static void nothing_typed_is_an_expression(void **state)
{
	static const char *const texts[] = {
		"\"", "\"\"", "a\"b", "* ", "()", "a AND", "NOT b", "a OR b",
		"NEAR(a b, 2)", "{author} : ann", "author:ann", "-a", "^a",
		"'; DROP TABLE version; --", "\xf0\x9f\x92\xa5", "a*b*c", "+",
		"s:", "s:\"", "dfn:\"mm", "\xff\xfe", "1 2 3 4 5 6 7 8 9 10 11"
		" 12 13 14 15 16 17 18 19 20 21",
	};
	struct db *db __free(db) = fresh();

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		SERIES(.text = texts[i]);
		SERIES(.author = texts[i]);
		SERIES(.text = texts[i], .author = texts[i]);
	}
	assert_string_equal(SERIES(.text = "slub OR race"), "");
	assert_string_equal(SERIES(0), "3 2 1 5");
}

static void what_was_committed_is_found(void **state)
{
	struct db *db __free(db) = fresh();
	json_t *none __free(json) = json_array();

	assert_int_equal(db_begin(db), 0);
	run(db, "UPDATE version SET title = 'swap: other words' WHERE id = 3");
	assert_int_equal(db_findings_replace(db, (struct version_id){ 1 },
					     none), 0);
	assert_int_equal(db_commit(db), 0);
	assert_string_equal(SERIES(.text = "zswap"), "");
	assert_string_equal(SERIES(.text = "swap other"), "3");
	assert_string_equal(SERIES(.text = "implicit"), "");
	assert_string_equal(SERIES(.findings = 1), "5");

	assert_int_equal(db_begin(db), 0);
	run(db, "UPDATE version SET title = 'lost' WHERE id = 3");
	db_rollback(db);
	assert_string_equal(SERIES(.text = "swap other"), "3");
}

static void pages_show_every_row_once(void **state)
{
	struct db *db __free(db) = fresh();
	char *cursor __free(kfree) = NULL;
	struct view_page page = { .limit = 7 };
	struct view_series_filter f = { .text = "many" };
	bool seen[200] = { false };
	int n = 0;

	assert_int_equal(db_begin(db), 0);
	for (int i = 100; i < 200; i++) {
		char *sql __free(kfree) = xasprintf(
			"INSERT INTO version (id, topic_id, key, total, title,"
			" date_s, last_mail_s, state, created_s, changed_s)"
			" VALUES (%d, 1, 'm%d', 1, 'many', 1, 1, 'done', 1, %d)",
			i, i, i / 10); /* ten at a time changed together */

		run(db, sql);
	}
	assert_int_equal(db_commit(db), 0);
	/* one more than a transaction indexes: the next takes the rest */
	assert_int_equal(db_begin(db), 0);
	assert_int_equal(db_commit(db), 0);
	do {
		json_t *o __free(json) = NULL, *item;
		size_t i;

		page.cursor = cursor;
		assert_int_equal(view_series_list(db, &f, &page, &o), 0);
		json_array_foreach(json_object_get(o, "items"), i, item) {
			int64_t id = json_get_int(item, "id", 0);

			assert_in_range(id, 100, 199);
			assert_false(seen[id]);
			seen[id] = true;
			n++;
		}
		free(cursor);
		cursor = xstrdup(json_get_str(o, "next", NULL));
	} while (cursor);
	assert_int_equal(n, 100);
	page.cursor = "nonsense";
	assert_int_equal(view_series_list(db, &f, &page, NULL), -EINVAL);
}

/* The counts of the lists against counting. */
static void assert_counts(struct db *db)
{
	assert_int_equal(number(db,
		"SELECT count(*) AS n FROM (SELECT version_id, arch, state,"
		" count(*) AS n FROM job WHERE version_id NOT NULL AND upto = 0"
		" AND kind != 'bench' GROUP BY 1, 2, 3 EXCEPT SELECT version_id,"
		" arch, state, n FROM job_count)"), 0);
	assert_int_equal(number(db,
		"SELECT count(*) AS n FROM (SELECT version_id, arch, state, n"
		" FROM job_count WHERE n != 0 EXCEPT SELECT version_id, arch,"
		" state, count(*) FROM job WHERE version_id NOT NULL AND"
		" upto = 0 AND kind != 'bench' GROUP BY 1, 2, 3)"), 0);
	assert_int_equal(number(db,
		"SELECT count(*) AS n FROM (SELECT f.version_id, arch, number,"
		" sum(severity = 'error'), sum(severity != 'error')"
		" FROM finding f JOIN job j ON j.id = f.job_id"
		" WHERE blame = 'series' GROUP BY 1, 2, 3 EXCEPT SELECT * FROM"
		" finding_count)"), 0);
	assert_int_equal(number(db,
		"SELECT count(*) AS n FROM (SELECT * FROM finding_count"
		" WHERE errors + others != 0 EXCEPT SELECT f.version_id, arch,"
		" number, sum(severity = 'error'), sum(severity != 'error')"
		" FROM finding f JOIN job j ON j.id = f.job_id"
		" WHERE blame = 'series' GROUP BY 1, 2, 3)"), 0);
}

static void random_findings(struct db *db, struct version_id id)
{
	static const char *const blames[] = { "series", "base", "flaky" };
	json_t *list __free(json) = json_array();

	for (long n = random() % 6; n > 0; n--)
		json_array_append_new(list, json_pack(
			"{s:i,s:i,s:i,s:s,s:s,s:s}", "job_id",
			id.v == 5 ? 6 : 2 + (int)(random() % 2), "attempt_id",
			1, "number", (int)(random() % 3), "blame",
			blames[random() % 3], "severity",
			random() % 2 ? "error" : "warning", "message", "x"));
	assert_int_equal(db_findings_replace(db, id, list), 0);
}

static void counts_stay_right(void **state)
{
	struct db *db __free(db) = fresh();

	srandom(1);
	assert_counts(db);
	assert_int_equal(db_begin(db), 0);
	for (int i = 0; i < 500; i++) {
		struct job_id job = { 1 + random() % 6 };
		enum job_state s = (enum job_state)(random() % 8);

		assert_int_equal(db_job_set(db, job, s, NULL), 0);
		if (i % 10 == 0)
			random_findings(db, (struct version_id){
						    i % 20 ? 1 : 5 });
	}
	assert_int_equal(db_commit(db), 0);
	assert_counts(db);
	assert_int_equal(db_begin(db), 0);
	run(db, "UPDATE finding SET blame = 'series', number = number + 1");
	run(db, "UPDATE finding SET severity = 'error' WHERE number = 2");
	assert_counts(db);
	run(db, "DELETE FROM finding");
	run(db, "DELETE FROM attempt");
	run(db, "DELETE FROM job");
	assert_counts(db);
	db_rollback(db);
	assert_counts(db);
}

static const char *jobs(struct db *db, const struct view_job_filter *f)
{
	struct view_page page = { 0 };
	json_t *o __free(json) = NULL;

	if (view_jobs(db, f, &page, &o))
		fail_msg("%s", db_error(db));
	return ids(o);
}

#define JOBS(...) jobs(db, &(struct view_job_filter){ __VA_ARGS__ })

static void jobs_are_filtered(void **state)
{
	struct db *db __free(db) = fresh();

	/* 5 is of a private series */
	assert_string_equal(JOBS(0), "6 4 3 2 1");
	assert_string_equal(JOBS(.series = { 1 }), "3 2");
	assert_string_equal(JOBS(.series = { 1 }, .state = "failed"), "2");
	assert_string_equal(JOBS(.series = { 1 }, .kind = "boot"), "");
	assert_string_equal(JOBS(.state = "passed"), "4 3 1");
	assert_string_equal(JOBS(.state = "passed", .kind = "base"), "1");
	assert_string_equal(JOBS(.state = "failed", .kind = "build"), "2");
	assert_string_equal(JOBS(.kind = "build"), "4 3 2");
	assert_string_equal(JOBS(.arch = "arm64"), "6 3");
	assert_string_equal(JOBS(.arch = "vax"), "");
	assert_string_equal(JOBS(.toolchain = "clang-19"), "4");
	assert_string_equal(JOBS(.kconfig = "small+1"), "6");
	assert_string_equal(JOBS(.controls = true), "1");
}

static const char *findings(struct db *db, const struct view_finding_filter *f)
{
	struct view_page page = { 0 };
	json_t *o __free(json) = NULL;

	if (view_findings(db, f, &page, &o))
		fail_msg("%s", db_error(db));
	return ids(o);
}

#define FINDINGS(...) findings(db, &(struct view_finding_filter){ __VA_ARGS__ })

static void findings_are_filtered(void **state)
{
	struct db *db __free(db) = fresh();

	assert_string_equal(FINDINGS(0), "3 1");
	assert_string_equal(FINDINGS(.blame = "any"), "3 2 1");
	assert_string_equal(FINDINGS(.blame = "base"), "2");
	assert_string_equal(FINDINGS(.severity = "error"), "1");
	assert_string_equal(FINDINGS(.arch = "arm64"), "3");
	assert_string_equal(FINDINGS(.file = "mm/mprotect.c"), "1");
	assert_string_equal(FINDINGS(.file = "mm/"), "3 1");
	assert_string_equal(FINDINGS(.file = "mm/mprotect"), "");
	assert_string_equal(FINDINGS(.text = "foo_bar"), "1");
	assert_string_equal(FINDINGS(.text = "range() \""), "");
	assert_string_equal(FINDINGS(.series = { 5 }), "3");
	assert_string_equal(FINDINGS(.tool = "gcc", .stage = "boot"), "");
}

/* A database of the time before, as an upgrade finds it. */
static void an_upgrade_indexes_what_is_there(void **state)
{
	char dir[] = "/tmp/mmci-list-XXXXXX";
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	char *path __free(kfree) = NULL, *mark __free(kfree) = NULL;
	struct db *db = NULL;
	size_t before = search_migration();
	sqlite3 *h = NULL;

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/x.db", dir);
	mark = xasprintf("PRAGMA user_version = %zu", before);
	assert_int_equal(sqlite3_open(path, &h), SQLITE_OK);
	for (size_t i = 0; i < before; i++)
		assert_int_equal(sqlite3_exec(h, db_migrations[i].sql, NULL,
					      NULL, NULL), SQLITE_OK);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(sqlite3_exec(h, rows[i], NULL, NULL, NULL),
				 SQLITE_OK);
	assert_int_equal(sqlite3_exec(h, mark, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(h);

	assert_int_equal(db_open(path, &db, &why), 0);
	assert_counts(db);
	assert_string_equal(SERIES(.text = "modify_prot"), "1");
	assert_string_equal(SERIES(.findings = 1), "1 5");
	assert_string_equal(SERIES(.state = "running"), "3 5");
	db_close(db);
	fs_rm_rf(dir);
}

static void a_long_question_is_given_up(void **state)
{
	struct db *db __free(db) = fresh();
	static const char sql[] =
		"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1"
		" FROM c WHERE n < 1000000000) SELECT sum(n) AS n FROM c";
	struct stmt *st = db_prepare(db, sql);

	db_limit_ms(db, 20);
	assert_int_equal(stmt_step(st), -ETIMEDOUT);
	stmt_free(st);
	db_limit_ms(db, 0);
	assert_int_equal(number(db, "SELECT 7 AS n"), 7);
}

/* Kept statements do not keep what was bound, or where they were. */
static void a_kept_statement_is_like_new(void **state)
{
	struct db *db __free(db) = fresh();

	for (int i = 0; i < 2; i++) {
		struct stmt *st __free(stmt) = db_prepare(
			db, "SELECT id, ?1 IS NULL AS n FROM version"
			    " ORDER BY id");

		assert_int_equal(stmt_step(st), DB_ROW);
		assert_int_equal(stmt_int64(st, "id"), 1);
		assert_int_equal(stmt_int64(st, "n"), 1);
		stmt_reset(st);
		stmt_bind_text(st, "x");
		assert_int_equal(stmt_step(st), DB_ROW);
		assert_int_equal(stmt_int64(st, "n"), 0);
	}
	/* an open one does not keep a transaction from ending */
	assert_int_equal(db_begin(db), 0);
	assert_int_equal(db_commit(db), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_filter_finds_its_series),
		cmocka_unit_test(words_are_found_where_they_stand),
		cmocka_unit_test(nothing_typed_is_an_expression),
		cmocka_unit_test(what_was_committed_is_found),
		cmocka_unit_test(pages_show_every_row_once),
		cmocka_unit_test(counts_stay_right),
		cmocka_unit_test(jobs_are_filtered),
		cmocka_unit_test(findings_are_filtered),
		cmocka_unit_test(an_upgrade_indexes_what_is_there),
		cmocka_unit_test(a_long_question_is_given_up),
		cmocka_unit_test(a_kept_statement_is_like_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
