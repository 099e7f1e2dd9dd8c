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
#include "lib/json.h"
#include "runners/job.h"
#include "runners/kbuild.h"

#define COMMIT "0123456789012345678901234567890123456789"

static char dir[64];

static int setup(void **state)
{
	strcpy(dir, "/tmp/mmci-job.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	return fs_rm_rf(dir);
}

static void write_request(const char *text)
{
	char *path __free(kfree) = xasprintf("%s/job.json", dir);

	assert_int_equal(fs_write_atomic(path, text, strlen(text)), 0);
}

static struct job *load(const char *text)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct job *job = NULL;

	write_request(text);
	if (job_load(dir, &job, &why))
		fail_msg("%s", why.buf);
	return job;
}

static json_t *read_result(void)
{
	char *path __free(kfree) = xasprintf("%s/result.json", dir);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *v = NULL;

	assert_int_equal(json_read_file(path, 1 << 20, &v, &why), 0);
	return v;
}

#define BOOT "{\"kind\":\"boot\",\"arch\":\"s390\",\"image\":\"/i\""

static void request_becomes_a_job(void **state)
{
	struct job *job __free(job) = load(
		"{\"kind\":\"build\",\"arch\":\"arm64\",\"toolchain\":\"gcc\","
		"\"git_dir\":\"/g\",\"base_commit\":\"" COMMIT "\","
		"\"src_dir\":\"/s\",\"warm_dir\":\"/w\",\"kconfig_text\":\"\","
		"\"patches\":[{\"number\":2,\"commit\":\"" COMMIT "\"}],"
		"\"selftests\":[\"mremap_test\"],\"output_mib\":3}");

	assert_int_equal(job->kind, JOB_KIND_BUILD);
	assert_string_equal(job->arch, "arm64");
	assert_int_equal(job->n_patches, 1);
	assert_int_equal(job->patches[0].number, 2);
	assert_string_equal(job->patches[0].title, "");
	assert_string_equal(job->selftests[0], "mremap_test");
	assert_int_equal(job->limits.output_mib, 3);
	assert_true(job->limits.timeout_s > 0);
	assert_true(job_time_left_ms(job) > 0);
}

static void mistakes_name_the_member(void **state)
{
	static const char *const cases[][2] = {
		{ "{\"kind\":\"bake\",\"arch\":\"s390\"}", "\"kind\"" },
		{ "{\"kind\":\"boot\",\"image\":\"/i\"}", "\"arch\"" },
		{ "{\"kind\":\"boot\",\"arch\":\"a b\",\"image\":\"/i\"}",
		  "\"arch\"" },
		{ "{\"kind\":\"boot\",\"arch\":\"-x\",\"image\":\"/i\"}",
		  "\"arch\"" },
		{ "{\"kind\":\"boot\",\"arch\":\"s390\"}", "\"image\"" },
		{ BOOT ",\"selftests\":[\"../x\"]}", "\"selftests\"" },
		{ BOOT ",\"patches\":[{\"commit\":\"HEAD\"}]}", "\"commit\"" },
		{ "{\"kind\":\"base\",\"arch\":\"s390\",\"toolchain\":\"gcc\","
		  "\"base_commit\":\"--all\"}", "\"base_commit\"" },
		{ "nonsense", "job.json" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf why __free(strbuf) = STRBUF_INIT;
		struct job *job = NULL;

		write_request(cases[i][0]);
		assert_int_equal(job_load(dir, &job, &why), -EINVAL);
		if (!strstr(why.buf, cases[i][1]))
			fail_msg("%s: %s", cases[i][1], why.buf);
		assert_null(strchr(why.buf, '\n'));
	}
}

static void log_is_cut_and_says_so(void **state)
{
	struct job *job __free(job) = load(BOOT ",\"output_mib\":1}");
	char *path __free(kfree) = job_path(job, "log");
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	char block[65536];

	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 100; i++)
		job_log(job, block, sizeof(block));
	assert_int_equal(fs_read_file(path, 8 << 20, &sb), 0);
	assert_true(sb.len < 1048576 + 100);
	assert_true(ends_with(sb.buf, "\n==> log cut at 1 MiB\n"));
}

static void stages_know_their_line(void **state)
{
	struct job *job __free(job) = load(BOOT "}");
	char *path __free(kfree) = job_path(job, "log");
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	json_t *res __free(json) = NULL, *stages;

	job_stage(job, "one");
	job_log(job, "a\nb", 3); /* no line feed: the mark still begins a line */
	job_stage(job, "two %d", 2);
	job_stage_end(job, -EIO);
	job_environment(job, "qemu", "7.2");
	assert_int_equal(job_finish(job, JOB_FAILED, "broken"), 0);

	assert_int_equal(fs_read_file(path, 4096, &sb), 0);
	assert_string_equal(sb.buf, "==> one\na\nb\n==> two 2\n"
				    "==> failed: broken\n");
	res = read_result();
	stages = json_object_get(res, "stages");
	assert_int_equal(json_array_size(stages), 2);
	assert_int_equal(json_get_int(json_array_get(stages, 1), "log_line",
				      0), 4);
	assert_string_equal(json_get_str(json_array_get(stages, 0), "outcome",
					 ""), "passed");
	assert_string_equal(json_get_str(json_array_get(stages, 1), "outcome",
					 ""), "errored");
	assert_string_equal(json_get_str(res, "outcome", ""), "failed");
	assert_string_equal(json_get_str(res, "summary", ""), "broken");
}

static void dropped_symbols_are_listed(void **state)
{
	json_t *d __free(json) = kbuild_dropped(
		"CONFIG_A=y\nCONFIG_B=y\n# CONFIG_C is not set\n\n# comment\n"
		"# CONFIG_D is not set\nCONFIG_N=12\nCONFIG_AB=y\n",
		"CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=y\nCONFIG_N=14\n"
		"CONFIG_AB=y\n");

	assert_int_equal(json_array_size(d), 3);
	assert_string_equal(json_string_value(json_array_get(d, 0)),
			    "CONFIG_B: asked y, got n");
	assert_string_equal(json_string_value(json_array_get(d, 1)),
			    "CONFIG_C: asked n, got y");
	assert_string_equal(json_string_value(json_array_get(d, 2)),
			    "CONFIG_N: asked 12, got 14");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(request_becomes_a_job),
		CASE(mistakes_name_the_member),
		CASE(log_is_cut_and_says_so),
		CASE(stages_know_their_line),
		CASE(dropped_symbols_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
