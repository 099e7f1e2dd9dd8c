// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "jobs/judge.h"
#include "lib/json.h"

/* Single quotes for double ones keep the facts readable. */
static json_t *facts(const char *text)
{
	char *copy __free(kfree) = xstrdup(text);
	json_error_t err;
	json_t *v;

	for (char *p = copy; *p; p++) {
		if (*p == '\'')
			*p = '"';
	}
	v = json_loads(copy, 0, &err);
	if (!v)
		fail_msg("%s at %d: %s", err.text, err.position, copy);
	return v;
}

#define WARN(file, line, fn, msg) \
	"{'tool':'gcc','severity':'warning','option':'-Wunused-variable'," \
	"'file':'" file "','line':" #line ",'col':1,'function':'" fn "'," \
	"'message':'" msg "'}"
#define ERROR(file, line, msg, follows) \
	"{'tool':'gcc','severity':'error','file':'" file "','line':" #line \
	",'col':1,'message':'" msg "','follows':" follows "}"
#define UNIT(target, outcome, diags) \
	"{'target':'" target "','outcome':'" outcome "','diagnostics':[" \
	diags "]}"
#define BUILD(base, patches) \
	"{'job_id':7,'kind':'build','arch':'x86_64','kconfig':'small'," \
	"'toolchain':'gcc','state':'passed','results':[{'id':5,'result':" \
	"{'patches':[" patches "]}}],'control':[{'id':1,'result':{'patches':[" \
	"{'number':0,'outcome':'passed','units':[" base "]}]}}]}"
#define INPUT(runs) \
	"{'patches':[{'number':1,'title':'a'},{'number':2,'title':'b'}]," \
	"'runs':[" runs "]}"
#define PATCH(n, outcome, units) \
	"{'number':" #n ",'outcome':'" outcome "','units':[" units "]}"

static json_t *judged(const char *text)
{
	json_t *in __free(json) = facts(text);
	json_t *out = NULL;

	judge(in, &out);
	return out;
}

static json_t *finding(const json_t *out, size_t i)
{
	json_t *f = json_array_get(json_object_get(out, "findings"), i);

	assert_non_null(f);
	return f;
}

static size_t n_findings(const json_t *out)
{
	return json_array_size(json_object_get(out, "findings"));
}

static void what_the_base_says_too_is_not_new(void **state)
{
	json_t *out __free(json) = judged(INPUT(BUILD(
		UNIT("mm/a.o", "built", WARN("mm/a.c", 10, "f", "unused x")),
		PATCH(1, "passed", UNIT("mm/a.o", "built",
			WARN("mm/a.c", 12, "f", "unused x"))))));

	assert_int_equal(n_findings(out), 0);
	assert_string_equal(json_get_str(out, "verdict", ""), "clean");
}

static void an_equal_warning_in_another_function_is_new(void **state)
{
	json_t *out __free(json) = judged(INPUT(BUILD(
		UNIT("mm/a.o", "built", WARN("mm/a.c", 10, "f", "unused")),
		PATCH(1, "passed", UNIT("mm/a.o", "built",
			WARN("mm/a.c", 20, "g", "unused"))))));

	assert_int_equal(n_findings(out), 1);
	assert_string_equal(json_get_str(finding(out, 0), "function", ""), "g");
	assert_int_equal(json_get_int(finding(out, 0), "number", 0), 1);
	assert_int_equal(json_get_int(finding(out, 0), "attempt_id", 0), 5);
	assert_string_equal(json_get_str(out, "verdict", ""), "warns");
}

/* Patch 2 does not rebuild the unit, so the warning of patch 1 stays one. */
static void it_starts_at_one_patch_and_is_told_once(void **state)
{
	json_t *out __free(json) = judged(INPUT(BUILD("",
		PATCH(1, "passed", UNIT("mm/a.o", "built",
			WARN("mm/a.c", 1, "f", "w"))) ","
		PATCH(2, "passed", UNIT("mm/b.o", "built", "")))));

	assert_int_equal(n_findings(out), 1);
	assert_int_equal(json_get_int(finding(out, 0), "until_number", -1), -1);
}

static void a_later_patch_may_repair_it(void **state)
{
	json_t *out __free(json) = judged(INPUT(BUILD("",
		PATCH(1, "passed", UNIT("mm/a.o", "built",
			WARN("mm/a.c", 1, "f", "w"))) ","
		PATCH(2, "passed", UNIT("mm/a.o", "built", "")))));

	assert_int_equal(n_findings(out), 1);
	assert_int_equal(json_get_int(finding(out, 0), "until_number", 0), 2);
}

