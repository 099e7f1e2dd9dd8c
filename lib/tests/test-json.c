// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/fs.h"
#include "lib/json.h"

static void bad_bytes_do_not_lose_the_field(void **state)
{
	json_t *o __free(json) = json_object();

	json_set_text(o, "name", "caf\xe9");
	json_set_text(o, "none", NULL);
	assert_string_equal(json_get_str(o, "name", ""), "caf\xef\xbf\xbd");
	assert_true(json_is_null(json_object_get(o, "none")));
	assert_int_equal(json_get_int(o, "name", 7), 7);
}

static void a_broken_file_says_where(void **state)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *v = NULL;

	assert_int_equal(fs_write_atomic("/tmp/mmci-test.json", "{\n\"a\": x}",
					 9), 0);
	assert_int_equal(json_read_file("/tmp/mmci-test.json", 100, &v, &why),
			 -EINVAL);
	assert_non_null(strstr(why.buf, "/tmp/mmci-test.json:2:"));
	assert_int_equal(fs_rm_rf("/tmp/mmci-test.json"), 0);
	assert_int_equal(json_read_file("/tmp/mmci-test.json", 100, &v, &why),
			 -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_bytes_do_not_lose_the_field),
		cmocka_unit_test(a_broken_file_says_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
