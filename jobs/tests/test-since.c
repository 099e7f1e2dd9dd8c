// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "jobs/since.h"
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

#define OLD(print, arch)                                                 \
	"{'fingerprint':'" print "','stage':'build','kind':'build',"      \
	"'arch':'" arch "','kconfig':'small','toolchain':'gcc'," \
	"'number':1,'severity':'warning','file':'mm/x.c','line':3,"       \
	"'function':'f','message':'m'}"
#define RUN(arch, result)                                                \
	"{'kind':'build','arch':'" arch "','kconfig':'small',"             \
	"'toolchain':'gcc','results':[{'id':1,'result':" result "}]}"
#define BUILT "{'outcome':'passed','patches':[{'number':1,'outcome':'passed'}]}"
#define STOPPED(unit)                                                    \
	"{'outcome':'failed','patches':[{'number':1,'outcome':'failed',"   \
	"'units':[{'target':'" unit "','outcome':'built'}]}]}"
#define FINDING(print, blame)                                            \
	"{'fingerprint':'" print "','stage':'build','blame':'" blame "'}"

/* "a fixed, b new" */
static void check(const char *older, const char *findings, const char *runs,
		  const char *want)
{
	json_t *o __free(json) = facts(older), *r __free(json) = facts(runs);
	char *text __free(kfree) = xasprintf("{'findings':%s}", findings);
	json_t *j __free(json) = facts(text);
	json_t *got __free(json) = since_fates(o, j, r), *f;
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	size_t i;

	json_array_foreach(got, i, f)
		strbuf_addf(&sb, "%s%s %s", i ? ", " : "",
			    json_get_str(f, "fingerprint", ""),
			    json_get_str(f, "fate", ""));
	assert_string_equal(sb.buf, want);
}

static void the_four_words(void **state)
{
	check("[" OLD("a", "x86_64") "," OLD("b", "x86_64") ","
	      OLD("c", "arm64") "]",
	      "[" FINDING("b", "series") "," FINDING("d", "series") ","
	      FINDING("e", "base") "]",
	      "[" RUN("x86_64", BUILT) "]",
	      "a fixed, b still there, c not tested, d new");
}

static void every_place_that_saw_it_must_be_silent(void **state)
{
	check("[" OLD("a", "x86_64") "," OLD("a", "arm64") "]", "[]",
	      "[" RUN("x86_64", BUILT) "," RUN("arm64", BUILT) "]",
	      "a fixed");
	check("[" OLD("a", "x86_64") "," OLD("a", "arm64") "]", "[]",
	      "[" RUN("x86_64", BUILT) "," RUN("arm64", "null") "]",
	      "a not tested");
	/* one that sees it settles it, whatever was not run */
	check("[" OLD("a", "x86_64") "," OLD("a", "arm64") "]",
	      "[" FINDING("a", "series") "]", "[" RUN("x86_64", BUILT) "]",
	      "a still there");
}

static void a_build_that_stops_before_says_nothing(void **state)
{
	check("[" OLD("a", "x86_64") "]", "[" FINDING("z", "series") "]",
	      "[" RUN("x86_64", STOPPED("mm/y.o")) "]",
	      "a not tested, z new");
	check("[" OLD("a", "x86_64") "]", "[" FINDING("z", "series") "]",
	      "[" RUN("x86_64", STOPPED("mm/x.o")) "]", "a fixed, z new");
	check("[" OLD("a", "x86_64") "]", "[]",
	      "[" RUN("x86_64", "{'outcome':'errored'}") "]", "a not tested");
}

static void a_test_is_known_by_its_name(void **state)
{
	static const char old[] =
		"[{'fingerprint':'t','stage':'test','kind':'test',"
		"'arch':'x86_64','kconfig':'small','toolchain':'gcc',"
		"'message':'map fixed failed'}]";
	static const char run[] =
		"[{'kind':'test','arch':'x86_64','kconfig':'small',"
		"'toolchain':'gcc','results':[{'id':1,'result':{'outcome':"
		"'passed','boot':{'outcome':'ok'},'tests':[{'name':'%s',"
		"'status':'%s'}]}}]}]";
	static const char *const cases[][3] = {
		{ "map fixed", "passed", "t fixed" },
		{ "map fixed", "skipped", "t not tested" },
		{ "map", "passed", "t not tested" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb __free(strbuf) = STRBUF_INIT;
		const char *p = run, *s;

		/* the two words in their places */
		s = strstr(p, "%s");
		strbuf_add(&sb, p, (size_t)(s - p));
		strbuf_addstr(&sb, cases[i][0]);
		p = s + 2;
		s = strstr(p, "%s");
		strbuf_add(&sb, p, (size_t)(s - p));
		strbuf_addstr(&sb, cases[i][1]);
		strbuf_addstr(&sb, s + 2);
		check(old, "[]", sb.buf, cases[i][2]);
	}
}

static void the_reply_has_a_line(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *since __free(json) = facts(
		"{'version':2,'fates':[{'fate':'fixed'},{'fate':'new'},"
		"{'fate':'new'},{'fate':'still there'}]}");
	json_t *none __free(json) = facts("{'version':2,'fates':[]}");

	since_say(none, &sb);
	since_say(NULL, &sb);
	assert_string_equal(sb.buf, "");
	since_say(since, &sb);
	assert_string_equal(sb.buf, "Findings since v2: 1 fixed, 1 still "
				    "there, 0 not tested, 2 new.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_four_words),
		cmocka_unit_test(every_place_that_saw_it_must_be_silent),
		cmocka_unit_test(a_build_that_stops_before_says_nothing),
		cmocka_unit_test(a_test_is_known_by_its_name),
		cmocka_unit_test(the_reply_has_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
