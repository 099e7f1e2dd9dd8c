// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole base and build jobs on a tree of four files that answers to the same
 * make goals as the kernel, so that they take a second each. Needs user
 * namespaces, git and a compiler: skipped, by name, without.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "runners/check.h"
#include "runners/run.h"
#include "runners/sandbox.h"

static char dir[64];
static char base[80];
static char no_sandbox[256];
static uid_t uid;
static gid_t gid;
static int serial;

static const char makefile[] =
	"tinyconfig:\n"
	"\t@cp $(KCONFIG_ALLCONFIG) $(O)/.config; echo '# configured'\n"
	"bzImage: $(O)/mm/a.o $(O)/mm/b.o\n"
	"\t@mkdir -p $(O)/arch/x86/boot\n"
	"\t@cat $^ >$(O)/arch/x86/boot/bzImage; echo map >$(O)/System.map\n"
	"$(O)/mm/%.o: mm/%.c mm/h.h\n"
	"\t@mkdir -p $(@D); echo '  CC      mm/$*.o';"
	" gcc -Wall -g -c -o $@ $(CURDIR)/$< && printf '%s\\n'"
	" 'savedcmd_mm/$*.o := gcc -Wall -g -c -o mm/$*.o $(CURDIR)/$< ;"
	" touch /build/objtool' '' 'source_mm/$*.o := $(CURDIR)/$<' ''"
	" 'deps_mm/$*.o := \\' '  $(CURDIR)/mm/h.h \\' >$(@D)/.$*.o.cmd\n"
	"headers:\n"
	"\t@mkdir -p $(O)/usr/include\n";

static const char tests_makefile[] =
	"all: $(OUTPUT)/one_test $(OUTPUT)/two_test\n"
	"$(OUTPUT)/%: %.c\n"
	"\t@gcc $(USERCFLAGS) -o $@ $<\n";

__attribute__((format(printf, 1, 2)))
static void sh(const char *fmt, ...)
{
	struct strbuf cmd __free(strbuf) = STRBUF_INIT;
	va_list ap;

	strbuf_addf(&cmd, "set -e; cd %s/tree; ", dir);
	va_start(ap, fmt);
	strbuf_vaddf(&cmd, fmt, ap);
	va_end(ap);
	if (system(cmd.buf))
		fail_msg("failed: %s", cmd.buf);
}

static void put(const char *name, const char *text)
{
	char *path __free(kfree) = xasprintf("%s/tree/%s", dir, name);

	assert_int_equal(fs_mkdir_parent(path), 0);
	assert_int_equal(fs_write_atomic(path, text, strlen(text)), 0);
}

/* Commits the tree as it is on disk; "HEAD" of the work tree moves on. */
static void commit(char id[80])
{
	char *path __free(kfree) = xasprintf("%s/tree/.git/last", dir);
	struct strbuf sb __free(strbuf) = STRBUF_INIT;

	sh("git add -A && git -c user.name=t -c user.email=t@example.org"
	   " commit -q --allow-empty -m x && git rev-parse HEAD >.git/last");
	assert_int_equal(fs_read_file(path, 79, &sb), 0);
	strbuf_rtrim(&sb);
	strcpy(id, sb.buf);
}

static int group_setup(void **state)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	char *path __free(kfree) = NULL;

	uid = geteuid() ? geteuid() : 65534;
	gid = geteuid() ? getegid() : 65534;
	if (!sandbox_supported(uid, gid, &why))
		snprintf(no_sandbox, sizeof(no_sandbox), "%s", why.buf);
	strcpy(dir, "/tmp/mmci-build.XXXXXX");
	assert_non_null(mkdtemp(dir));
	chmod(dir, 0755);
	path = xasprintf("%s/tree", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	put("Makefile", makefile);
	put("mm/h.h", "int h(void);\n");
	put("mm/a.c", "#include \"h.h\"\nint a(void)\n{\n\treturn h();\n}\n");
	put("mm/b.c", "int b(void)\n{\n\tint old;\n\treturn 0;\n}\n");
	put("tools/testing/selftests/mm/Makefile", tests_makefile);
	put("tools/testing/selftests/mm/one_test.c",
	    "int main(void) { return 0; }\n");
	put("tools/testing/selftests/mm/two_test.c", "does not compile\n");
	sh("git init -q");
	commit(base);
	return 0;
}

static int group_teardown(void **state)
{
	return fs_rm_rf(dir);
}

