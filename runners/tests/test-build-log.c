/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/cleanup.h"
#include "lib/json.h"
#include "runners/build-log.h"

static const struct build_log_options src_and_build = {
	.src_prefix = "/src", .obj_prefix = "/build/",
};

static json_t *parse(const char *text)
{
	return build_log_parse(text, strlen(text), &src_and_build);
}

static json_t *unit_of(const json_t *r, const char *target)
{
	size_t i;
	json_t *u;

	json_array_foreach(json_object_get(r, "units"), i, u)
		if (!strcmp(json_get_str(u, "target", ""), target))
			return u;
	fail_msg("no unit %s", target);
	return NULL;
}

static json_t *diag_of(const json_t *r, const char *target, size_t nr)
{
	json_t *d = json_array_get(
		json_object_get(unit_of(r, target), "diagnostics"), nr);

	assert_non_null(d);
	return d;
}

static size_t diags(const json_t *r, const char *target)
{
	return json_array_size(
		json_object_get(unit_of(r, target), "diagnostics"));
}

static void assert_text(const json_t *o, const char *key, const char *want)
{
	assert_string_equal(json_get_str(o, key, "(null)"), want);
}

static void gcc_warning_has_all_its_parts(void **state)
{
	json_t *r __free(json) = parse(
		"  CC      mm/mprotect.o\n"
		"/src/mm/mprotect.c: In function ‘change_pte_range’:\n"
		"/src/mm/mprotect.c:60:22: warning: unused variable ‘page’ "
		"[-Wunused-variable]\n"
		"   60 |         struct page *page;\n"
		"      |                      ^~~~\n"
		"  CC      mm/mmap.o\n");
	json_t *d = diag_of(r, "mm/mprotect.o", 0);

	assert_text(unit_of(r, "mm/mprotect.o"), "outcome", "built");
	assert_int_equal(diags(r, "mm/mmap.o"), 0);
	assert_text(d, "tool", "gcc");
	assert_text(d, "severity", "warning");
	assert_text(d, "option", "-Wunused-variable");
	assert_text(d, "file", "mm/mprotect.c");
	assert_int_equal(json_get_int(d, "line", 0), 60);
	assert_int_equal(json_get_int(d, "col", 0), 22);
	assert_text(d, "function", "change_pte_range");
	assert_text(d, "message", "unused variable 'page'");
	assert_text(d, "detail",
		    "   60 |         struct page *page;\n"
		    "      |                      ^~~~");
	assert_false(json_get_bool(r, "has_error", true));
}

static const char pgtable[] =
	"  CC      arch/x86/kernel/asm-offsets.s\n"
	"In file included from ../include/linux/mm.h:30,\n"
	"                 from ../arch/x86/kernel/asm-offsets.c:14:\n"
	"../include/linux/pgtable.h: In function 'modify_prot_start_ptes':\n"
	"../include/linux/pgtable.h:873:15: error: implicit declaration of "
	"function 'ptep_modify_prot_start' "
	"[-Werror=implicit-function-declaration]\n"
	"../include/linux/pgtable.h:873:13: error: incompatible types when "
	"assigning to type 'pte_t' from type 'int'\n"
	"../include/linux/pgtable.h: In function 'modify_prot_commit_ptes':\n"
	"../include/linux/pgtable.h:905:17: error: implicit declaration of "
	"function 'ptep_modify_prot_commit' "
	"[-Werror=implicit-function-declaration]\n"
	"../include/linux/pgtable.h: At top level:\n"
	"../include/linux/pgtable.h:1360:21: error: conflicting types for "
	"'ptep_modify_prot_start'\n"
	"../include/linux/pgtable.h:873:15: note: previous implicit "
	"declaration of 'ptep_modify_prot_start'\n"
	"../include/linux/pgtable.h:1371:20: error: conflicting types for "
	"'ptep_modify_prot_commit'\n"
	"cc1: some warnings being treated as errors\n"
	"make[3]: *** [../scripts/Makefile.build:102: "
	"arch/x86/kernel/asm-offsets.s] Error 1\n";

