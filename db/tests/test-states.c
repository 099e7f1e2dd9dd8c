// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "db/job.h"
#include "db/mail.h"
#include "db/outgoing.h"
#include "db/source.h"
#include "db/version.h"
#include "db/view-job.h"
#include "lib/clock.h"
#include "lib/json.h"

static struct db *fresh(void)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct db *db = NULL;

	clock_fake(1700000000000);
	assert_int_equal(db_open(":memory:", &db, &why), 0);
	return db;
}

static struct mail_id add_mail(struct db *db, const char *id, const char *irt,
			       const char *kind)
{
	json_t *f __free(json) = json_pack("{s:s,s:s,s:s?,s:i,s:s}",
					   "message_id", id, "kind", kind,
					   "in_reply_to", irt, "date_s", 100,
					   "from_email", "dev@example.org");
	struct mail_id ret;

	assert_int_equal(db_mail_add(db, (struct source_id){ 0 }, false, f,
				     "raw", 3, &ret), 0);
	return ret;
}

static json_t *series(const char *key, int version, int total, const char *p1,
		      const char *p2, const char *cover)
{
	json_t *patches = json_pack("[{s:i,s:s,s:s}]", "number", 1,
				    "message_id", p1, "title", "one");

	if (p2)
		json_array_append_new(patches,
				      json_pack("{s:i,s:s,s:s}", "number", 2,
						"message_id", p2, "title",
						"two"));
	return json_pack("{s:s,s:i,s:i,s:s,s:{s:s,s:s},s:s?,s:o,s:b,s:i}",
			 "key", key, "version", version, "total", total,
			 "title", "a thing", "author", "name", "Dev", "email",
			 "dev@example.org", "cover", cover, "patches", patches,
			 "complete", total == (p2 ? 2 : 1), "date_s",
			 100 * version);
}

static struct version_id sync_one(struct db *db, json_t *s)
{
	struct version_sync how = { .settle_s = 10, .incomplete_s = 100 };
	json_t *owned __free(json) = s;
	struct version_id id = { 0 };

	assert_int_equal(db_version_sync(db, &how, owned, &id), 0);
	return id;
}

static const char *state_of(struct db *db, struct version_id id)
{
	static char word[32];
	json_t *row __free(json) = NULL;

	assert_int_equal(db_version_get(db, id, &row), 0);
	snprintf(word, sizeof(word), "%s", json_get_str(row, "state", ""));
	return word;
}

static void a_mail_is_kept_once(void **state)
{
	struct db *db __free(db) = fresh();
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	json_t *f __free(json) = json_pack("{s:s}", "message_id", "a@b");
	struct mail_id one, two;

	assert_int_equal(db_mail_add(db, (struct source_id){ 0 }, false, f,
				     "first", 5, &one), 0);
	assert_int_equal(db_mail_add(db, (struct source_id){ 0 }, false, f,
				     "second", 6, &two), DB_MAIL_KNOWN);
	assert_int_equal(one.v, two.v);
	assert_int_equal(db_mail_raw(db, one, &raw), 0);
	assert_string_equal(raw.buf, "first");
	assert_int_equal(db_mail_refuse(db, (struct source_id){ 0 }, "no mail",
					"\0\1", 2, &one), 0);
	assert_int_equal(db_mail_refuse(db, (struct source_id){ 0 }, "no mail",
					"\0\1", 2, &two), DB_MAIL_KNOWN);
}

static void a_thread_is_found_from_any_of_its_mails(void **state)
{
	struct db *db __free(db) = fresh();
	json_t *got __free(json) = NULL;
	struct mail_id reply;

	add_mail(db, "patch", "never-came", "other");
	reply = add_mail(db, "reply", "never-came", "other");
	add_mail(db, "stranger", NULL, "other");
	assert_int_equal(db_mail_neighbours(db, reply, &got), 0);
	assert_int_equal(json_array_size(got), 2);
	assert_string_equal(json_get_str(json_array_get(got, 0), "message_id",
					 ""), "patch");
}

static void a_late_cover_does_not_make_a_second_version(void **state)
{
	struct db *db __free(db) = fresh();
	json_t *row __free(json) = NULL;
	struct version_id a, b;

	add_mail(db, "p1", NULL, "patch");
	a = sync_one(db, series("p1", 1, 2, "p1", NULL, NULL));
	add_mail(db, "p2", NULL, "patch");
	add_mail(db, "c", NULL, "cover");
	b = sync_one(db, series("c", 1, 2, "p1", "p2", "c"));
	assert_int_equal(a.v, b.v);
	assert_int_equal(db_version_get(db, a, &row), 0);
	assert_string_equal(json_get_str(row, "key", ""), "c");
	assert_int_equal(json_get_int(row, "settle_until_s", 0),
			 1700000000 + 10);
}