static json_t *request(const char *kind)
{
	json_t *o = json_object();
	char *git __free(kfree) = xasprintf("%s/tree/.git", dir);
	char *src __free(kfree) = xasprintf("%s/src/%s", dir, base);
	char *warm __free(kfree) = xasprintf("%s/warm/%s", dir, base);

	json_set_text(o, "kind", kind);
	json_set_text(o, "arch", "x86_64");
	json_set_text(o, "toolchain", "gcc");
	json_set_text(o, "kconfig", "test");
	json_set_text(o, "kconfig_text", "CONFIG_A=y\n");
	json_set_text(o, "git_dir", git);
	json_set_text(o, "base_commit", base);
	json_set_text(o, "src_dir", src);
	json_set_text(o, "warm_dir", warm);
	json_object_set_new(o, "patches", json_array());
	json_set_int(o, "build_uid", uid);
	json_set_int(o, "build_gid", gid);
	json_set_int(o, "make_jobs", 2);
	json_set_int(o, "timeout_s", 60);
	json_set_int(o, "memory_mib", 512);
	json_set_int(o, "disk_mib", 64);
	json_set_int(o, "output_mib", 1);
	json_set_int(o, "processes", 100);
	return o;
}

static void add_patch(json_t *o, const char *id)
{
	json_t *list = json_object_get(o, "patches"), *p = json_object();

	json_set_int(p, "number", (int64_t)json_array_size(list) + 1);
	json_set_text(p, "commit", id);
	json_array_append_new(list, p);
}

/* Runs the job and returns its result; consumes @o. */
static json_t *run(json_t *o)
{
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	char *jobdir __free(kfree) = xasprintf("%s/job%d", dir, ++serial);
	char *in __free(kfree) = xasprintf("%s/job.json", jobdir);
	char *out __free(kfree) = xasprintf("%s/result.json", jobdir);
	char *work __free(kfree) = xasprintf("%s/work", jobdir);
	json_t *res = NULL;

	assert_int_equal(mkdir(jobdir, 0755), 0);
	assert_int_equal(json_write_file(in, o), 0);
	json_decref(o);
	if (run_job(jobdir, &why))
		fail_msg("%s", why.buf);
	assert_int_equal(json_read_file(out, 16 << 20, &res, &why), 0);
	assert_false(fs_exists(work));
	return res;
}

static void need_sandbox(void)
{
	json_t *o, *res __free(json) = NULL;

	if (no_sandbox[0]) {
		print_message("skipped: %s\n", no_sandbox);
		skip();
	}
	o = request("base");
	res = run(o);
	if (strcmp(json_get_str(res, "outcome", ""), "passed"))
		fail_msg("base: %s", json_get_str(res, "summary", ""));
}

static void reset_tree(void)
{
	sh("git checkout -q -f %s && git clean -qfdx", base);
}

/* One patch on the base that replaces file @name. */
static json_t *run_change(const char *name, const char *text)
{
	json_t *o = request("build");
	char id[80];

	reset_tree();
	put(name, text);
	commit(id);
	add_patch(o, id);
	return run(o);
}

static const json_t *patch_of(const json_t *res, size_t i)
{
	return json_array_get(json_object_get(res, "patches"), i);
}

static const json_t *unit_of(const json_t *patch, const char *target)
{
	const json_t *u;
	size_t i;

	json_array_foreach(json_object_get(patch, "units"), i, u) {
		if (!strcmp(json_get_str(u, "target", ""), target))
			return u;
	}
	return NULL;
}

#define assert_str(o, key, want) \
	assert_string_equal(json_get_str(o, key, "(none)"), want)

static void assert_summary(const json_t *res, const char *what)
{
	if (!strstr(json_get_str(res, "summary", ""), what))
		fail_msg("\"%s\" is not in \"%s\"", what,
			 json_get_str(res, "summary", ""));
}

static void base_states_its_facts(void **state)
{
	json_t *res __free(json) = NULL, *a;
	const json_t *u;

	need_sandbox();
	res = run(request("base")); /* the second time it is read */
	assert_str(res, "outcome", "passed");
	assert_summary(res, "built before");
	u = unit_of(patch_of(res, 0), "mm/b.o");
	assert_non_null(u);
	assert_int_equal(json_array_size(json_object_get(u, "diagnostics")), 1);
	a = json_object_get(res, "artefacts");
	assert_true(fs_exists(json_get_str(a, "image", "")));
	assert_int_equal(json_get_int(a, "image_patch", -1), 0);
	assert_int_equal(json_array_size(json_object_get(res, "selftests")), 1);
	assert_int_equal(
		json_array_size(json_object_get(res, "kconfig_dropped")), 0);
}

