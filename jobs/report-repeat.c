// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "jobs/plan-derived.h"
#include "jobs/report-private.h"
#include "lib/json.h"
#include "runners/kbuild.h"
#include "runners/qemu.h"

static const char *cross_of(const char *arch)
{
	if (!strcmp(arch, "arm64"))
		return " CROSS_COMPILE=aarch64-linux-gnu-";
	if (!strcmp(arch, "s390"))
		return " CROSS_COMPILE=s390x-linux-gnu-";
	return "";
}

/* A config that the change asked for is another one and a few answers. */
static void say_answers(const json_t *ctx, const char *arch,
			const char *kconfig, const char *vars,
			struct strbuf *out)
{
	const char *text = "";
	json_t *lines;

	if (plan_derived_text(json_object_get(ctx, "derived"), arch, kconfig,
			      &text, &lines) || !*text)
		return;
	strbuf_addf(out, "  cat >> .config << 'EOF'\n%sEOF\n"
			 "  make %s olddefconfig\n", text, vars);
}

/*
 * What was booted is in the tree; how it was booted is said so that one line
 * can be typed. A kernel that dies at boot needs no programs.
 */
static void say_how_to_run(const char *arch, const char *stage,
			   struct strbuf *out)
{
	const struct kbuild_arch *a = kbuild_arch(arch);

	if (!a || (strcmp(stage, "boot") && strcmp(stage, "test")))
		return;
	strbuf_addstr(out, "  ");
	qemu_recipe(arch, a->image, " \\\n    ", out);
	strbuf_addch(out, '\n');
}

static void say_programs(const json_t *f, struct strbuf *out)
{
	const char *stage = json_get_str(f, "stage", "");
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	if (!strcmp(stage, "boot"))
		strbuf_addstr(&text, "ROOTFS is any initramfs.");
	else if (!strcmp(stage, "test"))
		strbuf_addstr(&text, "ROOTFS is an initramfs with the programs "
			      "of tools/testing/selftests/mm of that tree, "
			      "which are run there by its run_vmtests.sh.");
	if (text.len)
		report_wrap(out, text.buf, "");
}

void report_repeat(const json_t *ctx, const json_t *f, struct strbuf *out)
{
	const json_t *version = json_object_get(ctx, "version");
	const char *arch = json_get_str(f, "arch", "x86_64");
	const char *toolchain = json_get_str(f, "toolchain", "gcc");
	const char *kconfig = json_get_str(f, "kconfig", "");
	int parent = (int)strcspn(kconfig, "+");
	struct strbuf vars __free(strbuf) = STRBUF_INIT;

	strbuf_addf(&vars, "ARCH=%s%s", arch, cross_of(arch));
	if (starts_with(toolchain, "clang-"))
		strbuf_setf(&vars, "ARCH=%s LLVM=-%s", arch,
			    toolchain + strlen("clang-"));
	strbuf_addf(out, "To see it, on the base above:\n\n"
			 "  b4 shazam %s\n",
		    json_get_str(version, "key", ""));
	strbuf_addf(out, "  make %s \\\n    KCONFIG_ALLCONFIG=%.*s-%s.config "
			 "tinyconfig\n", vars.buf, parent, kconfig, arch);
	say_answers(ctx, arch, kconfig, vars.buf, out);
	strbuf_addf(out, "  make %s W=1 -k\n", vars.buf);
	say_how_to_run(arch, json_get_str(f, "stage", ""), out);
	strbuf_addch(out, '\n');
	strbuf_addf(out, "%.*s-%s.config is in deploy/kconfig/ of mmci.\n",
		    parent, kconfig, arch);
	say_programs(f, out);
}