static void a_new_version_ends_the_old_one(void **state)
{
	struct db *db __free(db) = fresh();
	struct version_id old, new;
	struct job_spec spec = { .key = "k", .kind = "build",
				 .base_commit = "c", .arch = "x86_64",
				 .kconfig = "small", .toolchain = "gcc" };
	json_t *job __free(json) = NULL;
	struct job_id id;

	add_mail(db, "a1", NULL, "patch");
	add_mail(db, "b1", NULL, "patch");
	old = sync_one(db, series("a1", 1, 1, "a1", NULL, NULL));
	spec.version = old;
	assert_int_equal(db_job_ensure(db, &spec, &id), 0);
	new = sync_one(db, series("b1", 2, 1, "b1", NULL, NULL));
	assert_int_equal(db_version_supersede(db, old), 0);
	assert_string_equal(state_of(db, new), "assembling");
	assert_int_equal(db_version_supersede(db, new), 0);
	assert_string_equal(state_of(db, old), "superseded");
	assert_int_equal(db_job_get(db, id, &job), 0);
	assert_string_equal(json_get_str(job, "state", ""), "canceled");
}

static struct job_id add_job(struct db *db, const char *key,
			     const struct job_id *need, int64_t priority)
{
	struct job_spec spec = { .key = key, .kind = "boot",
				 .base_commit = "c", .arch = "x86_64",
				 .kconfig = "small", .toolchain = "gcc",
				 .priority = priority, .needs = need,
				 .n_needs = need ? 1 : 0 };
	struct job_id id;

	assert_int_equal(db_job_ensure(db, &spec, &id), 0);
	return id;
}

static const char *job_is(struct db *db, struct job_id id)
{
	static char word[32];
	json_t *row __free(json) = NULL;

	assert_int_equal(db_job_get(db, id, &row), 0);
	snprintf(word, sizeof(word), "%s", json_get_str(row, "state", ""));
	return word;
}

static void jobs_wait_for_what_they_need(void **state)
{
	struct db *db __free(db) = fresh();
	struct job_id base = add_job(db, "base", NULL, 1);
	struct job_id own = add_job(db, "own", &base, 9);
	json_t *job __free(json) = NULL;
	struct attempt_id attempt;

	assert_int_equal(add_job(db, "own", &base, 9).v, own.v);
	assert_int_equal(db_jobs_release(db), 0);
	assert_string_equal(job_is(db, base), "queued");
	assert_string_equal(job_is(db, own), "waiting");
	assert_int_equal(db_job_claim(db, "local", &job, &attempt), 0);
	assert_int_equal(json_get_int(job, "id", 0), base.v);
	assert_int_equal(db_job_set(db, base, JOB_FAILED, ""), 0);
	assert_int_equal(db_jobs_release(db), 0);
	/* a failed build may have an image of an earlier patch */
	assert_string_equal(job_is(db, own), "queued");
}

static void nothing_waits_for_ever(void **state)
{
	struct db *db __free(db) = fresh();
	struct job_id a = add_job(db, "a", NULL, 1);
	struct job_id b = add_job(db, "b", &a, 1);
	struct job_id c = add_job(db, "c", &b, 1);

	assert_int_equal(db_job_set(db, a, JOB_ERRORED, "disk"), 0);
	assert_int_equal(db_jobs_release(db), 0);
	assert_string_equal(job_is(db, b), "canceled");
	assert_string_equal(job_is(db, c), "canceled");
	/* asking for the last asks for all that it lacks */
	assert_int_equal(db_job_rerun(db, c, "rerun by me"), 0);
	assert_int_equal(db_jobs_release(db), 0);
	assert_string_equal(job_is(db, a), "queued");
	assert_string_equal(job_is(db, c), "waiting");
	assert_int_equal(db_job_rerun(db, c, "again"), -EALREADY);
	assert_int_equal(db_job_rerun(db, (struct job_id){ 99 }, ""), DB_NONE);
}