static void each_patch_is_judged_on_its_own(void **state)
{
	json_t *o, *res __free(json) = NULL;
	const json_t *u, *d;
	char one[80], two[80];

	need_sandbox();
	reset_tree();
	put("mm/a.c", "#include \"h.h\"\nint a(void)\n{\n\tint page;\n"
		      "\treturn h();\n}\n");
	commit(one);
	put("mm/h.h", "int h(void);\nint broken(\n");
	commit(two);
	o = request("build");
	add_patch(o, one);
	add_patch(o, two);
	res = run(o);

	assert_str(res, "outcome", "failed");
	assert_str(patch_of(res, 0), "outcome", "passed");
	assert_true(json_get_bool(patch_of(res, 0), "image", false));
	/* only what the patch changes was built */
	assert_null(unit_of(patch_of(res, 0), "mm/b.o"));
	u = unit_of(patch_of(res, 0), "mm/a.o");
	d = json_array_get(json_object_get(u, "diagnostics"), 0);
	assert_str(d, "file", "mm/a.c");
	assert_str(d, "option", "-Wunused-variable");
	assert_str(d, "function", "a");
	assert_int_equal(json_get_int(d, "line", 0), 4);

	assert_str(patch_of(res, 1), "outcome", "failed");
	assert_false(json_get_bool(patch_of(res, 1), "image", true));
	assert_str(unit_of(patch_of(res, 1), "mm/a.o"), "outcome", "failed");
	assert_int_equal(json_get_int(json_object_get(res, "artefacts"),
				      "image_patch", -1), 1);
}

static void check_says_the_same_sooner(void **state)
{
	json_t *o, *res __free(json) = NULL;
	const json_t *u;
	char one[80], two[80], three[80];

	need_sandbox();
	reset_tree();
	put("mm/a.c", "#include \"h.h\"\nint a(void)\n{\n\tint page;\n"
		      "\treturn h();\n}\n");
	commit(one);
	put("mm/h.h", "int h(void);\nint broken(\n");
	commit(two);
	put("mm/new.c", "int late(void)\n{\n\treturn 0;\n}\n");
	commit(three);
	o = request("check");
	add_patch(o, one);
	add_patch(o, two);
	add_patch(o, three);
	res = run(o);

	assert_str(res, "outcome", "failed");
	assert_str(patch_of(res, 0), "outcome", "passed");
	assert_null(unit_of(patch_of(res, 0), "mm/b.o"));
	u = unit_of(patch_of(res, 0), "mm/a.o");
	assert_int_equal(json_array_size(json_object_get(u, "diagnostics")), 1);
	assert_str(u, "outcome", "built");
	assert_str(patch_of(res, 1), "outcome", "failed");
	assert_str(unit_of(patch_of(res, 1), "mm/a.o"), "outcome", "failed");
	/* includes no header, but its dependency file says so */
	assert_non_null(unit_of(patch_of(res, 1), "mm/b.o"));
	assert_null(json_get_str(patch_of(res, 1), "unjudged", NULL));
	assert_non_null(json_get_str(patch_of(res, 2), "unjudged", NULL));
}

static void a_first_look_says_what_it_left_out(void **state)
{
	json_t *o, *res __free(json) = NULL;
	const json_t *u;
	char one[80], two[80];

	need_sandbox();
	reset_tree();
	put("mm/h.h", "int h(void);\nint more(void);\n");
	commit(one);
	put("mm/a.c", "#include \"h.h\"\nint a(void)\n{\n\tint page;\n"
		      "\treturn h();\n}\n");
	commit(two);
	o = request("check");
	json_set_text(o, "scope", "first");
	add_patch(o, one);
	add_patch(o, two);
	res = run(o);

	assert_str(res, "outcome", "passed");
	assert_true(json_get_bool(res, "partial", false));
	assert_null(unit_of(patch_of(res, 0), "mm/a.o"));
	u = unit_of(patch_of(res, 1), "mm/a.o");
	assert_int_equal(json_array_size(json_object_get(u, "diagnostics")), 1);
	/* it was the header's turn first, and nobody looked */
	assert_int_equal(json_get_int(u, "unlooked", 0), 1);
	assert_non_null(strstr(json_get_str(res, "summary", ""),
			       "a first look: "));
}