static void followers_fold_under_one_error(void **state)
{
	json_t *r __free(json) = parse(pgtable);
	const char *target = "arch/x86/kernel/asm-offsets.s";
	const json_t *first = diag_of(r, target, 0);

	assert_text(unit_of(r, target), "outcome", "failed");
	assert_int_equal(diags(r, target), 5);
	assert_false(json_get_bool(first, "follows", true));
	for (size_t i = 1; i < 5; i++)
		assert_true(json_get_bool(diag_of(r, target, i), "follows",
					  false));
	assert_text(first, "option", "-Wimplicit-function-declaration");
	assert_string_equal(json_string_value(json_array_get(
				    json_object_get(first, "include_chain"), 1)),
			    "arch/x86/kernel/asm-offsets.c:14");
	assert_int_equal(json_array_size(json_object_get(
				 diag_of(r, target, 3), "notes")), 1);
	assert_text(r, "guilty_file", "include/linux/pgtable.h");
}

static void clang_is_known_by_its_summary(void **state)
{
	json_t *r __free(json) = parse(
		"  CC      mm/hugetlb.o\n"
		"../mm/hugetlb.c:6556:15: warning: variable 'mn_flags' set but "
		"not used [-Wunused-but-set-variable]\n"
		"1 warning generated.\n");

	assert_text(diag_of(r, "mm/hugetlb.o", 0), "tool", "clang");
}

static void every_tool_has_its_name(void **state)
{
	static const struct {
		const char *line;
		const char *tool, *severity, *file, *function;
	} cases[] = {
		{ "mm/slub.c:9: warning: Function parameter or member 'x' not "
		  "described in 'kfree'", "kernel-doc", "warning", "mm/slub.c",
		  "kfree" },
		{ "Warning: ../mm/slub.c:9 function parameter 'x' not described "
		  "in 'kfree'", "kernel-doc", "warning", "mm/slub.c", "kfree" },
		{ "mm/slub.o: warning: objtool: kfree+0x12: unreachable",
		  "objtool", "warning", "mm/slub.o", "kfree" },
		{ "ERROR: modpost: \"bar\" [mm/foo.ko] undefined!", "modpost",
		  "error", "mm/foo.ko", "(null)" },
		{ "WARNING: modpost: vmlinux: section mismatch in reference: "
		  "a+0x1 (section: .text) -> b", "modpost", "warning", "(null)",
		  "a" },
		{ "ld.lld: error: undefined symbol: foo", "ld", "error",
		  "(null)", "(null)" },
		{ "aarch64-linux-gnu-ld: mm/a.c:3: undefined reference to `f'",
		  "ld", "error", "mm/a.c", "(null)" },
		{ "mm/Kconfig:12:warning: ignored", "kconfig", "warning",
		  "mm/Kconfig", "(null)" },
		{ "arch/s390/a.S:4: Error: Unrecognized opcode: `x'", "as",
		  "error", "arch/s390/a.S", "(null)" },
		{ "/build/a.dts:3.4-5: Warning (reg_format): bad", "dtc",
		  "warning", "a.dts", "(null)" },
		{ "make[2]: *** No rule to make target 'x'.  Stop.", "make",
		  "error", "(null)", "(null)" },
		{ "error[E0599]: no method named `data`", "rustc", "error",
		  "(null)", "(null)" },
		{ "clang: error: linker command failed with exit code 1",
		  "clang", "error", "(null)", "(null)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *r __free(json) = parse(cases[i].line);
		const json_t *d = diag_of(r, "", 0);

		assert_text(d, "tool", cases[i].tool);
		assert_text(d, "severity", cases[i].severity);
		assert_text(d, "file", cases[i].file);
		assert_text(d, "function", cases[i].function);
	}
}

static void sparse_goes_on_in_its_own_way(void **state)
{
	json_t *r __free(json) = parse(
		"  CC      mm/slub.o\n  CHECK   ../mm/slub.c\n"
		"../mm/slub.c:55:9: warning: incorrect type in argument 1\n"
		"../mm/slub.c:55:9:    expected void const *\n");
	const json_t *d = diag_of(r, "mm/slub.o", 0);

	assert_text(d, "tool", "sparse");
	assert_text(d, "detail", "expected void const *");
	assert_int_equal(diags(r, "mm/slub.o"), 1);
}

static void a_failure_is_never_silent(void **state)
{
	json_t *r __free(json) = parse(
		"  GEN     foo.h\nscript: cannot go on\n"
		"make[4]: *** [../Makefile:1: foo.h] Error 2\n"
		"make[3]: *** [../Makefile.build:5: mm] Error 2\n");
	const json_t *d = diag_of(r, "foo.h", 0);

	assert_text(d, "message", "the recipe failed: Error 2");
	assert_text(d, "detail", "script: cannot go on");
	/* a directory is no target of its own */
	assert_int_equal(json_array_size(json_object_get(r, "units")), 1);
}

static void trouble_of_the_machine_is_set_apart(void **state)
{
	static const char *const lines[] = {
		"gcc: fatal error: Killed signal terminated program cc1\n",
		"mm/a.c:1:1: fatal error: error writing to /tmp/a.s: No space "
		"left on device\n",
		"cc1: out of memory allocating 65536 bytes\n",
		"virtual memory exhausted: Cannot allocate memory\n",
		"make[3]: *** [a:1: mm/a.o] Error 137\n",
		"make[3]: *** [a:1: mm/a.o] Killed\n",
	};
	json_t *r;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		r = parse(lines[i]);
		assert_true(json_get_bool(r, "infra_error", false));
		json_decref(r);
	}
	r = parse("mm/a.c:1:2: warning: \"No space left on device\" unused\n"
		  " 12 | pr_err(\"out of memory\");\n");
	assert_false(json_get_bool(r, "infra_error", true));
	json_decref(r);
}

