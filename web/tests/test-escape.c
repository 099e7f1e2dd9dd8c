// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/json.h"
#include "web/log.h"
#include "web/request.h"
#include "web/template.h"

static void escaped(const char *in, const char *want)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	template_escape(&out, in, strlen(in));
	assert_string_equal(out.buf, want);
}

static void markup_is_text(void **state)
{
	escaped("<script>alert('x')</script>",
		"&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
	escaped("\" onload=\"x", "&quot; onload=&quot;x");
	escaped("a\tb\nc", "a\tb\nc");
	escaped("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80",
		"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
}

static void control_bytes_are_pictures(void **state)
{
	escaped("a\x01z\x1b[31m\x7f\r",
		"a\xe2\x90\x81z\xe2\x90\x9b[31m\xe2\x90\xa1\xe2\x90\x8d");
	/* C1 control as UTF-8: CSI */
	escaped("\xc2\x9b", "[U+009B]");
}

static void text_reads_as_it_is_stored(void **state)
{
	escaped("a\xe2\x80\xae" "b", "a[U+202E]b");
	escaped("a\xe2\x81\xa6" "b", "a[U+2066]b");
	escaped("a\xe2\x80\x8b" "b", "a[U+200B]b");
	escaped("\xef\xbb\xbf", "[U+FEFF]");
}

static void urls_are_one_component(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	static const char all[] = "javascript:x/../?#&=+%\"'<> ";

	template_escape_url(&out, all, strlen(all));
	assert_string_equal(out.buf, "javascript%3Ax%2F..%2F%3F%23%26%3D%2B%25"
				     "%22%27%3C%3E%20");
}

static void unescaped(const char *in, const char *want)
{
	char *s __free(kfree) = xstrdup(in);

	if (!want) {
		assert_true(request_unescape(s) < 0);
		return;
	}
	assert_int_equal(request_unescape(s), 0);
	assert_string_equal(s, want);
}

static void addresses_are_decoded_strictly(void **state)
{
	unescaped("a%2Fb%40c", "a/b@c");
	unescaped("a+b", "a+b");
	unescaped("%00", NULL);
	unescaped("a%", NULL);
	unescaped("a%4", NULL);
	unescaped("a%zz", NULL);
}

static void a_path_is_cut_before_it_is_decoded(void **state)
{
	struct request rq = { 0 };

	assert_int_equal(request_parse_path(&rq, "/series/a%2F..%2Fb/"), 0);
	assert_int_equal(rq.n_segments, 2);
	assert_string_equal(rq.segments[1], "a/../b");
	request_release(&rq);
	rq = (struct request){ 0 };
	assert_true(request_parse_path(&rq, "/1/2/3/4/5/6/7/8/9") < 0);
	request_release(&rq);
	rq = (struct request){ 0 };
	assert_true(request_parse_path(&rq, "no-slash") < 0);
	request_release(&rq);
}

static void cleaned(const char *in, size_t len, const char *want)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	log_clean(&out, in, len);
	assert_string_equal(out.buf, want);
}

#define CLEANED(in, want) cleaned(in, sizeof(in) - 1, want)

static void terminal_codes_leave_the_log(void **state)
{
	CLEANED("\033[01;31merror: \033[0m\033[Kx\r", "error: x");
	CLEANED("\033]8;;http://x\033\\link\033]8;;\033\\", "link");
	CLEANED("\033]0;title\ax", "x");
	/* what is no whole sequence stays, to be shown as what it is */
	CLEANED("\033[31", "\033[31");
	CLEANED("\033]0;no end", "\033]0;no end");
	CLEANED("\033", "\033");
	CLEANED("a\0b\xff", "a\xef\xbf\xbd" "b\xef\xbf\xbd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_is_text),
		cmocka_unit_test(control_bytes_are_pictures),
		cmocka_unit_test(text_reads_as_it_is_stored),
		cmocka_unit_test(urls_are_one_component),
		cmocka_unit_test(addresses_are_decoded_strictly),
		cmocka_unit_test(a_path_is_cut_before_it_is_decoded),
		cmocka_unit_test(terminal_codes_leave_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