static void a_first_look_at_all_there_is_is_a_check(void **state)
{
	json_t *o, *res __free(json) = NULL;
	char one[80];

	need_sandbox();
	reset_tree();
	put("mm/a.c", "int a(void)\n{\n\tint page;\n\treturn 0;\n}\n");
	commit(one);
	o = request("check");
	json_set_text(o, "scope", "first");
	add_patch(o, one);
	res = run(o);

	assert_str(res, "outcome", "passed");
	assert_false(json_get_bool(res, "partial", false));
	assert_int_equal(json_get_int(unit_of(patch_of(res, 0), "mm/a.o"),
				      "unlooked", 0), 0);
}

static void check_plan_orders_by_what_tells_most(void **state)
{
	struct check_plan plan __free(check_plan) = { 0 };
	struct source_file files[] = { { .path = (char *)"include/x.h" },
				       { .path = (char *)"mm/a.c" } };
	struct source_change c = { .files = files, .n = 2 };
	struct strbuf sb __free(strbuf) = STRBUF_INIT;
	char other[] = "cmd_fs/f.o := gcc -c -o fs/f.o /src/fs/f.c\n\n"
		       "source_fs/f.o := /src/fs/f.c\n\ndeps_fs/f.o := \\\n"
		       "    $(wildcard include/config/A) \\\n"
		       "  /src/include/x.h \\\n";
	char touched[] = "savedcmd_mm/a.o := gcc -c -o mm/a.o /src/mm/a.c  ; "
			 "./tools/objtool mm/a.o\n\n"
			 "source_mm/a.o := /src/mm/a.c\n";
	char prepare[] = "savedcmd_k/asm-offsets.s := gcc -S -o"
			 " k/asm-offsets.s /src/k/asm-offsets.c\n\n"
			 "source_k/asm-offsets.s := /src/k/asm-offsets.c\n\n"
			 "deps_k := \\\n  /src/include/x.h \\\n";
	char apart[] = "savedcmd_mm/b.o := gcc -c -o mm/b.o /src/mm/b.c\n\n"
		       "source_mm/b.o := /src/mm/b.c\n\ndeps_mm/b.o := \\\n"
		       "  /src/include/x.hh \\\n";
	char assembler[] = "savedcmd_l/l.o := gcc -c -o l/l.o /src/l/l.S\n\n"
			   "source_l/l.o := /src/l/l.S\n\n"
			   "deps_l/l.o := \\\n  /src/include/x.h \\\n";
	char broken[] = "savedcmd_ := \n\nsource_ := \n\n";

	check_plan_add(&plan, other, &c);
	check_plan_add(&plan, touched, &c);
	check_plan_add(&plan, prepare, &c);
	check_plan_add(&plan, apart, &c);
	check_plan_add(&plan, assembler, &c);
	check_plan_add(&plan, broken, &c);
	check_plan_makefile(&plan, &sb);
	assert_int_equal(plan.n, 3);
	assert_string_equal(plan.units[0].target, "mm/a.o");
	assert_string_equal(plan.units[0].command,
			    "gcc -fsyntax-only /src/mm/a.c  ");
	assert_string_equal(plan.units[1].target, "k/asm-offsets.s");
	assert_string_equal(plan.units[2].target, "fs/f.o");
	assert_non_null(strstr(sb.buf, "\nprepare: k/asm-offsets.s\n"));
	assert_non_null(strstr(sb.buf, "\ntouched: mm/a.o\n"));
	assert_non_null(strstr(sb.buf, "\nrest: fs/f.o\n"));
}

static void control_without_patches_has_the_base_image(void **state)
{
	json_t *res __free(json) = NULL, *a;

	need_sandbox();
	res = run(request("build"));
	assert_str(res, "outcome", "passed");
	a = json_object_get(res, "artefacts");
	assert_int_equal(json_get_int(a, "image_patch", -1), 0);
	assert_true(fs_exists(json_get_str(a, "image", "")));
}

static void deleted_file_is_gone(void **state)
{
	json_t *o = request("build"), *res __free(json) = NULL;
	char id[80];

	need_sandbox();
	reset_tree();
	sh("git rm -q mm/b.c");
	commit(id);
	add_patch(o, id);
	res = run(o);
	assert_str(res, "outcome", "failed");
}