/* Configuring the base failed: there is no patch 0, or one without a word. */
static void a_base_that_says_nothing_blames_nobody(void **state)
{
	json_t *none __free(json) = judged(INPUT(
		"{'job_id':7,'kind':'build','arch':'x86_64','kconfig':'small',"
		"'toolchain':'gcc','state':'failed','results':[{'id':5,"
		"'result':{'patches':[" PATCH(1, "failed",
			UNIT("mm/a.o", "failed", ERROR("mm/a.c", 1, "e", "false")))
		"]}}],'control':[{'id':1,'result':{'patches':[]}}]}"));
	json_t *silent __free(json) = judged(INPUT(
		"{'job_id':7,'kind':'build','arch':'x86_64','kconfig':'small',"
		"'toolchain':'gcc','state':'failed','results':[{'id':5,"
		"'result':{'patches':[" PATCH(1, "failed",
			UNIT("mm/a.o", "failed", ERROR("mm/a.c", 1, "e", "false")))
		"]}}],'control':[{'id':1,'result':{'patches':["
		PATCH(0, "failed", "") "]}}]}"));

	assert_string_equal(json_get_str(finding(none, 0), "blame", ""),
			    "unknown");
	assert_string_equal(json_get_str(none, "verdict", ""), "unknown");
	assert_string_equal(json_get_str(finding(silent, 0), "blame", ""),
			    "unknown");
}

static void followers_point_to_their_leader(void **state)
{
	json_t *out __free(json) = judged(INPUT(BUILD("",
		PATCH(1, "passed", "") ","
		PATCH(2, "failed", UNIT("mm/a.o", "failed",
			ERROR("include/p.h", 873, "implicit p", "false") ","
			ERROR("include/p.h", 873, "bad types", "true"))))));
	const json_t *build = json_array_get(json_object_get(out, "builds"), 0);
	const json_t *row = json_array_get(json_object_get(build, "patches"),
					   1);

	assert_int_equal(n_findings(out), 2);
	assert_int_equal(json_get_int(finding(out, 0), "leader", -1), -1);
	assert_int_equal(json_get_int(finding(out, 1), "leader", -1), 0);
	assert_int_equal(json_get_int(row, "errors", 0), 2);
	assert_string_equal(json_get_str(out, "verdict", ""), "broken");
	assert_non_null(strstr(json_get_str(out, "why", ""),
			       "patch 2/2, include/p.h:873: implicit"));
}

/* The compiler stopped early: what it did not repeat is not repaired. */
static void a_failed_unit_keeps_its_warnings(void **state)
{
	json_t *out __free(json) = judged(INPUT(BUILD(
		UNIT("mm/a.o", "built", WARN("mm/a.c", 1, "f", "w")),
		PATCH(1, "failed", UNIT("mm/a.o", "failed",
			ERROR("mm/a.c", 2, "e", "false"))) ","
		PATCH(2, "passed", UNIT("mm/a.o", "built",
			WARN("mm/a.c", 1, "f", "w"))))));

	assert_int_equal(n_findings(out), 1);
	assert_string_equal(json_get_str(finding(out, 0), "message", ""), "e");
	assert_int_equal(json_get_int(finding(out, 0), "until_number", 0), 2);
}

static void a_build_that_fails_in_silence_is_not_clean(void **state)
{
	json_t *out __free(json) = judged(INPUT(BUILD("",
		PATCH(1, "failed", ""))));

	assert_int_equal(n_findings(out), 1);
	assert_string_equal(json_get_str(out, "verdict", ""), "broken");
}

/* A check whose last result is that of its first look. */
#define LOOK(state, patches) \
	"{'job_id':7,'kind':'check','arch':'x86_64','kconfig':'small'," \
	"'toolchain':'gcc','state':'" state "','results':[{'id':5,'result':" \
	"{'partial':true,'patches':[" patches "]}}],'control':[{'id':1," \
	"'result':{'patches':[" PATCH(0, "passed", "") "]}}]}"

/* The header that patch 1 changed may be what breaks the unit of patch 2. */
static void a_first_look_tells_and_decides_nothing(void **state)
{
	json_t *out __free(json) = judged(INPUT(
		LOOK("waiting",
		PATCH(1, "passed", "") ","
		PATCH(2, "failed", "{'target':'mm/a.o','outcome':'failed',"
			"'unlooked':1,'diagnostics':["
			ERROR("mm/a.c", 2, "e", "false") "]}"))));

	assert_int_equal(n_findings(out), 1);
	assert_int_equal(json_get_int(finding(out, 0), "number", 0), 2);
	assert_int_equal(json_get_int(finding(out, 0), "after", -1), 0);
	assert_string_equal(json_get_str(out, "verdict", ""), "broken");
	assert_int_equal(json_array_size(json_object_get(out, "untested")), 1);
}

