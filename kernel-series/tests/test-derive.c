// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "kernel-series/cpp-scan.h"
#include "kernel-series/kconfig.h"
#include "lib/json.h"

static const char header[] =
	"#ifndef _X_H\n"
	"#define _X_H\n"
	"#ifdef CONFIG_NOTIFY\n"
	"void tell(struct mm *mm,\n"
	"\t  int why);\n"
	"#else\n"
	"#define tell(mm, why) \\\n"
	"\tdo { } while (0)\n"
	"#endif\n"
	"/* words (only)\n"
	"   #ifdef CONFIG_NOT_THIS */\n"
	"static inline int f(int a)\n"
	"{\n"
	"\tif (IS_ENABLED(CONFIG_OTHER) &&\n"
	"\t    a)\n"
	"\t\treturn 1;\n"
	"\n"
	"\treturn 0;\n"
	"}\n"
	"#if !defined(CONFIG_A) || defined(CONFIG_B)\n"
	"int g(void);\n"
	"#endif\n"
	"#endif\n";

static const struct cpp_def *def_of(const struct cpp_file *f, const char *name,
				    unsigned int line)
{
	for (size_t i = 0; i < f->n_defs; i++) {
		if (!strcmp(f->defs[i].name, name) && f->defs[i].line == line)
			return &f->defs[i];
	}
	return NULL;
}

static void both_definitions_are_seen(void **state)
{
	struct cpp_file f __free(cpp_file) = { 0 };
	const struct cpp_def *on, *off;

	(void)state;
	cpp_scan(header, strlen(header), &f);
	on = def_of(&f, "tell", 4);
	off = def_of(&f, "tell", 7);
	assert_non_null(on);
	assert_non_null(off);
	assert_string_equal(f.branches[on->branch].symbols[0], "NOTIFY");
	assert_true(f.branches[on->branch].on[0]);
	assert_string_equal(f.branches[off->branch].symbols[0], "NOTIFY");
	assert_false(f.branches[off->branch].on[0]);
	assert_null(def_of(&f, "words", 10));
	assert_null(def_of(&f, "if", 14));
}

static void lines_know_their_place(void **state)
{
	struct cpp_file f __free(cpp_file) = { 0 };
	const struct cpp_branch *b;

	(void)state;
	cpp_scan(header, strlen(header), &f);
	assert_int_equal(f.n_lines, 23);
	assert_int_equal(f.lines[4].anchor, 4); /* within parentheses */
	assert_int_equal(f.lines[7].anchor, 7); /* of a macro */
	assert_int_equal(f.lines[14].anchor, 14);
	assert_int_equal(f.lines[15].anchor, 16);
	assert_true(f.lines[7].is_code);
	assert_false(f.lines[2].is_code); /* a directive */
	assert_false(f.lines[9].is_code); /* a comment */
	assert_false(f.lines[16].is_code); /* blank */
	assert_int_equal(f.lines[15].block, f.lines[11].block);
	assert_string_equal(f.blocks[f.lines[15].block].name, "f");
	assert_int_equal(f.blocks[f.lines[15].block].end, 19);
	assert_int_equal(f.lines[20].block, -1);
	b = &f.branches[f.lines[20].branch];
	assert_int_equal(b->n, 2);
	assert_false(b->on[0]);
	assert_true(b->on[1]);
	/* the comment opened nothing */
	assert_int_equal(f.lines[11].branch, f.lines[0 + 1].branch);
}

static void what_is_cut_off_is_survived(void **state)
{
	(void)state;
	for (size_t n = 0; n <= strlen(header); n++) {
		char *copy = xstrndup(header, n);
		struct cpp_file f;

		cpp_scan(copy, n, &f);
		cpp_file_release(&f);
		free(copy);
	}
}

static void deep_nesting_is_bounded(void **state)
{
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	struct cpp_file f __free(cpp_file) = { 0 };

	(void)state;
	for (int i = 0; i < 5000; i++)
		strbuf_addstr(&sb, "#if defined(CONFIG_A)\n{(\n");
	for (int i = 0; i < 5000; i++)
		strbuf_addstr(&sb, "#endif\n");
	strbuf_addstr(&sb, "int x;\n");
	cpp_scan(sb.buf, sb.len, &f);
	assert_int_equal(f.n_branches, 64);
	assert_int_equal(f.lines[f.n_lines - 1].branch, -1);
}

static const char top[] =
	"mainmenu \"x\"\n"
	"source \"arch/$(SRCARCH)/Kconfig\"\n"
	"source \"missing/Kconfig\"\n"
	"config NOTIFY\n"
	"\tbool\n"
	"\tselect TREE\n"
	"config TREE\n"
	"\tbool\n"
	"config AUTO\n"
	"\tdef_bool y if FIRST && !SECOND # a comment\n"
	"menu \"things\"\n"
	"\tdepends on BUS\n"
	"config FIRST\n"
	"\tbool \"first if any\"\n"
	"\tselect NOTIFY\n"
	"\thelp\n"
	"\t  config NOT_A_SYMBOL\n"
	"\n"
	"\t  bool \"text\"\n"
	"if BUS2 || \\\n"
	"\tBUS\n"
	"config SECOND\n"
	"\tbool \"second\" if !(HIDE = y)\n"
	"\tselect NOTIFY if FIRST\n"
	"endif\n"
	"endmenu\n"
	"config 64BIT\n"
	"\tbool \"wide\"\n"
	"config LOOP\n"
	"\tdef_bool !LOOP\n";
