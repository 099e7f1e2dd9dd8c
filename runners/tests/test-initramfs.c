// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/fs.h"
#include "runners/initramfs.h"

static char dir[] = "/tmp/mmci-initramfs-XXXXXX";

static int setup(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	return fs_rm_rf(dir);
}

static void unpack(const char *path, struct strbuf *out)
{
	assert_int_equal(fs_read_file(path, 1 << 20, out), 0);
}

static unsigned long field(const char *head, int n)
{
	char hex[9] = "";

	memcpy(hex, head + 6 + 8 * n, 8);
	return strtoul(hex, NULL, 16);
}

/* "name:mode:size " of each entry, and the content of regular files. */
static void list(const struct strbuf *cpio, struct strbuf *out)
{
	const char *p = cpio->buf;

	for (;;) {
		unsigned long size, name_len;

		assert_true(p + 110 <= cpio->buf + cpio->len);
		assert_memory_equal(p, "070701", 6);
		size = field(p, 6);
		name_len = field(p, 11);
		if (!strcmp(p + 110, "TRAILER!!!"))
			return;
		strbuf_addf(out, "%s:%lo:", p + 110, field(p, 1));
		p += (110 + name_len + 3) & ~3ul;
		strbuf_add(out, p, size);
		strbuf_addch(out, ' ');
		p += (size + 3) & ~3ul;
	}
}

static void write_archive(const char *path, bool other_order)
{
	struct initramfs *fs __free(initramfs) = initramfs_new();

	if (other_order)
		assert_int_equal(initramfs_add(fs, "/plan", 0644, "abcde", 5),
				 0);
	assert_int_equal(initramfs_add(fs, "/a/b/c", 0755, "x", 1), 0);
	assert_int_equal(initramfs_add_dir(fs, "/a/d"), 0);
	if (!other_order)
		assert_int_equal(initramfs_add(fs, "/plan", 0644, "abcde", 5),
				 0);
	assert_int_equal(initramfs_write(fs, path), 0);
}

static void holds_what_was_added(void **state)
{
	char *path __free(kfree) = xasprintf("%s/rd.cpio", dir);
	struct strbuf cpio __free(strbuf) = STRBUF_INIT;
	struct strbuf names __free(strbuf) = STRBUF_INIT;

	write_archive(path, false);
	unpack(path, &cpio);
	list(&cpio, &names);
	assert_string_equal(names.buf,
			    "a:40755: a/b:40755: a/b/c:100755:x a/d:40755: "
			    "dev:40755: dev/console:20600: plan:100644:abcde ");
}

static void the_order_of_calls_does_not_show(void **state)
{
	char *one __free(kfree) = xasprintf("%s/one.cpio", dir);
	char *two __free(kfree) = xasprintf("%s/two.cpio", dir);
	struct strbuf a __free(strbuf) = STRBUF_INIT;
	struct strbuf b __free(strbuf) = STRBUF_INIT;

	write_archive(one, false);
	sleep(1); /* a time stamp in the header would show */
	write_archive(two, true);
	assert_int_equal(fs_read_file(one, 1 << 20, &a), 0);
	assert_int_equal(fs_read_file(two, 1 << 20, &b), 0);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.buf, b.buf, a.len);
}

static void a_later_file_replaces(void **state)
{
	char *path __free(kfree) = xasprintf("%s/again.cpio", dir);
	struct initramfs *fs __free(initramfs) = initramfs_new();
	struct strbuf cpio __free(strbuf) = STRBUF_INIT;
	struct strbuf names __free(strbuf) = STRBUF_INIT;

	assert_int_equal(initramfs_add(fs, "/f", 0644, "old", 3), 0);
	assert_int_equal(initramfs_add(fs, "/f", 0600, "new!", 4), 0);
	assert_int_equal(initramfs_write(fs, path), 0);
	unpack(path, &cpio);
	list(&cpio, &names);
	assert_non_null(strstr(names.buf, "f:100600:new! "));
	assert_null(strstr(names.buf, "old"));
}

static void bad_paths_are_refused(void **state)
{
	struct initramfs *fs __free(initramfs) = initramfs_new();

	assert_int_equal(initramfs_add(fs, "f", 0644, "", 0), -EINVAL);
	assert_int_equal(initramfs_add(fs, "/a/../f", 0644, "", 0), -EINVAL);
	assert_int_equal(initramfs_add_dir(fs, "/"), -EINVAL);
	assert_int_equal(initramfs_add_file(fs, "/f", 0644, "/nonexistent"),
			 -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_what_was_added),
		cmocka_unit_test(the_order_of_calls_does_not_show),
		cmocka_unit_test(a_later_file_replaces),
		cmocka_unit_test(bad_paths_are_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