/* Good news of a look is none. */
static void a_first_look_makes_nothing_clean(void **state)
{
	json_t *out __free(json) = judged(INPUT(
		LOOK("errored",
		PATCH(1, "passed", "") "," PATCH(2, "passed", ""))));

	assert_string_equal(json_get_str(out, "verdict", ""), "unknown");
}

/* The check sees the error come; the build of the fix-up, 3 of 2, sees it go. */
static void a_fixup_cures_what_the_check_found(void **state)
{
	static const char broken[] = "[{'id':5,'result':{'patches':["
		PATCH(1, "passed", "") ","
		PATCH(2, "failed", UNIT("mm/a.o", "failed",
			ERROR("mm/a.c", 2, "e", "false")));
	static const char base[] = "'control':[{'id':1,'result':{'patches':["
		PATCH(0, "passed", "") "]}}]}";
	static const char place[] = "'arch':'x86_64','kconfig':'small',"
		"'toolchain':'gcc','state':'failed','total':2,'results':";
	char *text __free(kfree) = xasprintf(INPUT(
		"{'job_id':6,'kind':'check',%s%s]}}],%s,"
		"{'job_id':7,'kind':'build',%s%s,"
		PATCH(3, "passed", UNIT("mm/a.o", "built", "")) "]}}],%s"),
		place, broken, base, place, broken, base);
	json_t *out __free(json) = judged(text);

	assert_int_equal(n_findings(out), 1);
	assert_int_equal(json_get_int(finding(out, 0), "job_id", 0), 6);
	assert_int_equal(json_get_int(finding(out, 0), "until_number", 0), 3);
}

#define TEST_RUN(own, base) \
	"{'job_id':8,'kind':'test','arch':'s390','kconfig':'small'," \
	"'toolchain':'gcc','state':'failed','results':[" own \
	"],'control':[" base "]}"
#define ATTEMPT(id, status) \
	"{'id':" #id ",'result':{'boot':{'outcome':'ok','reports':[]}," \
	"'tests':[{'suite':'mm','name':'cow','status':'" status "'}]}}"

static const char *blame(const char *text)
{
	static char word[32];
	json_t *out __free(json) = judged(text);

	assert_int_equal(n_findings(out), 1);
	snprintf(word, sizeof(word), "%s",
		 json_get_str(finding(out, 0), "blame", ""));
	return word;
}

#define FAILED ATTEMPT(1, "failed")
#define PASSED ATTEMPT(9, "passed")
#define FIVE(a) a "," a "," a "," a "," a

static void a_test_is_blamed_when_chance_is_ruled_out(void **state)
{
	assert_string_equal(blame(INPUT(TEST_RUN(FAILED, PASSED))), "unknown");
	assert_string_equal(blame(INPUT(TEST_RUN(FAILED "," FAILED, PASSED))),
			    "unknown");
	assert_string_equal(blame(INPUT(TEST_RUN(FIVE(FAILED), FIVE(PASSED)))),
			    "series");
	assert_string_equal(blame(INPUT(TEST_RUN(FAILED "," FAILED, FAILED))),
			    "base");
	assert_string_equal(blame(INPUT(TEST_RUN(FAILED "," FAILED, ""))),
			    "unknown");
}

/* The newest attempts pass, and still it is shown. */
static void a_test_that_fails_at_times_stays_visible(void **state)
{
	const char *text = INPUT(TEST_RUN(FIVE(PASSED) "," FAILED,
					  FIVE(PASSED) "," PASSED));
	json_t *out __free(json) = judged(text);

	assert_string_equal(blame(text), "flaky");
	assert_string_equal(json_get_str(finding(out, 0), "runs", ""),
			    "1 of 6 runs, 0 of 6 on the base; by chance in 50 %"
			    " of cases");
	assert_string_equal(json_get_str(out, "verdict", ""), "clean");
}

static struct judge_next next_for(const char *text)
{
	json_t *run __free(json) = facts(text);
	struct judge_next next;

	judge_guest_next(run, &next);
	return next;
}

