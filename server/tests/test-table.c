// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/json.h"
#include "server/follow.h"
#include "server/table.h"

static const struct column cols[] = {
	{ "ID", "id", COL_NUMBER }, { "AGE", "at_s", COL_AGE },
	{ "TITLE", "title", COL_WRAP }, { "COMMIT", "commit", COL_COMMIT },
	{ "BY", "name", COL_TEXT, "email" }, { NULL },
};

static void prints(const char *rows, size_t width, const char *expected)
{
	json_t *v __free(json) = json_loads(rows, 0, NULL);
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_non_null(v);
	table_add(&out, v, cols, width, 10000);
	assert_string_equal(out.buf, expected);
}

static void columns_are_as_wide_as_they_need(void **state)
{
	prints("[{\"id\":7,\"at_s\":9990,\"title\":\"one\",\"commit\":"
	       "\"0123456789abcdef\",\"name\":\"Ann\"},"
	       "{\"id\":123,\"at_s\":4000,\"title\":\"longer\",\"commit\":null,"
	       "\"name\":\"\",\"email\":\"b@example.org\"}]", 0,
	       " ID  AGE   TITLE   COMMIT        BY\n"
	       "  7  10 s  one     0123456789ab  Ann\n"
	       "123  1 h   longer  -             b@example.org\n");
}

static void a_narrow_terminal_cuts_the_text(void **state)
{
	prints("[{\"id\":7,\"at_s\":0,\"title\":\"a title that is much longer"
	       " than the terminal is wide\",\"commit\":\"0123456789ab\","
	       "\"name\":\"Ann\"}]", 50,
	       "ID  AGE  TITLE                   COMMIT        BY\n"
	       " 7  -    a title that is much …  0123456789ab  Ann\n");
	/* what does not fit beside 20 columns of it is left out */
	prints("[{\"id\":7,\"at_s\":0,\"title\":\"a title that is much longer"
	       " than the terminal is wide\",\"commit\":\"0123456789ab\","
	       "\"name\":\"Ann\"}]", 40,
	       "ID  AGE  TITLE\n"
	       " 7  -    a title that is much longer th…\n");
	/* the first two stay whatever happens */
	prints("[{\"id\":7,\"at_s\":0,\"title\":\"a title\"}]", 12,
	       "ID  AGE  TI…\n"
	       " 7  -    a …\n");
}

static void a_row_is_one_line(void **state)
{
	prints("[{\"id\":1,\"title\":\"two\\nlines\\tand a tab\"}]", 0,
	       "ID  AGE  TITLE                COMMIT  BY\n"
	       " 1  -    two lines and a tab  -       -\n");
}

static void wide_characters_take_two_columns(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;

	assert_int_equal(text_width("J\xc3\xbcrgen"), 6);
	assert_int_equal(text_width("\xe4\xb8\xad\xe6\x96\x87"), 4);
	assert_int_equal(text_width("e\xcc\x81"), 1);
	assert_int_equal(text_width("\xff\xfe"), 2);
	text_cut(&out, "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97", 4);
	assert_string_equal(out.buf, "\xe4\xb8\xad… ");
}

static void progress_counts_what_ended(void **state)
{
	struct strbuf out __free(strbuf) = STRBUF_INIT;
	json_t *v __free(json) = json_loads(
		"{\"state\":\"running\",\"jobs\":["
		"{\"kind\":\"check\",\"state\":\"passed\"},"
		"{\"kind\":\"check\",\"state\":\"failed\"},"
		"{\"kind\":\"build\",\"state\":\"running\"},"
		"{\"kind\":\"build\",\"state\":\"canceled\"}],"
		"\"findings\":[{\"blame\":\"series\"},{\"blame\":\"flaky\"}]}",
		0, NULL);

	follow_progress(&out, v);
	assert_string_equal(out.buf,
			    "running: check 2/2, build 1/2, 1 finding");
	strbuf_reset(&out);
	json_decref(v);
	v = json_loads("{\"state\":\"assembling\"}", 0, NULL);
	follow_progress(&out, v);
	assert_string_equal(out.buf, "assembling");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_they_need),
		cmocka_unit_test(a_narrow_terminal_cuts_the_text),
		cmocka_unit_test(a_row_is_one_line),
		cmocka_unit_test(wide_characters_take_two_columns),
		cmocka_unit_test(progress_counts_what_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
