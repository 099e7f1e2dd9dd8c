// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "jobs/policy.h"
#include "lib/clock.h"
#include "lib/json.h"

#define HOUR 3600
#define DAY 86400
/* 2026-06-01 00:00 UTC, a Monday */
#define START 1780272000

static const char rules[] =
	"mail {\n mode = send\n transport = maildir\n maildir = \"/m\"\n"
	" opt_out = {\"never@example.org\"}\n}\n"
	"policy mm {\n list = linux-mm\n send = \"author+lists\"\n"
	" lists = {\"mm@lists.example.org\", \"damon@lists.example.org\"}\n"
	" quiet_hours = \"22-6\"\n daily_per_recipient = 2\n"
	" daily_per_list = 3\n clean = yes\n}\n"
	"policy rc {\n tree = stable\n send = moderated\n clean = no\n}\n"
	"policy kid {\n person = \"kid@example.org\"\n send = off\n}\n"
	"policy slow {\n person = \"slow@example.org\"\n embargo_h = 24\n}\n"
	"policy shy {\n person = \"shy@example.org\"\n send = author\n"
	" lists = {}\n}\n"
	"policy damon {\n list = \"damon@lists.example.org\"\n"
	" lists = {\"damon@lists.example.org\"}\n}\n"
	"policy boss {\n person = \"boss@example.org\"\n"
	" daily_per_recipient = 1\n}\n";

static struct config *load(const char *text)
{
	char path[] = "/tmp/mmci-policy-XXXXXX";
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct config *c = NULL;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	if (config_load(path, &c, &why))
		fail_msg("%s", why.buf);
	unlink(path);
	return c;
}

static json_t *person(const char *email)
{
	return json_pack("{s:s, s:s}", "name", "", "email", email);
}

static json_t *facts_of(const char *author, const char *tree)
{
	json_t *f = json_pack(
		"{s:s, s:s, s:o, s:[o], s:[o,o], s:[s,s,s,s], s:I, s:{}, s:{}}",
		"list", "linux-mm", "tree", tree, "author", person(author),
		"to", person("mm@lists.example.org"), "cc",
		person("boss@example.org"), person("lkml@lists.example.org"),
		"people", "boss@example.org", "shy@example.org",
		"kid@example.org", "dev@example.org", "created_s",
		(json_int_t)START, "opt_out", "history");

	assert_non_null(f);
	return f;
}

static json_t *decide(const struct config *cfg, const json_t *facts,
		      int64_t now_s)
{
	json_t *d = NULL;

	policy_decide(cfg, facts, now_s, &d);
	return d;
}

static void expect(const struct config *cfg, const json_t *facts,
		   int64_t now_s, const char *act, const char *rule,
		   const char *why)
{
	json_t *d __free(json) = decide(cfg, facts, now_s);

	assert_string_equal(json_get_str(d, "act", ""), act);
	assert_string_equal(json_get_str(d, "rule", ""), rule);
	assert_non_null(strstr(json_get_str(d, "why", ""), why));
}

static const json_t *recipient(const json_t *d, const char *email)
{
	const json_t *r;
	size_t i;

	json_array_foreach(json_object_get(d, "recipients"), i, r) {
		if (!strcmp(json_get_str(r, "email", ""), email))
			return r;
	}
	fail_msg("%s is not among the recipients", email);
	return NULL;
}

static void without_rules_nothing_leaves(void **state)
{
	struct config *cfg __free(config) = load("");
	struct config *on __free(config) =
		load("mail {\n mode = send\n transport = smtp\n}\n");
	json_t *f __free(json) = facts_of("dev@example.org", "mm");

	expect(cfg, f, START, "hold", "", "mail.mode is \"outbox\"");
	expect(on, f, START, "hold", "", "no rule says");
	json_set_text(f, "approved_by", "ann");
	expect(on, f, START, "hold", "", "no rule says");
}

