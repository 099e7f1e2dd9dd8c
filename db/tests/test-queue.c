// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "db/job.h"
#include "lib/clock.h"
#include "lib/json.h"

/*
 * The order of the queue, simulated: one runner, time is a number. Every
 * series has a check and a build on a base that is ready.
 */
#define T0 1700000000
#define CHECK_S 20
#define BUILD_S 120
#define BIG_CHECK_S 400
#define BIG_BUILD_S 3000

static int64_t now_s;

static void pass(int64_t seconds)
{
	now_s += seconds;
	clock_fake(now_s * 1000);
}

static void run_sql(struct db *db, const char *sql)
{
	struct stmt *st __free(stmt) = db_prepare(db, sql);

	assert_int_equal(stmt_run(st), 0);
}

static struct db *fresh(void)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct db *db = NULL;

	now_s = T0;
	pass(0);
	assert_int_equal(db_open(":memory:", &db, &why), 0);
	run_sql(db, "INSERT INTO topic (id, title, author_email, created_s)"
		    " VALUES (1, 't', 'a@example.org', 0)");
	return db;
}

static struct job_id add(struct db *db, int64_t version, const char *kind,
			 int64_t priority, struct job_id need,
			 struct job_id after)
{
	char *key __free(kfree) = xasprintf("%s %d", kind, (int)version);
	struct job_spec spec = {
		.key = key, .version = { version }, .kind = kind,
		.base_commit = "c", .arch = "x86_64", .kconfig = "small",
		.toolchain = "gcc", .priority = priority, .needs = &need,
		.n_needs = need.v ? 1 : 0, .after = after,
	};
	struct job_id id;

	assert_int_equal(db_job_ensure(db, &spec, &id), 0);
	return id;
}

static void add_series(struct db *db, int64_t id)
{
	const struct job_id none = { 0 };
	char *sql __free(kfree) = xasprintf(
		"INSERT INTO version (id, topic_id, key, total, title, date_s,"
		" last_mail_s, state, created_s, changed_s) VALUES"
		" (%d, 1, 'k%d', 1, 't', 0, 0, 'planned', %lld, 0)", (int)id,
		(int)id, (long long)now_s);
	struct job_id check;

	run_sql(db, sql);
	check = add(db, id, "check", 110, none, none);
	add(db, id, "build", 100, none, check);
}

/* Runs the next job to its end. Returns its series, 0: nothing to do. */
static int64_t run_next(struct db *db, int64_t big, bool *build)
{
	json_t *job __free(json) = NULL;
	struct attempt_id attempt;
	struct job_id id;
	int64_t version;
	int r;

	assert_int_equal(db_jobs_release(db), 0);
	r = db_job_claim(db, "sim", &job, &attempt);
	if (r == DB_NONE)
		return 0;
	assert_int_equal(r, 0);
	id.v = json_get_int(job, "id", 0);
	version = json_get_int(job, "version_id", 0);
	*build = !strcmp(json_get_str(job, "kind", ""), "build");
	if (version == big)
		pass(*build ? BIG_BUILD_S : BIG_CHECK_S);
	else
		pass(*build ? BUILD_S : CHECK_S);
	assert_int_equal(db_attempt_finish(db, attempt, JOB_PASSED, "", NULL),
			 0);
	assert_int_equal(db_job_set(db, id, JOB_PASSED, ""), 0);
	return version;
}

static void a_big_series_holds_nobody_back(void **state)
{
	struct db *db __free(db) = fresh();
	int64_t last_small = 0, id;
	bool build;

	add_series(db, 1);
	run_next(db, 1, &build);
	assert_false(build); /* the check, for 400 s: that is seen by now */
	for (id = 2; id <= 6; id++)
		add_series(db, id);
	while ((id = run_next(db, 1, &build))) {
		if (id != 1)
			last_small = now_s;
		else if (build)
			assert_int_equal(last_small, now_s - BIG_BUILD_S);
	}
	/* five small ones took what five small ones take */
	assert_int_equal(last_small - T0,
			 BIG_CHECK_S + 5 * (CHECK_S + BUILD_S));
}

