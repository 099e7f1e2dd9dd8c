// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "lib/fs.h"

static char *tmp(void)
{
	char *d = xstrdup("/tmp/mmci-fs-XXXXXX");

	assert_non_null(mkdtemp(d));
	return d;
}

static void write_read_copy(void **state)
{
	char *d __free(kfree) = tmp();
	char *a __free(kfree) = xasprintf("%s/a/b/c", d);
	char *b __free(kfree) = xasprintf("%s/copy", d);
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	assert_int_equal(fs_mkdir_parent(a), 0);
	assert_int_equal(fs_write_atomic(a, "x\0y", 3), 0);
	assert_int_equal(fs_copy_file(a, b), 0);
	assert_int_equal(fs_read_file(b, 100, &sb), 0);
	assert_int_equal(sb.len, 3);
	assert_memory_equal(sb.buf, "x\0y", 3);
	strbuf_reset(&sb);
	assert_int_equal(fs_read_file(b, 2, &sb), -EFBIG);
	assert_true(fs_du_bytes(d) > 0);
	assert_int_equal(fs_rm_rf(d), 0);
	assert_false(fs_exists(d));
	assert_int_equal(fs_rm_rf(d), 0);
}

static void removal_stays_inside(void **state)
{
	char *out __free(kfree) = tmp();
	char *d __free(kfree) = tmp();
	char *kept __free(kfree) = xasprintf("%s/kept", out);
	char *link_path __free(kfree) = xasprintf("%s/link", d);
	char *shut __free(kfree) = xasprintf("%s/shut/inner", d);

	assert_int_equal(fs_write_atomic(kept, "", 0), 0);
	assert_int_equal(symlink(out, link_path), 0);
	assert_int_equal(fs_mkdir_p(shut), 0);
	*strrchr(shut, '/') = '\0';
	assert_int_equal(chmod(shut, 0), 0);
	assert_int_equal(fs_rm_rf(d), 0);
	assert_true(fs_exists(kept));
	assert_int_equal(fs_rm_rf(out), 0);
}

static void only_plain_relative_paths_are_safe(void **state)
{
	static const char *const bad[] = {
		"", "/etc/passwd", "..", "a/../b", "a//b", "./a", "a/", "a/.",
		".git/hooks/x", "a/.GIT/config", "a\nb", "a/..",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(fs_path_is_safe(bad[i]));
	assert_true(fs_path_is_safe("mm/mprotect.c"));
	assert_true(fs_path_is_safe(".gitignore"));
	assert_true(fs_path_is_safe("a/..b/c d"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write_read_copy),
		cmocka_unit_test(removal_stays_inside),
		cmocka_unit_test(only_plain_relative_paths_are_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