static void the_quietest_rule_wins(void **state)
{
	struct config *cfg __free(config) = load(rules);
	json_t *f __free(json) = facts_of("dev@example.org", "mm");

	expect(cfg, f, START + 12 * HOUR, "send", "mm", "lets it leave");
	json_set_text(f, "tree", "stable");
	expect(cfg, f, START + 12 * HOUR, "hold", "rc", "approval");
	json_set_text(f, "approved_by", "ann");
	expect(cfg, f, START + 12 * HOUR, "send", "rc", "approved");
	json_object_set_new(f, "author", person("Kid@example.org"));
	expect(cfg, f, START + 12 * HOUR, "reject", "kid", "off");
}

static void hours_embargo_and_limits_put_off(void **state)
{
	struct config *cfg __free(config) = load(rules);
	json_t *f __free(json) = facts_of("dev@example.org", "mm");
	json_t *d __free(json) = NULL;

	expect(cfg, f, START + 5 * HOUR + 59 * 60, "wait", "mm",
	       "quiet hours: not before 2026-06-01T06:00:00Z");
	expect(cfg, f, START + 22 * HOUR, "wait", "mm",
	       "not before 2026-06-02T06:00:00Z");
	expect(cfg, f, START + 6 * HOUR, "send", "mm", "");
	json_object_set_new(f, "history",
			    json_pack("{s:[I,I]}", "Dev@Example.org",
				      (json_int_t)START + 8 * HOUR,
				      (json_int_t)START + 9 * HOUR));
	expect(cfg, f, START + 12 * HOUR, "wait", "mm",
	       "limit of the recipient: not before 2026-06-02T08:00:00Z");
	expect(cfg, f, START + 32 * HOUR, "send", "mm", "");
	json_object_set_new(f, "history",
			    json_pack("{s:[I]}", "boss@example.org",
				      (json_int_t)START + 8 * HOUR));
	d = decide(cfg, f, START + 12 * HOUR);
	assert_string_equal(json_get_str(d, "act", ""), "send");
	assert_false(json_get_bool(recipient(d, "boss@example.org"), "gets",
				   true));
	json_object_set_new(f, "author", person("slow@example.org"));
	expect(cfg, f, START + 12 * HOUR, "wait", "slow", "embargo: not before "
	       "2026-06-02T00:00:00Z");
	json_set_text(f, "approved_by", "ann");
	expect(cfg, f, START + 12 * HOUR, "send", "mm", "approved");
	expect(cfg, f, START + 1 * HOUR, "wait", "mm", "quiet hours");
}

static void lists_and_people_are_told_apart(void **state)
{
	struct config *cfg __free(config) = load(rules);
	json_t *f __free(json) = facts_of("dev@example.org", "mm");
	json_t *d __free(json) = decide(cfg, f, START + 12 * HOUR);
	const json_t *r;

	assert_true(json_get_bool(recipient(d, "mm@lists.example.org"), "gets",
				  false));
	assert_true(json_get_bool(recipient(d, "boss@example.org"), "gets",
				  false));
	r = recipient(d, "lkml@lists.example.org");
	assert_false(json_get_bool(r, "gets", true));
	assert_string_equal(json_get_str(r, "rule", ""), "mm");
	/* a second rule that names lists: only what both name */
	json_array_append_new(json_object_get(f, "cc"),
			      person("damon@lists.example.org"));
	json_array_append_new(json_object_get(f, "cc"),
			      person("shy@example.org"));
	json_array_append_new(json_object_get(f, "cc"),
			      person("x@y>\r\nRCPT TO:<evil@example.org"));
	json_decref(d);
	d = decide(cfg, f, START + 12 * HOUR);
	assert_false(json_get_bool(recipient(d, "mm@lists.example.org"),
				   "gets", true));
	assert_true(json_get_bool(recipient(d, "damon@lists.example.org"),
				  "gets", false));
	assert_false(json_get_bool(recipient(d, "shy@example.org"), "gets",
				   true));
	r = recipient(d, "x@y>\r\nRCPT TO:<evil@example.org");
	assert_false(json_get_bool(r, "gets", true));
}

