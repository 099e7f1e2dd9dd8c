// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs/repro.h"

#include <errno.h>
#include <string.h>

#include "kernel-series/net.h"
#include "lib/json.h"
#include "runners/kbuild.h"
#include "runners/qemu.h"

/* 'text', whatever is in it */
static void quote(struct strbuf *out, const char *text)
{
	strbuf_addch(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_addstr(out, "'\\''");
		else
			strbuf_addch(out, *text);
	}
	strbuf_addch(out, '\'');
}

static void set_var(struct strbuf *out, const char *name, const char *text)
{
	strbuf_addf(out, "%s=", name);
	quote(out, text);
	strbuf_addch(out, '\n');
}

/* A comment ends with its line, and so must what is in it. */
static void comment(struct strbuf *out, const char *what, const char *text)
{
	strbuf_addf(out, "# %s", what);
	for (; *text; text++)
		strbuf_addch(out, (unsigned char)*text < ' ' ? '?' : *text);
	strbuf_addch(out, '\n');
}

static void add_head(const json_t *in, const json_t *job, struct strbuf *out)
{
	const json_t *patches = json_object_get(in, "patches");
	const json_t *tree = json_object_get(in, "tree");
	long long id = json_get_int(in, "job_id", 0);
	struct strbuf text __free(strbuf) = STRBUF_INIT;

	strbuf_addf(&text, "%s on %s, config %s, %s",
		    json_get_str(job, "kind", ""),
		    json_get_str(job, "arch", ""),
		    json_get_str(job, "kconfig", ""),
		    json_get_str(job, "toolchain", ""));
	strbuf_addf(out, "#!/bin/sh\n# job %lld of mmci\n", id);
	comment(out, "", text.buf);
	strbuf_addstr(out,
		"#\n# sh THIS [TARGET...]   for one object: sh THIS "
		"mm/mprotect.o\n#\n"
		"# MMCI_TREE     git repository or tar file with the base, absolute\n"
		"# MMCI_MAILS    a mail is at $MMCI_MAILS/MESSAGE-ID/raw\n"
		"# MMCI_PATCHES  how many patches to apply\n"
		"# MMCI_DIR      new directory to work in\n"
		"set -eu\nexport LC_ALL=C\n\n");
	set_var(out, "base", json_get_str(job, "base_commit", ""));
	set_var(out, "tree", json_get_str(tree, "location", ""));
	set_var(out, "branch", json_get_str(tree, "branch", "HEAD"));
	set_var(out, "mails", json_get_str(in, "mails_url", ""));
	if (!strcmp(json_get_str(tree, "kind", ""), "source-package"))
		strbuf_addstr(out, "# the package of this name is installed\n"
				   "tree=/usr/src/$tree.tar.xz\n");
	strbuf_addf(out,
		"tree=${MMCI_TREE:-$tree}\n"
		"mails=${MMCI_MAILS:-$mails}\n"
		"last=${MMCI_PATCHES:-%zu}\n"
		"dir=${MMCI_DIR:-mmci-repro-%lld}\n"
		"mkdir \"$dir\"\ncd \"$dir\"\ntop=$PWD\n\n",
		json_array_size(patches), id);
}

static void add_compiler(const json_t *in, const json_t *job,
			 struct strbuf *out)
{
	const json_t *env = json_object_get(in, "environment");
	const char *toolchain = json_get_str(job, "toolchain", "gcc");
	const struct kbuild_arch *arch =
		kbuild_arch(json_get_str(job, "arch", ""));
	const char *want = json_get_str(env, "compiler", NULL);
	char *gcc __free(kfree) = xasprintf("%sgcc", arch && arch->cross ?
						     arch->cross : "");

	if (!want)
		return;
	set_var(out, "want", want);
	set_var(out, "cc", strcmp(toolchain, "gcc") ? toolchain : gcc);
	strbuf_addstr(out,
		"have=$(\"$cc\" --version | head -n 1)\n"
		"[ \"$have\" = \"$want\" ] ||\n"
		"\techo \"mmci had $want, this is $have: the findings may "
		"differ\" >&2\n\n");
}