static void both_sides_are_repeated_until_it_is_sure(void **state)
{
	struct judge_next n = next_for(TEST_RUN(FAILED, PASSED));

	assert_true(n.repeat && n.repeat_control);
	n = next_for(TEST_RUN(FAILED "," FAILED, PASSED));
	assert_true(!n.repeat && n.repeat_control);
	n = next_for(TEST_RUN(FAILED, FIVE(PASSED)));
	assert_true(n.repeat && !n.repeat_control);
	n = next_for(TEST_RUN(FAILED, FAILED));
	assert_true(!n.repeat && !n.repeat_control);
	n = next_for(TEST_RUN(PASSED, PASSED));
	assert_true(!n.repeat && !n.repeat_control);
	n = next_for(TEST_RUN(FAILED, ""));
	assert_true(!n.repeat && !n.repeat_control);
	n = next_for(TEST_RUN(FIVE(FAILED), FIVE(PASSED)));
	assert_true(!n.repeat && !n.repeat_control);
}

/* Five of five, patches 1 to 6, and what kernels in between gave. */
#define BISECTED(points) \
	"{'job_id':8,'kind':'test','arch':'s390','kconfig':'small'," \
	"'toolchain':'gcc','state':'failed','total':6,'image_patch':6," \
	"'bisect':[" points "],'results':[" FIVE(FAILED) "]," \
	"'control':[" FIVE(PASSED) "]}"
#define POINT(at, results) \
	"{'upto':" #at ",'open':false,'results':[" results "]}"

static void the_patch_is_found_by_halves(void **state)
{
	json_t *out __free(json) = NULL, *fixup __free(json) = NULL;

	assert_int_equal(next_for(BISECTED("")).bisect_at, 3);
	assert_int_equal(next_for(BISECTED(POINT(3, PASSED))).bisect_at, 4);
	assert_int_equal(next_for(BISECTED(POINT(3, FAILED))).bisect_at, 1);
	assert_int_equal(next_for(BISECTED(POINT(3, PASSED) ","
			"{'upto':4,'open':true,'results':[]}")).bisect_at, 0);
	/* no kernel at 4: the neighbour has to do */
	assert_int_equal(next_for(BISECTED(POINT(3, PASSED) ","
					   POINT(4, ""))).bisect_at, 5);
	out = judged(INPUT(BISECTED(POINT(3, PASSED) "," POINT(4, FAILED))));
	assert_int_equal(json_get_int(finding(out, 0), "number", 0), 4);
	assert_string_equal(json_get_str(finding(out, 0), "blame", ""),
			    "series");
}

static void without_a_bisection_it_is_the_series(void **state)
{
	json_t *out __free(json) = judged(INPUT(BISECTED("")));

	assert_int_equal(json_get_int(finding(out, 0), "number", -1), 0);
	assert_string_equal(json_get_str(finding(out, 0), "blame", ""),
			    "series");
}

static void what_was_not_run_is_never_clean(void **state)
{
	json_t *out __free(json) = judged(INPUT(
		"{'job_id':7,'kind':'build','arch':'arm64','kconfig':'small',"
		"'toolchain':'gcc','state':'canceled','state_why':'by me',"
		"'results':[],'control':[]}"));

	assert_string_equal(json_get_str(out, "verdict", ""), "unknown");
	assert_int_equal(json_array_size(json_object_get(out, "untested")), 1);
}

static void benchmarks_are_compared_by_name(void **state)
{
	json_t *out __free(json) = judged(INPUT(
		"{'job_id':9,'kind':'bench','arch':'x86_64','kconfig':'small',"
		"'toolchain':'gcc','state':'passed','results':[{'id':3,"
		"'result':{'boot':{'outcome':'ok'},'benchmarks':[{'name':'m',"
		"'unit':'instructions','value':28769356,'work':163840}]}}],"
		"'control':[{'id':2,'result':{'boot':{'outcome':'ok'},"
		"'benchmarks':[{'name':'m','value':28277840}]}}]}"));
	const json_t *row = json_array_get(json_object_get(out, "benchmarks"),
					   0);

	assert_int_equal(json_get_int(row, "difference", 0), 491516);
}

/* A check of three patches beside a build that took the last one only. */
#define PLACE(kind, id, total, base, patches) \
	"{'job_id':" #id ",'kind':'" kind "','arch':'x86_64'," \
	"'kconfig':'small','toolchain':'gcc','state':'failed','total':" #total \
	",'results':[{'id':" #id ",'result':{'patches':[" patches "]}}]," \
	"'control':[{'id':1,'result':{'patches':[" \
	"{'number':0,'outcome':'passed','units':[" base "]}]}}]}"