static void who_asked_is_left_out(void **state)
{
	struct config *cfg __free(config) = load(rules);
	json_t *f __free(json) = facts_of("never@example.org", "mm");
	json_t *d __free(json) = NULL;

	expect(cfg, f, START + 12 * HOUR, "reject", "", "mail.opt_out");
	json_object_set_new(f, "author", person("dev@example.org"));
	json_object_set_new(f, "opt_out",
			    json_pack("{s:s}", "Boss@example.org",
				      "wrote stop all"));
	d = decide(cfg, f, START + 12 * HOUR);
	assert_string_equal(json_get_str(recipient(d, "boss@example.org"),
					 "why", ""), "wrote stop all");
	json_set_bool(f, "machine", true);
	expect(cfg, f, START + 12 * HOUR, "reject", "", "by a machine");
	json_set_int(f, "superseded_by", 4);
	expect(cfg, f, START + 12 * HOUR, "reject", "", "version 4");
}

static void clean_results_need_a_wish(void **state)
{
	struct config *cfg __free(config) = load(rules);
	json_t *f __free(json) = facts_of("dev@example.org", "mm");

	json_set_bool(f, "clean", true);
	expect(cfg, f, START + 12 * HOUR, "send", "mm", "");
	assert_true(policy_wants_clean(cfg, f));
	json_set_text(f, "tree", "stable");
	expect(cfg, f, START + 12 * HOUR, "reject", "rc", "nobody asks");
	assert_false(policy_wants_clean(cfg, f));
}

/*
 * The replay: 50 series over a month. Series i is posted by one of the people
 * at an hour that a small generator gives; every seventh is for the stable tree,
 * every fifth result is clean, every ninth is superseded 3 hours later.
 */
struct posted {
	json_t *facts;
	int64_t superseded_s;
	int64_t done_s; /* 0: not decided yet */
	char line[200];
};

#define N_SERIES 50
#define DAYS 30

static const char *const people[] = {
	"dev@example.org", "ann@example.org", "dev@example.org",
	"slow@example.org", "kid@example.org", "never@example.org",
	"shy@example.org", "leaver@example.org", "dev@example.org",
	"ann@example.org", "bob@example.org",
};

static void post_all(struct posted *v)
{
	uint32_t seed = 7;

	for (size_t i = 0; i < N_SERIES; i++) {
		int64_t at;

		seed = seed * 1664525 + 1013904223;
		/* three busy days, the rest spread over the month */
		at = START + (i < 24 ? (int64_t)(i / 8) * DAY +
				       (seed >> 16) % 24 * HOUR :
				       (int64_t)((seed >> 16) % 576) * HOUR);
		v[i].facts = facts_of(people[i % ARRAY_SIZE(people)],
				      i % 7 == 6 ? "stable" : "mm");
		json_set_int(v[i].facts, "created_s", at);
		json_set_bool(v[i].facts, "clean", i % 5 == 4);
		v[i].superseded_s = i % 9 == 8 ? at + 3 * HOUR : 0;
		v[i].done_s = 0;
	}
}

static void note_sent(json_t *history, const json_t *recipients, int64_t now_s,
		      char line[static 200])
{
	size_t at = strlen(line), i;
	const json_t *r;

	json_array_foreach(recipients, i, r) {
		const char *email = json_get_str(r, "email", "");
		json_t *times = json_object_get(history, email);

		if (!json_get_bool(r, "gets", false))
			continue;
		if (!times) {
			times = json_array();
			json_object_set_new(history, email, times);
		}
		json_array_append_new(times, json_integer(now_s));
		at += (size_t)snprintf(line + at, 200 - at, " %.*s",
				       (int)strcspn(email, "@"), email);
	}
}

