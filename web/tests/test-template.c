// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/json.h"
#include "web/template.h"

/* Render one template, named "t", beside a partial "p", from JSON text. */
static int render(const char *text, const char *json, struct strbuf *out)
{
	const struct template_file files[] = {
		{ "t", text },
		{ "p", "[{{x}}]" },
		{ "loop", "{{>loop}}" },
	};
	struct template_set *set __free(template_set) = NULL;
	json_t *v __free(json) = json_loads(json, JSON_DECODE_ANY, NULL);
	int r;

	assert_non_null(v);
	strbuf_reset(out);
	r = template_set_new(files, ARRAY_SIZE(files), &set, out);
	return r ? r : template_render(set, "t", v, out);
}

static void expect(const char *text, const char *json, const char *want)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_int_equal(render(text, json, &out), 0);
	assert_string_equal(out.buf, want);
}

static void values_are_escaped(void **state)
{
	expect("<a title=\"{{x}}\">{{x}}</a>", "{\"x\":\"<b>\\\"'&\"}",
	       "<a title=\"&lt;b&gt;&quot;&#39;&amp;\">"
	       "&lt;b&gt;&quot;&#39;&amp;</a>");
	expect("{{x}}{{y}}{{z}}{{none}}", "{\"x\":-3,\"y\":true,\"z\":null}",
	       "-3true");
	expect("{{x}}", "{\"x\":1.5}", "1.5");
	expect("{{x}}", "{\"x\":[1]}", "");
}

static void names_reach_in_and_out(void **state)
{
	expect("{{a.b.c}}", "{\"a\":{\"b\":{\"c\":7}}}", "7");
	expect("{{#a}}{{b}}{{o}}{{/a}}", "{\"a\":{\"b\":1},\"o\":2,\"b\":3}",
	       "12");
	expect("{{#l}}{{.}},{{/l}}", "{\"l\":[1,\"x\"]}", "1,x,");
	/* the inner a hides the outer one, also when it has no such member */
	expect("{{#i}}{{a.b}}{{/i}}", "{\"a\":{\"b\":1},\"i\":{\"a\":{}}}", "");
}

static void sections_show_what_is_there(void **state)
{
	static const char text[] = "{{#x}}yes{{/x}}{{^x}}no{{/x}}";

	expect(text, "{\"x\":true}", "yes");
	expect(text, "{\"x\":\"a\"}", "yes");
	expect(text, "{\"x\":1}", "yes");
	expect(text, "{\"x\":[1,2]}", "yesyes");
	expect(text, "{\"x\":false}", "no");
	expect(text, "{\"x\":null}", "no");
	expect(text, "{\"x\":\"\"}", "no");
	expect(text, "{\"x\":0}", "no");
	expect(text, "{\"x\":[]}", "no");
	expect(text, "{}", "no");
}

static void a_tag_alone_takes_its_line(void **state)
{
	expect("a\n  {{#x}}\nb\n{{/x}}\nc\n", "{\"x\":1}", "a\nb\nc\n");
	expect("a {{#x}}\nb{{/x}}\n", "{\"x\":1}", "a \nb\n");
	expect("{{! a remark }}\nb\n", "{}", "b\n");
	expect("{{>p}}\n{{x}}\n", "{\"x\":1}", "[1]1\n");
}

static void filters_format(void **state)
{
	clock_fake(INT64_C(1777500000) * 1000);
	expect("{{x|url}}", "{\"x\":\"a b/c?d&\\u00e4@e\"}",
	       "a%20b%2Fc%3Fd%26%C3%A4@e");
	expect("{{x|age}}", "{\"x\":1777499760}", "4 min");
	expect("{{x|age}}", "{\"x\":1777499990}", "10 s");
	expect("{{x|age}}", "{\"x\":0}", "never");
	expect("{{x|age}}", "{\"x\":null}", "");
	expect("{{x|time}}", "{\"x\":1777500000}", "2026-04-29T22:00:00Z");
	expect("{{x|date}}", "{\"x\":1777500000}", "29 Apr 2026");
	expect("{{x|span}}", "{\"x\":7200}", "2 h");
	expect("{{x|short}}", "{\"x\":\"0123456789abcdef\"}", "0123456789ab");
	/* a stranger's number must not end up outside of any calendar */
	expect("{{x|date}}", "{\"x\":9223372036854775807}", "");
	clock_fake(-1);
}

static void expect_error(const char *text, const char *why)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_int_equal(render(text, "{}", &out), -EINVAL);
	assert_string_equal(out.buf, why);
}

static void mistakes_are_named_with_their_line(void **state)
{
	expect_error("a\n{{#x}}\n", "t.html:3: a section that is not closed: x");
	expect_error("\n\n{{/x}}", "t.html:3: closes what is not open: x");
	expect_error("{{#a}}{{/b}}", "t.html:1: another section is open here: b");
	expect_error("{{x", "t.html:1: a tag that does not end");
	expect_error("{{}}", "t.html:1: a tag without a proper name");
	expect_error("{{&x y}}", "t.html:1: a tag without a proper name");
	expect_error("{{x|raw}}", "t.html:1: no such filter: raw");
	expect_error("{{>q}}", "t.html: no such template: q");
}

static void there_is_no_way_around_the_escape(void **state)
{
	/* what mustache has for raw output gives nothing here */
	expect("{{&x}}", "{\"x\":\"<b>\"}", "");
	expect_error("{{{x}}}", "t.html:1: a tag without a proper name");
}

static void depth_is_bounded(void **state)
{
	struct strbuf deep __free(strbuf) = STRBUF_INIT;
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	for (int i = 0; i < 40; i++)
		strbuf_addstr(&deep, "{{#x}}");
	assert_int_equal(render(deep.buf, "{\"x\":1}", &out), -EINVAL);
	assert_int_equal(render("{{>loop}}", "{}", &out), -ELOOP);
}

static void the_pages_of_the_service_compile(void **state)
{
	struct template_set *set __free(template_set) = NULL;
	struct strbuf why __free(strbuf) = STRBUF_INIT;

	assert_true(n_template_files > 10);
	assert_int_equal(template_set_new(template_files, n_template_files,
					  &set, &why), 0);
	assert_int_equal(template_render(set, "nothing", NULL, &why), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_escaped),
		cmocka_unit_test(names_reach_in_and_out),
		cmocka_unit_test(sections_show_what_is_there),
		cmocka_unit_test(a_tag_alone_takes_its_line),
		cmocka_unit_test(filters_format),
		cmocka_unit_test(mistakes_are_named_with_their_line),
		cmocka_unit_test(there_is_no_way_around_the_escape),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(the_pages_of_the_service_compile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
