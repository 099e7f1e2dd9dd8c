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

#include "jobs/repro.h"
#include "lib/fs.h"
#include "lib/json.h"

static char dir[] = "/tmp/mmci-repro-XXXXXX";

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	return fs_rm_rf(dir);
}

static char *in_dir(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static void put(const char *name, const char *text)
{
	char *path __free(kfree) = in_dir(name);

	assert_int_equal(fs_write_atomic(path, text, strlen(text)), 0);
}

/* Runs @text with the scratch directory as $1; 0 if it does. */
static int sh(const char *text)
{
	char *line __free(kfree) = NULL;

	put("sh", text);
	line = xasprintf("cd %s && PATH=%s/bin:$PATH sh ./sh %s >log 2>&1", dir,
			 dir, dir);
	return system(line);
}

/* A tree whose "kernel" is one file, with a Makefile that only knows make. */
static void make_tree(void)
{
	assert_int_equal(sh(
		"set -e\nexport GIT_CONFIG_GLOBAL=/dev/null\n"
		"git init -q tree\ncd tree\n"
		"git config user.name a\ngit config user.email a@example.org\n"
		"cat >Makefile <<'E'\n"
		"tinyconfig:\n\tcp $(KCONFIG_ALLCONFIG) $(O)/.config\n"
		"mm/x.o:\n\tgcc -Wall -Wextra -fsyntax-only mm/x.c\n"
		"E\n"
		"mkdir mm\necho 'int x(void) { return 0; }' >mm/x.c\n"
		"git add .\ngit commit -qm base\ngit rev-parse HEAD >../base\n"
		"echo 'int x(void) { int page; return 0; }' >mm/x.c\n"
		"git commit -qam 'a page'\n"
		"mkdir -p \"../mails/a'b@example.org\"\n"
		"git format-patch -1 --stdout "
		">\"../mails/a'b@example.org/raw\"\n"
		"git reset -q --hard HEAD^\n"), 0);
}

static json_t *input(void)
{
	char *path __free(kfree) = in_dir("base");
	char *tree __free(kfree) = in_dir("tree");
	char *mails __free(kfree) = xasprintf("file://%s/mails", dir);
	struct strbuf base __free(strbuf) = STRBUF_INIT;

	assert_int_equal(fs_read_file(path, 100, &base), 0);
	strbuf_setlen(&base, base.len - 1);
	return json_pack("{s:i,s:{s:s,s:s,s:s,s:s,s:s,s:s},s:{s:s},"
			 "s:{s:s,s:s},s:[{s:i,s:s}],s:s}",
			 "job_id", 7, "job", "kind", "build", "arch", "x86_64",
			 "kconfig", "a\n$(touch pwned)", "toolchain", "gcc",
			 "kconfig_text", "CONFIG_A=y\n# it's\n",
			 "base_commit", base.buf, "environment", "compiler",
			 "another compiler 1.0", "tree", "kind", "git",
			 "location", tree, "patches", "number", 1,
			 "message_id", "a'b@example.org", "mails_url", mails);
}

static void it_gives_the_same_finding(void **state)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	json_t *in __free(json) = NULL;

	make_tree();
	in = input();
	assert_int_equal(repro_script(in, &text), 0);
	put("repro", text.buf);
	assert_int_equal(sh("sh ./repro mm/x.o >out 2>&1"), 0);
	assert_int_equal(sh("grep -q \"unused variable 'page'\" out"), 0);
	assert_int_equal(sh("grep -q 'mmci had another compiler 1.0' out"), 0);
	assert_int_equal(sh("grep -q \"# it's\" mmci-repro-7/config"), 0);
	/* the name of the config is a comment, and stays one */
	assert_int_equal(sh("! find . -name pwned | grep -q ."), 0);
}

static void without_its_patch_the_finding_is_gone(void **state)
{
	assert_int_equal(sh("MMCI_PATCHES=0 MMCI_DIR=none sh ./repro mm/x.o "
			    ">out 2>&1"), 0);
	assert_int_not_equal(sh("grep -q \"unused variable\" out"), 0);
}

static void a_job_without_a_base_has_no_script(void **state)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	json_t *in __free(json) = json_object();

	assert_int_equal(repro_script(in, &text), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_gives_the_same_finding),
		cmocka_unit_test(without_its_patch_the_finding_is_gone),
		cmocka_unit_test(a_job_without_a_base_has_no_script),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