#define BEYOND(n, units) \
	"{'number':" #n ",'outcome':'failed','unjudged':'mm/Makefile'," \
	"'units':[" units "]}"
#define MAYBE WARN("mm/a.c", 3, "f", "maybe uninitialized")

static void check_and_build_say_it_once(void **state)
{
	json_t *out __free(json) = judged(INPUT(
		PLACE("check", 3, 3, UNIT("mm/a.o", "built", MAYBE),
		      PATCH(1, "passed", UNIT("mm/a.o", "built", "")) ","
		      PATCH(2, "passed", UNIT("mm/a.o", "built",
				WARN("mm/a.c", 9, "f", "unused page"))) ","
		      PATCH(3, "passed", ""))
		"," PLACE("build", 4, 3, UNIT("mm/a.o", "built", MAYBE),
		      PATCH(3, "passed", UNIT("mm/a.o", "built",
				MAYBE "," WARN("mm/a.c", 9, "f", "unused page")
				"," WARN("mm/a.c", 7, "f", "array bounds"))))));
	const json_t *rows = json_object_get(json_array_get(
		json_object_get(out, "builds"), 0), "patches");

	assert_int_equal(n_findings(out), 2);
	assert_int_equal(json_get_int(finding(out, 0), "number", 0), 2);
	assert_int_equal(json_get_int(finding(out, 0), "job_id", 0), 3);
	/* only the optimiser sees it, and nobody built 1 and 2 */
	assert_int_equal(json_get_int(finding(out, 1), "number", 0), 3);
	assert_int_equal(json_get_int(finding(out, 1), "after", -1), 0);
	assert_int_equal(json_array_size(json_object_get(out, "builds")), 1);
	assert_int_equal(json_array_size(rows), 3);
	assert_string_equal(json_get_str(json_array_get(rows, 1), "stage", ""),
			    "check");
	assert_int_equal(json_get_int(json_array_get(rows, 1), "warnings", 0),
			 1);
	assert_string_equal(json_get_str(json_array_get(rows, 2), "stage", ""),
			    "build");
}

static void a_check_alone_is_a_verdict(void **state)
{
	json_t *out __free(json) = judged(INPUT(
		PLACE("check", 3, 2, "", PATCH(1, "passed", "") ","
		      PATCH(2, "failed", UNIT("mm/a.o", "failed",
				ERROR("mm/a.c", 2, "e", "false"))))
		",{'job_id':4,'kind':'build','arch':'x86_64','kconfig':'small',"
		"'toolchain':'gcc','state':'waiting','results':[]}"));

	assert_string_equal(json_get_str(out, "verdict", ""), "broken");
	assert_int_equal(json_get_int(finding(out, 0), "number", 0), 2);
}

/* In a config of its own the base has warnings of its own. */
static void a_check_may_carry_its_control(void **state)
{
	json_t *out __free(json) = judged(INPUT(
		PLACE("check", 3, 1, "",
		      PATCH(0, "passed", UNIT("mm/a.o", "built",
				WARN("mm/a.c", 5, "f", "old"))) ","
		      PATCH(1, "passed", UNIT("mm/a.o", "built",
				WARN("mm/a.c", 5, "f", "old") ","
				WARN("mm/a.c", 9, "f", "new"))))));

	assert_int_equal(n_findings(out), 1);
	assert_string_equal(json_get_str(finding(out, 0), "message", ""),
			    "new");
}

/* The old command lacks a -D that the patch adds to the Makefile. */
static void a_check_is_wrong_where_a_build_passes(void **state)
{
	const char *check = PLACE("check", 3, 2, "",
		BEYOND(1, UNIT("mm/a.o", "failed",
			       ERROR("mm/a.c", 2, "e", "false"))) ","
		PATCH(2, "passed", ""));
	char *alone __free(kfree) = xasprintf(INPUT("%s"), check);
	char *both __free(kfree) = xasprintf(INPUT("%s,%s"), check,
		PLACE("build", 4, 2, "", PATCH(1, "passed", "") ","
					 PATCH(2, "passed", "")));
	json_t *one __free(json) = judged(alone);
	json_t *two __free(json) = judged(both);

	assert_string_equal(json_get_str(finding(one, 0), "blame", ""),
			    "unknown");
	assert_int_equal(n_findings(two), 0);
	assert_string_equal(json_get_str(two, "verdict", ""), "clean");
}

