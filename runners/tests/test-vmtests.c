// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runners/vmtests.h"

static struct vmtests parse(const char *text)
{
	struct vmtests t = VMTESTS_INIT;

	vmtests_parse(text, strlen(text), &t);
	return t;
}

static void a_line_of_the_suite(void **state)
{
	struct vmtests t __free(vmtests) = parse(
		"CATEGORY=\"hugetlb\" run_test ./map_hugetlb\n"
		"# KSM merging\n"
		"\tCATEGORY=\"ksm\" run_test ./ksm_tests -M -p 10 # ten\n");

	assert_int_equal(t.n, 2);
	assert_string_equal(t.v[0].category, "hugetlb");
	assert_string_equal(t.v[0].program, "map_hugetlb");
	assert_string_equal(t.v[0].title, "map_hugetlb");
	assert_null(t.v[0].argv[0]);
	assert_null(t.v[0].skip);
	assert_string_equal(t.v[1].title, "ksm_tests -M -p 10");
	assert_string_equal(t.v[1].argv[2], "10");
	assert_null(t.v[1].argv[3]);
}

static void variables_with_a_plain_value(void **state)
{
	struct vmtests t __free(vmtests) = parse(
		"bin=./uffd-stress\n"
		"n=$(nproc)\n"
		"CATEGORY=userfaultfd run_test ${bin} anon 20 16\n"
		"run_test $bin hugetlb \"$half_ufd_size_MB\" 32\n"
		"run_test $bin shmem $n\n"
		"run_test $bin shmem ${nowhere}\n");

	assert_int_equal(t.n, 4);
	assert_string_equal(t.v[0].title, "uffd-stress anon 20 16");
	assert_string_equal(t.v[0].category, "userfaultfd");
	assert_string_equal(t.v[1].title, "uffd-stress hugetlb 32 32");
	assert_string_equal(t.v[1].category, "");
	assert_string_equal(t.v[2].skip, "its arguments come from the suite's"
			    " shell: $n");
	assert_null(t.v[2].program);
	assert_string_equal(t.v[3].title, "uffd-stress shmem $nowhere");
	assert_non_null(t.v[3].skip);
}

static void what_a_guest_without_a_shell_cannot_do(void **state)
{
	struct vmtests t __free(vmtests) = parse(
		"run_test bash ./va_high_addr_switch.sh\n"
		"run_test ./charge_reserved_hugetlb.sh -cgroup-v2\n"
		"run_test sudo -u root ./on-fault-limit\n"
		"run_test ../../etc/passwd\n");

	assert_int_equal(t.n, 4);
	for (size_t i = 0; i < t.n; i++) {
		assert_non_null(t.v[i].skip);
		assert_null(t.v[i].program);
	}
	assert_string_equal(t.v[0].skip,
			    "a shell script, and the guest has no shell");
}

static void settings_and_users(void **state)
{
	struct vmtests t __free(vmtests) = parse(
		"run_test ./a\n"
		"echo 1 > /proc/sys/vm/nr_hugepages\n"
		"run_test ./b\n"
		"echo \"$tmp\" > /proc/sys/vm/nr_hugepages\n"
		"run_test sudo -u nobody ./c\n"
		"run_test sudo -u nobody sh -c ./d\n"
		"run_test ./split ${SPLIT_HUGE_PAGE_TEST_XFS_PATH}\n"
		"run_test ./e \"\"\n");

	assert_int_equal(t.n, 6);
	assert_int_equal(t.v[0].hugepages, -1);
	assert_int_equal(t.v[1].hugepages, 1);
	assert_int_equal(t.v[2].hugepages, -1);
	assert_string_equal(t.v[2].program, "c");
	assert_true(t.v[2].as_nobody);
	assert_string_equal(t.v[3].program, "d");
	assert_true(t.v[3].as_nobody && !t.v[0].as_nobody);
	assert_string_equal(t.v[4].title, "split");
	assert_null(t.v[4].argv[0]);
	assert_string_equal(t.v[5].argv[0], "");
}

static void a_line_that_goes_on_and_one_that_comes_twice(void **state)
{
	struct vmtests t __free(vmtests) = parse(
		"run_test ./gup_test \\\n  -u -n 1\n"
		"run_test ./gup_test -u -n 1\n"
		"run_tests ./other\n"
		"echo run_test ./other\n"
		"run_test\n"
		"run_test \n"
		"run_test ./last");

	assert_int_equal(t.n, 2);
	assert_string_equal(t.v[0].title, "gup_test -u -n 1");
	assert_string_equal(t.v[1].title, "last");
}

static void nonsense_is_bounded(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct vmtests t __free(vmtests) = VMTESTS_INIT;

	for (int i = 0; i < 2000; i++)
		strbuf_addf(&sb, "v%d=x\nrun_test ./t%d '\n", i, i);
	strbuf_addstr(&sb, "run_test ");
	for (int i = 0; i < 5000; i++)
		strbuf_addstr(&sb, "${\"'\\\n");
	strbuf_add(&sb, "\0run_test ./behind", 18);
	vmtests_parse(sb.buf, sb.len, &t);
	assert_in_range(t.n, 1, 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_of_the_suite),
		cmocka_unit_test(variables_with_a_plain_value),
		cmocka_unit_test(what_a_guest_without_a_shell_cannot_do),
		cmocka_unit_test(settings_and_users),
		cmocka_unit_test(a_line_that_goes_on_and_one_that_comes_twice),
		cmocka_unit_test(nonsense_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
