/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/cleanup.h"
#include "lib/json.h"
#include "runners/console-rule.h"
#include "runners/console.h"

static void assert_text(const json_t *o, const char *key, const char *want)
{
	assert_string_equal(json_get_str(o, key, "(null)"), want);
}

static json_t *parse(const char *text)
{
	return console_parse(text, strlen(text));
}

static void one_crash_has_one_title(void **state)
{
	/* the same crash: other times, CPUs, processes, offsets, suffixes */
	static const char *const logs[] = {
		"[    1.0][    T1] WARNING: CPU: 1 PID: 4 at mm/a.c:6 f+0x1/0x2\n"
		"[    1.0][    T1] RIP: 0010:f+0x1/0x2\n"
		"[    1.0][    T1] Call Trace:\n[    1.0][    T1]  g+0x3/0x4\n",
		"[   77.5][   T90] WARNING: CPU: 0 PID: 9 at mm/a.c:8 f+0xa/0xb\n"
		"[   77.5][   T90] RIP: 0010:f.constprop.0+0xa/0xb\n"
		"[   77.5][   T90] Call Trace:\n[   77.5][   T90]  g+0x5/0x6\n",
		"WARNING: mm/a.c:6 at f+0x1/0x2, CPU#1: init/1\n"
		"RIP: 0010:f+0x1/0x2\nCall Trace:\n g+0x3/0x4\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		json_t *r __free(json) = parse(logs[i]);

		assert_text(r, "title", "WARNING in f");
		assert_text(r, "arch", "x86_64");
		assert_false(json_get_bool(r, "corrupted", true));
	}
}

static void crashes_of_the_other_architectures(void **state)
{
	static const struct {
		const char *log, *title, *arch;
	} cases[] = {
		{ "Unable to handle kernel pointer dereference in virtual kernel "
		  "address space\nOops: 0004 ilc:2 [#1] SMP\n"
		  "Krnl PSW : 0704c00180000000 0000000000123456 (pte_s390+0x2a/0x70)\n"
		  "Call Trace:\n [<0000000000123456>] pte_s390+0x2a/0x70\n",
		  "BUG: unable to handle kernel pointer dereference in pte_s390",
		  "s390" },
		{ "addressing exception: 0005 ilc:3 [#1] SMP\n"
		  "Krnl PSW : 0704c00180000000 0000000000123456 (pte_s390+0x2a/0x70)\n"
		  "Call Trace:\n [<0000000000123456>] pte_s390+0x2a/0x70\n",
		  "program check in pte_s390", "s390" },
		{ "Unable to handle kernel NULL pointer dereference at virtual "
		  "address 0000000000000010\n"
		  "Internal error: Oops: 96000004 [#1] SMP\n"
		  "pstate: 60400009\npc : boot_arm64+0x14/0x28\n"
		  "Call trace:\n boot_arm64+0x14/0x28\n",
		  "BUG: unable to handle kernel NULL pointer dereference in "
		  "boot_arm64", "arm64" },
		{ "Kernel panic - not syncing: VFS: Unable to mount root fs on "
		  "unknown-block(0,0)\n",
		  "kernel panic: VFS: Unable to mount root fs on "
		  "unknown-block(NUM,NUM)", "(null)" },
		{ "Kernel panic - not syncing: System is deadlocked on memory\n",
		  "kernel panic: System is deadlocked on memory", "(null)" },
		{ "watchdog: Watchdog detected hard LOCKUP on cpu 1\n"
		  "RIP: 0010:spin_here+0x1/0x2\nCall Trace:\n work_fn+0x1/0x2\n"
		  " process_one_work+0x1/0x2\n",
		  "BUG: hard lockup in work_fn", "x86_64" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *r __free(json) = parse(cases[i].log);

		assert_text(r, "title", cases[i].title);
		assert_text(r, "arch", cases[i].arch);
	}
}

static void decoys_are_no_reports(void **state)
{
	static const char *const logs[] = {
		"", "\n", "[    1.0] INFO: lockdep is turned off.\n",
		"[    1.0] SOME_BUG: not this\n",
		"Booting the kernel.\n[    0.0] Linux version 6.12\n",
		"[    1.0] x: Unknown parameter '  Booting the kernel'\n",
		"[    1.0] Spectre V2 : WARNING: Unprivileged eBPF is enabled\n",
		"[    1.0] traps: a[1] general protection fault ip:1 sp:2\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		json_t *r __free(json) = parse(logs[i]);

		assert_false(json_get_bool(r, "has_report", true));
		assert_false(console_has_report(logs[i], strlen(logs[i])));
	}
}

static void a_report_without_its_stack_is_cut(void **state)
{
	json_t *r __free(json) = parse(
		"[    1.0] BUG: unable to handle page fault for address: ffff\n"
		"[    1.0] RIP: 0010:f+0x1/0x2\n");

	assert_true(json_get_bool(r, "corrupted", false));
	assert_text(r, "title",
		    "BUG: unable to handle kernel paging request in f");
	assert_text(r, "corrupted_why", "no stack");
}

static void every_report_is_found(void **state)
{
	static const char log[] =
		"[    1.0][    T1] WARNING: CPU: 1 PID: 4 at mm/a.c:6 f+0x1/0x2\n"
		"[    1.0][    T1] Call Trace:\n[    1.0][    T1]  f+0x3/0x4\n"
		"[    1.1][    T2] BUG: Bad rss-counter state mm:ffff idx:1\n"
		"[    2.0][    T1] BUG: sleeping function called from invalid "
		"context at x.c:1\n[    2.0][    T1] Call Trace:\n"
		"[    2.0][    T1]  dump_stack+0x1/0x2\n"
		"[    2.0][    T1]  h+0x1/0x2\n"
		"[    3.0][    T1] Kernel panic - not syncing: it is over\n";
	static const char *const titles[] = {
		"WARNING in f", "BUG: Bad rss-counter state",
		"BUG: sleeping function called from invalid context in h",
	};
	json_t *all __free(json) = console_parse_all(log, strlen(log));

	assert_int_equal(json_array_size(all), ARRAY_SIZE(titles));
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++) {
		const json_t *r = json_array_get(all, i);

		assert_text(r, "title", titles[i]);
		assert_true(json_get_bool(r, "panicked", false));
	}
	assert_int_equal(json_get_int(json_array_get(all, 1), "start_line", 0),
			 4);
}

static void tables_fit_the_scan(void **state)
{
	assert_true(con_nr_families <= 64);
	for (size_t i = 0; i < con_nr_families; i++) {
		assert_true(strlen(con_families[i].word) >= CON_MIN_WORD);
		/* the word alone must be found wherever it stands */
		for (size_t pad = 0; pad < 9; pad++) {
			char text[128];
			const struct con_rule *r = con_families[i].rules;

			assert_non_null(r->first);
			memset(text, '-', sizeof(text));
			memcpy(text + pad, con_families[i].word,
			       strlen(con_families[i].word));
			console_has_report(text, sizeof(text));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_crash_has_one_title),
		cmocka_unit_test(crashes_of_the_other_architectures),
		cmocka_unit_test(decoys_are_no_reports),
		cmocka_unit_test(a_report_without_its_stack_is_cut),
		cmocka_unit_test(every_report_is_found),
		cmocka_unit_test(tables_fit_the_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