static void changed_selftest_is_built_again(void **state)
{
	json_t *res __free(json) = NULL;

	need_sandbox();
	res = run_change("tools/testing/selftests/mm/two_test.c",
			 "int main(void) { return 0; }\n");
	assert_str(res, "outcome", "passed");
	assert_int_equal(json_array_size(json_object_get(res, "selftests")), 2);
	assert_non_null(strstr(json_get_str(json_object_get(res, "artefacts"),
					    "selftests", ""), "/job"));
}

/* Checks hold the sources one after the other: a base must not wait for none. */
static void sources_in_use_serve_another_base(void **state)
{
	json_t *o = request("base"), *res __free(json) = NULL;
	char *warm __free(kfree) = xasprintf("%s/warm/second", dir);
	char *lock __free(kfree) = xasprintf("%s/src/%s.lock", dir, base);
	int fd __free(fd) = open(lock, O_RDWR | O_CLOEXEC);

	need_sandbox();
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	json_set_text(o, "warm_dir", warm);
	json_set_int(o, "timeout_s", 20);
	res = run(o);
	assert_str(res, "outcome", "passed");
}

static void missing_compiler_is_our_fault(void **state)
{
	json_t *o = request("base"), *res __free(json) = NULL;
	char *warm __free(kfree) = xasprintf("%s/warm/other", dir);

	need_sandbox();
	json_set_text(o, "toolchain", "clang-99");
	json_set_text(o, "warm_dir", warm);
	res = run(o);
	assert_str(res, "outcome", "errored");
	assert_summary(res, "/usr/bin/clang-99");
	/* and nothing is kept that would be taken for a base later */
	assert_false(fs_exists(warm));
}

static void missing_base_is_our_fault(void **state)
{
	json_t *o = request("build"), *res __free(json) = NULL;
	char *warm __free(kfree) = xasprintf("%s/warm/none", dir);

	json_set_text(o, "warm_dir", warm);
	res = run(o);
	assert_str(res, "outcome", "errored");
	assert_summary(res, "no finished warm base");
}

/* The rest are series that somebody wrote to do harm. */

static json_t *run_rule(const char *rule)
{
	char *text __free(kfree) = xasprintf("%s\t@%s\n",
		"bzImage: evil\n"
		"tinyconfig headers:\n\t@true\nevil:\n", rule);

	return run_change("Makefile", text);
}

static void killed_make_is_not_the_patch(void **state)
{
	json_t *res __free(json) = NULL;

	need_sandbox();
	res = run_rule("kill -9 $$PPID; sleep 1");
	assert_str(res, "outcome", "errored");
	assert_summary(res, "signal 9");
}

static void printing_without_end_is_named(void **state)
{
	json_t *res __free(json) = NULL;

	need_sandbox();
	res = run_rule("yes >&2");
	assert_str(res, "outcome", "errored");
	assert_summary(res, "limit of output");
}

static void filling_the_disk_is_named(void **state)
{
	json_t *res __free(json) = NULL;

	need_sandbox();
	res = run_rule("for i in 1 2 3 4 5 6 7 8 9; do head -c 20000000"
		       " /dev/zero >$(O)/f$$i; sleep 0.5; done");
	assert_str(res, "outcome", "errored");
	assert_summary(res, "64 MiB of disk");
}

static void using_up_the_time_is_named(void **state)
{
	json_t *o = request("build"), *res __free(json) = NULL;
	int64_t begin = clock_mono_ms();
	char id[80];

	need_sandbox();
	reset_tree();
	put("Makefile", "bzImage:\n\t@trap '' TERM; sleep 100\n");
	commit(id);
	add_patch(o, id);
	json_set_int(o, "timeout_s", 3);
	res = run(o);
	assert_str(res, "outcome", "timed-out");
	assert_true(clock_mono_ms() - begin < 20000);
}

static void daemon_is_killed_and_named(void **state)
{
	json_t *res __free(json) = NULL;
	struct strbuf log __free(strbuf) = STRBUF_INIT;
	char *path __free(kfree) = NULL;

	need_sandbox();
	res = run_rule("setsid sleep 1000 >/dev/null 2>&1 & false");
	path = xasprintf("%s/job%d/log", dir, serial);
	assert_int_equal(fs_read_file(path, 1 << 20, &log), 0);
	assert_non_null(strstr(log.buf, "left behind"));
}

