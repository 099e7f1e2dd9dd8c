// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "jobs/tidy.h"
#include "lib/fs.h"
#include "lib/json.h"

#define MIB (1 << 20)

static char dir[] = "/tmp/mmci-tidy-XXXXXX";

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	return fs_rm_rf(dir);
}

/* A warm base of 2 MiB that was used at @used_s. */
static void put(const char *name, time_t used_s)
{
	char *path __free(kfree) = xasprintf("%s/commit/%s", dir, name);
	char *data __free(kfree) = xasprintf("%s/image", path);
	char *mark __free(kfree) = xasprintf("%s/.complete", path);
	char *lock __free(kfree) = xasprintf("%s.lock", path);
	struct timespec t[2] = { { used_s, 0 }, { used_s, 0 } };
	char *bytes __free(kfree) = xcalloc(1, 2 * MIB);

	assert_int_equal(fs_mkdir_p(path), 0);
	memset(bytes, 'x', 2 * MIB);
	assert_int_equal(fs_write_atomic(data, bytes, 2 * MIB), 0);
	assert_int_equal(fs_write_atomic(mark, "", 0), 0);
	assert_int_equal(fs_write_atomic(lock, "", 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, lock, t, 0), 0);
}

static bool is_there(const char *name)
{
	char *path __free(kfree) = xasprintf("%s/commit/%s/.complete", dir,
					     name);

	return fs_exists(path);
}

static void the_one_used_last_stays_and_so_does_one_in_use(void **state)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *q __free(json) = json_pack("{s:s,s:i}", "warm_dir", dir,
					   "max_mib", 5);
	json_t *out __free(json) = NULL;
	char *lock __free(kfree) = NULL;
	int fd;

	put("new", 4000);
	put("old", 2000);
	put("oldest-in-use", 1000);
	put("older", 1500);
	lock = xasprintf("%s/commit/oldest-in-use.lock", dir);
	fd = open(lock, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_SH | LOCK_NB), 0);
	assert_int_equal(tidy_worker(q, &out, &why), 0);
	assert_true(is_there("oldest-in-use"));
	assert_true(is_there("new"));
	assert_false(is_there("old"));
	assert_false(is_there("older"));
	assert_int_equal(json_array_size(json_object_get(out, "removed")), 2);
	assert_int_equal(json_get_int(out, "kept_mib", 0), 4);
	assert_true(fs_exists(lock));
	close(fd);
}

static void nothing_is_removed_below_the_limit(void **state)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *q __free(json) = json_pack("{s:s,s:i}", "warm_dir", dir,
					   "max_mib", 5);
	json_t *out __free(json) = NULL;

	assert_int_equal(tidy_worker(q, &out, &why), 0);
	assert_int_equal(json_array_size(json_object_get(out, "removed")), 0);
	assert_true(is_there("new"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_one_used_last_stays_and_so_does_one_in_use),
		cmocka_unit_test(nothing_is_removed_below_the_limit),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
