// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pages of a database while one writer writes, in one process as in mmcid.
 * The writer is what the daemon does most: a job is claimed, runs and ends,
 * and now and then the findings of its series are replaced.
 *
 *	load-serve PORT STATE_DIR WRITES_PER_S
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "db/finding.h"
#include "db/job.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "web/web.h"

/* A series gets another verdict with each so many writes. */
#define WRITES_PER_VERDICT 20

struct writer {
	struct db *db;
	long per_s;
	volatile bool stop;
	int64_t writes;
	int64_t failed;
};

/* Jobs of the newest series, one after the other, each through its states. */
static int write_job(struct db *db, int64_t n)
{
	static const enum job_state next[] = { JOB_QUEUED, JOB_RUNNING,
					       JOB_PASSED };
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT max(id) AS n FROM job");
	struct job_id job;

	if (stmt_step(st) != DB_ROW)
		return -1;
	job.v = stmt_int64(st, "n") - n / 3 % 1000;
	stmt_reset(st);
	return db_job_set(db, job, next[n % 3], "load");
}

static int write_verdict(struct db *db, int64_t n)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "SELECT j.version_id, j.id, a.id AS attempt_id FROM job j"
		    " JOIN attempt a ON a.job_id = j.id"
		    " WHERE j.version_id = (SELECT max(id) FROM version) - ?"
		    " LIMIT 1");
	json_t *list __free(json) = json_array();
	struct version_id version;

	stmt_bind_int64(st, n % 50);
	if (stmt_step(st) != DB_ROW)
		return 0;
	version.v = stmt_int64(st, "version_id");
	for (int i = 0; i < 20; i++)
		json_array_append_new(list, json_pack(
			"{s:I,s:I,s:i,s:s,s:s,s:s,s:s}",
			"job_id", (json_int_t)stmt_int64(st, "id"),
			"attempt_id", (json_int_t)stmt_int64(st, "attempt_id"),
			"number", 1, "blame", i % 4 ? "base" : "series",
			"severity", "warning", "file", "mm/load.c", "message",
			"unused variable"));
	stmt_reset(st);
	return db_findings_replace(db, version, list);
}

static void *write_on(void *arg)
{
	struct writer *w = arg;

	while (!w->stop) {
		struct timespec ts = { .tv_nsec = 1000000000L / w->per_s };
		int r = db_begin(w->db);

		if (!r)
			r = write_job(w->db, w->writes);
		if (!r && w->writes % WRITES_PER_VERDICT == 0)
			r = write_verdict(w->db, w->writes);
		if (r)
			db_rollback(w->db);
		else
			r = db_commit(w->db);
		w->failed += r != 0;
		w->writes++;
		nanosleep(&ts, NULL);
	}
	return NULL;
}

static int serve(const char *port, const char *dir, const char *db_path)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	static const struct web_ops ops;
	struct web_config cfg = {
		.port = (uint16_t)atoi(port), .state_dir = dir,
		.db_path = db_path,
		.archive_url = "https://lore.kernel.org/linux-mm/",
	};
	struct web *web = NULL;
	sigset_t set;
	int sig;

	if (web_start(&cfg, &ops, NULL, &web, &why)) {
		fprintf(stderr, "load-serve: %s\n", why.buf);
		return 1;
	}
	printf("http://127.0.0.1:%u/\n", web_port(web));
	fflush(stdout);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigwait(&set, &sig);
	web_stop(web);
	return 0;
}

int main(int argc, char **argv)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	char *path __free(kfree) = NULL;
	struct writer w = { 0 };
	pthread_t thread;
	sigset_t set;
	int r;

	if (argc != 4) {
		fprintf(stderr, "usage: load-serve PORT STATE_DIR "
				"WRITES_PER_S\n");
		return 2;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	path = xasprintf("%s/mmci.db", argv[2]);
	if (db_open(path, &w.db, &why)) {
		fprintf(stderr, "load-serve: %s\n", why.buf);
		return 1;
	}
	w.per_s = atol(argv[3]);
	if (w.per_s > 0)
		pthread_create(&thread, NULL, write_on, &w);
	r = serve(argv[1], argv[2], path);
	w.stop = true;
	if (w.per_s > 0)
		pthread_join(thread, NULL);
	db_close(w.db);
	printf("%lld writes, %lld failed\n", (long long)w.writes,
	       (long long)w.failed);
	return r;
}