static const char arch_x[] = "config BUS\n\tbool \"the bus\"\n"
			     "config STUCK\n\tdef_bool y\n";

static int get(void *arg, const char *path, struct strbuf *text)
{
	(void)arg;
	if (!strcmp(path, "Kconfig"))
		strbuf_addstr(text, top);
	else if (!strcmp(path, "arch/x/Kconfig"))
		strbuf_addstr(text, arch_x);
	else
		return 1;
	return 0;
}

static const char both_on[] = "CONFIG_BUS=y\nCONFIG_FIRST=y\n"
			      "CONFIG_SECOND=y\nCONFIG_64BIT=y\n";

static void values_follow_from_answers(void **state)
{
	struct kconfig *k __free(kconfig) = kconfig_read("x", get, NULL);

	(void)state;
	kconfig_set_config(k, both_on);
	assert_int_equal(kconfig_value(k, "NOTIFY"), KCONFIG_Y);
	assert_int_equal(kconfig_value(k, "TREE"), KCONFIG_Y);
	assert_int_equal(kconfig_value(k, "AUTO"), KCONFIG_N);
	assert_int_equal(kconfig_value(k, "NOT_A_SYMBOL"), KCONFIG_UNKNOWN);
	kconfig_set_config(k, "CONFIG_FIRST=y\n");
	assert_int_equal(kconfig_value(k, "FIRST"), KCONFIG_N); /* no BUS */
	kconfig_set_config(k, "CONFIG_FIRST=y\nCONFIG_BUS=y\n");
	assert_int_equal(kconfig_value(k, "AUTO"), KCONFIG_Y);
}

static const char *answer(const json_t *answers, const char *name)
{
	return json_get_str(answers, name, "-");
}

static void a_hidden_symbol_goes_off_with_its_selectors(void **state)
{
	struct kconfig *k __free(kconfig) = kconfig_read("x", get, NULL);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *a __free(json) = json_object();

	(void)state;
	kconfig_set_config(k, both_on);
	assert_int_equal(kconfig_flip(k, "TREE", false, a, &why), 0);
	assert_string_equal(answer(a, "FIRST"), "n");
	assert_string_not_equal(answer(a, "SECOND"), "y");
	assert_string_equal(answer(a, "BUS"), "-"); /* no more than needed */
	/* the search leaves the configuration as it was */
	assert_int_equal(kconfig_value(k, "NOTIFY"), KCONFIG_Y);
}

static void a_hidden_symbol_comes_with_a_selector(void **state)
{
	struct kconfig *k __free(kconfig) = kconfig_read("x", get, NULL);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *a __free(json) = json_object(), *b __free(json) = json_object();

	(void)state;
	kconfig_set_config(k, "");
	assert_int_equal(kconfig_flip(k, "NOTIFY", true, a, &why), 0);
	assert_string_equal(answer(a, "BUS"), "y");
	assert_string_equal(answer(a, "FIRST"), "y");
	json_set_text(b, "BUS", "n");
	assert_int_equal(kconfig_flip(k, "NOTIFY", true, b, &why), -ENOENT);
	assert_int_equal(json_object_size(b), 1);
}

static void some_symbols_stay(void **state)
{
	struct kconfig *k __free(kconfig) = kconfig_read("x", get, NULL);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	json_t *a __free(json) = json_object();

	(void)state;
	kconfig_set_config(k, both_on);
	assert_int_equal(kconfig_flip(k, "64BIT", false, a, &why), -ENOENT);
	assert_int_equal(kconfig_flip(k, "STUCK", false, a, &why), -ENOENT);
	assert_int_equal(kconfig_flip(k, "LOOP", true, a, &why), -ENOENT);
	assert_int_equal(kconfig_flip(k, "NOWHERE", true, a, &why), -ENOENT);
	assert_int_equal(json_object_size(a), 0);
}

static int get_hostile(void *arg, const char *path, struct strbuf *text)
{
	(void)path;
	strbuf_addstr(text, "config A\n\tbool \"a\"\n\tdepends on ");
	for (int i = 0; i < 100000; i++)
		strbuf_addstr(text, arg);
	/* reads itself without end */
	strbuf_addstr(text, "\nsource \"Kconfig\"\n");
	return 0;
}

static void hostile_expressions_are_bounded(void **state)
{
	static const char *const bad[] = { "(!", "!", "B && ", "$(", "A || (" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct kconfig *k __free(kconfig) =
			kconfig_read("x", get_hostile, (void *)bad[i]);

		kconfig_set_config(k, "CONFIG_A=y\n");
		assert_true(kconfig_value(k, "A") >= KCONFIG_N);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_definitions_are_seen),
		cmocka_unit_test(lines_know_their_place),
		cmocka_unit_test(what_is_cut_off_is_survived),
		cmocka_unit_test(deep_nesting_is_bounded),
		cmocka_unit_test(values_follow_from_answers),
		cmocka_unit_test(a_hidden_symbol_goes_off_with_its_selectors),
		cmocka_unit_test(a_hidden_symbol_comes_with_a_selector),
		cmocka_unit_test(some_symbols_stay),
		cmocka_unit_test(hostile_expressions_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
