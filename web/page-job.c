// SPDX-License-Identifier: GPL-2.0-or-later
#define pr_fmt(fmt) "web: " fmt

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "db/view-job.h"
#include "lib/json.h"
#include "lib/log.h"
#include "web/handlers.h"
#include "web/lines.h"
#include "web/log.h"
#include "web/words.h"

/* An object as rows {name, value}, to be listed by a template. */
static json_t *pairs_of(const json_t *o)
{
	json_t *out = json_array(), *v;
	const char *name;

	json_object_foreach((json_t *)o, name, v) {
		json_t *row;

		if (json_is_object(v) || json_is_array(v) || json_is_null(v))
			continue;
		row = json_object();
		json_set_text(row, "name", name);
		json_object_set(row, "value", v);
		json_array_append_new(out, row);
	}
	return out;
}

/*
 * The attempt shown: the one asked for, or the last. Results were written
 * beside what a stranger's code ran; nothing about their shape is certain.
 */
static json_t *pick_attempt(json_t *v, int64_t number)
{
	json_t *list = json_object_get(v, "attempts_list"), *a;
	json_t *picked = number ? NULL : json_array_get(list, 0);
	size_t i;

	json_array_foreach(list, i, a) {
		const char *state = json_get_str(a, "state", "");

		json_set_text(a, "word", words_state(state));
		if (json_get_int(a, "number", 0) == number)
			picked = a;
		if (json_is_integer(json_object_get(a, "ended_s")))
			json_set_int(a, "seconds",
				     json_get_int(a, "ended_s", 0) -
					     json_get_int(a, "started_s", 0));
	}
	if (picked)
		json_set_bool(picked, "on", true);
	return picked;
}

/* What of @list can be a row: its objects, so that no name is looked up outside */
static json_t *objects_of(const json_t *list)
{
	json_t *out = json_array(), *v;
	size_t i;

	json_array_foreach((json_t *)list, i, v) {
		if (json_is_object(v))
			json_array_append(out, v);
	}
	return out;
}

/*
 * Lists of a result shown on the page. A result may have thousands of build
 * units: only what has a line in a table here is taken along.
 */
static void add_result(json_t *v, const json_t *result)
{
	json_t *boot = json_object_get(result, "boot");

	json_object_set_new(v, "environment",
			    pairs_of(json_object_get(result, "environment")));
	json_object_set_new(v, "stages",
			    objects_of(json_object_get(result, "stages")));
	json_object_set(v, "kconfig_dropped",
			json_object_get(result, "kconfig_dropped"));
	if (json_is_object(boot))
		json_object_set(v, "boot", boot);
	json_object_set_new(v, "reports",
			    objects_of(json_object_get(boot, "reports")));
	json_object_set_new(v, "built",
			    objects_of(json_object_get(result, "patches")));
}

/* The script that api_job_repro() gives, where there is one. */
static void add_repro(struct request *rq, json_t *v)
{
	struct job_id id = { json_get_int(v, "id", 0) };
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	if (!repro_of_job(rq, id, &text))
		json_set_text(v, "repro", text.buf);
}

/* "gcc (Debian 12.2.0-14) 12.2.0 · GNU Make 4.3": the rest is in a table */
static void add_environment_line(json_t *v, const json_t *environment)
{
	static const char *const keys[] = { "compiler", "make", "qemu", "accel" };
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *s = json_get_str(environment, keys[i], "");

		if (*s)
			strbuf_addf(&sb, "%s%s", sb.len ? " \302\267 " : "", s);
	}
	json_set_text(v, "environment_line", sb.len ? sb.buf : NULL);
	json_set_text(v, "command", json_get_str(environment, "command", NULL));
}

/* A log that is being written opens at its end: that is what is looked for. */
static void read_log(struct request *rq, json_t *v, const char *dir,
		     bool is_written)
{
	const char *line = request_query(rq, "line");
	int64_t at = line ? args_id(line) : is_written ? INT64_MAX / 2 : 0;
	int fd __free(fd) = log_open(rq->site->state_dir, dir);
	json_t *log = NULL;
	int r = fd < 0 ? fd : log_window(fd, at, &log);

	if (r && r != -ENOENT)
		pr_warn("log of %s: %s\n", dir, strerror(-r));
	json_object_set_new(v, "log", r ? json_null() : log);
	if (!r && is_written && !json_object_get(log, "after"))
		json_set_bool(v, "live_log", true);
}

static void add_words(json_t *v)
{
	static const char *const lists[] = { "needs", "stages", "built",
					     "tests" };
	json_t *row;
	size_t i;

	for (size_t k = 0; k < ARRAY_SIZE(lists); k++) {
		const char *key = k == 0 ? "state" : k == 3 ? "status" :
							      "outcome";

		json_array_foreach(json_object_get(v, lists[k]), i, row) {
			const char *s = json_get_str(row, key, "");

			json_set_text(row, "mark", s);
			json_set_text(row, "word", words_state(s));
		}
	}
	json_array_foreach(json_object_get(v, "measures"), i, row)
		words_measure(row);
}

/* The series' own first; what the base has is counted, not listed. */
static void split_findings(json_t *v)
{
	json_t *ours = json_array(), *row;
	int64_t n_base = 0;
	size_t i;

	json_array_foreach(json_object_get(v, "findings"), i, row) {
		if (!strcmp(json_get_str(row, "blame", ""), "base")) {
			n_base++;
			continue;
		}
		json_object_set_new(row, "quote_lines", lines_of(
			json_get_str(row, "quote", ""), 2));
		json_set_bool(row, "has_quote", *json_get_str(row, "quote", ""));
		json_set_text(row, "mark",
			      strcmp(json_get_str(row, "severity", ""),
				     "error") ? "warns" : "broken");
		if (json_is_null(json_object_get(row, "leader_id")))
			json_array_append(ours, row);
	}
	json_object_set_new(v, "ours", ours);
	json_set_int(v, "n_base", n_base);
}

static void add_open(json_t *v)
{
	const char *s = json_get_str(v, "state", "");
	bool running = !strcmp(s, "running");

	json_set_bool(v, "open", running || !strcmp(s, "queued") ||
				 !strcmp(s, "waiting"));
	json_set_bool(v, "log_comes", running);
}

void page_job(struct request *rq, struct response *rs)
{
	struct strbuf dir __free(strbuf) = STRBUF_INIT;
	const char *want = request_query(rq, "attempt");
	json_t *v = NULL, *attempt;
	int64_t number;
	int r;

	if (!load_job(rq, rs, &v))
		return;
	attempt = pick_attempt(v, want ? args_id(want) : 0);
	if (want && !attempt) {
		json_decref(v);
		response_problem(rq, rs, 404, "This job has no such attempt.");
		return;
	}
	json_set_text(v, "word", words_state(json_get_str(v, "state", "")));
	if (attempt) {
		number = json_get_int(attempt, "number", 0);
		json_object_set(v, "summary",
				json_object_get(attempt, "summary"));
		json_set_int(v, "shown", number);
		add_result(v, json_object_get(attempt, "result"));
		r = view_attempt_dir(rq->db,
				     (struct job_id){ json_get_int(v, "id", 0) },
				     (int)number, request_sees_private(rq),
				     &dir);
		if (!r)
			read_log(rq, v, dir.buf, !strcmp(json_get_str(
				attempt, "state", ""), "running"));
		add_environment_line(v, json_object_get(json_object_get(
			attempt, "result"), "environment"));
	}
	add_repro(rq, v);
	add_open(v);
	add_words(v);
	split_findings(v);
	response_page(rq, rs, "job", v);
}