static void look_at(const struct config *cfg, struct posted *p, size_t i,
		    json_t *history, int64_t now_s)
{
	json_t *d __free(json) = NULL;
	int64_t h = (now_s - START) / HOUR;
	const char *act;

	json_object_set(p->facts, "history", history);
	if (now_s >= START + 10 * DAY)
		json_object_set_new(p->facts, "opt_out",
				    json_pack("{s:s}", "leaver@example.org",
					      "wrote stop all"));
	if (p->superseded_s && now_s >= p->superseded_s)
		json_set_int(p->facts, "superseded_by", 2);
	d = decide(cfg, p->facts, now_s);
	act = json_get_str(d, "act", "");
	/* a moderator looks at noon */
	if (!strcmp(act, "hold") && json_get_bool(d, "approvable", false) &&
	    h % 24 == 12)
		json_set_text(p->facts, "approved_by", "ann");
	if (!strcmp(act, "send")) {
		p->done_s = now_s;
		snprintf(p->line, 200, "%02zu day %lld %02lld:00 sent", i,
			 (long long)(h / 24), (long long)(h % 24));
		note_sent(history, json_object_get(d, "recipients"), now_s,
			  p->line);
	} else if (!strcmp(act, "reject")) {
		p->done_s = now_s;
		snprintf(p->line, 200, "%02zu withheld: %s", i,
			 json_get_str(d, "why", ""));
	}
}

/* Held against the rules as written above, not against the decider. */
static void check_limits(const json_t *history)
{
	const char *email;
	json_t *times;

	json_object_foreach((json_t *)history, email, times) {
		bool list = strstr(email, "@lists.") != NULL;
		size_t limit = list ? 3 : !strncmp(email, "boss", 4) ? 1 : 2;

		for (size_t i = 0; i < json_array_size(times); i++) {
			int64_t at = json_integer_value(
				json_array_get(times, i));
			int64_t hour = (at - START) / HOUR % 24;

			assert_true(hour >= 6 && hour < 22);
			if (i >= limit)
				assert_true(at - json_integer_value(
					json_array_get(times, i - limit)) >=
					    DAY);
		}
	}
	assert_null(json_object_get(history, "kid@example.org"));
	assert_null(json_object_get(history, "never@example.org"));
	assert_null(json_object_get(history, "lkml@lists.example.org"));
}

static const char *const expected[N_SERIES] = {
#include "jobs/tests/policy-replay.inc"
};

static void a_month_of_replies_obeys_every_rule(void **state)
{
	struct config *cfg __free(config) = load(rules);
	json_t *history __free(json) = json_object();
	struct posted v[N_SERIES] = { 0 };
	size_t sent = 0;

	post_all(v);
	for (int64_t now = START; now < START + DAYS * DAY; now += HOUR) {
		for (size_t i = 0; i < N_SERIES; i++) {
			if (!v[i].done_s &&
			    now >= json_get_int(v[i].facts, "created_s", 0))
				look_at(cfg, &v[i], i, history, now);
		}
	}
	check_limits(history);
	for (size_t i = 0; i < N_SERIES; i++) {
		int64_t at = json_get_int(v[i].facts, "created_s", 0);
		const json_t *author = json_object_get(v[i].facts, "author");

		if (getenv("MMCI_SHOW_REPLAY"))
			printf("\t\"%s\",\n", v[i].line);
		assert_true(v[i].done_s);
		sent += strstr(v[i].line, " sent ") != NULL;
		if (!strstr(v[i].line, " sent "))
			continue;
		if (!strncmp(json_get_str(author, "email", ""), "slow", 4))
			assert_true(v[i].done_s >= at + DAY);
		if (v[i].superseded_s)
			assert_true(v[i].done_s < v[i].superseded_s);
	}
	if (!getenv("MMCI_SHOW_REPLAY")) {
		for (size_t i = 0; i < N_SERIES; i++)
			assert_string_equal(v[i].line, expected[i]);
	}
	assert_in_range(sent, 25, N_SERIES);
	for (size_t i = 0; i < N_SERIES; i++)
		json_decref(v[i].facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_rules_nothing_leaves),
		cmocka_unit_test(the_quietest_rule_wins),
		cmocka_unit_test(hours_embargo_and_limits_put_off),
		cmocka_unit_test(lists_and_people_are_told_apart),
		cmocka_unit_test(who_asked_is_left_out),
		cmocka_unit_test(clean_results_need_a_wish),
		cmocka_unit_test(a_month_of_replies_obeys_every_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