static void an_attempt_knows_why_it_was_made(void **state)
{
	struct db *db __free(db) = fresh();
	struct job_id a = add_job(db, "a", NULL, 1);
	json_t *job __free(json) = NULL, *running __free(json) = NULL;
	struct attempt_id attempt;

	assert_int_equal(db_job_set(db, a, JOB_PASSED, ""), 0);
	assert_int_equal(db_job_rerun(db, a, "rerun by curl"), 0);
	assert_int_equal(db_jobs_release(db), 0);
	assert_int_equal(db_job_claim(db, "local", &job, &attempt), 0);
	assert_string_equal(json_get_str(job, "state_why", ""),
			    "rerun by curl");
	assert_int_equal(db_attempts_running(db, &running), 0);
	assert_int_equal(json_array_size(running), 1);
}

/* In lists of jobs a result is what its digest says, kept or made again. */
static void jobs_tell_what_a_result_says(void **state)
{
	struct db *db __free(db) = fresh();
	struct job_spec spec = { .key = "k", .kind = "build",
				 .base_commit = "c", .arch = "x86_64",
				 .kconfig = "small", .toolchain = "gcc" };
	json_t *result __free(json) = json_pack(
		"{s:[s], s:{s:i}, s:[{s:i, s:s, s:i, s:s}, s]}",
		"kconfig_dropped", "KSM", "artefacts", "image_patch", 1,
		"patches", "number", 1, "outcome", "passed", "seconds", 4,
		"units", "many", "no object");
	json_t *want __free(json) = json_pack(
		"[{s:i, s:s, s:i}]", "number", 1, "outcome", "passed",
		"seconds", 4);
	struct attempt_id attempt;
	struct job_id id;

	add_mail(db, "a1", NULL, "patch");
	spec.version = sync_one(db, series("a1", 1, 1, "a1", NULL, NULL));
	assert_int_equal(db_job_ensure(db, &spec, &id), 0);
	for (int old = 0; old < 2; old++) {
		json_t *job __free(json) = NULL, *jobs __free(json) = NULL;
		json_t *row;

		if (!old) {
			assert_int_equal(db_jobs_release(db), 0);
			assert_int_equal(db_job_claim(db, "local", &job,
						      &attempt), 0);
			assert_int_equal(db_attempt_finish(db, attempt,
				JOB_PASSED, "built", result), 0);
		} else {
			struct stmt *st __free(stmt) = db_prepare(
				db, "UPDATE attempt SET digest = NULL");

			assert_int_equal(stmt_run(st), 0);
		}
		assert_int_equal(view_jobs_of(db, spec.version, &jobs), 0);
		row = json_array_get(jobs, 0);
		assert_true(json_equal(json_object_get(row, "patches"), want));
		assert_true(json_is_null(json_object_get(row, "boot")));
		assert_int_equal(json_get_int(row, "image_patch", 0), 1);
		assert_int_equal(json_array_size(
			json_object_get(row, "dropped")), 1);
		assert_null(json_object_get(row, "digest"));
	}
}

static void the_same_report_is_kept_once(void **state)
{
	struct db *db __free(db) = fresh();
	json_t *mail __free(json) = json_pack("{s:s,s:s,s:[s],s:s,s:s}",
					      "message_id", "m@h", "subject",
					      "s", "recipients", "a@b", "body",
					      "b", "eml", "e");
	struct outgoing_id one, two;
	struct version_id v;

	add_mail(db, "p", NULL, "patch");
	v = sync_one(db, series("p", 1, 1, "p", NULL, NULL));
	assert_int_equal(db_outgoing_add(db, v, mail, "off", &one), 0);
	assert_int_equal(db_outgoing_add(db, v, mail, "off", &two),
			 DB_OUTGOING_KNOWN);
	assert_int_equal(one.v, two.v);
	/* the service has another address now, the report is the same */
	json_set_text(mail, "message_id", "m@other.example.org");
	assert_int_equal(db_outgoing_add(db, v, mail, "off", &two),
			 DB_OUTGOING_KNOWN);
	assert_int_equal(one.v, two.v);
	json_set_text(mail, "message_id", "mm@h");
	assert_int_equal(db_outgoing_add(db, v, mail, "off", &two), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mail_is_kept_once),
		cmocka_unit_test(a_thread_is_found_from_any_of_its_mails),
		cmocka_unit_test(a_late_cover_does_not_make_a_second_version),
		cmocka_unit_test(a_new_version_ends_the_old_one),
		cmocka_unit_test(jobs_wait_for_what_they_need),
		cmocka_unit_test(nothing_waits_for_ever),
		cmocka_unit_test(an_attempt_knows_why_it_was_made),
		cmocka_unit_test(jobs_tell_what_a_result_says),
		cmocka_unit_test(the_same_report_is_kept_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
