// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/follow.h"

#include <inttypes.h>
#include <string.h>

#include "kernel-series/net.h"
#include "server/show.h"

#define POLL_S 2

static bool is_open(const json_t *job)
{
	return job_ended(job) < 0;
}

/* ", build 2/6" for the jobs of one kind */
static void add_kind(struct strbuf *out, const json_t *jobs, const char *kind)
{
	size_t total = 0, ended = 0, i;
	const json_t *j;

	json_array_foreach((json_t *)jobs, i, j) {
		if (strcmp(json_get_str(j, "kind", ""), kind))
			continue;
		total++;
		ended += !is_open(j);
	}
	if (total)
		strbuf_addf(out, ", %s %zu/%zu", kind, ended, total);
}

void follow_progress(struct strbuf *out, const json_t *v)
{
	static const char *const kinds[] = { "check", "build", "boot", "test",
					     "bench" };
	const json_t *jobs = json_object_get(v, "jobs"), *f;
	struct strbuf parts __free(strbuf) = STRBUF_INIT;
	size_t n = 0, i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		add_kind(&parts, jobs, kinds[i]);
	json_array_foreach(json_object_get(v, "findings"), i, f)
		n += !strcmp(json_get_str(f, "blame", ""), "series");
	if (n) {
		strbuf_addstr(&parts, ", ");
		strbuf_add_count(&parts, n, "finding", "findings");
	}
	strbuf_addf(out, "%s%s%s", json_get_str(v, "state", ""),
		    parts.len ? ": " : "", parts.len ? parts.buf + 2 : "");
}

/* A terminal has one line that changes, a file a line for each change. */
static void tell(const char *line, struct strbuf *last)
{
	if (!strcmp(line, last->buf))
		return;
	fprintf(stderr, isatty(2) ? "\r\033[K%s" : "%s\n", line);
	fflush(stderr);
	strbuf_setf(last, "%s", line);
}

static void tell_verdict(const json_t *v)
{
	const char *why = json_get_str(v, "verdict_why", "");
	const json_t *f;
	size_t i;

	if (!*why)
		why = json_get_str(v, "state_why", "");
	print_text("%s: %s%s%s\n", json_get_str(v, "title", ""),
		   json_get_str(v, "status", ""), *why ? ": " : "", why);
	json_array_foreach(json_object_get(v, "findings"), i, f) {
		if (strcmp(json_get_str(f, "blame", ""), "series"))
			continue;
		print_text("%s:%" PRId64 ": %s: %s (patch %" PRId64 ")\n%s%s",
			   json_get_str(f, "file", ""),
			   json_get_int(f, "line", 0),
			   json_get_str(f, "severity", ""),
			   json_get_str(f, "message", ""),
			   json_get_int(f, "number", 0),
			   json_get_str(f, "detail", ""),
			   *json_get_str(f, "detail", "") ? "\n" : "");
	}
}

int follow_series(struct client *c, const char *id)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	struct strbuf last __free(strbuf) = STRBUF_INIT;
	int r, end;

	strbuf_addstr(&path, "/api/v1/series/");
	net_add_url_escaped(&path, id);
	for (;;) {
		struct strbuf line __free(strbuf) = STRBUF_INIT;
		json_t *v __free(json) = NULL;

		r = api_get(c, path.buf, &v);
		if (r)
			return r;
		follow_progress(&line, v);
		tell(line.buf, &last);
		end = series_ended(v);
		if (end >= 0) {
			if (isatty(2))
				fprintf(stderr, "\n");
			if (c->json)
				print_json(v);
			else
				tell_verdict(v);
			return end;
		}
		sleep(POLL_S);
	}
}

int follow_log(struct client *c, const char *id, const char *path)
{
	struct strbuf job __free(strbuf) = STRBUF_INIT;
	int64_t offset = 0, before;
	int r, end;

	strbuf_addstr(&job, "/api/v1/jobs/");
	net_add_url_escaped(&job, id);
	for (;;) {
		json_t *v __free(json) = NULL;

		/* its state first: what it wrote before it ended is read then */
		r = api_get(c, job.buf, &v);
		if (r)
			return r;
		end = job_ended(v);
		before = offset;
		if (json_get_int(v, "attempts", 0))
			r = api_get_text_from(c, path, &offset);
		fflush(stdout);
		if (r || ferror(stdout))
			return r ? r : CMD_NO;
		if (end >= 0 && offset == before)
			return end;
		if (end < 0)
			sleep(POLL_S);
	}
}