/* Builds wait for the checks of all, and then go one series after another. */
static void first_verdicts_come_before_builds(void **state)
{
	struct db *db __free(db) = fresh();
	int64_t id, first[21] = { 0 }, done[21] = { 0 };
	bool build;

	for (id = 1; id <= 20; id++)
		add_series(db, id);
	while ((id = run_next(db, 0, &build)))
		(build ? done : first)[id] = now_s - T0;
	for (id = 1; id <= 20; id++) {
		assert_int_equal(first[id], id * CHECK_S);
		assert_int_equal(done[id], 20 * CHECK_S + id * BUILD_S);
	}
	print_message("# 1 series: check after %d s, done after %d s; 20 at "
		      "once: checks after %lld to %lld s, done after %lld to "
		      "%lld s\n", CHECK_S, CHECK_S + BUILD_S,
		      (long long)first[1], (long long)first[20],
		      (long long)done[1], (long long)done[20]);
}

static void age_brings_a_big_series_its_turn(void **state)
{
	struct db *db __free(db) = fresh();
	bool build;

	add_series(db, 1);
	run_next(db, 1, &build);
	pass(6 * 3600);
	add_series(db, 2);
	assert_int_equal(run_next(db, 1, &build), 2); /* a check is short */
	assert_int_equal(run_next(db, 1, &build), 1);
}

static void a_check_that_gave_nothing_stops_no_build(void **state)
{
	struct db *db __free(db) = fresh();
	const struct job_id none = { 0 };
	json_t *job __free(json) = NULL;
	struct attempt_id attempt;
	struct job_id check;

	add_series(db, 1);
	check = add(db, 1, "check", 110, none, none);
	assert_int_equal(db_job_set(db, check, JOB_ERRORED, "no disk"), 0);
	assert_int_equal(db_jobs_release(db), 0);
	assert_int_equal(db_job_claim(db, "sim", &job, &attempt), 0);
	assert_string_equal(json_get_str(job, "kind", ""), "build");
}

static void a_base_that_is_waited_for_comes_before_one_that_is_not(void **state)
{
	struct db *db __free(db) = fresh();
	const struct job_id none = { 0 };
	json_t *job __free(json) = NULL;
	struct attempt_id attempt;
	struct job_id base;

	add_series(db, 1);
	run_sql(db, "DELETE FROM job_need");
	run_sql(db, "DELETE FROM job");
	add(db, 0, "ahead", 999, none, none);
	base = add(db, 0, "base", 90, none, none);
	add(db, 1, "build", 100, base, none);
	assert_int_equal(db_jobs_release(db), 0);
	assert_int_equal(db_job_claim(db, "sim", &job, &attempt), 0);
	assert_int_equal(json_get_int(job, "id", 0), base.v);
}

/* What the whole check of one series takes, the look of the next need not. */
static void looks_come_before_what_follows_them(void **state)
{
	struct db *db __free(db) = fresh();
	json_t *job __free(json) = NULL;
	struct attempt_id attempt;

	add_series(db, 1);
	add_series(db, 2);
	run_sql(db, "UPDATE job SET priority = 120 WHERE key = 'check 2'");
	assert_int_equal(db_jobs_release(db), 0);
	assert_int_equal(db_job_claim(db, "sim", &job, &attempt), 0);
	assert_string_equal(json_get_str(job, "key", ""), "check 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_big_series_holds_nobody_back),
		cmocka_unit_test(first_verdicts_come_before_builds),
		cmocka_unit_test(age_brings_a_big_series_its_turn),
		cmocka_unit_test(a_check_that_gave_nothing_stops_no_build),
		cmocka_unit_test(
			a_base_that_is_waited_for_comes_before_one_that_is_not),
		cmocka_unit_test(looks_come_before_what_follows_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