static void add_tree(struct strbuf *out)
{
	strbuf_addstr(out,
		"git init -q src\ncd src\n"
		"git config user.name mmci\n"
		"git config user.email mmci@localhost\n"
		"if [ -f \"$tree\" ]; then\n"
		"\ttar -xf \"$tree\" --strip-components=1\n"
		"\tgit add -A -f\n"
		"\tgit commit -q -m base\n"
		"else\n"
		"\tgit fetch -q --depth=1 \"$tree\" \"$base\" 2>/dev/null ||\n"
		"\t\tgit fetch -q \"$tree\" \"$branch\"\n"
		"\tgit checkout -q \"$base\"\n"
		"fi\n\n");
}

static void add_patches(const json_t *in, struct strbuf *out)
{
	const json_t *patches = json_object_get(in, "patches"), *p;
	size_t i;

	if (!json_array_size(patches))
		return;
	strbuf_addstr(out,
		"apply()\n{\n"
		"\t[ \"$1\" -le \"$last\" ] || return 0\n"
		"\tcurl -fsSL \"$mails/$2/raw\" >\"$top/$1.mbox\"\n"
		"\tgit am -q -3 \"$top/$1.mbox\"\n}\n");
	json_array_foreach(patches, i, p) {
		struct strbuf id __free(strbuf) = STRBUF_INIT;

		net_add_url_escaped(&id, json_get_str(p, "message_id", ""));
		strbuf_addf(out, "apply %lld ",
			    (long long)json_get_int(p, "number", 0));
		quote(out, id.buf);
		strbuf_addch(out, '\n');
	}
	strbuf_addch(out, '\n');
}

static void add_make(const json_t *in, const json_t *job, struct strbuf *out)
{
	const char *toolchain = json_get_str(job, "toolchain", "gcc");
	const char *arch_name = json_get_str(job, "arch", "");
	const struct kbuild_arch *arch = kbuild_arch(arch_name);
	const char *kind = json_get_str(job, "kind", "");
	struct strbuf recipe __free(strbuf) = STRBUF_INIT;

	if (arch)
		strbuf_addf(out, "[ $# -gt 0 ] || set -- %s\n", arch->goal);
	strbuf_addstr(out, "printf %s ");
	quote(out, json_get_str(job, "kconfig_text", ""));
	strbuf_addstr(out, " >\"$top/config\"\nmkdir \"$top/obj\"\n"
			   "set -- O=\"$top/obj\" ARCH=");
	quote(out, arch_name);
	if (starts_with(toolchain, "clang-")) {
		strbuf_addstr(out, " LLVM=");
		quote(out, toolchain + strlen("clang"));
	} else if (arch && arch->cross && *arch->cross) {
		strbuf_addf(out, " CROSS_COMPILE=%s", arch->cross);
	}
	strbuf_addstr(out,
		" W=1 \"$@\"\n"
		"make -s O=\"$top/obj\" \"$2\" \"$3\" "
		"KCONFIG_ALLCONFIG=\"$top/config\" tinyconfig\n");
	if (arch && (!strcmp(kind, "boot") || !strcmp(kind, "test"))) {
		qemu_recipe(arch_name, arch->image, " ", &recipe);
		comment(out, "then, in obj: ", recipe.buf);
	}
	strbuf_addstr(out, "exec make -k -j\"$(nproc)\" \"$@\"\n");
}

int repro_script(const json_t *in, struct strbuf *out)
{
	const json_t *job = json_object_get(in, "job");

	if (!*json_get_str(job, "base_commit", "") ||
	    !*json_get_str(job, "arch", ""))
		return -EINVAL;
	add_head(in, job, out);
	add_compiler(in, job, out);
	add_tree(out);
	add_patches(in, out);
	add_make(in, job, out);
	return 0;
}