static void warm_base_and_sources_stay_as_they_are(void **state)
{
	json_t *res __free(json) = NULL;
	char *obj __free(kfree) = xasprintf("%s/warm/%s/obj/mm/a.o", dir, base);
	char *src __free(kfree) = xasprintf("%s/src/%s/mm/a.c", dir, base);
	struct stat o1, o2, s1, s2;

	need_sandbox();
	assert_int_equal(stat(obj, &o1), 0);
	assert_int_equal(stat(src, &s1), 0);
	res = run_rule("rm -rf /build/* /src/*; echo x >/build/mm/a.o; false");
	assert_str(res, "outcome", "failed");
	assert_int_equal(stat(obj, &o2), 0);
	assert_int_equal(stat(src, &s2), 0);
	assert_memory_equal(&o1.st_mtim, &o2.st_mtim, sizeof(o1.st_mtim));
	assert_memory_equal(&s1.st_mtim, &s2.st_mtim, sizeof(s1.st_mtim));
}

static void image_cannot_be_a_way_out(void **state)
{
	json_t *res __free(json) = NULL;

	need_sandbox();
	/* a path of the host that does not exist where it is read */
	res = run_rule("mkdir -p $(O)/arch/x86/boot; rm -f"
		       " $(O)/arch/x86/boot/bzImage; ln -s /etc/shadow"
		       " $(O)/arch/x86/boot/bzImage");
	assert_str(res, "outcome", "errored");
	assert_summary(res, "bzImage");
}

static void deep_tree_is_removed(void **state)
{
	json_t *res __free(json) = NULL;

	need_sandbox();
	/* run() checks that nothing is left of work/ */
	res = run_rule("cd /build; d=d; for i in 1 2 3 4 5 6 7 8; do"
		       " d=$$d/$$d; done; for i in 1 2 3 4 5 6 7 8; do"
		       " mkdir -p $$d; cd $$d; done");
	assert_string_not_equal(json_get_str(res, "outcome", ""), "passed");
}

static void symbolic_link_is_refused(void **state)
{
	json_t *o = request("build"), *res __free(json) = NULL;
	char id[80];

	need_sandbox();
	reset_tree();
	sh("ln -s /etc/passwd mm/link");
	commit(id);
	add_patch(o, id);
	res = run(o);
	assert_str(res, "outcome", "failed");
	assert_summary(res, "patch 1 refused: symbolic link: mm/link");
}

static void huge_patch_is_refused(void **state)
{
	json_t *o = request("build"), *res __free(json) = NULL;
	int64_t begin = clock_mono_ms();
	char id[80];

	need_sandbox();
	reset_tree();
	sh("yes 0123456789 | head -c 100000000 >mm/huge.c");
	commit(id);
	add_patch(o, id);
	begin = clock_mono_ms();
	res = run(o);
	assert_str(res, "outcome", "failed");
	assert_summary(res, "more than 64 MiB");
	assert_true(clock_mono_ms() - begin < 30000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_states_its_facts),
		cmocka_unit_test(each_patch_is_judged_on_its_own),
		cmocka_unit_test(check_says_the_same_sooner),
		cmocka_unit_test(a_first_look_says_what_it_left_out),
		cmocka_unit_test(a_first_look_at_all_there_is_is_a_check),
		cmocka_unit_test(check_plan_orders_by_what_tells_most),
		cmocka_unit_test(control_without_patches_has_the_base_image),
		cmocka_unit_test(deleted_file_is_gone),
		cmocka_unit_test(changed_selftest_is_built_again),
		cmocka_unit_test(sources_in_use_serve_another_base),
		cmocka_unit_test(missing_compiler_is_our_fault),
		cmocka_unit_test(missing_base_is_our_fault),
		cmocka_unit_test(killed_make_is_not_the_patch),
		cmocka_unit_test(printing_without_end_is_named),
		cmocka_unit_test(filling_the_disk_is_named),
		cmocka_unit_test(using_up_the_time_is_named),
		cmocka_unit_test(daemon_is_killed_and_named),
		cmocka_unit_test(warm_base_and_sources_stay_as_they_are),
		cmocka_unit_test(image_cannot_be_a_way_out),
		cmocka_unit_test(deep_tree_is_removed),
		cmocka_unit_test(symbolic_link_is_refused),
		cmocka_unit_test(huge_patch_is_refused),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
