// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "kernel-series/mail.h"
#include "kernel-series/net.h"
#include "server/cmd.h"

/* worst last */
enum status { STATUS_NONE, STATUS_PASS, STATUS_WARN, STATUS_FAIL };

static const char *const status_names[] = { "", "pass", "warn", "fail" };

/* Which patch of the series the mail is; 0: its cover, all of it. */
static int64_t number_of(const json_t *series, const char *message_id)
{
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(series, "patches"), i, p) {
		if (!strcmp(json_get_str(p, "message_id", ""), message_id))
			return json_get_int(p, "number", 0);
	}
	return 0;
}

static bool is_at(const json_t *finding, const char *arch)
{
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(finding, "places"), i, p) {
		if (!strcmp(json_get_str(p, "arch", ""), arch))
			return true;
	}
	return false;
}

static enum status add_findings(const json_t *series, const char *arch,
				int64_t number, struct strbuf *details)
{
	enum status worst = STATUS_NONE;
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(series, "findings"), i, f) {
		const char *severity = json_get_str(f, "severity", "");
		int64_t n = json_get_int(f, "number", 0);

		if (strcmp(json_get_str(f, "blame", ""), "series") ||
		    (number && n != number) || !is_at(f, arch))
			continue;
		strbuf_addf(details, "patch %lld: ", (long long)n);
		if (*json_get_str(f, "file", ""))
			strbuf_addf(details, "%s:%lld: ",
				    json_get_str(f, "file", ""),
				    (long long)json_get_int(f, "line", 0));
		strbuf_addf(details, "%s: %s\n", severity,
			    json_get_str(f, "message", ""));
		if (!strcmp(severity, "error"))
			worst = STATUS_FAIL;
		else if (worst == STATUS_NONE)
			worst = STATUS_WARN;
	}
	return worst;
}

struct tally {
	int64_t open;
	int64_t judged;
	int64_t lost;
};

static struct tally count_jobs(const json_t *series, const char *arch)
{
	struct tally t = { 0 };
	const json_t *j;
	size_t i;

	json_array_foreach(json_object_get(series, "jobs"), i, j) {
		const char *state = json_get_str(j, "state", "");

		if (strcmp(json_get_str(j, "arch", ""), arch))
			continue;
		if (!strcmp(state, "passed") || !strcmp(state, "failed"))
			t.judged++;
		else if (!strcmp(state, "waiting") ||
			 !strcmp(state, "queued") || !strcmp(state, "running"))
			t.open++;
		else
			t.lost++;
	}
	return t;
}

static json_t *new_result(const struct client *c, const json_t *series,
			  const char *tool, enum status status,
			  const char *summary, const char *details)
{
	char *url __free(kfree) = xasprintf(
		"%s/series/%lld", c->url,
		(long long)json_get_int(series, "id", 0));
	json_t *o = json_object();

	json_set_text(o, "tool", tool);
	json_set_text(o, "status", status_names[status]);
	json_set_text(o, "summary", summary);
	json_set_text(o, "url", url);
	if (*details)
		json_set_text(o, "details", details);
	return o;
}

/* Nothing is said while it is open and nothing was found yet. */
static void add_arch(const struct client *c, const json_t *series,
		     const char *arch, int64_t number, json_t *results)
{
	struct strbuf details __free(strbuf) = STRBUF_INIT;
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	char *tool __free(kfree) = xasprintf("mmci-%s", arch);
	struct tally t = count_jobs(series, arch);
	enum status status = add_findings(series, arch, number, &details);

	strbuf_addf(&text, "%lld runs", (long long)(t.judged + t.lost));
	if (t.open)
		strbuf_addf(&text, ", %lld to come", (long long)t.open);
	if (t.lost)
		strbuf_addf(&text, ", %lld could not be done",
			    (long long)t.lost);
	if (status == STATUS_NONE && t.lost)
		status = STATUS_WARN;
	else if (status == STATUS_NONE && !t.open && t.judged)
		status = STATUS_PASS;
	if (status != STATUS_NONE)
		json_array_append_new(results,
				      new_result(c, series, tool, status,
						 text.buf, details.buf));
}

static json_t *results_of(const struct client *c, const json_t *series,
			  const char *message_id)
{
	static const char *const no_jobs[] = { "no-base", "conflict",
					       "incomplete", "unknown" };
	json_t *results = json_array(), *seen = json_object(), *j;
	const char *status = json_get_str(series, "status", "");
	int64_t number = number_of(series, message_id);
	size_t i;

	json_array_foreach(json_object_get(series, "jobs"), i, j) {
		const char *arch = json_get_str(j, "arch", "");

		if (!json_object_get(seen, arch))
			add_arch(c, series, arch, number, results);
		json_set_bool(seen, arch, true);
	}
	for (i = 0; i < ARRAY_SIZE(no_jobs); i++) {
		if (!strcmp(status, no_jobs[i]))
			json_array_append_new(results, new_result(
				c, series, "mmci", STATUS_WARN,
				json_get_str(series, "verdict_why", status),
				""));
	}
	json_decref(seen);
	return results;
}

static int read_mail(struct mail **ret)
{
	struct strbuf raw __free(strbuf) = STRBUF_INIT;
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	int r = strbuf_read(&raw, 0, MAIL_MAX_BYTES);

	if (!r)
		r = mail_parse(raw.buf, raw.len, ret, &why);
	if (r)
		return cmd_fail("the mail on standard input: %s",
				why.len ? why.buf :
					  strerror(r < 0 ? -r : EBADMSG));
	return CMD_YES;
}

static int check(struct client *c, int argc, char **argv)
{
	struct strbuf path __free(strbuf) = STRBUF_INIT;
	struct mail *mail __free(mail) = NULL;
	json_t *series __free(json) = NULL, *results __free(json) = NULL;
	int r;

	if (argc)
		return cmd_usage("check takes a mail on standard input");
	r = read_mail(&mail);
	if (r)
		return r;
	strbuf_addstr(&path, "/api/v1/series/");
	net_add_url_escaped(&path, mail->message_id);
	r = api_get(c, path.buf, &series);
	if (r == CMD_NO) {
		/* not known here, it has said so: nothing to report */
		results = json_array();
		return print_json(results);
	}
	if (r)
		return r;
	results = results_of(c, series, mail->message_id);
	return print_json(results);
}

const struct cmd cmds_check[] = {
	{ NULL, check, "< MAIL",
	  "what is known of a patch or cover, for \"b4 review\"" },
	{ 0 },
};