static void what_a_check_keeps_silent_about_is_not_gone(void **state)
{
	json_t *out __free(json) = judged(INPUT(
		PLACE("check", 3, 3, "",
		      PATCH(1, "passed", UNIT("mm/a.o", "built",
				WARN("mm/a.c", 9, "f", "w"))) ","
		      PATCH(2, "passed", UNIT("mm/a.o", "built", "")) ","
		      PATCH(3, "passed", ""))
		"," PLACE("build", 4, 3, "", PATCH(3, "passed",
				UNIT("mm/a.o", "built", "")))));

	/* said once and then no more: repaired, and not contradicted */
	assert_int_equal(n_findings(out), 1);
	assert_int_equal(json_get_int(finding(out, 0), "until_number", 0), 2);
}

#define LINK_ERROR UNIT("vmlinux", "failed", \
			ERROR("mm/a.c", 2, "undefined reference", "false"))
#define LINKED(points) \
	"{'job_id':4,'kind':'build','arch':'x86_64','kconfig':'small'," \
	"'toolchain':'gcc','state':'failed','total':8,'bisect':[" points "]," \
	"'results':[{'id':4,'result':{'patches':[" \
	PATCH(8, "failed", LINK_ERROR) "]}}],'control':[{'id':1,'result':" \
	"{'patches':[{'number':0,'outcome':'passed','units':[]}]}}]}"
#define BUILT_AT(n, outcome, units) \
	"{'upto':" #n ",'open':false,'results':[{'id':9,'result':" \
	"{'patches':[" PATCH(n, outcome, units) "]}}]}"

static void the_patch_of_a_link_error_is_searched(void **state)
{
	static const struct {
		const char *run;
		int64_t at;
	} steps[] = {
		{ LINKED(""), 4 },
		{ LINKED(BUILT_AT(4, "passed", "")), 6 },
		{ LINKED(BUILT_AT(4, "passed", "") ","
			 BUILT_AT(6, "failed", LINK_ERROR)), 5 },
		{ LINKED(BUILT_AT(4, "passed", "") ","
			 BUILT_AT(6, "failed", LINK_ERROR) ","
			 BUILT_AT(5, "passed", "")), 0 },
		{ LINKED("{'upto':4,'open':true,'results':[]}"), 0 },
	};
	json_t *out __free(json) = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		json_t *run __free(json) = facts(steps[i].run);

		assert_int_equal(judge_build_next(run, NULL), steps[i].at);
	}
	out = judged(INPUT(LINKED(BUILT_AT(4, "passed", "") ","
				  BUILT_AT(6, "failed", LINK_ERROR) ","
				  BUILT_AT(5, "passed", ""))));
	assert_int_equal(n_findings(out), 1);
	assert_int_equal(json_get_int(finding(out, 0), "number", 0), 6);
	assert_null(json_object_get(finding(out, 0), "after"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_base_says_too_is_not_new),
		cmocka_unit_test(an_equal_warning_in_another_function_is_new),
		cmocka_unit_test(it_starts_at_one_patch_and_is_told_once),
		cmocka_unit_test(a_later_patch_may_repair_it),
		cmocka_unit_test(a_base_that_says_nothing_blames_nobody),
		cmocka_unit_test(followers_point_to_their_leader),
		cmocka_unit_test(a_failed_unit_keeps_its_warnings),
		cmocka_unit_test(a_build_that_fails_in_silence_is_not_clean),
		cmocka_unit_test(a_fixup_cures_what_the_check_found),
		cmocka_unit_test(a_first_look_tells_and_decides_nothing),
		cmocka_unit_test(a_first_look_makes_nothing_clean),
		cmocka_unit_test(check_and_build_say_it_once),
		cmocka_unit_test(a_check_alone_is_a_verdict),
		cmocka_unit_test(a_check_may_carry_its_control),
		cmocka_unit_test(a_check_is_wrong_where_a_build_passes),
		cmocka_unit_test(what_a_check_keeps_silent_about_is_not_gone),
		cmocka_unit_test(the_patch_of_a_link_error_is_searched),
		cmocka_unit_test(a_test_is_blamed_when_chance_is_ruled_out),
		cmocka_unit_test(a_test_that_fails_at_times_stays_visible),
		cmocka_unit_test(both_sides_are_repeated_until_it_is_sure),
		cmocka_unit_test(the_patch_is_found_by_halves),
		cmocka_unit_test(without_a_bisection_it_is_the_series),
		cmocka_unit_test(what_was_not_run_is_never_clean),
		cmocka_unit_test(benchmarks_are_compared_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