static char *fingerprint(const char *line)
{
	json_t *r __free(json) = parse(line);

	return diag_fingerprint(diag_of(r, "", 0));
}

static void fingerprints_ignore_where_and_keep_what(void **state)
{
	char *a __free(kfree) = fingerprint(
		"/src/mm/a.c:10:3: warning: array is above 12 bytes [-Wa]");
	char *b __free(kfree) = fingerprint(
		"mm/a.c:99:1: error: array is above 16 bytes [-Werror=a]");
	char *c __free(kfree) = fingerprint(
		"mm/a.c:10:3: warning: array2 is above 12 bytes [-Wa]");
	char *d __free(kfree) = fingerprint(
		"mm/b.c:10:3: warning: array is above 12 bytes [-Wa]");

	assert_string_equal(a, b);
	assert_string_not_equal(a, c);
	assert_string_not_equal(a, d);
}

static void strong_causes_hide_weak_ones(void **state)
{
	json_t *r __free(json) = parse(
		"sh: 1: bison: not found\nmake: *** [Makefile:1: x] Error 127\n");
	json_t *s __free(json) = parse(
		"sh: 1: column: not found\n"
		"mm/a.c:1:1: error: no\nmm/a.c:1:1: error: no\n"
		"collect2: error: ld returned 1 exit status\n");
	const json_t *weak = json_object_get(r, "error_lines");
	const json_t *strong = json_object_get(s, "error_lines");

	assert_int_equal(json_array_size(weak), 1);
	assert_string_equal(json_string_value(json_array_get(weak, 0)),
			    "sh: 1: bison: not found");
	assert_int_equal(json_array_size(strong), 1);
	assert_string_equal(json_string_value(json_array_get(strong, 0)),
			    "mm/a.c:1:1: error: no");
}

static void selftests_commands_are_targets(void **state)
{
	json_t *r __free(json) = parse(
		"gcc -Wall -I /x mremap_test.c -lrt -o /build/mremap_test\n"
		"mremap_test.c:5:1: warning: unused variable 'page' "
		"[-Wunused-variable]\n");

	assert_int_equal(diags(r, "mremap_test"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gcc_warning_has_all_its_parts),
		cmocka_unit_test(followers_fold_under_one_error),
		cmocka_unit_test(clang_is_known_by_its_summary),
		cmocka_unit_test(every_tool_has_its_name),
		cmocka_unit_test(sparse_goes_on_in_its_own_way),
		cmocka_unit_test(a_failure_is_never_silent),
		cmocka_unit_test(trouble_of_the_machine_is_set_apart),
		cmocka_unit_test(fingerprints_ignore_where_and_keep_what),
		cmocka_unit_test(strong_causes_hide_weak_ones),
		cmocka_unit_test(selftests_commands_are_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
